"""Semantic analysis of statements (C11 6.8) and local declarations."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any, Final

from pycparser import c_ast

from tensorrv.frontend.c.analyse.folding import wrap
from tensorrv.frontend.c.analyse.initialisers import aggregate_literal, initialised_length
from tensorrv.frontend.c.analyse.operators import condition, require_complete
from tensorrv.frontend.c.analyse.scope import GIVEN, FunctionName, TypeName, Variable, given_symbol
from tensorrv.frontend.c.analyse.state import Analysis, OpenSwitch
from tensorrv.frontend.c.pragmas.data_clauses import at_entry, in_each_iteration, make_copies
from tensorrv.frontend.c.pragmas.divided_loops import divided_loop, loop_inside
from tensorrv.frontend.c.pragmas.loop_clauses import LoopPragma, hints_without_counter
from tensorrv.frontend.c.pragmas.pending import nothing_follows, pragma_statements
from tensorrv.frontend.c.pragmas.regions import (
    RegionPragma,
    region,
    team,
)
from tensorrv.frontend.c.tree.nodes import (
    Assign,
    Block,
    Break,
    Case,
    Comma,
    Compare,
    CompoundAssign,
    Continue,
    Declare,
    Evaluate,
    Expression,
    Goto,
    If,
    Increment,
    Label,
    Loop,
    Read,
    Return,
    Statement,
    StatementValue,
    Switch,
    VariablePlace,
)
from tensorrv.frontend.c.tree.tables import constant_table
from tensorrv.frontend.c.types.c_types import (
    VOIDC,
    ArrayC,
    CType,
    FunctionC,
    IntegerC,
    PointerC,
    StructC,
    VoidC,
    innermost,
    size_of_type,
    spell,
    unqualified,
)
from tensorrv.frontend.c.types.conversions import assigned, promoted
from tensorrv.frontend.c.types.declarations import constant_integer, constant_object, function_type, type_of
from tensorrv.report.diagnostics import Related

MOST_CASES: Final = 256
_EXPRESSIONS: Final = (
    c_ast.ArrayRef,
    c_ast.Assignment,
    c_ast.BinaryOp,
    c_ast.Cast,
    c_ast.CompoundLiteral,
    c_ast.Constant,
    c_ast.ExprList,
    c_ast.FuncCall,
    c_ast.GenericSelection,
    c_ast.ID,
    c_ast.StructRef,
    c_ast.TernaryOp,
    c_ast.UnaryOp,
)


def function_body(a: Analysis, node: Any) -> Block:
    """The body of a function: its outermost block, in the scope of the parameters, with every `goto` going somewhere."""
    result = _items(a, node)
    for jump, extents in a.gotos:
        if jump.name not in a.labels:
            close = difflib.get_close_matches(jump.name, sorted(a.labels), n=1)
            hint = f"did you mean '{close[0]}'?" if close else ""
            a.refuse("TRV022", f"the function has no label '{jump.name}'", jump, "no such label", hint=hint)
        skipped = next((e for e in a.labels[jump.name][1] if e not in extents), None)
        if skipped is not None:
            related = () if skipped.span is None else (Related(skipped.span, "evaluated here"),)
            message = f"the jump to '{jump.name}' skips a declaration whose type has a variable length"
            a.refuse("TRV022", message, jump, "the length is not known after this", also=related)
    return result


def block(a: Analysis, node: Any) -> Block:
    """A compound statement in a scope of its own."""
    with a.inner_scope():
        return _items(a, node)


def _items(a: Analysis, node: Any) -> Block:
    result = Block(tuple(s for item in node.block_items or () for s in _item(a, item)))
    nothing_follows(a, a.pragmas)
    return result


def statement_value(a: Analysis, node: Any) -> StatementValue:
    """`({ ... value; })`: the value is that of the last statement, if that is an expression."""
    if a.hidden is None:
        a.refuse("TRV017", "statements cannot be evaluated outside of functions", node, "not a constant")
    *before, last = node.block_items or [None]
    with a.inner_scope():
        done = [s for item in before for s in _item(a, item)]
        if last is None or not isinstance(last, _EXPRESSIONS):
            done += _item(a, last) if last is not None else []
            return StatementValue(VOIDC, Block(tuple(done)), None, a.span(node))
        value = a.expression(a, last)
        return StatementValue(value.type, Block(tuple(done)), None if isinstance(value.type, VoidC) else value, a.span(node))


def _item(a: Analysis, node: Any) -> list[Statement]:
    """One item of a block; pragmas wait for the loop that follows them."""
    match node:
        case c_ast.Pragma():
            return pragma_statements(a, node)
        case c_ast.Decl() | c_ast.Typedef():
            nothing_follows(a, a.pragmas)
            return list(_declaration(a, node))
        case c_ast.StaticAssert():
            static_assertion(a, node)
            return []
        case c_ast.EmptyStatement():
            return []
        case c_ast.Label(name=name, stmt=labelled):
            return [_label(a, name, node), *_item(a, labelled)]
        case c_ast.Case() | c_ast.Default():
            return [*_cases(a, node), *(s for inner in node.stmts or () for s in _item(a, inner))]
        case _:
            return [statement(a, node)]


def _label(a: Analysis, name: str, node: Any) -> Label:
    nothing_follows(a, a.pragmas)
    if name in a.labels:
        related = (Related(span, "first used here"),) if (span := a.labels[name][0]) is not None else ()
        a.refuse("TRV022", f"the label '{name}' occurs twice", node, "a second time", also=related)
    a.labels[name] = a.span(node), a.extents
    return Label(name, a.span(node))


def _cases(a: Analysis, node: Any) -> list[Case]:
    nothing_follows(a, a.pragmas)
    if not a.switches:
        a.refuse("TRV019", "case and default belong inside a switch", node, "not in a switch")
    return [_case(a, value, node) for value in _case_values(a, node)]


def _case_values(a: Analysis, node: Any) -> Iterable[int | None]:
    """The values of a case: one, or all of `case 1 ... 5`; None for default."""
    if not isinstance(node, c_ast.Case):
        return (None,)
    if not (isinstance(node.expr, c_ast.BinaryOp) and node.expr.op == "..."):
        return (constant_integer(a, node.expr),)
    low, high = constant_integer(a, node.expr.left), constant_integer(a, node.expr.right)
    if high - low >= MOST_CASES:
        a.give_up("TRV044", f"a range of more than {MOST_CASES} cases is not supported", node.expr, f"{high - low + 1} values")
    return range(low, high + 1)


def _case(a: Analysis, value: int | None, node: Any) -> Case:
    switch = a.switches[-1]
    wrapped = None if value is None else wrap(switch.type, value)
    if any(case.value == wrapped for case in switch.cases):
        a.refuse("TRV011", "this case occurs twice in the switch", node, "a second time")
    switch.cases.append(Case(wrapped, a.span(node)))
    switch.entered |= a.depth > switch.depth
    return switch.cases[-1]


def statement(a: Analysis, node: Any) -> Statement:
    """One statement."""
    a.depth += 1
    result = _statement(a, node)
    a.depth -= 1
    return result


def _statement(a: Analysis, node: Any) -> Statement:
    said, a.pragmas = a.pragmas, []
    region_at = next((place for place, pragma in enumerate(said) if isinstance(pragma, RegionPragma)), None)
    if region_at is not None:
        return _region(a, node, said, region_at)
    loops = [pragma for pragma in said if isinstance(pragma, LoopPragma)]
    if not isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile):
        nothing_follows(a, said)
    match node:
        case None | c_ast.EmptyStatement():
            return Block(())
        case c_ast.Compound():
            return block(a, node)
        case (
            c_ast.Pragma()
            | c_ast.Decl()
            | c_ast.Typedef()
            | c_ast.StaticAssert()
            | c_ast.Case()
            | c_ast.Default()
            | c_ast.Label()
        ):
            return Block(tuple(_item(a, node)))
        case c_ast.If(cond=cond, iftrue=iftrue, iffalse=iffalse):
            test = condition(a, cond)
            return If(test, statement(a, iftrue), statement(a, iffalse) if iffalse is not None else None, a.span(cond))
        case c_ast.For():
            return _for(a, node, loops)
        case c_ast.While(cond=cond, stmt=body):
            test = condition(a, cond)
            name, hints = _loop_name(None, None, test), hints_without_counter(loops)
            return Loop("while", name, test, None, _body(a, body), a.span(node), hints)
        case c_ast.DoWhile(cond=cond, stmt=body):
            inside = _body(a, body)
            return Loop("do", "", condition(a, cond), None, inside, a.span(cond), hints_without_counter(loops))
        case c_ast.Switch():
            return _switch(a, node)
        case c_ast.Return():
            return _return(a, node)
        case c_ast.Break() | c_ast.Continue():
            return _jump(a, node)
        case c_ast.Goto(name=name):
            a.gotos.append((node, a.extents))
            return Goto(name, a.span(node))
        case _:
            return Evaluate(a.expression(a, node), a.span(node))


def _region(a: Analysis, node: Any, said: list[LoopPragma | RegionPragma], place: int) -> Statement:
    """The statement of a region that OpenMP makes of it; pragmas further in wait on."""
    outermost = said[place]
    assert isinstance(outermost, RegionPragma)
    nothing_follows(a, said[:place])
    with region(a, outermost, node) as declared:
        a.pragmas = said[place + 1 :]
        inside = _statement(a, node)
    return Block((*declared, inside))


def _body(a: Analysis, node: Any) -> Statement:
    a.loops += 1
    a.breakable += 1
    with a.inner_scope():
        result = statement(a, node)
    a.loops -= 1
    a.breakable -= 1
    return result


def _for(a: Analysis, node: Any, said: list[LoopPragma]) -> Statement:
    if a.collapsed is not None:
        said, a.collapsed = [a.collapsed, *said], None
    divided = divided_loop(a, node, said)
    with a.inner_scope(), team(a, node) if any(pragma.own_team for pragma in said) else nullcontext():
        before = list(at_entry(make_copies(a, divided.outside)))
        match node.init:
            case None:
                pass
            case c_ast.DeclList(decls=decls):
                before.extend(s for decl in decls for s in _declaration(a, decl))
            case init:
                before.append(Evaluate(a.expression(a, init), a.span(init)))
        test = condition(a, node.cond) if node.cond is not None else None
        step = a.expression(a, node.next) if node.next is not None else None
        a.collapsed = _collapsed(a, node, divided.said)
        with a.inner_scope():
            made = make_copies(a, divided.inside)
            body = _body(a, node.stmt)
        placed = in_each_iteration(made, body, test)
        name = _loop_name(before[-1] if before else None, step, test)
        body = Block((*placed.first, body)) if placed.first else body
        variables = (*placed.handed_on, *(variable for pragma in divided.said for variable in pragma.handed_on))
        loop = Loop("for", name, test, step, body, a.span(node), divided.hints(body), variables, Block(tuple(placed.last)))
        return Block((*placed.before, *before, loop))


def _collapsed(a: Analysis, node: Any, said: Sequence[LoopPragma]) -> LoopPragma | None:
    """The pragmas of the loop directly inside; refuses when there is none although `collapse` includes it."""
    deepest = max(said, key=lambda pragma: pragma.collapse, default=None)
    if deepest is None or deepest.collapse == 1:
        return None
    if loop_inside(node) is None:
        message = "'collapse' needs perfectly nested loops, and there is one too few here"
        a.refuse("TRV023", message, deepest.node, "the clause names more loops", hint="nothing may stand between these loops")
    return deepest.further_in()


def _loop_name(before: Statement | None, step: Expression | None, test: Expression | None) -> str:
    """What the user calls a loop: the variable it steps, or initialises, or tests."""
    while isinstance(step, Comma):
        step = step.second
    match step:
        case (
            Increment(place=VariablePlace(variable=variable))
            | CompoundAssign(place=VariablePlace(variable=variable))
            | Assign(place=VariablePlace(variable=variable))
        ):
            return variable.name
        case _:
            pass
    match before:
        case Declare(variable=variable) | Evaluate(value=Assign(place=VariablePlace(variable=variable))):
            return variable.name
        case _:
            pass
    match test:
        case (
            Compare(left=Read(place=VariablePlace(variable=variable)) | Increment(place=VariablePlace(variable=variable)))
            | Increment(place=VariablePlace(variable=variable))
        ):
            return variable.name
        case _:
            return ""


def _switch(a: Analysis, node: Any) -> Statement:
    value = promoted(a.expression(a, node.cond))
    if not isinstance(value.type, IntegerC):
        a.refuse("TRV012", f"a switch needs an integer, not a '{spell(value.type)}'", node.cond, "not an integer")
    a.breakable += 1
    a.switches.append(OpenSwitch(value.type, a.depth + 1))
    body = statement(a, node.stmt)
    a.breakable -= 1
    switch = a.switches.pop()
    return Switch(value, tuple(switch.cases), body, switch.entered, a.span(node.cond))


def _jump(a: Analysis, node: Any) -> Statement:
    if isinstance(node, c_ast.Break):
        if not a.breakable:
            a.refuse("TRV019", "break outside of a loop or switch", node, "no loop or switch to leave")
        return Break(a.span(node))
    if not a.loops:
        a.refuse("TRV019", "continue outside of a loop", node, "no loop to continue")
    return Continue(a.span(node))


def _return(a: Analysis, node: Any) -> Statement:
    assert a.result is not None
    if node.expr is None:
        if not isinstance(a.result, VoidC):
            a.refuse("TRV016", f"this function returns '{spell(a.result)}'", node, "a value is missing here")
        return Return(None, a.span(node))
    value = a.expression(a, node.expr)
    if isinstance(a.result, VoidC):
        a.refuse(
            "TRV016", "this function returns nothing", node.expr, "a value is returned", hint="change 'void' or drop the value"
        )
    return Return(assigned(a, value, a.result, node.expr, "the returned value"), a.span(node))


def _declaration(a: Analysis, node: Any) -> list[Statement]:
    """The hidden extents and the variable that a local declaration makes."""
    assert a.hidden is not None
    hidden, a.hidden = a.hidden, []
    if isinstance(node, c_ast.Typedef):
        a.scope.declare(TypeName(node.name, type_of(a, node.type), a.span(node)))
        own: list[Statement] = []
    else:
        own = _variable(a, node)
    a.extents = (*a.extents, *a.hidden)
    own, a.hidden = [*a.hidden, *own], hidden
    return own


def _variable(a: Analysis, node: Any) -> list[Statement]:
    if isinstance(node.type, c_ast.FuncDecl):
        a.scope.declare(FunctionName(node.name, function_type(a, node.type), a.span(node)))
        return []
    inferred = isinstance(node.type, c_ast.TypeDecl) and isinstance(node.type.type, c_ast.InferredType)
    value = a.expression(a, node.init) if inferred else None  # the name does not stand for the variable yet
    type_ = type_of(a, node.type) if value is None else unqualified(value.type)
    if node.name is None:
        return []
    if GIVEN in node.storage:
        a.scope.declare(Variable(node.name, type_, a.span(node), "", given_symbol(node.name), True))
        return []
    if {"static", "extern", "_Thread_local"} & set(node.storage):
        static = "static" in node.storage
        constant = constant_object(a, node, type_) or constant_table(a, node, type_) if static else None
        if constant is None and not static:
            return _outer_variable(a, node, type_)
        if constant is None:
            a.give_up(
                "TRV037", f"'{node.name}' keeps its value between calls, which is supported for constants only", node, "static"
            )
        a.scope.declare(constant)
        return []
    table = constant_table(a, node, type_)
    if table is not None:
        a.scope.declare(table)
        return []
    match type_:
        case ArrayC():
            type_ = _local_array(a, node, type_)
        case PointerC(FunctionC()):
            a.give_up("TRV036", "pointers to functions are not supported", node, f"a '{spell(type_)}'")
        case VoidC() | FunctionC():
            a.refuse("TRV021", f"'{node.name}' cannot be '{spell(type_)}'", node, "not the type of an object")
        case StructC():
            require_complete(a, type_, node)
    variable = Variable(node.name, type_, a.span(node))
    a.scope.declare(variable)
    if a.team is not None:
        a.team.own[variable] = node.init is not None
    return [Declare(variable, _initial(a, node, variable) if value is None else value, a.span(node))]


def _outer_variable(a: Analysis, node: Any, type_: CType) -> list[Statement]:
    """`extern` inside a function: a variable that stands outside of it."""
    if "_Thread_local" in node.storage or "__thread" in node.storage:
        a.give_up("TRV037", "every thread has its own variable of this name", node, "not the same in all threads")
    scope = a.scope
    while scope.parent is not None:
        scope = scope.parent
    known = scope.names.get(node.name)
    a.scope.declare(known if isinstance(known, Variable) else Variable(node.name, type_, a.span(node), "", node.name))
    return []


def _local_array(a: Analysis, node: Any, type_: ArrayC) -> ArrayC:
    """The type of a local array; one without a length has that of its initialiser."""
    inner = innermost(type_)
    if isinstance(inner, StructC):
        require_complete(a, inner, node)
    if type_.extent is None and not isinstance(node.init, c_ast.InitList):
        a.refuse("TRV021", f"the array '{node.name}' has no length", node, "neither a length nor an initialiser")
    if type_.extent is None:
        type_ = ArrayC(type_.element, initialised_length(a, type_, node.init))
    if size_of_type(type_) is None:
        a.give_up(
            "TRV034",
            f"the length of the local array '{node.name}' is not a constant",
            node,
            "an array of variable length",
            hint="give it the greatest length that is needed, as a number, an enumeration constant or a macro",
        )
    return type_


def _initial(a: Analysis, node: Any, variable: Variable) -> Expression | None:
    init = node.init
    if init is None:
        return None
    if isinstance(variable.type, ArrayC) and not isinstance(init, c_ast.InitList):
        a.give_up("TRV042", "an array is initialised by a list in braces only", init, "not a list in braces")
    if isinstance(init, c_ast.InitList) and isinstance(variable.type, ArrayC | StructC):
        return aggregate_literal(a, variable.type, init)
    if isinstance(init, c_ast.InitList) and len(init.exprs) == 1:
        init = init.exprs[0]
    return assigned(a, a.expression(a, init), variable.type, init, f"the initialiser of '{variable.name}'")


def static_assertion(a: Analysis, node: Any) -> None:
    """`_Static_assert`: refuses when it fails."""
    if constant_integer(a, node.cond) == 0:
        message = node.message.value.strip('"') if node.message is not None else "static assertion failed"
        a.refuse("TRV017", f"static assertion failed: {message}", node.cond, "this is 0")
