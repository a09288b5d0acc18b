"""Which elements of its arrays a kernel touches for given values of its integer parameters, as one range for each array.

The range contains every access whose subscript does not depend on loaded data, and may contain more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tensorrv.interface.footprint.check import Violation, violations
from tensorrv.interface.footprint.evaluation import Evaluation, OutOfSteps
from tensorrv.interface.footprint.intervals import Interval
from tensorrv.interface.footprint.program import Access, Program
from tensorrv.interface.footprint.search import enclosing

FARTHEST: Final = 1 << 48
"""Bytes behind an array's start that no machine has."""


@dataclass(frozen=True, slots=True)
class Reach:
    """All accessed offsets, in elements, lie in `low .. high`; nothing is accessed when low > high."""

    low: int
    high: int


NOTHING = Reach(0, -1)
Reaches = Callable[[Mapping[str, int]], Mapping[str, Reach | None]]
"""From the values of integer parameters to what each array parameter is accessed at; None where that is unknown."""


@dataclass(frozen=True, slots=True)
class KernelReaches:
    """The function `Reaches` of a kernel, as a value that can be stored. `elements` are the arrays' elements' sizes in bytes."""

    program: Program
    elements: Mapping[str, int]

    def __call__(self, values: Mapping[str, int]) -> Mapping[str, Reach | None]:
        evaluation = Evaluation(self.program, values)
        found: dict[str, Reach | None] = dict.fromkeys(self.program.arrays, NOTHING)
        for access in self.program.accesses:
            place = _place(evaluation, access)
            if place is not None:
                for array in self.elements.keys() & (place.bases or self.elements.keys()):
                    found[array] = self._union(found[array], array, place, access.width) if place.bases else None
        return found

    def violation(self, values: Mapping[str, int], sizes: Mapping[str, int]) -> Violation | None:
        """An access outside of arrays of `sizes` bytes."""
        return next(violations(self.program, values, sizes, self.elements), None)

    def _union(self, before: Reach | None, array: str, place: Interval, width: int) -> Reach | None:
        if before is None or place.data or place.low < -FARTHEST or place.high > FARTHEST:
            return None
        low, high = place.low // self.elements[array], (place.high + width - 1) // self.elements[array]
        return Reach(low, high) if before.low > before.high else Reach(min(before.low, low), max(before.high, high))


def _place(evaluation: Evaluation, access: Access) -> Interval | None:
    try:
        return enclosing(evaluation, access, access.place)
    except OutOfSteps:
        return Interval(-FARTHEST - 1, FARTHEST + 1)
