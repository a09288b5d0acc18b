"""How often a loop runs, from the test in its header.

The test compares `[constant +] [extension of] (phi [+ constant])` with an invariant, in either order and with either branch
staying in the loop. Per kind of comparison the distance from start to bound follows, and what must hold so that the variable
does not wrap before the loop ends: nothing for signed variables whose step is `nsw`; else that the first value past the
bound fits the variable's type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rv.analysis.cfg.loops import NaturalLoop
from rv.evolution.bounds import Bounds
from rv.evolution.closed_forms import ClosedForms, Reading, SolvedTrip, merged
from rv.evolution.ends import ends_of
from rv.evolution.facts import Condition, Trip
from rv.evolution.polynomial import Polynomial, counter
from rv.ir.comparisons import NEGATED, SWAPPED
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, IntPredicate, Phi
from rv.ir.types import IntType
from rv.ir.values import Const, Value, Var

Extension = Literal["sext", "zext"]


@dataclass(frozen=True, slots=True)
class _Tested:
    """`outer + extension(phi + inner)`, the tested side; `wraps`: an addition in it may wrap around."""

    phi: Phi
    inner: int
    extension: Extension | None
    outer: int
    wraps: bool


@dataclass(frozen=True, slots=True)
class _Test:
    """The loop goes on while `tested predicate bound`."""

    tested: _Tested
    predicate: IntPredicate
    bound: Value


def find_trip(forms: ClosedForms, loop: NaturalLoop) -> SolvedTrip | None:
    """The trip of a loop; None when its header's test does not decide it alone, or is of another kind."""
    test = _find_test(forms, loop)
    return None if test is None else _Solver(forms, loop, test).solve()


def _find_test(forms: ClosedForms, loop: NaturalLoop) -> _Test | None:
    branch = forms.function.block(loop.header).terminator
    if len(loop.exits) != 1 or loop.exits[0][0] != loop.header or not isinstance(branch, Branch):
        return None
    compare = forms.definitions.get(branch.condition.name) if isinstance(branch.condition, Var) else None
    if not isinstance(compare, CompareInt) or not isinstance(compare.left.type, IntType):
        return None
    stays = compare.predicate if branch.then in loop.blocks else NEGATED[compare.predicate]
    left = _peel(forms, loop, compare.left)
    if left is not None:
        return _Test(left, stays, compare.right)
    right = _peel(forms, loop, compare.right)
    return None if right is None else _Test(right, SWAPPED[stays], compare.left)


def _peel(forms: ClosedForms, loop: NaturalLoop, value: Value) -> _Tested | None:
    value, outer, outer_wraps = _peel_constants(forms, value)
    definition = forms.definitions.get(value.name) if isinstance(value, Var) else None
    extension: Extension | None = None
    inner, inner_wraps = outer, outer_wraps
    if isinstance(definition, Convert) and definition.op in ("sext", "zext") and definition.value.type != IntType(1):
        extension = "sext" if definition.op == "sext" else "zext"
        value, inner, inner_wraps = _peel_constants(forms, definition.value)
        definition = forms.definitions.get(value.name) if isinstance(value, Var) else None
        if outer_wraps:
            return None
    else:
        outer = 0
    if not isinstance(definition, Phi) or forms.defined_in[definition.result.name] != loop.header:
        return None
    return _Tested(definition, inner, extension, outer, inner_wraps)


def _peel_constants(forms: ClosedForms, value: Value) -> tuple[Value, int, bool]:
    """The value below additions of constants, their sum, and whether one of them may wrap as signed."""
    total, wraps = 0, False
    while isinstance(value, Var):
        match forms.definitions.get(value.name):
            case Binary(op="add", left=below, right=Const() as amount, nsw=nsw):
                total += amount.signed
            case Binary(op="add", left=Const() as amount, right=below, nsw=nsw):
                total += amount.signed
            case Binary(op="sub", left=below, right=Const() as amount, nsw=nsw):
                total -= amount.signed
            case _:
                break
        value, wraps = below, wraps or not nsw
    return value, total, wraps


