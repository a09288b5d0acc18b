"""How many operations are under way, and how many wait for their operands, from loops of a long chain and other operations.

    %r = sqrt(sqrt(... %x))                          a chain that does not depend on the iteration before
    %a1 = xor %a, %c ...                             `others`, which start at once, or only with %r

The chain of the next iteration runs beside this one if it enters before this one ends. With more others than there is room for
it waits, and an iteration takes as long as the chain (H. Wong, "Measuring Reorder Buffer Capacity", 2013). What has no place in
a scheduler waits in front of it, so that the same holds for operations that wait for %r.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from autotune.measure.core.loops import first_vector
from autotune.measure.core.timed import Turn, nanoseconds_of
from rv.ir.types import F64, I64
from rv.target.machine import Target
from rv.vector.instructions import Access, Elementwise, Hide, Load
from rv.vector.types import vector_of
from rv.vector.values import Operand, Register, i64
from rv.vector.writer import BlockWriter, FunctionWriter

BITS: Final = 128
VECTORS: Final = 8
SCALARS: Final = 6
"""Registers that the others change in turn, so that none of them waits for another for long."""
PARTS: Final = (2, 3)
"""Every second or every third of them is scalar."""
LONG: Final = 16
SHORT: Final = 8
"""Roots of a chain: it has to take longer than it takes to issue what is in a window, or in the schedulers."""
MOST: Final = 1024
ALONE: Final = 0.8
"""The part of a chain's time from which on chains are not side by side."""


def window(target: Target) -> int | None:
    """Operations under way; None where roots are not computed side by side.

    A part of the others is scalar, since each kind of registers may end before the window does.
    """
    found = [_room(target, LONG, scalar) for scalar in PARTS]
    return max((room for room in found if room is not None), default=None)


def scheduler(target: Target) -> int | None:
    """Vector operations that wait for their operands; None where roots are not computed side by side."""
    return _room(target, SHORT, None)


def _room(target: Target, roots: int, scalar: int | None) -> int | None:
    """The most others beside which chains are side by side, and half of a chain."""
    alone = ALONE * nanoseconds_of(target, _first, _turn(roots, 0, scalar, carried=True))

    def side_by_side(others: int) -> bool:
        return nanoseconds_of(target, _first, _turn(roots, others, scalar, carried=False)) < alone

    if not side_by_side(0) or side_by_side(MOST):
        return None
    return _last(side_by_side, 0, MOST) + roots // 2


def _last(holds: Callable[[int], bool], least: int, most: int) -> int:
    """The last number for which it holds, between one for which it does and one for which it does not."""
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if holds(middle) else (least, middle)
    return least


def _first(block: BlockWriter, buffer: Register) -> list[Operand]:
    addresses = [block.address(buffer, i64(number), I64) for number in range(2 + SCALARS)]
    scalars = [block.add(Load(address, I64, Access("buffer", 8))) for address in addresses]
    vectors = [first_vector(block, buffer, I64, BITS, number) for number in range(1 + VECTORS)]
    return [first_vector(block, buffer, F64, BITS, 0), *vectors, *scalars]


def _turn(roots: int, others: int, scalar: int | None, *, carried: bool) -> Turn:
    """An iteration, whose chain is `carried` to the next one or starts anew.

    Every `scalar`-th of the others is a scalar operation; None: all are vector operations that wait for the chain.
    """

    def turn(
        function: FunctionWriter, block: BlockWriter, buffer: Register, values: Sequence[Operand]
    ) -> tuple[BlockWriter, list[Operand]]:
        start, total, *vectors = values[: 2 + VECTORS]
        *scalars, term, shift = values[2 + VECTORS :]
        chain: Operand = block.add(Hide(start))
        for _ in range(roots):
            chain = block.add(Hide(block.add(Elementwise("sqrt", (chain,)))))
        given, result = (block.convert("bitcast", value, vector_of(I64, BITS // 64)) for value in (start, chain))
        for number in range(others):
            if scalar is not None and number % scalar == 0:
                # on x86-64 additions write flags, which have registers of their own; these shifts write none
                turn_, place = divmod(number // scalar, SCALARS)
                scalars[place] = block.binary("shl" if turn_ % 2 else "add", scalars[place], shift if turn_ % 2 else term)
            else:
                place = number % VECTORS if scalar is None else (number - number // scalar) % VECTORS
                vectors[place - 1] = block.add(Hide(block.binary("xor", vectors[place - 1], result if scalar is None else given)))
        # another value, so that the chain is computed in every iteration
        following = chain if carried else block.shuffle(start, None, (1, 0))
        return block, [following, block.binary("xor", total, result), *vectors, *scalars, term, shift]

    return turn
