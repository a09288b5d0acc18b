"""Whether a subscript stays inside its bounds in all iterations of the loops around it.

Boxes of counters are cut until that is clear. A box is done when its interval is inside the bounds, when control does not come to
the access, or when it is one iteration, which then is outside. Boxes are cut along counters that matter only; before that the
iterations at their corners are tried. Conditions on loaded data count as ones that may hold.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tensorrv.interface.footprint.evaluation import Box, Evaluation, OutOfSteps
from tensorrv.interface.footprint.facts import facts, least
from tensorrv.interface.footprint.intervals import CONSTANT, Form, Interval, loaded, number, plus, times
from tensorrv.interface.footprint.program import Access
from tensorrv.interface.footprint.trips import ENDLESS

MOST_BOXES: Final = 4_000
"""Boxes that are visited for one subscript."""

LONG: Final = 1 << 20
"""Iterations of a loop whose number may be better known once that of the loops around it is."""

Bound = Callable[[Box, Interval], int | Interval | None]
"""What a subscript stays below in a box, given its interval; None when nothing is known."""


@dataclass(frozen=True, slots=True)
class Subscript:
    """A node that has to be in 0 .. bound-1 wherever `access` happens."""

    access: Access
    node: int
    bound: Bound


@dataclass(frozen=True, slots=True)
class Outside:
    """A subscript's value in an iteration that the loops run through, and what it has to stay below."""

    value: int
    bound: int


def outside(evaluation: Evaluation, subscript: Subscript) -> Outside | None:
    """A value of the subscript outside of its bounds. Raises OutOfSteps when the steps of a call do not suffice to decide it."""
    return _Search(evaluation, subscript).run()


def enclosing(evaluation: Evaluation, access: Access, node: int) -> Interval | None:
    """An interval that contains a node's values wherever `access` happens; None when it never does."""
    box = whole_box(evaluation, access)
    if box is None or not evaluation.reached(access.block, box):
        return None
    return evaluation.value(node, box)


def whole_box(evaluation: Evaluation, access: Access, given: Box | None = None, *, run: bool = False) -> Box | None:
    """The counters of the loops around an access, those in `given` being smaller ranges; None when a loop has no iteration.

    With `run`, loops with exits that cannot be counted are run where the iteration around them is known.
    """
    box: Box = {}
    for loop, tested in access.tested:
        described = evaluation.program.loops[loop]
        if not evaluation.reached(described.header, box):
            return None
        whole, *each = evaluation.trips(loop, box)
        last = ENDLESS if whole.data else whole.high
        for count, before in zip(each, tested, strict=True):
            if not count.data:
                last = min(last, count.high - (not before))
        uncounted = any(leave.count is None for leave in described.exits)
        if run and uncounted and all(box[outer].single for outer in described.depends):
            ran = evaluation.ran(loop, box)
            last = last if ran.data else min(last, ran.high)
        first = 0
        if given is not None and not given[loop].data:
            first, last = given[loop].low, min(last, given[loop].high)
        if first > last:
            return None
        box[loop] = loaded(64) if whole.data else _counter(loop, first, last)
    return box


def _counter(loop: int, first: int, last: int) -> Interval:
    return number(first) if first == last else Interval(first, last, {loop: 1})


class _Search:
    def __init__(self, evaluation: Evaluation, subscript: Subscript) -> None:
        self.evaluation = evaluation
        self.subscript = subscript
        self.access = subscript.access
        program = evaluation.program
        matters = {*program.nodes[subscript.node].depends, *program.blocks[self.access.block].depends}
        for loop, _ in self.access.tested:
            matters |= {*program.loops[loop].depends}
            if any(leave.count is None for leave in program.loops[loop].exits):
                matters.add(loop)
        self.matters = tuple(loop for loop, _ in self.access.tested if loop in matters)

    def run(self) -> Outside | None:
        pending = [whole_box(self.evaluation, self.access)]
        for _ in range(MOST_BOXES):
            if not pending:
                return None
            box = pending.pop()
            if box is None or self._inside(box):
                continue
            box = whole_box(self.evaluation, self.access, box, run=True)
            if box is None or self._inside(box) or self._follows(box):
                continue
            found = self._corner(box)
            if found is not None:
                return found
            pending += [whole_box(self.evaluation, self.access, half) for half in self._halves(box)]
        raise OutOfSteps

    def _violated(self, box: Box) -> Outside | None:
        """The bound that the interval of a box does not keep."""
        value = self.evaluation.value(self.subscript.node, box)
        bound = self.subscript.bound(box, value)
        if value.data or bound is None or (isinstance(bound, Interval) and bound.data):
            return None
        below = bound if isinstance(bound, int) else bound.low
        if value.low < 0:
            return Outside(value.low, below)
        return Outside(value.high, below) if value.high >= below else None

    def _inside(self, box: Box) -> bool:
        return not self.evaluation.reached(self.access.block, box) or self._violated(box) is None

    def _follows(self, box: Box) -> bool:
        """Whether the guards of the block imply that the bounds are kept."""
        value = self.evaluation.value(self.subscript.node, box)
        bound = self.subscript.bound(box, value)
        end = number(bound).form if isinstance(bound, int) else None if bound is None else bound.form
        if value.form is None or end is None:
            return False
        guards = self.evaluation.program.blocks[self.access.block].guards
        known = facts(self.evaluation, guards, box)
        ranges = {loop: (counter.low, counter.high) for loop, counter in box.items()}
        room = plus(plus(end, value.form, -1), {CONSTANT: -1})
        return bool(known) and least(value.form, known, ranges) >= 0 and least(room, known, ranges) >= 0

    def _corner(self, box: Box) -> Outside | None:
        """An iteration outside of the bounds where the subscript is least or greatest, if control comes to it."""
        form = self.evaluation.value(self.subscript.node, box).form
        for sign in (1, -1):
            with suppress(OutOfSteps):
                point = self._extreme(box, {} if form is None else times(form, sign))
                if point is not None and self.evaluation.reached(self.access.block, point):
                    found = self._violated(point)
                    if found is not None:
                        return found
        return None

    def _extreme(self, box: Box, form: Form) -> Box | None:
        """The iteration in a box that makes `form` great; outer loops first, since the ranges of inner ones depend on them."""
        point: Box | None = box
        for loop in self.matters:
            if point is None:
                return None
            counter = point[loop]
            if not counter.data:
                end = counter.high if form.get(loop, 0) >= 0 else counter.low
                point = whole_box(self.evaluation, self.access, {**point, loop: number(end)}, run=True)
        return point

    def _halves(self, box: Box) -> tuple[Box, ...]:
        """The box cut in the middle of the longest counter that matters; nothing of a single iteration.

        Loops with variables that have no form come first: subscripts get a form when their iteration is known. How often a
        loop runs that looks endless may become known with the iteration of the loops around it.
        """
        lengths = {loop: box[loop].high - box[loop].low for loop in self.matters if not box[loop].single and not box[loop].data}
        if not lengths:
            return ()
        loop = max(lengths, key=lambda each: self._usefulness(each, lengths[each]))
        low, high = box[loop].low, box[loop].high
        middle = (low + high) // 2
        return {**box, loop: _counter(loop, low, middle)}, {**box, loop: _counter(loop, middle + 1, high)}

    def _usefulness(self, loop: int, length: int) -> tuple[int, int]:
        """By which the counter to cut is chosen."""
        if length >= LONG:
            return 0, 0
        return (2 if self.evaluation.program.loops[loop].variables else 1), length
