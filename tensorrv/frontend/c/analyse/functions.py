"""The file scope: declarations outside functions, and the analysis of every function definition.

A declaration outside the subset makes its name unusable instead of killing the file; a function outside the subset is a
failure of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from rv.ir.source import Span
from tensorrv.frontend.c.analyse.expressions import expression, unevaluated_type
from tensorrv.frontend.c.analyse.initialisers import initialised_length
from tensorrv.frontend.c.analyse.scope import LONGEST_TABLE, FunctionName, Scope, Symbol, Table, TypeName, Unusable, Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.analyse.statements import function_body, static_assertion
from tensorrv.frontend.c.failures import Unsupported
from tensorrv.frontend.c.parse.syntax import External, Syntax, enumerators_in, tags_in, without_attributes
from tensorrv.frontend.c.pragmas.clause_values import read_pragma
from tensorrv.frontend.c.pragmas.declare_simd import declare_simd
from tensorrv.frontend.c.pragmas.directives import follows
from tensorrv.frontend.c.pragmas.regions import remember
from tensorrv.frontend.c.tree.in_memory import variables_given_away, variables_in_memory
from tensorrv.frontend.c.tree.nodes import Declare, Expression, Literal, TypedFunction, TypedParameter
from tensorrv.frontend.c.tree.tables import constant_table
from tensorrv.frontend.c.types.attributes import Layouts, other_meaning
from tensorrv.frontend.c.types.c_types import (
    FLOAT,
    INT,
    LONG,
    ArrayC,
    CType,
    FunctionC,
    PointerC,
    StructC,
    VoidC,
    same_type,
    spell,
)
from tensorrv.frontend.c.types.declarations import adjusted, constant_object, extent_value, function_type, require_length, type_of
from tensorrv.report.diagnostics import Diagnostic, Refused, Related


@dataclass(slots=True)
class Program:
    """The functions of a file that were analysed, and why the others were not, by name; errors in other declarations."""

    functions: dict[str, TypedFunction] = field(default_factory=dict)
    unsupported: dict[str, Diagnostic] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    places: dict[str, Span | None] = field(default_factory=dict)
    """Where each function is defined."""
    pragmas: list[Any] = field(default_factory=list)
    """Those that were read since the last declaration."""
    before: dict[str, list[Any]] = field(default_factory=dict)
    """The pragmas before declarations of each function."""
    names: dict[str, Symbol] = field(default_factory=dict)
    """What names stand for outside functions."""


def analyse(syntax: Syntax) -> Program:
    """Analyse the whole file, piece by piece: an error costs the declaration or function that it is in."""
    program = Program()
    a = Analysis(syntax, Scope(names=program.names), expression, unevaluated_type)
    layouts = Layouts(syntax)
    for external in syntax.externals:
        reason = external.failure or other_meaning(syntax, external)
        if reason is not None:
            _unreadable(a, external, reason, program)
            continue
        a.moved = layouts.changed(external)
        for node in external.nodes:
            try:
                _external(a, node, program)
            except Refused as refusal:
                _lost(a, node, refusal.diagnostics[0], program)
                _lose_constants(a, external, refusal.diagnostics[0])
            except Unsupported as failure:
                _lost(a, node, failure.diagnostic, program)
                _lose_constants(a, external, failure.diagnostic)
    return program


def _unreadable(a: Analysis, external: External, reason: Diagnostic, program: Program) -> None:
    """A piece with a syntax error, or an attribute that means something else; the rest of a piece before it is no error more."""
    _lose_constants(a, external, reason)
    if external.failure is None:
        for node in external.nodes:
            _lost(a, node, reason, program)
    elif external.defines:
        _without_body(a, external.name, reason, program)
    elif a.syntax.tokens[external.low].text != "{":
        program.problems.append(reason)
        _make_unusable(a, external.name, reason)


def _lose_constants(a: Analysis, external: External, reason: Diagnostic) -> None:
    """The tags of structs and enumerations in a piece that cannot be read, and the enumerations' constants, cannot be used."""
    tokens = without_attributes(a.syntax.tokens[external.low : external.high])
    if not any(isinstance(node, c_ast.FuncDef) for node in external.nodes) and not external.defines:
        for tag in tags_in(tokens):
            a.scope.tags.setdefault(tag, Unusable(tag, reason, reason.span))
        for name in enumerators_in(tokens):
            a.scope.names.setdefault(name, Unusable(name, reason, reason.span))


