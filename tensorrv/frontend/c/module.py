"""The front end's result, and the one function that makes it: C text to functions of scalar SSA P-LLVM.

    preprocess -> parse -> analyse (types, names) -> lower (SSA)

Restrictions and choices that C leaves open: `char` is signed (as on x86; on AArch64 a C compiler would make it unsigned unless
told otherwise), integers have the sizes of LP64, floating-point expressions are evaluated in their own type, in order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from rv.evolution.polynomial import Polynomial
from rv.ir.function import Block, Function, Parameter
from rv.ir.instructions import Call, Load
from rv.ir.source import Span
from rv.ir.types import PTR
from rv.ir.values import Var
from rv.transform.scalar.blocks import simplify_blocks
from rv.transform.scalar.dead import eliminate_dead_code
from tensorrv.frontend.c.analyse.functions import Program, analyse
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.failures import Unsupported, give_up, refuse, refuse_depth
from tensorrv.frontend.c.lower import objects as lower_objects
from tensorrv.frontend.c.lower import records as lower_records
from tensorrv.frontend.c.lower import statements as lower_statements
from tensorrv.frontend.c.lower.declared_objects import place_allocas, refuse_escapes
from tensorrv.frontend.c.lower.irreducible import refuse_irreducible
from tensorrv.frontend.c.lower.naming import number_densely
from tensorrv.frontend.c.lower.ssa import Slot, SsaBuilder
from tensorrv.frontend.c.lower.state import Frame, Lowering, plain_name
from tensorrv.frontend.c.parse.nesting import deepest_place
from tensorrv.frontend.c.parse.parser import parse
from tensorrv.frontend.c.parse.syntax import Syntax
from tensorrv.frontend.c.pragmas.simd_declaration import SimdDeclaration
from tensorrv.frontend.c.preprocess.compiler_text import compiler_text
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed, preprocess
from tensorrv.frontend.c.tree.nodes import TypedFunction, TypedParameter
from tensorrv.frontend.c.tree.symbols import GlobalSymbol, StackSymbol, Symbol
from tensorrv.frontend.c.tree.walk import has_loop
from tensorrv.frontend.c.types.attributes import refuse_macro_changes
from tensorrv.frontend.c.types.c_text import parameter_text, prototype_text
from tensorrv.frontend.c.types.c_types import (
    CType,
    FloatingC,
    IntegerC,
    Member,
    PointerC,
    Record,
    StructC,
    VoidC,
    innermost,
    is_const,
    machine_type,
    size_of_type,
    unqualified,
)
from tensorrv.frontend.c.types.extents import polynomial
from tensorrv.frontend.c.types.object_parts import has_hidden
from tensorrv.report.diagnostics import Diagnostic, Refused

Scalar = IntegerC | FloatingC
Element = Scalar | StructC

DEEPEST: Final = 6000
"""Python calls on top of each other while a file is read: enough for sums of a thousand terms."""


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter as C declares it.

    `element` is the scalar's own type, or that of the array's elements, which may be structs. `rank` is 0 for a scalar.
    `extents` has one entry per dimension, outermost first: a polynomial over the integer parameters (`%n` read as signed, `u%n`
    as unsigned), or None where the declaration does not give it, as for a plain pointer. `const` means that
    the elements are not written.
    """

    name: str
    declaration: str
    element: Element
    rank: int
    extents: tuple[Polynomial | None, ...]
    const: bool
    restrict: bool
    span: Span | None


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function of the file. `internal` ones are `static`; `result` is None for void; `simd`: its `declare simd` pragmas.

    `records` are the structs among C's parameters, whose numbers are parameters here; `symbols` are the parameters of `function`
    behind those of C, variables that the file defines first. `inlined` are the functions whose bodies it holds, `notes` about
    pragmas that are not followed, `sources` the texts of the files of its spans.
    """

    function: Function
    prototype: str
    parameters: tuple[CParameter, ...]
    result: Scalar | PointerC | None
    internal: bool
    simd: tuple[SimdDeclaration, ...] = ()
    inlined: frozenset[str] = frozenset()
    symbols: tuple[Symbol, ...] = ()
    records: tuple[StructC | None, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.function.name


@dataclass(frozen=True, slots=True)
class CModule:
    """The functions of a C file inside the subset, in order; `passed_over` gives the reasons for the others, by name.

    `problems` are errors in declarations outside functions, which cost those that use what is declared. `internal` are the
    functions that are static, with their places; those of included files only if there are loops in them.
    """

    functions: tuple[CFunction, ...]
    passed_over: tuple[tuple[str, Diagnostic], ...]
    problems: tuple[Diagnostic, ...]
    internal: tuple[tuple[str, Span | None], ...]
    sources: Mapping[str, str]

    def function(self, name: str) -> CFunction:
        """The function called `name`; Refused, with the reason, when it is not there or outside the subset."""
        for function in self.functions:
            if function.name == name:
                return function
        reason = dict(self.passed_over).get(name)
        if reason is not None:
            raise Refused(
                Diagnostic("error", reason.code, reason.message, reason.span, reason.label, reason.related, reason.hint)
            )
        known = ", ".join(f.name for f in self.functions)
        hint = f"it defines {known}" if known else ""
        raise Refused(Diagnostic("error", "TRV082", f"there is no function '{name}' in this file", hint=hint))


def parse_c(
    source: Path | str,
    *,
    text: str | None = None,
    defines: Sequence[tuple[str, str]] = (),
    include_dirs: Sequence[Path] = (),
    cpp: str | None = None,
) -> CModule:
    """Read a C file, or `text` as if it were in a file called `source`. `cpp` is a compiler that preprocesses it ("gcc").

    `defines` are macros with their values, as with -D. Raises Refused (with all the errors that were found) when the file has
    errors and no function that could be compiled, or cannot be preprocessed; other functions are passed over.
    """
    path = Path(source)
    if text is None:
        text = _read(path)
    sources: dict[str, str] = {str(source): text}
    try:
        with deep_recursion():
            return _read_module(preprocessed(str(source), text, defines, include_dirs, path.parent, sources, cpp))
    except Refused as refusal:
        refusal.sources = sources
        raise


def preprocessed(
    name: str,
    text: str,
    defines: Sequence[tuple[str, str]],
    include_dirs: Sequence[Path],
    directory: Path,
    sources: dict[str, str],
    cpp: str | None,
) -> Preprocessed:
    """The text after preprocessing, by our own preprocessor unless a compiler is named."""
    if cpp is None:
        return preprocess(name, text, defines, include_dirs, directory, sources)
    return compiler_text(cpp, name, text, defines, include_dirs, directory, sources)


def _read_module(source: Preprocessed) -> CModule:
    try:
        return _module(source)
    except RecursionError:
        refuse_depth(deepest_place(source))


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for long expressions: a sum of n terms is a tree of depth n."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")
    except OSError as error:
        refuse("TRV001", f"cannot read '{path}': {error.strerror or error}", None)


def _module(source: Preprocessed) -> CModule:
    if not source.by_compiler:
        refuse_macro_changes(source)
    syntax = parse(source)
    program = analyse(syntax)
    temporary = free_name(syntax)
    functions: list[CFunction] = []
    passed_over: dict[str, Diagnostic] = dict(program.unsupported)
    for name in [name for name, span in program.places.items() if span is not None and span.file in source.system]:
        passed_over.pop(name, None)  # a system's own functions are only there to be inlined
    for typed in program.functions.values():
        if typed.span is not None and typed.span.file in source.system:
            continue
        if typed.internal and isinstance(typed.result, StructC):
            continue  # only there to be inlined
        try:
            functions.append(replace(c_function(program, typed, temporary), sources=source.sources))
        except Unsupported as failure:
            passed_over[typed.name] = failure.diagnostic
        except Refused as refusal:
            passed_over[typed.name] = refusal.diagnostics[0]
    order = {function: number for number, function in enumerate(program.order)}
    reasons = tuple(sorted(passed_over.items(), key=lambda item: order[item[0]]))
    problems = tuple(p for p in program.problems if p.span is None or p.span.file not in source.system)
    errors = [reason for reason in (*problems, *(reason for _, reason in reasons)) if reason.severity == "error"]
    if errors and not functions:
        raise Refused(*dict.fromkeys(errors))
    main = next(iter(source.sources))
    internal = tuple((f.name, f.span) for f in program.functions.values() if f.internal and _matters(f, main, source))
    return CModule(tuple(functions), reasons, problems, internal, source.sources)


def _matters(typed: TypedFunction, main: str, source: Preprocessed) -> bool:
    """Whether a static function that is not compiled is reported: headers contain many small ones that are not used."""
    file = main if typed.span is None else typed.span.file
    return file == main or (file not in source.system and has_loop(typed.body))


def free_name(syntax: Syntax) -> str:
    """A name for temporaries that no variable of the source has."""
    taken = {name for token in syntax.tokens for name in (token.text, plain_name(token.text))}
    return next(name for name in ("t", "tmp", "temp", *(f"t_{k}" for k in range(len(taken) + 1))) if name not in taken)


def _check_records(typed: TypedFunction) -> None:
    """Gives up where structs are passed or returned in an unsupported form."""
    if isinstance(typed.result, StructC):
        give_up(
            "TRV030",
            f"'{typed.name}' returns a struct",
            typed.span,
            "it can only be inlined into its callers",
            hint="return it through a pointer; declare functions static that are only called from this file",
        )
    given = next((p.variable for p in typed.parameters if isinstance(p.variable.type, StructC)), None)
    if given is not None and (typed.simd or not size_of_type(given.type) or has_hidden(given.type)):
        give_up("TRV030", f"the struct '{given.name}' cannot be passed by value", given.span, "a struct", hint="pass a pointer")


def c_function(program: Program, typed: TypedFunction, temporary: str) -> CFunction:
    """A function of the file as P-LLVM; `temporary` is a name that none of its variables has. Raises Unsupported and Refused."""
    _check_records(typed)
    result = _result(typed.result)
    function, symbols, inlined = _lowered(program, typed, temporary)
    return CFunction(
        function,
        prototype_text(typed.name, typed.result, typed.parameters) + ";",
        tuple(found for parameter in typed.parameters for found in _parameters(parameter)),
        result,
        typed.internal,
        typed.simd,
        inlined,
        symbols,
        _records(typed),
        typed.notes,
    )


def _lowered(program: Program, typed: TypedFunction, temporary: str) -> tuple[Function, tuple[Symbol, ...], frozenset[str]]:
    builder = SsaBuilder(temporary)
    result = machine_type(typed.result)
    slot = None if isinstance(typed.result, VoidC) else Slot("", result, typed.span)
    frame = Frame(typed.name, builder.new_block("return"), slot)
    frame.in_memory = typed.in_memory
    lowering = Lowering(program, builder, frame)
    frame.given_away = lower_objects.given_away(lowering, typed)
    parameters: list[Parameter] = []
    given: list[tuple[Variable, list[Var]]] = []
    for parameter in typed.parameters:
        variable = parameter.variable
        own = [builder.named(plain_name(name), machine_type(type_)) for name, type_ in _numbers(variable)]
        given.append((variable, own))
        restrict = isinstance(variable.type, PointerC) and variable.type.restrict
        parameters += [Parameter(var, restrict, span=variable.span) for var in own]
    for variable, own in given:
        if variable in frame.in_memory:
            lower_objects.declare(lowering, variable, None, variable.span)
            lower_objects.bind(lowering, variable, own)
        elif isinstance(variable.type, StructC):
            lower_records.bind(lowering, variable, own)
        else:
            builder.write(frame.slot(variable), own[0])
    lower_statements.body(lowering, typed)
    builder.place(frame.exit)
    builder.leave(None if slot is None else builder.read(slot), typed.span)
    blocks = builder.finish()
    loads_pointers = _loads_pointers(blocks)
    lowering.symbols.sort(key=lambda item: not (isinstance(item[1], GlobalSymbol) and item[1].defined))
    for var, symbol in lowering.symbols:
        parameters.append(Parameter(var, restrict=isinstance(symbol, StackSymbol) and not loads_pointers, own=True))
    function = Function(typed.name, tuple(parameters), result, blocks, typed.span)
    if lowering.jumps:
        refuse_irreducible(function)
    if typed.simd and lowering.orders:
        message = f"'{typed.name}' is declared simd, but lanes of a vector version would depend on each other: {lowering.orders}"
        give_up("TRV044", message, typed.span, "no vector version")
    function = place_allocas(function, lowering.allocas)
    refuse_escapes(function)
    finished = number_densely(eliminate_dead_code(simplify_blocks(function)), temporary)
    return finished, tuple(symbol for _, symbol in lowering.symbols), frozenset(lowering.inlined)


def _numbers(variable: Variable) -> list[tuple[str, CType]]:
    """What a parameter is passed as in P-LLVM: itself, or the numbers and pointers in a struct."""
    if not isinstance(variable.type, StructC):
        return [(variable.name, variable.type)]
    return [(f"{variable.name}_{m.name}", m.type) for m in lower_records.parts(variable.type, variable.span)]


def _records(typed: TypedFunction) -> tuple[StructC | None, ...]:
    """For each parameter of C the struct that it is; empty when none is."""
    found = tuple(p.variable.type if isinstance(p.variable.type, StructC) else None for p in typed.parameters)
    return found if any(found) else ()


def _loads_pointers(blocks: Sequence[Block]) -> bool:
    """Whether a function gets pointers from memory or from calls, which might lead to memory whose address a call got."""
    return any(i.result is not None and i.result.type == PTR and isinstance(i, Load | Call) for b in blocks for i in b.body)


def _parameters(parameter: TypedParameter) -> list[CParameter]:
    """The parameter, or one for each number and pointer in a struct that is passed by value."""
    if not isinstance(parameter.variable.type, StructC):
        return [_parameter(parameter)]
    span = parameter.variable.span
    members = [Variable(plain_name(name), type_, span) for name, type_ in _numbers(parameter.variable)]
    extents = {member: (None,) if isinstance(member.type, PointerC) else () for member in members}
    return [_parameter(TypedParameter(member, extents[member], False, False)) for member in members]


def _parameter(parameter: TypedParameter) -> CParameter:
    type_ = parameter.variable.type
    element: CType = innermost(type_.target) if isinstance(type_, PointerC) else type_
    return CParameter(
        parameter.variable.name,
        parameter_text(parameter),
        element_of(element),
        len(parameter.extents),
        tuple(polynomial(extent) if extent is not None else None for extent in parameter.extents),
        isinstance(type_, PointerC) and is_const(element),
        isinstance(type_, PointerC) and type_.restrict,
        parameter.variable.span,
    )


def element_of(type_: CType) -> Element:
    """What an array holds, as parameters describe it."""
    plain = unqualified(type_)
    if isinstance(plain, PointerC):  # a row of a table of pointers
        return StructC(Record("", False, (Member("", plain, 0),), 8, 8))
    return plain if isinstance(plain, StructC) else _scalar(plain)


def _result(type_: CType) -> Scalar | PointerC | None:
    match type_:
        case VoidC():
            return None
        case PointerC():
            return type_
        case _:
            return _scalar(type_)


def _scalar(type_: CType) -> Scalar:
    plain = unqualified(type_)
    assert isinstance(plain, IntegerC | FloatingC)
    return plain
