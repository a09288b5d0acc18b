"""How many operations start in a cycle, from loops of vector and scalar operations in several proportions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from autotune.measure.core.loops import first_vector
from autotune.measure.core.timed import Turn, nanoseconds_of
from rv.ir.types import I64
from rv.target.machine import Target
from rv.vector.instructions import Access, Hide, Load
from rv.vector.values import Operand, Register, i64
from rv.vector.writer import BlockWriter, FunctionWriter

BITS: Final = 128
VECTORS: Final = 12
SCALARS: Final = 6
"""Chains of each kind: enough for units with latencies of two cycles."""
PROPORTIONS: Final = ((2, 2), (3, 3), (4, 4), (2, 4), (3, 5))
"""Vector operations and scalar ones in turn; fewer of the former than there are units for them."""
ROUNDS: Final = 12


def operations_in(target: Target) -> float:
    """Operations in a nanosecond, at most; the loop itself is not counted."""
    return max((vectors + scalars) * ROUNDS / nanoseconds_of(target, _first, _turn(vectors, scalars))
               for vectors, scalars in PROPORTIONS)  # fmt: skip


def _first(block: BlockWriter, buffer: Register) -> list[Operand]:
    addresses = [block.address(buffer, i64(number), I64) for number in range(1 + SCALARS)]
    scalars = [block.add(Load(address, I64, Access("buffer", 8))) for address in addresses]
    return [*(first_vector(block, buffer, I64, BITS, number) for number in range(VECTORS)), *scalars]


def _turn(vectors: int, scalars: int) -> Turn:
    def turn(
        function: FunctionWriter, block: BlockWriter, buffer: Register, carried: Sequence[Operand]
    ) -> tuple[BlockWriter, list[Operand]]:
        values, numbers, same = list(carried[:VECTORS]), list(carried[VECTORS:-1]), carried[-1]
        for round_ in range(ROUNDS):
            for place in ((round_ * vectors + k) % VECTORS for k in range(vectors)):
                values[place] = block.add(Hide(block.binary("xor", values[place], carried[(place + 1) % VECTORS])))
            for turn_, place in (divmod(round_ * scalars + k, SCALARS) for k in range(scalars)):
                numbers[place] = block.binary("xor" if turn_ % 2 else "add", numbers[place], same)
        return block, [*values, *numbers, same]

    return turn