def _lost(a: Analysis, node: Any, reason: Diagnostic, program: Program) -> None:
    """A declaration with an error, or a function definition whose head has one."""
    if isinstance(node, c_ast.FuncDef):
        _without_body(a, node.decl.name, reason, program)
        return
    if reason.severity == "error":
        program.problems.append(reason)
    _make_unusable(a, getattr(node, "name", None), reason)


def _without_body(a: Analysis, name: str, reason: Diagnostic, program: Program) -> None:
    program.places[name] = reason.span
    program.functions.pop(name, None)
    program.unsupported[name] = reason
    program.order.append(name)
    _make_unusable(a, name, reason)


def _make_unusable(a: Analysis, name: str | None, reason: Diagnostic) -> None:
    """No second error wherever the name is used."""
    if name:
        a.scope.names[name] = Unusable(name, reason, reason.span)


def _external(a: Analysis, node: Any, program: Program) -> None:
    match node:
        case c_ast.Pragma():
            _not_for_loops(a, node)
            program.pragmas.append(node)
            return
        case c_ast.StaticAssert():
            static_assertion(a, node)
        case c_ast.FuncDef():
            _take_pragmas(program, node.decl.name)
            _definition(a, node, program)
        case c_ast.Decl(type=c_ast.FuncDecl()):
            _take_pragmas(program, node.name)
            _or_unusable(a, node, lambda: _declare_function(a, node))
        case c_ast.Typedef():
            _or_unusable(a, node, lambda: _declare_type(a, node))
        case c_ast.Decl():
            _or_unusable(a, node, lambda: _declare_object(a, node))
        case _:
            pass
    _without_function(a, program)


def _not_for_loops(a: Analysis, node: Any) -> None:
    """Refuses pragmas about loops outside of functions."""
    directive = read_pragma(a, node)
    if directive is not None:
        remember(a, node, directive)
    if directive is not None and directive.words and follows(directive.words) == "loop":
        hint = "put the pragma directly before its loop"
        a.refuse("TRV023", "this pragma must be followed by a loop", node, "no loop follows", hint=hint)


def _take_pragmas(program: Program, name: str) -> None:
    """The pragmas that stand before a function belong to it, whichever of its declarations they precede."""
    program.before.setdefault(name, []).extend(program.pragmas)
    program.pragmas.clear()


def _without_function(a: Analysis, program: Program) -> None:
    """Refuses `declare simd` before what is no function."""
    pragmas, program.pragmas = program.pragmas, []
    for node in pragmas:
        directive = read_pragma(a, node)
        if directive is not None and directive.words == ("declare", "simd"):
            a.refuse("TRV023", "'declare simd' must be followed by a function", node, "no function follows")


def _or_unusable(a: Analysis, node: Any, declare: Callable[[], object]) -> None:
    """Declare a name; when its type is outside the subset, record why."""
    try:
        declare()
    except Unsupported as failure:
        if node.name is not None:
            a.scope.names[node.name] = Unusable(node.name, failure.diagnostic, a.span(node))


def _declare_type(a: Analysis, node: Any) -> None:
    type_ = type_of(a, node.type)
    if isinstance(type_, StructC) and not type_.record.tag:
        type_.record.tag = node.name
    earlier = a.scope.names.get(node.name)
    if isinstance(earlier, TypeName) and same_type(earlier.type, type_):
        return  # C11 allows a typedef to be repeated
    a.scope.declare(TypeName(node.name, type_, a.span(node)))


def _declare_function(a: Analysis, node: Any) -> FunctionName:
    type_ = function_type(a, node.type)
    earlier = a.scope.names.get(node.name)
    if not isinstance(earlier, FunctionName):
        name = FunctionName(node.name, type_, a.span(node), a.syntax.symbols.get(node.coord.line, ""))
        a.scope.declare(name)
        return name
    if not same_type(earlier.type, type_):
        related = (Related(earlier.span, "first declared here"),) if earlier.span is not None else ()
        a.refuse(
            "TRV011", f"'{node.name}' is declared with different types", node, "differs from the first declaration", also=related
        )
    if earlier.type.parameters is None:
        earlier.type = type_
    return earlier


