"""One function of a module: block by block to P-LLVM in SSA form, then what is called inlined and what is not reached removed.

A `switch` becomes a chain of comparisons. A block that ends in `unreachable` and calls nothing is never come to: branches to it
are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rv.analysis.cfg.loops import find_loops
from rv.ir.function import Block, Function, Parameter
from rv.ir.instructions import Alloca, Branch, Call, CompareInt, Instruction, Jump, Phi, Return, Terminator, successors
from rv.ir.rewrite import FreshNames, substitute, without_predecessors
from rv.ir.source import Span
from rv.ir.types import I1, VOID, VoidType
from rv.ir.values import Undef, Value, Var
from rv.transform.scalar.blocks import remove_unreached, simplify_blocks
from rv.transform.scalar.dead import eliminate_dead_code
from rv.transform.scalar.inline import inline_calls
from tensorrv.frontend.llvm_ir.failures import give_up
from tensorrv.frontend.llvm_ir.heads import Head
from tensorrv.frontend.llvm_ir.loop_hints import hints_of, loop_of
from tensorrv.frontend.llvm_ir.lower import addresses as lower_addresses
from tensorrv.frontend.llvm_ir.lower import arithmetic, calls, memory
from tensorrv.frontend.llvm_ir.lower import operands as lower_operands
from tensorrv.frontend.llvm_ir.lower.memory_blocks import expand_blocks
from tensorrv.frontend.llvm_ir.lower.state import TEMPORARY, Body, Lowering, plain_name
from tensorrv.frontend.llvm_ir.module_text import RawFunction, RawModule, Statement
from tensorrv.frontend.llvm_ir.tokens import Cursor, Malformed, Token, tokens_of, without_attachments
from tensorrv.frontend.object_places import place_allocas
from tensorrv.unit.symbols import Symbol

_CALLS: Final = frozenset(("call", "tail", "musttail", "notail"))


@dataclass(frozen=True, slots=True)
class Lowered:
    """A function with its symbols by their names in the module."""

    function: Function
    symbols: Mapping[str, Symbol]


@dataclass(slots=True)
class _Ends:
    """How blocks end: `edges` are, for each block of the IR and each successor, the blocks that go there; `dead` never run."""

    edges: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    loops: dict[str, str] = field(default_factory=dict)
    """The metadata of loops by their headers."""


def lower_function(
    module: RawModule,
    raw: RawFunction,
    head: Head,
    bodies: Mapping[str, Body],
    hidden: frozenset[str],
    called: Mapping[str, str],
    place: Callable[[Statement], Span | None],
    spot: Callable[[Statement], Span | None],
) -> Lowered:
    """The function in P-LLVM. `called` are names of values in the source, `place` is where a statement is in the IR, `spot` where
    it is in the source. Raises Unsupported.
    """
    s = _state(module, raw, head, bodies, hidden, called, place)
    ends = _Ends()
    blocks: list[Block] = []
    for block in raw.blocks:
        label = _label(block.label) if blocks else "entry"
        blocks += _block(s, ends, label, block.statements, spot, head)
    entry = replace(blocks[0], body=(*s.start, *blocks[0].body))
    parameters = tuple(Parameter(s.variable(p.name, p.type), p.restrict, span=spot(raw.head)) for p in head.parameters)
    function = Function(
        raw.name, (*parameters, *s.parameters_of_symbols()), head.result, (entry, *blocks[1:]), spot(raw.head) or place(raw.head)
    )
    function = substitute(_with_edges(s, function, ends), s.bound)
    function = _without_dead(function, ends.dead)
    inlined = {name: body.function for name, body in (*bodies.items(), *s.inlined.items())}
    function = inline_calls(expand_blocks(function), inlined)
    function = eliminate_dead_code(simplify_blocks(remove_unreached(_declared_once(function, s.allocas.values()))))
    function = place_allocas(function, s.allocas.values())
    cycle = next(iter(find_loops(function).irreducible), None)
    if cycle is not None:
        give_up("TRV051", f"'{raw.name}' has a cycle that can be entered at two places", place(raw.head), "not reducible")
    return Lowered(_with_hints(module, raw, function, ends), {name: symbol for name, (_, symbol) in s.symbols.items()})


def _declared_once(function: Function, allocas: Iterable[Alloca]) -> Function:
    """The function with each local variable declared where its lifetime starts, or at its alloca when that is not one place."""
    count = Counter(i.result for _, i in function.instructions() if isinstance(i, Alloca))
    first = {alloca.result for alloca in allocas if count[alloca.result] != 2}
    seen: set[Var] = set()
    blocks: list[Block] = []
    for block in function.blocks:
        body: list[Instruction] = []
        for instruction in block.body:
            if isinstance(instruction, Alloca):
                again = instruction.result in seen
                seen.add(instruction.result)
                if count[instruction.result] > 1 and again == (instruction.result in first):
                    continue
            body.append(instruction)
        blocks.append(replace(block, body=tuple(body)))
    return replace(function, blocks=tuple(blocks))


def _state(
    module: RawModule,
    raw: RawFunction,
    head: Head,
    bodies: Mapping[str, Body],
    hidden: frozenset[str],
    called: Mapping[str, str],
    place: Callable[[Statement], Span | None],
) -> Lowering:
    fresh = FreshNames()
    names: dict[str, str] = {}
    for number, parameter in enumerate(head.parameters):
        known = called.get(parameter.name) or (f"arg{number}" if parameter.name.strip(".").isdecimal() else parameter.name)
        names[parameter.name] = fresh.name(plain_name(known).replace(".", "_"))
    fresh.taken.update(("entry", *(_label(block.label) for block in raw.blocks)))
    for statement in raw.statements:
        first, _, rest = statement.text.partition(" = ")
        if first.startswith("%") and rest:
            name = first[1:].strip('"')
            wanted = called.get(name) or (TEMPORARY if name.strip(".").isdecimal() else plain_name(name))
            names[name] = fresh.name(wanted)
    first = raw.blocks[0].label or str(sum(parameter.name.isdecimal() for parameter in head.parameters))
    return Lowering(module, bodies, hidden, names, fresh, raw.name, first, place, raw.head)


def _label(label: str) -> str:
    """The name of a block in P-LLVM."""
    if not label:
        return "entry"
    return f"b{label}" if label.isdecimal() else plain_name(label)


def _block(
    s: Lowering, ends: _Ends, label: str, statements: tuple[Statement, ...], spot: Callable[[Statement], Span | None], head: Head
) -> list[Block]:
    s.phis, s.code = [], []
    for statement in statements:
        s.statement, s.span = statement, spot(statement) or s.place(statement)
        tokens = without_attachments(tokens_of(statement.text))
        result: str | None = None
        if len(tokens) > 1 and tokens[1].text == "=":
            result, tokens = tokens[0].name, tokens[2:]
        try:
            end = _statement(s, ends, label, result, Cursor(tokens, s.module.types), head)
        except Malformed as malformed:
            s.refuse(f"the instruction is not known ({malformed})")
        if end is not None:
            first = Block(label, tuple(s.phis), tuple(s.code), end[0], span=s.span)
            return [first, *end[1]]
    raise AssertionError("a block ends with a terminator")


def _statement(
    s: Lowering, ends: _Ends, label: str, result: str | None, cursor: Cursor, head: Head
) -> tuple[Terminator, list[Block]] | None:
    """One instruction; a terminator with the blocks that it takes beside that of the instruction."""
    opcode = cursor.take().text
    if opcode in _CALLS:
        if opcode != "call":
            cursor.expect("call")
        calls.call(s, cursor, result)
        return None
    handler = arithmetic.HANDLERS.get(opcode)
    match opcode:
        case _ if handler is not None and result is not None:
            handler(s, cursor, result, opcode)
        case "phi" if result is not None:
            _phi(s, cursor, result)
        case "getelementptr" if result is not None:
            lower_addresses.computed(s, cursor, result)
        case "load" if result is not None:
            memory.load(s, cursor, result)
        case "store":
            memory.store(s, cursor)
        case "alloca" if result is not None:
            memory.alloca(s, cursor, result)
        case "extractvalue" if result is not None:
            calls.extract(s, cursor, result)
        case "fence":
            s.refuse("memory is ordered between threads", "a fence", code="TRV057")
        case "ret" | "br" | "switch" | "unreachable":
            return _terminator(s, ends, label, opcode, cursor, head)
        case _:
            s.refuse(f"the instruction '{opcode}' is not one that is read")
    return None


def _phi(s: Lowering, cursor: Cursor, result: str) -> None:
    cursor.words(arithmetic.FAST_MATH)
    type_ = lower_operands.plain_type(s, cursor.type())
    incoming: list[tuple[str, Value]] = []
    while cursor.accept("["):
        value = lower_operands.value(s, cursor, type_)
        cursor.expect(",")
        incoming.append((_target(s, cursor.take()), value))
        cursor.expect("]")
        cursor.accept(",")
    s.phis.append(Phi(s.variable(result, type_), tuple(incoming), s.span))


def _target(s: Lowering, token: Token) -> str:
    return "entry" if token.name == s.entry else _label(token.name)


def _terminator(
    s: Lowering, ends: _Ends, label: str, opcode: str, cursor: Cursor, head: Head
) -> tuple[Terminator, list[Block]]:
    match opcode:
        case "ret":
            if cursor.token.text == "void":
                return Return(None, s.span), []
            return Return(lower_operands.typed(s, cursor), s.span), []
        case "unreachable":
            if not any(isinstance(instruction, Call) for instruction in s.code):
                ends.dead.add(label)
            return Return(None if head.result == VOID else Undef(head.result), s.span), []
        case "br" if cursor.accept("label"):
            target = _target(s, cursor.take())
            _went(s, ends, label, target, label)
            return Jump(target, s.span), []
        case "br":
            condition = lower_operands.typed(s, cursor)
            then, otherwise = _labels(s, cursor)
            for target in dict.fromkeys((then, otherwise)):
                _went(s, ends, label, target, label)
            return (Branch(condition, then, otherwise, s.span) if then != otherwise else Jump(then, s.span)), []
        case _:
            return _switch(s, ends, label, cursor)


def _labels(s: Lowering, cursor: Cursor) -> tuple[str, str]:
    found: list[str] = []
    for _ in range(2):
        cursor.expect(",")
        cursor.expect("label")
        found.append(_target(s, cursor.take()))
    return found[0], found[1]


def _went(s: Lowering, ends: _Ends, block: str, target: str, through: str) -> None:
    ends.edges.setdefault((block, target), []).append(through)
    loop = loop_of(s.statement.text)
    if loop:
        ends.loops.setdefault(target, loop)


def _switch(s: Lowering, ends: _Ends, label: str, cursor: Cursor) -> tuple[Terminator, list[Block]]:
    """`switch type value, label default [ type case, label target ... ]`"""
    value = lower_operands.typed(s, cursor)
    cursor.expect(",")
    cursor.expect("label")
    default = _target(s, cursor.take())
    cursor.expect("[")
    cases: list[tuple[Value, str]] = []
    while not cursor.accept("]"):
        case = lower_operands.typed(s, cursor)
        cursor.expect(",")
        cursor.expect("label")
        cases.append((case, _target(s, cursor.take())))
    cases = [(case, target) for case, target in cases if target != default]
    if not cases:
        _went(s, ends, label, default, label)
        return Jump(default, s.span), []
    labels = [label, *(s.fresh.name(f"{label}.case") for _ in cases[1:])]
    made: list[tuple[CompareInt, Branch]] = []
    for k, (case, target) in enumerate(cases):
        test = CompareInt(s.temporary(I1), "eq", value, case, s.span)
        following = labels[k + 1] if k + 1 < len(cases) else default
        made.append((test, Branch(test.result, target, following, s.span)))
        _went(s, ends, label, target, labels[k])
    _went(s, ends, label, default, labels[-1])
    s.emit(made[0][0])
    rest = [Block(name, (), (test,), branch, span=s.span) for name, (test, branch) in zip(labels[1:], made[1:], strict=True)]
    return made[0][1], rest


def _with_edges(s: Lowering, function: Function, ends: _Ends) -> Function:
    """Phis with one value for each block that really goes to theirs."""

    def phi(block: Block, old: Phi) -> Phi:
        values = dict(old.incoming)
        edges = [(through, value) for label, value in values.items() for through in ends.edges.get((label, block.label), ())]
        return replace(old, incoming=tuple(dict(edges).items()))

    return replace(
        function, blocks=tuple(replace(block, phis=tuple(phi(block, old) for old in block.phis)) for block in function.blocks)
    )


def _without_dead(function: Function, dead: set[str]) -> Function:
    """The function without blocks that are never come to, and without those that only lead to them."""
    dead = dead - {function.entry.label}
    while dead:
        blocks: list[Block] = []
        more = set[str]()
        for block in function.blocks:
            if block.label in dead:
                continue
            alive = [label for label in successors(block.terminator) if label not in dead]
            if not alive and successors(block.terminator) and not any(isinstance(i, Call) for i in block.body):
                more.add(block.label)
            elif len(alive) == 1:
                block = replace(block, terminator=Jump(alive[0], block.terminator.span))
            blocks.append(block)
        function = replace(function, blocks=tuple(without_predecessors(block, dead) for block in blocks))
        if function.entry.label in more:
            result = None if isinstance(function.result, VoidType) else Undef(function.result)
            ended = replace(function.entry, terminator=Return(result, function.span))
            return replace(function, blocks=(ended, *function.blocks[1:]))
        dead = more
    return function


def _with_hints(module: RawModule, raw: RawFunction, function: Function, ends: _Ends) -> Function:
    """The function with hints on the headers of its loops."""
    if not ends.loops:
        return function
    forest = find_loops(function)
    texts = {
        _label(block.label): [s.text for s in block.statements if _accesses(s.text)] for block in raw.blocks
    }
    blocks: list[Block] = []
    for block in function.blocks:
        node, loop = ends.loops.get(block.label), forest.loops.get(block.label)
        if node is not None and loop is not None:
            inside = [text for label in loop.blocks for text in texts.get(label, [])]
            block = replace(block, hints=hints_of(module.metadata, node, inside))
        blocks.append(block)
    return replace(function, blocks=tuple(blocks))


def _accesses(text: str) -> bool:
    words = text.partition(" = ")[2] or text
    return words.startswith(("load", "store", "call", "tail call"))

