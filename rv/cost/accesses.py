"""Forms of loads and stores in vector operations: contiguous, under masks, wide with shuffles, and lane by lane."""

from __future__ import annotations

from typing import Final

from rv.target.description import Machine
from rv.target.machine import Target

SUSTAINED: Final = 4
"""Instructions that scalar code starts in a cycle: what wider cores issue at best is rarely there."""


def gathered(machine: Machine) -> float:
    """Instructions that could start instead of each lane of a gather."""
    return SUSTAINED * machine.gather


def gather_slots(machine: Machine, bits: int) -> float:
    """Operations of the units for arithmetic that could start instead of each lane of a gather."""
    return machine.arithmetic_per_cycle(bits) * machine.gather


def apart(loads: float, *, stored: bool) -> float:
    """What takes so much for loads of lanes apart takes twice as much for stores: the elements of scatters go one by one."""
    return loads * (2 if stored else 1)


def masked_lane(target: Target, *, stored: bool) -> float:
    """Instructions of one lane apart under a mask: where no mask hides faults, a branch beside the access."""
    return apart(1 if target.cheap_masks else 2, stored=stored)


def mask_of_piece(target: Target) -> int:
    """Instructions that make the mask of a wide piece: bits are deposited and moved, or lanes shuffled."""
    return 2 if target.cheap_masks else 1


MOST_PARTS: Final = 4
"""Registers that vectors of the widest integers take: bytes among ints fill theirs."""


def parts_of_vector(target: Target, widest: int, narrowest: int) -> int:
    """How many registers a vector of integers of `widest` bits takes, so that elements of `narrowest` bits in memory fill one.

    Conversions then work on whole registers. AVX-512 converts and loads or stores at once, and half a register is no loss.
    """
    return 1 if target.avx512_from else max(1, min(MOST_PARTS, widest // narrowest))


LONGEST_GAP: Final = 3
"""How many unused elements between needed ones a load reads along.

Up to stride 4 at least two elements of 128 bits come with one load; farther apart a load brings fewer than the shuffles that its
elements need, and an insertion with a load for each is as good.
"""
SHORT_ROW: Final = 16
"""Elements: rows up to here are treated as interleaved data, of which one register holds several."""
MOST_ROWS: Final = 4
"""Rows of a register whose mask is taken apart as bits: a shift and a mask for each, as many as a test of all lanes takes."""
SHORT_LOOP: Final = 4
"""Brushes: where no more cover a loop's known iterations, the last one is not given up: it is a quarter of them or more."""
TRIPLE: Final = 3
"""Shuffles for each of three registers of bytes that alternate."""