def _declare_object(a: Analysis, node: Any) -> None:
    type_ = type_of(a, node.type)
    if node.name is None:
        return
    declares = "extern" not in node.storage or node.init is not None
    constant = constant_object(a, node, type_) or constant_table(a, node, type_) if declares else None
    if isinstance(constant, Table) and len(constant.values) > LONGEST_TABLE and "static" not in node.storage:
        constant = None  # loads from memory are cheaper than a choice between so many
    if constant is not None:
        a.scope.declare(constant)
        return
    _global_variable(a, node, type_, declares)


def _global_variable(a: Analysis, node: Any, type_: CType, declares: bool) -> None:
    """A variable of the program, which other files may reach, too; it may be declared several times."""
    if "static" in node.storage:
        a.give_up(
            "TRV037",
            "the variable is static, so another object file cannot access it",
            node,
            "static",
            hint=f"pass '{node.name}' as a parameter, or drop 'static'",
        )
    if "_Thread_local" in node.storage or "__thread" in node.storage:
        a.give_up("TRV037", "every thread has its own variable of this name", node, "not the same in all threads")
    if isinstance(type_, ArrayC) and type_.extent is None and isinstance(node.init, c_ast.InitList):
        type_ = ArrayC(type_.element, initialised_length(a, type_, node.init))
    earlier = a.scope.names.get(node.name)
    if isinstance(earlier, Variable) and same_type(earlier.type, type_):
        if isinstance(type_, ArrayC) and type_.extent is not None:
            earlier.type = type_
        earlier.defined |= declares
        return
    symbol = a.syntax.symbols.get(node.coord.line, "") or node.name
    a.scope.declare(Variable(node.name, type_, a.span(node), "", symbol, declares))


def _definition(a: Analysis, node: Any, program: Program) -> None:
    """Declare and analyse one function; what happens inside does not concern the rest of the file."""
    name = node.decl.name
    if not isinstance(node.decl.type, c_ast.FuncDecl):
        a.refuse(
            "TRV004", f"'{name}' has a body, but no list of parameters", node.decl, "not a function", hint="write 'void' for none"
        )
    if name in program.order:
        a.refuse("TRV011", f"the function '{name}' is defined twice", node.decl, "defined again here")
    program.order.append(name)
    program.places[name] = a.span(node.decl)
    try:
        _give_types(a, node)
        symbol = _declare_function(a, node.decl)
        if symbol.type.parameters is None and node.decl.type.args is None:
            symbol.type = FunctionC(symbol.type.result, ())
    except Unsupported as failure:
        program.unsupported[name] = failure.diagnostic
        a.scope.names[name] = Unusable(name, failure.diagnostic, a.span(node.decl))
        return
    inner = Analysis(a.syntax, Scope(a.scope), expression, unevaluated_type, name, hidden=[], result=symbol.type.result)
    inner.records, inner.moved = a.records, a.moved
    inner.reductions, inner.threadprivate = set(a.reductions), set(a.threadprivate)
    try:
        program.functions[name] = _function(inner, node, symbol, program.before[name])
    except Unsupported as failure:
        program.unsupported[name] = failure.diagnostic
    except Refused as refusal:
        program.unsupported[name] = refusal.diagnostics[0]


def _function(a: Analysis, node: Any, symbol: FunctionName, pragmas: list[Any]) -> TypedFunction:
    if symbol.type.variadic:
        a.give_up("TRV040", f"'{symbol.name}' takes a variable number of arguments", node.decl, "declared with '...'")
    parameters = tuple(_parameter(a, *given) for given in enumerate(_declared_parameters(a, node.decl.type)))
    prologue = tuple(a.hidden or ())
    a.hidden = []
    simd = tuple(found for pragma in pragmas if (found := declare_simd(a, pragma)) is not None)
    body = function_body(a, node.body)
    internal = "static" in node.decl.storage
    return TypedFunction(
        symbol.name,
        parameters,
        symbol.type.result,
        prologue,
        body,
        internal,
        a.span(node.decl),
        frozenset(a.labels),
        variables_in_memory(body),
        variables_given_away(body),
        simd,
        tuple(a.notes),
    )


