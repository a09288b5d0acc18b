"""Lengths for arrays that declare none and whose subscripts have no closed form, so that a function can be run on random data.

`a[k]` for k from `rp[i]` to `rp[i + 1]`, `x[index[k]]`, `y[i]` up to `n / 2`: with numbers for the parameters, and with what
`buffers` puts into arrays of subscripts, intervals of all subscripts follow (`rv.analysis.values.intervals`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rv.analysis.values.interval_arithmetic import Interval, whole
from rv.analysis.values.intervals import Place, spans
from rv.ir.function import Function
from rv.ir.types import IntType
from tensorrv.check.buffers import SMALL, integer_contents
from tensorrv.interface.facts import Interface, interface_of
from tensorrv.interface.reach import Reach, Reaches
from tensorrv.interface.signature import Signature
from tensorrv.unit.unit import Unit

FARTHEST: Final = 1 << 30
"""Bytes: what may be farther apart is bounded by its type only, as far as intervals show."""


def interface_to_run(function: Unit) -> Interface:
    """The interface, with reaches that are known in more cases than those that calls with the user's data are held against."""
    interface = interface_of(function)
    return replace(interface, reaches=InventedReaches(interface.nests.function, interface.signature, interface.reaches))


@dataclass(slots=True)
class InventedReaches:
    """Those that are `known`, and intervals around those that are not."""

    function: Function
    signature: Signature
    known: Reaches
    found: dict[tuple[tuple[str, int], ...], Mapping[str, Reach | None]] = field(default_factory=dict)

    def __call__(self, values: Mapping[str, int]) -> Mapping[str, Reach | None]:
        key = tuple(sorted(values.items()))
        if key not in self.found:
            known = dict(self.known(values))
            missing = [array.name for array in self.signature.arrays if known.get(array.name) is None]
            self.found[key] = known | self._around(values, missing) if missing else known
        return self.found[key]

    def _around(self, values: Mapping[str, int], missing: list[str]) -> dict[str, Reach]:
        """What is known about these arrays now."""
        arrays = {array.name: array for array in self.signature.arrays}
        contents = {name: integer_contents(array, self.signature, values) for name, array in arrays.items()}

        def loaded(place: Place, type_: IntType) -> Interval:
            inside = contents.get(place.array)
            return whole(type_) if inside is None or arrays[place.array].written else inside

        parameters = {s.name: (values[s.name],) * 2 if s.name in values else SMALL for s in self.signature.scalars}
        intervals: dict[str, Interval] = {}
        for span in spans(self.function, parameters, loaded):
            (low, high), name = span.place.offset, span.place.array
            if not name:
                return {}
            before = intervals.get(name, (low, high))
            intervals[name] = min(low, before[0]), max(high + span.width - 1, before[1])
        sizes = {name: array.element_size for name, array in arrays.items()}
        bounded = {n: intervals.get(n, (0, -1)) for n in missing if n not in intervals or _near(intervals[n])}
        return {n: Reach(low // sizes[n], high // sizes[n]) for n, (low, high) in bounded.items()}


def _near(interval: Interval) -> bool:
    return interval[1] - interval[0] < FARTHEST
