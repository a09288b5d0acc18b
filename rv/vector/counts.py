"""How many instructions a module has, and what kinds of work those of a block are, for reports and the tuner."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, get_args

from rv.vector.dependences import kind_of
from rv.vector.function import Module
from rv.vector.instructions import Address, Broadcast, Freeze, Gather, Hide, Insert, Instruction, Shuffle
from rv.vector.types import VectorType

Work = Literal["vector loads", "scalar loads", "gathers", "stores", "shuffles", "arithmetic", "prefetches"]
WORK: Final[tuple[Work, ...]] = get_args(Work)


def work_of(instruction: Instruction) -> Work | None:
    """The kind of work; None for what is repeated by address arithmetic and constants, and for scalar operations."""
    match kind_of(instruction):
        case "load":
            if isinstance(instruction, Gather):
                return "gathers"
            return "vector loads" if isinstance(instruction.type, VectorType) else "scalar loads"
        case "store":
            return "stores"
        case "hint":
            return "prefetches"
        case "pure":
            if isinstance(instruction, Shuffle):
                return "shuffles"
            moves = isinstance(instruction, Insert | Address | Broadcast | Freeze | Hide)
            return "arithmetic" if isinstance(instruction.type, VectorType) and not moves else None


def count_work(instructions: Iterable[Instruction]) -> dict[Work, int]:
    """How many instructions there are of each kind."""
    counts: dict[Work, int] = dict.fromkeys(WORK, 0)
    for instruction in instructions:
        work = work_of(instruction)
        if work is not None:
            counts[work] += 1
    return counts


def instructions_in(module: Module) -> int:
    """How many instructions a module has, phis and terminators included."""
    return sum(len(block.phis) + len(block.body) + 1 for function in module.functions for block in function.blocks)
