"""Blocks and functions of P-LLVM (thesis, definition 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from rv.ir.hints import NO_HINTS, LoopHints
from rv.ir.instructions import Instruction, Phi, Terminator, successors
from rv.ir.source import Span
from rv.ir.types import Type
from rv.ir.values import TRUE, Value, Var


@dataclass(frozen=True, slots=True)
class Block:
    """A basic block. `hints` are the user's hints about the loop whose header this block is.

    A thread that comes to the block executes its instructions and terminator only where `predicate` is 1; its phis are
    resolved all the same. A thread whose predicate is 0 goes on to whichever successor other threads go to (thesis, 4.4).
    """

    label: str
    phis: tuple[Phi, ...]
    body: tuple[Instruction, ...]
    terminator: Terminator
    hints: LoopHints = NO_HINTS
    span: Span | None = field(default=None, compare=False)
    predicate: Value = TRUE

    @property
    def successors(self) -> tuple[str, ...]:
        return successors(self.terminator)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter; `restrict`: in the function, what is reached through this pointer is reached through no other one.

    One with `own` leads to an object of its own: no other parameter with `own` leads there.
    """

    var: Var
    restrict: bool = False
    own: bool = False
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A function; its first block is the entry, which has no predecessors."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    blocks: tuple[Block, ...]
    span: Span | None = field(default=None, compare=False)
    _by_label: Mapping[str, Block] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_label", {block.label: block for block in reversed(self.blocks)})

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def block(self, label: str) -> Block:
        """The block called `label`; KeyError when there is none."""
        return self._by_label[label]

    def instructions(self) -> Iterator[tuple[Block, Instruction]]:
        """Every instruction with its block, in textual order."""
        for block in self.blocks:
            for instruction in block.body:
                yield block, instruction

    def instructions_in(self, labels: Collection[str]) -> Iterator[tuple[Block, Instruction]]:
        """The instructions of some blocks, in textual order."""
        for block in self.blocks:
            if block.label in labels:
                for instruction in block.body:
                    yield block, instruction
