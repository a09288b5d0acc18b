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
from tensorrv.check.given.values import NOTHING, Given
from tensorrv.interface.facts import Interface, interface_of
from tensorrv.interface.reach import Reach, Reaches
from tensorrv.interface.signature import ArrayArgument, Signature
from tensorrv.unit.unit import Unit

FARTHEST: Final = 1 << 30
"""Bytes: what may be farther apart is bounded by its type only, as far as intervals show."""


@dataclass(frozen=True, slots=True)
class InterfaceToRun(Interface):
    """An interface whose `reaches` are known in more cases than the `known` ones, which are certain."""

    known: Reaches


def interface_to_run(function: Unit, given: Given = NOTHING) -> InterfaceToRun:
    """The interface, with reaches that are known in more cases than those that calls with the user's data are held against."""
    interface = interface_of(function)
    constraints = given.constraints
    named = {*constraints.lengths.values(), *(end for ends in constraints.ranges.values() for end in ends)}
    sizes = interface.signature.sizes.union(symbol.name for expression in named for symbol in expression.symbols)
    signature = replace(interface.signature, sizes=sizes)
    reaches = InventedReaches(interface.nests.function, signature, interface.reaches, given)
    return InterfaceToRun(signature, reaches, interface.nests, interface.reaches)


@dataclass(slots=True)
class InventedReaches:
    """Those that are `known`, and those that are not: of lengths that are `given`, or intervals around the subscripts."""

    function: Function
    signature: Signature
    known: Reaches
    given: Given = NOTHING
    found: dict[tuple[tuple[str, int], ...], Mapping[str, Reach | None]] = field(default_factory=dict)

    def __call__(self, values: Mapping[str, int]) -> Mapping[str, Reach | None]:
        key = tuple(sorted(values.items()))
        if key not in self.found:
            known = self._with_lengths(self.known(values), values)
            missing = [array.name for array in self.signature.arrays if known.get(array.name) is None]
            self.found[key] = known | self._around(values, missing) if missing else known
        return self.found[key]

    def _with_lengths(self, known: Mapping[str, Reach | None], values: Mapping[str, int]) -> dict[str, Reach | None]:
        """Arrays are at least as long as given."""
        found = dict(known)
        for name in self.given.constraints.lengths:
            last = (self.given.constraints.length_of(name, values) or 0) - 1
            before = found.get(name) or Reach(0, last)
            found[name] = Reach(before.low, max(before.high, last))
        return found

    def _around(self, values: Mapping[str, int], missing: list[str]) -> dict[str, Reach]:
        """What is known about these arrays now."""
        arrays = {array.name: array for array in self.signature.arrays}
        contents = {name: self._contents(array, values) for name, array in arrays.items()}

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


    def _contents(self, array: ArrayArgument, values: Mapping[str, int]) -> Interval | None:
        """The least and the greatest integer in an array, as far as it is given or known how they are invented."""
        if array.name in self.given.arrays:
            numbers = self.given.arrays[array.name]
            return (int(numbers.min()), int(numbers.max())) if numbers.dtype.kind in "iu" and numbers.size else None
        within = self.given.constraints.range_of(array.name, values)
        return within or integer_contents(array, self.signature, values)


def _near(interval: Interval) -> bool:
    return interval[1] - interval[0] < FARTHEST
