"""Operations and latencies of quotients and square roots that are not left to the divider (`rv.vector.divider.quotients`)."""

from __future__ import annotations

from typing import Final

from rv.target.description import Machine

ESTIMATE: Final = 3
"""Operations that an estimate takes."""
RECIPROCAL: Final = {32: 3, 64: 5}
BY_ROOT: Final = 5
FINISH: Final = 3
ROOT: Final = {32: 8, 64: 11}
"""Multiplications and additions for reciprocals from estimates and from roots, quotients from reciprocals, and roots."""
TEST: Final = {False: 2, True: 3}
STEPS: Final = {(False, 32): 7, (False, 64): 10, (True, 32): 7.5, (True, 64): 9.5}
"""Operations that follow each other, estimates included, by whether it is a root and the bits of the type."""
FROM_DIVIDEND: Final = 3
"""Of those from the dividend to the quotient."""
BESIDE: Final = 3
"""Operations on other ports that a whole register on the divider takes: it is cut in halves and joined."""
PIECE: Final = 1 / 4
"""Of a register: shorter ones keep the divider no less long."""
EACH_ITERATION: Final = 4
"""Operations of a loop itself."""
TOGETHER: Final = 2
"""Iterations that have to be under way at once for multiplications to fill the time."""
LOOP_TRIPS: Final = 16
INNER_TRIPS: Final = 4
"""Iterations of a loop with divisions, and of a loop in one iteration of the loop around it."""


def operations(bits: int, *, root: bool, by_root: bool = False, never_small: bool = True) -> int:
    """How many operations one register takes on the ports of the multipliers."""
    if root:
        return ESTIMATE + ROOT[bits] + TEST[root]
    return (BY_ROOT if by_root else ESTIMATE + RECIPROCAL[bits]) + FINISH + TEST[root] + (0 if never_small else 2)


def latency(machine: Machine, bits: int, *, root: bool) -> float:
    """Cycles from the operands to the result."""
    return STEPS[root, bits] * machine.latency_of("fused", max(machine.occupied))


def latency_from_dividend(machine: Machine) -> float:
    """Cycles from the dividend to the quotient, whose reciprocal is there."""
    return FROM_DIVIDEND * machine.latency_of("fused", max(machine.occupied))


def most_operations(machine: Machine) -> float:
    """Of an iteration of which several fit in the processor's window."""
    return machine.window / TOGETHER


def hidden(machine: Machine, operations: float) -> float:
    """The part of a chain from one iteration to the next that is not hidden behind the loop's next run."""
    return min(1.0, (operations + EACH_ITERATION) * LOOP_TRIPS / machine.window)