@dataclass(frozen=True, slots=True)
class _Solver:
    forms: ClosedForms
    loop: NaturalLoop
    test: _Test

    def solve(self) -> SolvedTrip | None:
        phi = self.test.tested.phi.result
        form = self.forms.form(phi)
        if form is None or not isinstance(phi.type, IntType):
            return None
        symbol = counter(self.loop.header)
        step = form.polynomial.coefficient(symbol).as_constant
        bound = self._bound()
        if not step or bound is None or not self.forms.invariant(bound.polynomial, self.loop):
            return None
        start = self._start(self._unsigned_variable(form.exact))
        if start is None:
            return None
        distance = self._distance(start.polynomial, bound.polynomial, step)
        fits = None if distance is None else self._fits(start.polynomial, bound.polynomial, distance, step, form.exact)
        if distance is None or fits is None:
            return None
        conditions = merged(form.conditions, start.conditions, bound.conditions, fits)
        return SolvedTrip(self._trip(step, distance, form.exact), phi, conditions)

    def _trip(self, step: int, distance: Polynomial, exact: bool) -> Trip:
        tested = self.test.tested
        assert isinstance(self.test.bound.type, IntType)
        return Trip(
            start=tested.phi.value_from(self.loop.entering[0]),
            bound=self.test.bound,
            step=step,
            predicate=self.test.predicate,
            type=self.test.bound.type,
            count=distance if abs(step) == 1 else None,
            offset=tested.inner + tested.outer,
            distance=distance,
            unsigned=self._unsigned_variable(exact),
            unsigned_bound=self._unsigned_bound(exact),
        )

    @property
    def _preheader(self) -> str:
        return self.loop.entering[0]

    @property
    def _bounds(self) -> Bounds:
        return self.forms.bounds(self._preheader)

    def _unsigned_variable(self, exact: bool) -> bool:
        """Whether the test reads the variable as unsigned."""
        extension, predicate = self.test.tested.extension, self.test.predicate
        if extension is not None:
            return extension == "zext"
        return predicate[0] == "u" or (predicate == "ne" and not exact)

    def _unsigned_bound(self, exact: bool) -> bool:
        """Whether the test reads the bound as unsigned."""
        if self.test.predicate == "ne" and self.test.tested.extension is None:
            return not exact
        return self.test.predicate[0] == "u"

    def _bound(self) -> Reading | None:
        """The exact value that the variable, before `outer` is added, is compared with."""
        test = self.test
        form = self.forms.form(self.test.tested.phi.result)
        read = self.forms.unsigned if self._unsigned_bound(form is None or form.exact) else self.forms.signed
        reading = read(test.bound, self._preheader)
        return None if reading is None else Reading(reading.polynomial - test.tested.outer, reading.conditions)

    def _start(self, unsigned: bool) -> Reading | None:
        """The exact value of `phi + inner` in the first iteration."""
        tested = self.test.tested
        value = tested.phi.value_from(self._preheader)
        reading = (self.forms.unsigned if unsigned else self.forms.signed)(value, self._preheader)
        if reading is None:
            return None
        start = reading.polynomial + tested.inner
        needed: list[tuple[Condition, ...] | None] = [reading.conditions]
        if tested.inner and (unsigned or tested.wraps):
            low, high = self._type_range(unsigned)
            why = f"the first value of `{tested.phi.result.source_name}` must not wrap around"
            needed += [self._bounds.obligation(start - low, why), self._bounds.obligation(-start + high, why)]
        if self.test.predicate[0] == "u" and tested.extension == "sext":
            needed.append(self._bounds.obligation(start, f"`{tested.phi.result.source_name}` must not start below 0"))
        conditions = _all(needed)
        return None if conditions is None else Reading(start, conditions)

    def _type_range(self, unsigned: bool) -> tuple[int, int]:
        width = self.forms.bits[self.test.tested.phi.result.name]
        return (0, (1 << width) - 1) if unsigned else (-(1 << (width - 1)), (1 << (width - 1)) - 1)

    def _distance(self, start: Polynomial, bound: Polynomial, step: int) -> Polynomial | None:
        match self.test.predicate:
            case "slt" | "ult" if step > 0:
                return bound - start
            case "sle" | "ule" if step > 0:
                return bound - start + 1
            case "sgt" | "ugt" if step < 0:
                return start - bound
            case "sge" | "uge" if step < 0:
                return start - bound + 1
            case "ne" if step == 1:
                return bound - start
            case "ne" if step == -1:
                return start - bound
            case _:
                return None

    def _fits(
        self, start: Polynomial, bound: Polynomial, distance: Polynomial, step: int, exact: bool
    ) -> tuple[Condition, ...] | None:
        """What keeps every tested value, the last one included, within the variable's type."""
        tested = self.test.tested
        unsigned = self._unsigned_variable(exact)
        why = f"`{tested.phi.result.source_name}` must reach its bound without wrapping around"
        low, high = self._type_range(unsigned)
        if step < 0 and self.test.predicate[0] == "u" and tested.extension == "sext":
            return None
        if self.test.predicate == "ne":
            # past its bound a signed variable would overflow, which C leaves undefined: no reason to skip the loop
            return _all([self._bounds.obligation(p, why) for p in (distance, bound - low, -bound + high)])
        if exact and not unsigned and not tested.wraps:
            return ()
        if not tested.wraps and not tested.inner and not tested.outer and self._within_reach(step, low, high):
            return ()
        past = start + distance + (step - 1) if step > 0 else start - distance + (step + 1)
        room = -past + high if step > 0 else past - low
        return self._bounds.obligation(room, why)

    def _within_reach(self, step: int, low: int, high: int) -> bool:
        """Whether the bound is not beyond the variable's numbers, whatever it is, and the variable takes all on the way."""
        first, last = ends_of(self.forms.definitions, self.test.bound)
        up, down = self.test.predicate == "slt" and step == 1, self.test.predicate == "sgt" and step == -1
        return (up and last <= high) or (down and low <= first)


def _all(groups: Sequence[tuple[Condition, ...] | None]) -> tuple[Condition, ...] | None:
    found: list[Iterable[Condition]] = []
    for group in groups:
        if group is None:
            return None
        found.append(group)
    return merged(*found)
