"""Values of a program's nodes, the reachability of its blocks and the trip counts of its loops over boxes of loop counters.

A box has an interval for the counter of every loop around the place; the numbers of the function's parameters are known. At a
single iteration everything that does not depend on loaded data is a single number, found by the machine's own arithmetic. What
has no form in the counters (`loop` nodes, exits that cannot be counted) is found by running the loop, once the iteration of
the loops around it is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tensorrv.interface.footprint.facts import narrowed
from tensorrv.interface.footprint.intervals import (
    CONSTANT,
    EITHER,
    FALSE,
    TRUE,
    Interval,
    add,
    anything,
    bits_and,
    bits_or,
    compare,
    hull,
    loaded,
    multiply,
    number,
    quotient,
    remainder,
    shift_left,
    shift_right,
    subtract,
    unsigned,
    wrapped,
)
from tensorrv.interface.footprint.program import NOWHERE, Edge, Exit, Node, Program
from tensorrv.interface.footprint.trips import ENDLESS, iterations

Box = dict[int, Interval]

MOST_STEPS: Final = 50_000
"""Iterations that are run one by one for one call."""


class OutOfSteps(Exception):
    """More iterations would have to be run than a call may take."""


class Evaluation:
    """The values of one program for one set of parameters, kept as they are found."""

    def __init__(self, program: Program, parameters: Mapping[str, int]) -> None:
        self.program = program
        self.parameters = parameters
        self.ranges: dict[int, tuple[int, int]] = {}
        self.steps = 0
        self._values: dict[tuple[object, ...], Interval] = {}
        self._reached: dict[tuple[object, ...], bool] = {}
        self._trips: dict[tuple[object, ...], tuple[Interval, ...]] = {}
        self._runs: dict[tuple[object, ...], _Run] = {}

    # -- nodes

    def value(self, index: int, box: Box) -> Interval:
        """The interval of a node over a box."""
        node = self.program.nodes[index]
        if node.op == "const":
            return number(node.value)
        key = (index, *(_key(box[loop]) for loop in node.depends))
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self._evaluated(node, index, box)
        return found

    def _evaluated(self, node: Node, index: int, box: Box) -> Interval:
        special = _SPECIAL.get(node.op)
        if special is not None:
            return special(self, node, index, box)
        operands = [self.value(operand, box) for operand in node.operands]
        if any(operand.data for operand in operands):
            return self._partly_known(node, operands)
        return _ARITHMETIC[node.op](node, operands, _ranges(box))

    def _partly_known(self, node: Node, operands: list[Interval]) -> Interval:
        """A truth value of which one side decides; anything else that is computed from data is data."""
        if node.bits == 1 and not node.op.startswith("icmp"):
            decided = FALSE if node.op == "and" else TRUE
            if node.op in ("and", "or") and any(not o.data and (o.low, o.high) == (decided.low, decided.high) for o in operands):
                return decided
        return loaded(node.bits, operands[0].bases if node.op == "behind" else frozenset())

    def _parameter(self, node: Node, index: int, box: Box) -> Interval:
        value = self.parameters.get(node.name)
        if value is None:
            return loaded(node.bits)
        return number(value & 1) if node.bits == 1 else wrapped(number(value), node.bits, {})

    def _select(self, node: Node, index: int, box: Box) -> Interval:
        condition, then, otherwise = node.operands
        truth = self.value(condition, box)
        if truth.single and not truth.data:
            return self.value(then if truth.low else otherwise, box)
        arms = ((then, narrowed(self, condition, True, box)), (otherwise, narrowed(self, condition, False, box)))
        values = tuple(self.value(arm, part) for arm, part in arms if part is not None)
        return self._one_of(values, node, data=truth.data)

    def _one_of(self, values: tuple[Interval, ...], node: Node, *, data: bool) -> Interval:
        """What is chosen by loaded data is data, unless it is the same."""
        found = hull(values)
        if found.data or (data and any(value != values[0] for value in values)):
            return loaded(node.bits, found.bases)
        return found

    def _merge(self, node: Node, index: int, box: Box) -> Interval:
        values = [self.value(v, box) for v, edge in zip(node.operands, node.edges, strict=True) if self._along(edge, box)]
        if not values:
            return anything(node.bits)
        data = len(values) > 1 and any(self._by_data(edge, box) for edge in node.edges)
        return self._one_of(tuple(values), node, data=data)

    def _by_data(self, edge: Edge, box: Box) -> bool:
        """Whether loaded data decide whether control comes along the edge."""
        if edge.left != NOWHERE:
            return True  # more than one exit, and it is not known which was taken
        if edge.condition != NOWHERE and self.value(edge.condition, box).data:
            return True
        block = self.program.blocks[edge.block]
        is_header = block.loop != NOWHERE and self.program.loops[block.loop].header == edge.block
        return not is_header and any(self._by_data(before, box) for before in block.edges)

    def _recurrence(self, node: Node, index: int, box: Box) -> Interval:
        counter = box[node.loop]
        start, step = (self.value(operand, box) for operand in node.operands)
        if start.data or step.data or counter.data:
            return loaded(node.bits, start.bases)
        value = add(start, multiply(counter, step))
        return wrapped(value, node.bits, _ranges(box), nsw=node.nsw)

    def _left(self, node: Node, index: int, box: Box) -> Interval:
        """A value inside of a loop when it was left."""
        last = self._last_iteration(node.loop, box)
        return self._after_unknown(node, box) if last.data else self.value(node.operands[0], {**box, node.loop: last})

    def _last_iteration(self, loop: int, box: Box) -> Interval:
        """The iteration in which a loop is left; data where data decide it."""
        described = self.program.loops[loop]
        trip, *_ = self.trips(loop, box)
        if trip.data:
            return trip
        uncounted = [e for e in described.exits if e.count is None and not self._never_taken(e, loop, trip, box)]
        if not uncounted:
            return trip
        if any(self._exit_truth(e, loop, {**box, loop: self._all_iterations(trip)}).data for e in uncounted):
            return loaded(64)
        if all(box[outer].single for outer in described.depends):
            return self.ran(loop, box)
        return self._all_iterations(trip)

    def _after_unknown(self, node: Node, box: Box) -> Interval:
        """The value after a loop that data end: known if it is the same in all iterations."""
        inner = self.program.nodes[node.operands[0]]
        if node.loop not in inner.depends:
            return self.value(node.operands[0], box)
        return loaded(node.bits, self.value(node.operands[0], {**box, node.loop: loaded(64)}).bases)

    def _never_taken(self, leave: Exit, loop: int, trip: Interval, box: Box) -> bool:
        truth = self._exit_truth(leave, loop, {**box, loop: self._all_iterations(trip)})
        return not truth.data and truth.single and truth.low != leave.truth

    @staticmethod
    def _all_iterations(trip: Interval) -> Interval:
        return trip if trip.data else Interval(0, trip.high)

    def _variable(self, node: Node, index: int, box: Box) -> Interval:
        """A variable without a form: from the table of its values in all iterations, if the iteration around is known."""
        counter = box[node.loop]
        if counter.data:
            return loaded(node.bits, self.value(node.operands[0], box).bases)
        known = all(box[outer].single for outer in node.depends if outer != node.loop)
        if known and counter.low > MOST_STEPS:
            raise OutOfSteps
        if not known or counter.high > MOST_STEPS:
            return self._untabulated(node, index, box)
        table = self._run(node.loop, box).tables[index]
        self._extend(index, node, table, counter.high, box)
        if counter.high >= len(table) and not table[-1].data:
            raise OutOfSteps
        return hull(tuple(table[min(counter.low, len(table) - 1) : counter.high + 1]))

    def _untabulated(self, node: Node, index: int, box: Box) -> Interval:
        """Any value, of addresses behind one of the arrays it may start from."""
        start = self.value(node.operands[0], box)
        return Interval(-1 << 63, (1 << 63) - 1, bases=start.bases) if start.bases else anything(node.bits)

    def _extend(self, index: int, node: Node, table: list[Interval], last: int, box: Box) -> None:
        start, after = node.operands
        if not table:
            table.append(self.value(start, box))
        while len(table) <= last and not table[-1].data:
            self._step()
            table.append(self.value(after, {**box, node.loop: number(len(table) - 1)}))

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise OutOfSteps

    # -- control flow

    def reached(self, block: int, box: Box, start: int = NOWHERE) -> bool:
        """Whether control may come to a block in an iteration of the box in which the loops around it get that far.

        With `start` it has come to that block, a loop's header.
        """
        if block == start:
            return True
        found = self.program.blocks[block]
        key = (block, start, *(_key(box[loop]) for loop in found.depends))
        known = self._reached.get(key)
        if known is None:
            known = self._reached[key] = not found.edges or any(self._along(edge, box, start) for edge in found.edges)
        return known

    def _along(self, edge: Edge, box: Box, start: int = NOWHERE) -> bool:
        if edge.left != NOWHERE:
            return self._leaves(edge, box, start)
        if not self.reached(edge.block, box, start):
            return False
        return edge.condition == NOWHERE or self._may_be(edge.condition, edge.truth, box)

    def _may_be(self, condition: int, truth: bool, box: Box) -> bool:
        found = self.value(condition, box)
        return found.data or not found.single or found.low == truth

    def _leaves(self, edge: Edge, box: Box, start: int) -> bool:
        """Whether a loop may be left by this edge."""
        loop = self.program.loops[edge.left]
        (entering,) = self.program.blocks[loop.header].edges
        if not self._along(entering, box, start):
            return False
        if edge.condition == NOWHERE:
            return True
        inside = {**box, edge.left: self._last_iteration(edge.left, box)}
        for inner in self._inside(edge.block, edge.left):
            inside[inner] = self._all_iterations(self.trips(inner, inside)[0])
        return self._may_be(edge.condition, edge.truth, inside)

    def _inside(self, block: int, outer: int) -> list[int]:
        """The loops around a block inside of `outer`, outermost first."""
        found: list[int] = []
        loop = self.program.blocks[block].loop
        while loop not in (outer, NOWHERE):
            found.insert(0, loop)
            loop = self.program.loops[loop].parent
        return found

    # -- trip counts

    def trips(self, loop: int, box: Box) -> tuple[Interval, ...]:
        """How many iterations of a loop are completed, then how many each of its exits allows; data where data decide it."""
        described = self.program.loops[loop]
        key = (loop, *(_key(box[outer]) for outer in described.depends))
        found = self._trips.get(key)
        if found is None:
            each = tuple(self._allowed(leave, box) for leave in described.exits)
            known = [count for count in each if not count.data]
            if not any(count.high < ENDLESS for count in known) and any(leave.count is None for leave in described.exits):
                ran = self.ran(loop, box)
                known = known if ran.data else [ran]
            whole = known[0] if known else loaded(64)
            for count in known[1:]:
                whole = _least(whole, count)
            found = self._trips[key] = (whole, *each)
        return found

    def _allowed(self, leave: Exit, box: Box) -> Interval:
        if leave.count is None:
            return loaded(64)
        c = leave.count
        start, step, bound = (self.value(node, box) for node in (c.start, c.step, c.bound))
        if start.data or step.data or bound.data:
            return loaded(64)
        return iterations(c, start, step, bound, _ranges(box))

    def ran(self, loop: int, box: Box) -> Interval:
        """The trip count by running the loop; any if the iteration around is not known."""
        described = self.program.loops[loop]
        if any(not box[outer].single for outer in described.depends):
            return Interval(0, ENDLESS)
        run = self._run(loop, box)
        if run.trip is None:
            run.trip = self._counted(loop, box)
        return run.trip

    def _counted(self, loop: int, box: Box) -> Interval:
        """The first iteration from which control cannot come to the latch."""
        described = self.program.loops[loop]
        limit = min((count.high for count in (self._allowed(e, box) for e in described.exits) if not count.data), default=ENDLESS)
        counter = 0
        while counter < limit:
            inside = {**box, loop: number(counter)}
            if limit == ENDLESS and all(self._exit_truth(leave, loop, inside).data for leave in described.exits):
                return loaded(64)
            if not self.reached(described.latch, inside, described.header):
                break
            counter += 1
            self._step()
        return number(counter)

    def _exit_truth(self, leave: Exit, loop: int, inside: Box) -> Interval:
        if self._inside(leave.block, loop):
            return loaded(1)
        return self.value(leave.condition, inside)

    def _run(self, loop: int, box: Box) -> _Run:
        depends = sorted({d for v in self.program.loops[loop].variables for d in self.program.nodes[v].depends if d != loop})
        key = (loop, *(_key(box[outer]) for outer in sorted({*depends, *self.program.loops[loop].depends})))
        found = self._runs.get(key)
        if found is None:
            found = self._runs[key] = _Run({v: [] for v in self.program.loops[loop].variables})
        return found


class _Run:
    """What running a loop has found: the values of its variables in all iterations so far, and its trip count."""

    def __init__(self, tables: dict[int, list[Interval]]) -> None:
        self.tables = tables
        self.trip: Interval | None = None


def _least(a: Interval, b: Interval) -> Interval:
    if a.high <= b.low:
        return a
    if b.high <= a.low:
        return b
    return Interval(min(a.low, b.low), min(a.high, b.high))


def _key(counter: Interval) -> tuple[object, ...]:
    if counter.form is None:
        return (counter.low, counter.high, counter.data)
    return (counter.low, counter.high, tuple(sorted(counter.form.items())))


def _ranges(box: Box) -> Mapping[int, tuple[int, int]]:
    return {loop: (counter.low, counter.high) for loop, counter in box.items()}


# -- arithmetic, by operation

_Ranges = Mapping[int, tuple[int, int]]
_Operation = Callable[[Node, list[Interval], _Ranges], Interval]


def _wrapping(operation: Callable[[Interval, Interval], Interval]) -> _Operation:
    return lambda node, o, ranges: wrapped(operation(o[0], o[1]), node.bits, ranges, nsw=node.nsw)


def _bitwise(on_bits: Callable[[Interval, Interval], Interval], on_truth: Callable[[int, int], int]) -> _Operation:
    def evaluate(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
        if node.bits > 1:
            return on_bits(o[0], o[1])
        values = {on_truth(a, b) for a in (o[0].low, o[0].high) for b in (o[1].low, o[1].high)}
        return number(values.pop()) if len(values) == 1 else EITHER

    return evaluate


def _partial(operation: Callable[[Interval, Interval], Interval | None], *, signed: bool) -> _Operation:
    """Division, which C leaves undefined for some operands."""

    def evaluate(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
        a, b = o if signed else (unsigned(o[0], node.bits), unsigned(o[1], node.bits))
        found = operation(a, b)
        return anything(node.bits) if found is None else wrapped(found, node.bits, ranges)

    return evaluate


def _shift(operation: Callable[[Interval, Interval, int], Interval | None], *, signed: bool) -> _Operation:
    def evaluate(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
        found = operation(o[0] if signed else unsigned(o[0], node.bits), o[1], node.bits)
        return anything(node.bits) if found is None else wrapped(found, node.bits, ranges, nsw=node.nsw)

    return evaluate


def _comparison(predicate: str) -> _Operation:
    relation = predicate if predicate in ("eq", "ne") else predicate[1:]

    def evaluate(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
        if o[0].bases or o[1].bases:
            return loaded(1) if o[0].bases != o[1].bases or len(o[0].bases) != 1 else compare(relation, o[0], o[1], ranges)
        if predicate[0] == "u":
            return compare(relation, unsigned(o[0], node.value), unsigned(o[1], node.value), ranges)
        return compare(relation, o[0], o[1], ranges)

    return evaluate


def _extended(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
    if node.value == 1:
        return o[0] if node.op == "zext" else Interval(-o[0].high, -o[0].low, number(-o[0].low).form if o[0].single else None)
    return o[0] if node.op == "sext" else unsigned(o[0], node.value)


def _truncated(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
    if node.bits > 1:
        return wrapped(o[0], node.bits, ranges)
    return number(o[0].low & 1) if o[0].single else EITHER


def _behind(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
    """An address some bytes behind another; where it is used nothing has wrapped."""
    found = wrapped(add(o[0], o[1]), 80, ranges)
    return Interval(found.low, found.high, found.form, bases=o[0].bases)


def _distance(node: Node, o: list[Interval], ranges: _Ranges) -> Interval:
    """A part of an address, in exact arithmetic."""
    operation = add if node.op == "exact.add" else multiply
    return wrapped(operation(o[0], o[1]), 192, ranges)


_ARITHMETIC: Final[Mapping[str, _Operation]] = {
    "add": _wrapping(add),
    "sub": _wrapping(subtract),
    "mul": _wrapping(multiply),
    "shl": _shift(shift_left, signed=True),
    "lshr": _shift(shift_right, signed=False),
    "ashr": _shift(shift_right, signed=True),
    "sdiv": _partial(quotient, signed=True),
    "udiv": _partial(quotient, signed=False),
    "srem": _partial(remainder, signed=True),
    "urem": _partial(remainder, signed=False),
    "and": _bitwise(bits_and, int.__and__),
    "or": _bitwise(lambda a, b: bits_or(a, b, int.__or__), int.__or__),
    "xor": _bitwise(lambda a, b: bits_or(a, b, int.__xor__), int.__xor__),
    "sext": _extended,
    "zext": _extended,
    "trunc": _truncated,
    "behind": _behind,
    "exact.add": _distance,
    "exact.mul": _distance,
    **{f"icmp.{p}": _comparison(p) for p in ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")},
}

_SPECIAL: Final[Mapping[str, Callable[[Evaluation, Node, int, Box], Interval]]] = {
    "param": Evaluation._parameter,
    "base": lambda evaluation, node, index, box: Interval(0, 0, {CONSTANT: 0}, bases=frozenset((node.name,))),
    "data": lambda evaluation, node, index, box: loaded(node.bits),
    "select": Evaluation._select,
    "merge": Evaluation._merge,
    "recur": Evaluation._recurrence,
    "loop": Evaluation._variable,
    "leave": Evaluation._left,
}
