"""From a block of P-LLVM to the source of a Python function that runs it for all threads in lock step (thesis, 4.7-4.9).

    def block_3(environments, last, came, stayed, threads) -> (active, decisions)

`environments` are the threads' variables (a list of values each), `last` their last blocks, `came` and `stayed` the threads whose
control mask is 1 and 0, `threads` all; each in ascending order. `decisions` is for each active thread the label of its next
block, or `Returned`. The function implements [BLS-W-STEP]: phis, activation, instructions, terminator; what comes up to the
definition of the predicate, if it is in the block, runs before the activation is known.

Every line of the source belongs to a statement (None: the predicate).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby

from rv.analysis.values.effects import is_pure
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, Branch, Horizontal, Instruction, Jump, Load, Mask, Phi, Return, Terminator, is_total
from rv.ir.types import size_of
from rv.ir.values import Value, Var
from rv.semantics.expressions import statement_lines, value_text

Place = tuple[str, Instruction | Phi | Terminator | None]


class Interpretation(Enum):
    """What passive execution does to the result of an instruction that is not total (thesis, section 4.5)."""

    FREEZING = "the variable keeps its value"
    OBLIVIOUS = "the variable becomes undefined"


@dataclass(frozen=True, slots=True)
class LockstepCode:
    """Python source, the functions of the blocks in it, the statement of each line, the place of each variable."""

    source: str
    functions: Mapping[str, str]
    lines: Mapping[int, Place]
    slots: Mapping[str, int]


def lockstep_code(function: Function, interpretation: Interpretation) -> LockstepCode:
    """The code of all blocks of a well-formed function."""
    writer = _Writer(interpretation is Interpretation.OBLIVIOUS)
    for parameter in function.parameters:
        writer.slot(parameter.var)
    functions = {block.label: f"block_{number}" for number, block in enumerate(function.blocks)}
    for block in function.blocks:
        writer.block(block, functions[block.label])
    return LockstepCode("\n".join(writer.text) + "\n", functions, writer.lines, writer.slots)


@dataclass
class _Writer:
    oblivious: bool
    slots: dict[str, int] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    lines: dict[int, Place] = field(default_factory=dict)
    place: Place | None = None

    def emit(self, depth: int, line: str) -> None:
        self.text.append("  " * depth + line)
        if self.place is not None:
            self.lines[len(self.text)] = self.place

    def slot(self, variable: Var) -> int:
        return self.slots.setdefault(variable.name, len(self.slots))

    def local(self, variable: Var) -> str:
        return f"own[{self.slot(variable)}]"

    def value(self, value: Value) -> str:
        return value_text(value, self.local)

    def each(self, threads: str) -> None:
        self.emit(1, f"for thread in {threads}:")
        self.emit(2, "own = environments[thread]")

    def block(self, block: Block, name: str) -> None:
        self.place = None
        self.emit(0, f"def {name}(environments, last, came, stayed, threads):")
        self.phis(block)
        before = _before_activation(block)
        self.instructions(block.label, block.body[:before])
        self.activation(block)
        self.instructions(block.label, block.body[before:])
        self.terminator(block)

    def phis(self, block: Block) -> None:
        """One parallel assignment for each thread."""
        if not block.phis:
            return
        self.place = (block.label, block.phis[0])
        results = ", ".join(self.local(phi.result) for phi in block.phis)
        self.each("came")
        self.emit(2, "match last[thread]:")
        for source, _ in block.phis[0].incoming:
            self.emit(3, f"case {source!r}:")
            self.emit(4, f"{results} = {', '.join(self.value(phi.value_from(source)) for phi in block.phis)}")
        self.each("stayed")
        self.emit(2, f"{results} = {', '.join(self.passive_value(phi) for phi in block.phis)}")

    def passive_value(self, phi: Phi) -> str:
        """What a phi becomes for threads that have not come to the block."""
        if phi.shadow is not None:
            return self.value(phi.shadow)
        return "UNDEFINED" if self.oblivious else self.local(phi.result)

    def activation(self, block: Block) -> None:
        self.place = (block.label, None)
        self.emit(1, "active = []")
        self.each("came")
        self.emit(2, f"if {self.value(block.predicate)}: active.append(thread)")
        self.emit(1, "passive = sorted(set(threads).difference(active))")

    def instructions(self, label: str, body: Sequence[Instruction]) -> None:
        """Instructions in order. A run of them without operations across threads is executed thread by thread."""
        for (apart, threads), run in groupby(body, lambda i: (_is_apart(i), _executing(i))):
            for group in [list(run)] if apart else [[instruction] for instruction in run]:
                self.group(label, group, threads)

    def group(self, label: str, group: Sequence[Instruction], threads: str) -> None:
        """Instructions of the participating threads, and their effects on the others."""
        self.place = (label, group[0])
        if not isinstance(group[0], Horizontal):
            self.each(threads)
        for instruction in group:
            self.place = (label, instruction)
            self.instruction(instruction, threads)
        results = [self.slot(instruction.result) for instruction in group if instruction.result is not None]
        if self.oblivious and results and threads == "active":
            self.each("passive")
            self.emit(2, " = ".join(f"own[{slot}]" for slot in results) + " = UNDEFINED")

    def instruction(self, instruction: Instruction, threads: str) -> None:
        """What a thread does, whose variables are `own`."""
        match instruction:
            case Mask(result=result):
                self.emit(2, f"{self.local(result)} = thread in active")
            case Alloca(result=result, element=element, count=count):
                self.emit(2, f"fresh = stack_object({result.name!r}, {size_of(element) * count}, thread)")
                self.emit(2, f"{self.local(result)} = fresh.base")
                self.emit(2, "if thread in active: fresh.forget()")
            case Horizontal():
                self.horizontal(instruction, threads)
            case _:
                for line in statement_lines(instruction, self.local):
                    self.emit(2, line)

    def horizontal(self, instruction: Horizontal, threads: str) -> None:
        columns = [f"column_{number}" for number, _ in enumerate(instruction.operands)]
        for column in columns:
            self.emit(1, f"{column} = []")
        self.each(threads)
        for column, value in zip(columns, instruction.operands, strict=True):
            self.emit(2, f"{column}.append({self.value(value)})")
        operands = "".join(f"{column}," for column in columns)
        type_ = f"types[{str(instruction.result.type)!r}]"
        self.emit(1, f"results = horizontal({instruction.op!r}, {type_}, {threads}, ({operands}), len(threads))")
        slot = self.slot(instruction.result)
        self.emit(1, f"for thread, result in zip({threads}, results): environments[thread][{slot}] = result")

    def terminator(self, block: Block) -> None:
        self.place = (block.label, block.terminator)
        self.emit(1, "decisions = []")
        self.each("active")
        match block.terminator:
            case Jump(target=target):
                decision = repr(target)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                decision = f"{then!r} if {self.value(condition)} else {otherwise!r}"
            case Return(value=value):
                decision = f"Returned({'None' if value is None else self.value(value)})"
        self.emit(2, f"decisions.append({decision})")
        self.emit(1, "return active, decisions")


def _is_apart(instruction: Instruction) -> bool:
    """Whether it makes no difference in which order threads execute this and its like."""
    return isinstance(instruction, Load) or is_pure(instruction)


def _executing(instruction: Instruction) -> str:
    return "threads" if is_total(instruction) else "active"


def _before_activation(block: Block) -> int:
    """How many instructions lead to the definition of the block's predicate."""
    for number, instruction in enumerate(block.body):
        if instruction.result is not None and instruction.result == block.predicate:
            return number + 1
    return 0
