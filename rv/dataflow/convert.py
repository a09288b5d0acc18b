"""From P-LLVM to dataflow: all branches become predicates and picks, loops become picks with an initial token.

Linearization does the first part (thesis, chapters 8 and 9), as for one lane with which all branches diverge: phis are selects on
block predicates, and every loop has one test, in its header. What is left to do for a loop with the test %c:

    head:                                       %again = init 0, %c
      %i = phi i32 [0, pre], [%n, body]         %i = pick %again, %zero, %n
      branch %c, body, out               ->     %i.out, %i.in = switch %c, %i
    body:                                       %n = add i32 %i.in, %m.in
      %n = add i32 %i, %m                       %m.again = pick %again, %m, %m.in
      jump head                                 %m.out, %m.in = switch %c, %m.again

The header runs once more than the body. A token stream belongs to a *level*: the function, the header or the body of a loop. A
value that is read at another level than that of its definition goes there step by step: into a header by a pick that repeats it,
into a body and out of a loop by a switch on the loop's test. Accesses of memory are in the order of the source at every level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from rv.analysis.cfg.block_order import block_order
from rv.analysis.cfg.loops import find_loops
from rv.analysis.cfg.region import Region, find_region
from rv.analysis.values.effects import is_speculatable, may_write
from rv.dataflow.graph import DataflowGraph, Finish, Gate, Init, Node, Operation, Pick, Switch, inputs_of, results_of
from rv.internal_error import InternalError
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, Branch, Horizontal, Instruction, Load, Mask, Return, is_total, operands
from rv.ir.rewrite import FreshNames, map_operands, substitute
from rv.ir.values import TRUE, Value, Var
from rv.transform.linearize.control_uniform import Divergent, canonical_control, linear_control


class AcrossLanes(ValueError):
    """A function with operations across lanes has no dataflow graph."""


def dataflow(function: Function) -> DataflowGraph:
    """The dataflow graph of a function. Raises AcrossLanes."""
    for _, instruction in function.instructions():
        if isinstance(instruction, Horizontal | Mask):
            raise AcrossLanes(f"@{function.name} has operations across lanes, and a dataflow graph has no lanes")
    linear = _for_one_lane(function)
    return _Conversion(linear, find_region(linear), FreshNames.of(linear)).graph()


def _for_one_lane(function: Function) -> Function:
    """The function with loops and predicates only; `any` of one lane is its operand."""
    found = canonical_control(function)
    branches = frozenset(block.label for block in found.blocks if isinstance(block.terminator, Branch))
    linear = linear_control(found, Divergent(None, branches, frozenset(find_loops(found).loops)), {})
    tests = {i.result.name: i.operands[0] for _, i in linear.instructions() if isinstance(i, Horizontal)}
    return substitute(linear, tests)


@dataclass(frozen=True, slots=True)
class Level:
    """Where there is one token each time: the function (no loop), or the header or the body of a loop."""

    loop: str | None = None
    part: Literal["header", "body"] = "body"


ONCE: Final = Level()


@dataclass(slots=True)
class _Conversion:
    """The nodes so far. `levels`: of every output; `moved`: the output that has a value at another level."""

    function: Function
    region: Region
    names: FreshNames
    nodes: list[Node] = field(default_factory=list)
    start: str = ""
    levels: dict[str, Level] = field(default_factory=dict)
    moved: dict[tuple[str, Level], str] = field(default_factory=dict)
    gates: dict[tuple[Value, Level], str] = field(default_factory=dict)
    switches: dict[str, tuple[str, str]] = field(default_factory=dict)
    tests: dict[str, str] = field(default_factory=dict)
    again: dict[str, str] = field(default_factory=dict)
    """For each header the test after an initial token: whether it is entered from its body."""

    def graph(self) -> DataflowGraph:
        self.start = self._fresh("start", ONCE)
        for parameter in self.function.parameters:
            self.levels[parameter.var.name] = ONCE
        blocks = {block.label: block for block in self.function.blocks}
        order = [blocks[label] for label in block_order(self.region)]
        for block in order:
            for definition in (*block.phis, *block.body):
                if definition.result is not None:
                    self.levels[definition.result.name] = self._level(block.label)
        for block in order:
            if block.label in self.region.loops.loops:
                self._test(block)
        self._run(order, self.start)
        return DataflowGraph(self.function.name, self.function.parameters, self.start, _needed(self.nodes))

    def _run(self, order: list[Block], start: str) -> None:
        """Converts the blocks; `memory` is the token behind the last access so far."""
        memory = start
        entered: list[_Entered] = []
        for block in order:
            while entered and block.label not in self.region.loops.loops[entered[-1].header].blocks:
                memory = self._left(entered.pop(), memory)
            if block.label in self.region.loops.loops:
                self._enter(block)
                if self._accesses_memory(block.label):
                    entered.append(_Entered(block.label, memory, self._fresh("memory", Level(block.label, "header"))))
                    memory = entered[-1].inside
            level = self._level(block.label)
            for instruction in block.body:
                memory = self._operation(instruction, block, level, memory)
            if isinstance(block.terminator, Return):
                value = block.terminator.value
                found = Var(self._at(value.name, level), value.type) if isinstance(value, Var) else value
                self.nodes.append(Finish(found, memory))

    def _test(self, header: Block) -> None:
        """Notes the test of a loop."""
        level, inside = Level(header.label, "header"), self.region.loops.loops[header.label].blocks
        match header.terminator:
            case Branch(condition=Var(name=name), then=then) if then in inside and self.levels[name] == level:
                self.tests[header.label] = name
                self.again[header.label] = self._fresh(f"{header.label}.again", level)
            case _:
                raise InternalError("loops of linear code go on while a value of their headers is true", f"loop {header.label}")

    def _enter(self, header: Block) -> None:
        """The initial token of a loop, and its phis."""
        level, again = Level(header.label, "header"), self.again[header.label]
        self.nodes.append(Init(again, 0, self.tests[header.label]))
        for phi in header.phis:
            inside = self.region.loops.loops[header.label].blocks
            ((_, first),) = [edge for edge in phi.incoming if edge[0] not in inside]
            ((_, following),) = [edge for edge in phi.incoming if edge[0] in inside]
            values = self._token(first, self._above(level)), self._token(following, Level(header.label))
            self.nodes.append(Pick(phi.result.name, again, values))

    def _left(self, loop: _Entered, memory: str) -> str:
        """The token for accesses behind a loop; `memory` is that behind the last access in its body."""
        level = Level(loop.header, "header")
        outside, following = self._at(loop.before, self._above(level)), self._at(memory, Level(loop.header))
        self.nodes.append(Pick(loop.inside, self.again[loop.header], (outside, following)))
        return self._at(loop.inside, self._above(level))

    def _operation(self, instruction: Instruction, block: Block, level: Level, memory: str) -> str:
        """Adds an instruction; the token behind it."""
        ordered = isinstance(instruction, Load | Alloca) or may_write(instruction)
        if isinstance(instruction, Horizontal):
            return memory  # a loop's test, which is its operand
        after = self._at(memory, level) if ordered else None
        read = [value for value in operands(instruction) if isinstance(value, Var)]
        alone = not read and after is None

        def moved(value: Value) -> Value:
            if isinstance(value, Var):
                return Var(self._at(value.name, level), value.type)
            return Var(self._token(value, level), value.type) if alone else value

        when = None
        if block.predicate != TRUE and not is_total(instruction) and (ordered or not is_speculatable(instruction)):
            when = self._token(block.predicate, level)
        order = self._fresh("memory", level) if ordered else None
        self.nodes.append(Operation(map_operands(instruction, moved), after, order, when))
        return memory if order is None else order

    def _token(self, value: Value, level: Level) -> str:
        """The output that has a value at a level."""
        if isinstance(value, Var):
            return self._at(value.name, level)
        if (value, level) not in self.gates:
            result = self.gates[value, level] = self._fresh("constant", level)
            self.nodes.append(Gate(result, self._at(self.start, level), value))
        return self.gates[value, level]

    def _at(self, name: str, level: Level) -> str:
        """The output that has the value of another one at a level."""
        here = self.levels[name]
        if here == level:
            return name
        if (name, level) not in self.moved:
            if here not in self._around(level):
                found = self._at(self._switched(name, here)[0], level)
            elif level.part == "body":
                found = self._switched(self._at(name, self._above(level)), level)[1]
            else:
                found = self._repeated(name, level)
            self.moved[name, level] = found
        return self.moved[name, level]

    def _repeated(self, name: str, level: Level) -> str:
        """A value from outside of a loop, once for each run of the header."""
        assert level.loop is not None
        source = self._at(name, self._above(level))
        result = self._fresh(name, level)
        self.nodes.append(Pick(result, self.again[level.loop], (source, self._at(result, Level(level.loop)))))
        return result

    def _switched(self, name: str, level: Level) -> tuple[str, str]:
        """A value of a header behind the loop and in the body."""
        header = level.loop
        if header is None or self.levels[name] != Level(header, "header"):
            raise InternalError("values leave loops from their headers", f"%{name}")
        if name not in self.switches:
            out = self._fresh(f"{name}.out", self._above(Level(header, "header")))
            self.switches[name] = out, self._fresh(f"{name}.in", Level(header))
            self.nodes.append(Switch(self.switches[name], self.tests[header], name))
        return self.switches[name]

    def _level(self, label: str) -> Level:
        header = self.region.loops.innermost.get(label)
        return ONCE if header is None else Level(header, "header" if label == header else "body")

    def _above(self, level: Level) -> Level:
        """The level around another one."""
        assert level.loop is not None
        if level.part == "body":
            return Level(level.loop, "header")
        parent = self.region.loops.loops[level.loop].parent
        return ONCE if parent is None else Level(parent)

    def _around(self, level: Level) -> Iterator[Level]:
        while level != ONCE:
            level = self._above(level)
            yield level

    def _accesses_memory(self, header: str) -> bool:
        inside = self.region.loops.loops[header].blocks
        return any(
            isinstance(instruction, Load | Alloca) or may_write(instruction)
            for block, instruction in self.function.instructions()
            if block.label in inside
        )

    def _fresh(self, wanted: str, level: Level) -> str:
        name = self.names.name(wanted)
        self.levels[name] = level
        return name


@dataclass(frozen=True, slots=True)
class _Entered:
    """A loop that accesses memory: the tokens before it, and at the beginning of its header."""

    header: str
    before: str
    inside: str


def _needed(nodes: list[Node]) -> tuple[Node, ...]:
    """The nodes on which the end of the function depends, in their order."""
    making = {name: node for node in nodes for name in results_of(node)}
    pending: list[Node] = [node for node in nodes if isinstance(node, Finish)]
    found = set(map(id, pending))
    while pending:
        for name in inputs_of(pending.pop()):
            node = making.get(name)
            if node is not None and id(node) not in found:
                found.add(id(node))
                pending.append(node)
    return tuple(node for node in nodes if id(node) in found)
