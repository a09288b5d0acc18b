"""From a function of scalar P-LLVM to the source of a Python function that does the same, for the interpreter.

Values: integers and pointers are non-negative Python ints (bit patterns), truth values also Python bools, floating-point numbers
Python floats, undefined values `UNDEFINED`. An SSA variable becomes a local variable `v0`, `v1`, ...

Control flow: a block with several predecessors, and the entry, is a state of one `while` loop over `state`; states are found by
bisection. Every other block is written in place of the jump to it, indented under its branch, until the indentation gets
deep. Phis are one parallel assignment before the jump. Each iteration of the `while` loop takes one of `fuel`.

The one thread that runs is passive where a block's predicate is 0: results are undefined there, and a branch is undecided. The
mask of a block is its predicate.

Every line of the source belongs to an instruction (`lines`), so that an exception can name the instruction that raised it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.analysis.cfg.flow import FlowGraph, flow_graph
from rv.ir.function import Block, Function
from rv.ir.instructions import (
    Alloca,
    Branch,
    Horizontal,
    Instruction,
    Jump,
    Mask,
    Phi,
    Return,
    Terminator,
    is_total,
)
from rv.ir.types import size_of
from rv.ir.values import TRUE, Value, Var
from rv.semantics.expressions import statement_lines, value_text

_DEEPEST = 14
Statement = Instruction | Phi | Terminator


@dataclass(frozen=True, slots=True)
class Translation:
    """Python source of a function `translated`, the block and statement of each source line, the locals of SSA variables."""

    source: str
    lines: Mapping[int, tuple[str, Statement]]
    locals: Mapping[str, str]


def translate(function: Function) -> Translation:
    """The Python function for a well-formed function. Its globals are those that `rv.semantics.scalar` provides."""
    writer = _Writer(function)
    writer.write()
    return Translation("\n".join(writer.text) + "\n", writer.lines, writer.names)


@dataclass
class _Writer:
    function: Function
    graph: FlowGraph = field(init=False)
    names: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    lines: dict[int, tuple[str, Statement]] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    written: dict[str, list[tuple[int, str, tuple[str, Statement] | None]]] = field(default_factory=dict)
    output: list[tuple[int, str, tuple[str, Statement] | None]] = field(default_factory=list)
    place: tuple[str, Statement] | None = None

    def __post_init__(self) -> None:
        self.graph = flow_graph(self.function)

    def write(self) -> None:
        parameters = ", ".join(self.local(p.var) for p in self.function.parameters)
        blocks = {block.label: block for block in self.function.blocks}
        for block in self.function.blocks:
            if block is self.function.entry or len(self.graph.predecessors[block.label]) > 1:
                self.state_of(block.label)
        while len(self.written) < len(self.states):
            for label in list(self.states):
                if label not in self.written:
                    self.output = []
                    self.block(blocks, blocks[label], 0)
                    self.written[label] = self.output
        self.text.append(f"def translated(fuel{', ' if parameters else ''}{parameters}):")
        self.text += ["  state = 0", "  while fuel:", "    fuel -= 1"]
        self.dispatch(list(self.states), 2)
        self.text.append("  raise Exhausted()")

    def dispatch(self, labels: list[str], depth: int) -> None:
        """Bisection over the states of `labels`, which are consecutive."""
        if len(labels) == 1:
            for indent, line, place in self.written[labels[0]]:
                self.text.append("  " * (depth + indent) + line)
                if place is not None:
                    self.lines[len(self.text)] = place
            return
        middle = len(labels) // 2
        self.text.append("  " * depth + f"if state < {self.states[labels[middle]]}:")
        self.dispatch(labels[:middle], depth + 1)
        self.text.append("  " * depth + "else:")
        self.dispatch(labels[middle:], depth + 1)

    def state_of(self, label: str) -> int:
        return self.states.setdefault(label, len(self.states))

    def emit(self, depth: int, line: str) -> None:
        self.output.append((depth, line, self.place))

    def block(self, blocks: Mapping[str, Block], block: Block, depth: int) -> None:
        known = block.predicate == TRUE
        for instruction in block.body:
            self.place = (block.label, instruction)
            if isinstance(instruction, Mask):
                self.emit(depth, f"{self.local(instruction.result)} = {self.value(block.predicate)}")
            elif isinstance(instruction, Alloca):
                self.alloca(instruction, None if known else block.predicate, depth)
            elif known or is_total(instruction):
                self.instruction(instruction, depth)
            else:
                self.predicated(block.predicate, instruction, depth)
        self.place = (block.label, block.terminator)
        if not known:
            anywhere = "pass" if isinstance(block.terminator, Jump) else "raise Undefined('a branch without an active thread')"
            self.emit(depth, f"if not {self.value(block.predicate)}: {anywhere}")
        match block.terminator:
            case Return(value=value):
                self.emit(depth, "return" if value is None else f"return {self.value(value)}")
            case Jump(target=target):
                self.edge(blocks, block, target, depth)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                self.emit(depth, f"if {self.value(condition)}:")
                self.edge(blocks, block, then, depth + 1)
                self.place = (block.label, block.terminator)
                self.emit(depth, "else:")
                self.edge(blocks, block, otherwise, depth + 1)

    def alloca(self, alloca: Alloca, predicate: Value | None, depth: int) -> None:
        """The address, known to a passive thread as well; the contents only become undefined for an active one."""
        size = size_of(alloca.element) * alloca.count
        self.emit(depth, f"fresh = stack_object({alloca.result.name!r}, {size}, 0)")
        self.emit(depth, f"{self.local(alloca.result)} = fresh.base")
        self.emit(depth, ("" if predicate is None else f"if {self.value(predicate)}: ") + "fresh.forget()")

    def predicated(self, predicate: Value, instruction: Instruction, depth: int) -> None:
        """An instruction in a block that may be passive: then its result is undefined."""
        self.emit(depth, f"if {self.value(predicate)}:")
        self.instruction(instruction, depth + 1)
        self.emit(depth, "else:")
        self.emit(depth + 1, "pass" if instruction.result is None else f"{self.local(instruction.result)} = UNDEFINED")

    def edge(self, blocks: Mapping[str, Block], source: Block, target: str, depth: int) -> None:
        phis = blocks[target].phis
        if phis:
            results = ", ".join(self.local(phi.result) for phi in phis)
            values = ", ".join(self.value(phi.value_from(source.label)) for phi in phis)
            self.emit(depth, f"{results} = {values}")
        if target in self.states or depth >= _DEEPEST:
            self.emit(depth, f"state = {self.state_of(target)}")
            self.emit(depth, "continue")
        else:
            self.block(blocks, blocks[target], depth)

    def local(self, var: Var) -> str:
        return self.names.setdefault(var.name, f"v{len(self.names)}")

    def value(self, value: Value) -> str:
        return value_text(value, self.local)

    def instruction(self, instruction: Instruction, depth: int) -> None:
        match instruction:
            case Alloca() | Mask():
                raise AssertionError("the block has its activation")
            case Horizontal(result=result, op=op, operands=values):
                columns = "".join(f"({self.value(value)},)," for value in values)
                type_ = f"types[{str(result.type)!r}]"
                self.emit(depth, f"{self.local(result)} = horizontal({op!r}, {type_}, (0,), ({columns}), 1)[0]")
            case _:
                for line in statement_lines(instruction, self.local):
                    self.emit(depth, line)