def _give_types(a: Analysis, node: Any) -> None:
    """Parameters of an old-style definition get their declarations; one without a declaration is an int."""
    arguments = node.decl.type.args
    if arguments is None:
        return
    declared = {decl.name: decl for decl in node.param_decls or [] if isinstance(decl, c_ast.Decl)}
    for position, parameter in enumerate(arguments.params):
        if isinstance(parameter, c_ast.ID):
            arguments.params[position] = declared.get(parameter.name) or _int_declaration(parameter)
    for decl in declared.values():
        if type_of(a, decl.type) == FLOAT:
            hint = "declare the parameters between the parentheses"
            a.give_up("TRV044", "float parameters of old-style definitions are passed as double", decl, "a float", hint=hint)


def _int_declaration(name: Any) -> Any:
    type_ = c_ast.TypeDecl(name.name, [], None, c_ast.IdentifierType(["int"], name.coord), name.coord)
    return c_ast.Decl(name.name, [], [], [], [], type_, None, None, name.coord)


def _declared_parameters(a: Analysis, declarator: Any) -> list[Any]:
    parameters = declarator.args.params if declarator.args is not None else []
    if len(parameters) == 1 and isinstance(parameters[0], c_ast.Typename) and isinstance(type_of(a, parameters[0]), VoidC):
        return []
    return list(parameters)


def _parameter(a: Analysis, position: int, node: Any) -> TypedParameter:
    """Declare a parameter; the outermost extent of an array is only remembered, the inner ones are part of its type."""
    name: str = node.name or f"unnamed_{position}"
    outer: tuple[Expression | None, ...] = ()
    static = restrict = const = False
    if isinstance(node.type, c_ast.ArrayDecl):
        element = type_of(a, node.type.type)
        require_length(a, element, node)
        outer = (extent_value(a, node.type.dim) if node.type.dim is not None else None,)
        words = node.type.dim_quals or []
        static, restrict, const = "static" in words, "restrict" in words, "const" in words
        if "volatile" in words:
            a.give_up("TRV031", "volatile objects are not supported", node, "declared volatile")
        type_: CType = PointerC(element, const, restrict)
    else:
        declared = type_of(a, node.type)
        type_ = adjusted(declared)
        if isinstance(type_, PointerC):
            outer = (_extent_expression(declared.extent) if isinstance(declared, ArrayC) else None,)
    _check_parameter(a, node, type_)
    variable = Variable(name, type_, a.span(node))
    a.scope.declare(variable)
    return TypedParameter(variable, outer + _inner_extents(a, type_), isinstance(node.type, c_ast.ArrayDecl), static)


def _inner_extents(a: Analysis, type_: CType) -> tuple[Expression | None, ...]:
    extents: list[Expression | None] = []
    inner = type_.target if isinstance(type_, PointerC) else type_
    while isinstance(inner, ArrayC):
        extents.append(_extent_expression(inner.extent, a.hidden))
        inner = inner.element
    return tuple(extents)


def _extent_expression(extent: int | Variable | None, hidden: list[Declare] | None = None) -> Expression | None:
    if extent is None:
        return None
    if isinstance(extent, int):
        return Literal(LONG if extent >= 1 << 31 else INT, extent, None)
    return next((declare.value for declare in hidden or () if declare.variable is extent), None)


def _check_parameter(a: Analysis, node: Any, type_: CType) -> None:
    match type_:
        case VoidC():
            a.refuse("TRV021", "a parameter cannot be void", node, "not the type of an object")
        case PointerC(FunctionC()):
            a.give_up("TRV036", "pointers to functions are not supported", node, f"a '{spell(type_)}'")
        case PointerC(VoidC()):
            a.give_up(
                "TRV043",
                f"the elements of the void pointer '{node.name}' have no type",
                node,
                "a void pointer",
                hint="declare it with the type of its elements",
            )
        case _:
            pass
