"""Closed forms, trip counts and their conditions against execution, with integers of all widths near their limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rv.analysis.verify import verify
from rv.evolution.facts import Condition
from rv.evolution.polynomial import Kind, Polynomial, Symbol
from rv.ir.function import Function
from rv.ir.parser import parse_function
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Nests
from tests.nest.machine import Moment, Undefined, moments, signed

WIDTHS = (8, 16, 32, 64)
PREDICATES = ("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "ne", "eq")


@dataclass
class Names:
    """Variables that may be read, by width, and lines of text."""

    known: dict[int, list[str]]
    lines: list[str]
    count: int = 0

    def new(self, width: int, text: str) -> str:
        self.count += 1
        name = f"%v.{self.count}"
        self.lines.append(f"  {name} = {text}")
        self.known[width].append(name)
        return name


def _near(width: int) -> list[int]:
    half = 1 << min(width - 1, 36)
    return [0, 1, 2, 3, 5, 9, -1, -2, -7, half - 1, half - 3, half - 9, -half, -half + 2, *([2 * half - 1] if width < 64 else [])]


@st.composite
def programs(draw: st.DrawFn) -> Function:
    names = Names({w: [f"%n{w}", f"%m{w}"] for w in WIDTHS}, [])
    names.lines += [f"define void @f({', '.join(f'i{w} %n{w}, i{w} %m{w}' for w in WIDTHS)}) {{", "entry:"]
    _operations(draw, names, draw(st.integers(0, 3)))
    _loop(draw, names, "a", "entry", "end", inner=draw(st.booleans()))
    names.lines += ["end:", "  return void", "}"]
    return verify(parse_function("\n".join(names.lines)))


def _operand(draw: st.DrawFn, names: Names, width: int) -> str:
    return (
        draw(st.sampled_from(names.known[width][-6:]))
        if draw(st.integers(0, 2))
        else str(draw(st.sampled_from([1, 2, 3, -1, 7])))
    )


def _start(draw: st.DrawFn, names: Names, width: int) -> str:
    near_limits = [(1 << (width - 1)) - 3, -(1 << (width - 1)) + 2, -3, -2] if width < 64 else [-3]
    number = draw(st.sampled_from([0, 0, 1, 5, *near_limits]))
    return str(number) if draw(st.booleans()) else _operand(draw, names, width)


def _operations(draw: st.DrawFn, names: Names, number: int) -> None:
    for _ in range(number):
        width = draw(st.sampled_from(WIDTHS))
        kind = draw(st.sampled_from(["add", "sub", "mul", "shl", "convert", "convert"]))
        if kind == "convert":
            other = draw(st.sampled_from([w for w in WIDTHS if w != width]))
            op = draw(st.sampled_from(["sext", "zext"])) if other < width else "trunc"
            names.new(width, f"{op} i{other} {draw(st.sampled_from(names.known[other][-6:]))} to i{width}")
        elif kind == "shl":
            names.new(width, f"shl i{width} {_operand(draw, names, width)}, {draw(st.integers(0, 3))}")
        else:
            nsw = draw(st.sampled_from(["nsw ", "nsw ", ""]))
            names.new(width, f"{kind} {nsw}i{width} {_operand(draw, names, width)}, {_operand(draw, names, width)}")


def _loop(draw: st.DrawFn, names: Names, label: str, before: str, after: str, *, inner: bool) -> None:
    """A loop with one or two inductions; afterwards only what was known before may be read, and the phis' last values."""
    width = draw(st.sampled_from(WIDTHS))
    other = draw(st.sampled_from(WIDTHS))
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3, -1, -1, -2])) for _ in range(2)]
    nsw = [draw(st.sampled_from(["nsw ", ""])) for _ in range(2)]
    starts = [_start(draw, names, w) for w in (width, other)]
    through = draw(st.sampled_from([w for w in WIDTHS if w > width])) if width < 64 and draw(st.integers(0, 3)) == 0 else 0
    outside = {w: list(found) for w, found in names.known.items()}
    bound_line = len(names.lines)
    i, k = f"%{label}.i", f"%{label}.k"
    names.lines += [
        f"  jump {label}.head",
        f"{label}.head:",
        f"  {i} = phi i{width} [{starts[0]}, {before}], [{i}.next, {label}.latch]",
        f"  {k} = phi i{other} [{starts[1]}, {before}], [{k}.next, {label}.latch]",
    ]
    names.known[width].append(i)
    names.known[other].append(k)
    tested, tested_width = i, width
    if draw(st.integers(0, 3)) == 0:
        tested = names.new(width, f"add {draw(st.sampled_from(['nsw ', '']))}i{width} {i}, {draw(st.sampled_from([1, -1, 2]))}")
    if width < 64 and draw(st.booleans()):
        tested_width = draw(st.sampled_from([w for w in WIDTHS if w > width]))
        tested = names.new(tested_width, f"{draw(st.sampled_from(['sext', 'zext']))} i{width} {tested} to i{tested_width}")
    bound = str(draw(st.integers(-3, 9))) if draw(st.integers(0, 3)) == 0 else draw(st.sampled_from(outside[tested_width][-4:]))
    sides = (tested, bound) if draw(st.booleans()) else (bound, tested)
    targets = (f"{label}.body", f"{label}.exit") if draw(st.booleans()) else (f"{label}.exit", f"{label}.body")
    predicate = draw(st.sampled_from(PREDICATES))
    names.lines += [
        f"  %{label}.c = icmp {predicate} i{tested_width} {sides[0]}, {sides[1]}",
        f"  branch %{label}.c, {targets[0]}, {targets[1]}",
        f"{label}.body:",
    ]
    _operations(draw, names, draw(st.integers(0, 4)))
    if inner:
        _loop(draw, names, label + "b", f"{label}.body", f"{label}.rest", inner=False)
        names.lines.append(f"{label}.rest:")
        _operations(draw, names, draw(st.integers(0, 2)))
    names.lines += [f"  jump {label}.latch", f"{label}.latch:"]
    if through:
        wide = names.new(through, f"{draw(st.sampled_from(['sext', 'zext']))} i{width} {i} to i{through}")
        stepped = names.new(through, f"add nsw i{through} {wide}, {steps[0]}")
        names.lines.append(f"  {i}.next = trunc i{through} {stepped} to i{width}")
    else:
        names.lines.append(f"  {i}.next = add {nsw[0]}i{width} {i}, {steps[0]}")
    source = draw(st.sampled_from([k, k, k, *[v for v in names.known[other] if v.endswith("last")][-1:]]))
    names.lines += [f"  {k}.next = add {nsw[1]}i{other} {source}, {steps[1]}", f"  jump {label}.head", f"{label}.exit:"]
    names.lines += [f"  {v}.last = phi i{w} [{v}, {label}.head]" for v, w in ((i, width), (k, other))]
    names.known = outside
    names.known[width].append(f"{i}.last")
    names.known[other].append(f"{k}.last")
    _operations(draw, names, draw(st.integers(0, 2)))
    names.lines.append(f"  jump {after}")
    assert bound_line


@st.composite
def arguments(draw: st.DrawFn) -> dict[str, int]:
    return {f"{name}{w}": draw(st.sampled_from(_near(w))) % (1 << w) for name in "nm" for w in WIDTHS}


def _evaluate(nests: Nests, polynomial: Polynomial, moment: Moment) -> int:
    def value(symbol: Symbol) -> int:
        if symbol.is_counter:
            return moment.counters[symbol.name]
        name = symbol.name
        bits = moment.values[name]
        return bits if symbol.kind is Kind.UNSIGNED else signed(bits, nests.bits[name])

    return polynomial.evaluate(value)


def _hold(nests: Nests, conditions: Iterable[Condition], moment: Moment) -> bool:
    """Whether all conditions hold; one over what has no value yet does not."""
    try:
        return all(_evaluate(nests, c.polynomial, moment) >= 0 for c in conditions)
    except KeyError:
        return False


def check(function: Function, values: Mapping[str, int], seen: Counter[str], most: int = 900) -> None:
    """Compares all closed forms wherever a block of a loop's body ends, and all trip counts."""
    nests = analyze_nests(function)
    for moment in moments(function, values, most):
        around = [loop for loop in nests.loops.values() if moment.block in loop.blocks]
        if not all(loop.trip is None or _hold(nests, loop.conditions, moment) for loop in around):
            continue
        for loop in around:
            if loop.trip is not None and moment.block == loop.header:
                left = moment.counters[loop.header] * abs(loop.trip.step) >= _evaluate(nests, loop.trip.distance, moment)
                target = function.block(loop.header).terminator
                stays = moment.values[target.condition.name] == (target.then in loop.blocks)  # type: ignore[union-attr]
                assert stays != left, f"the trip count of {loop.header} is wrong"
                seen["trips"] += 1
        if moment.block not in nests.loops:
            _check_forms(nests, moment, seen)


def _check_forms(nests: Nests, moment: Moment, seen: Counter[str]) -> None:
    for name, polynomial in nests.congruences.items():
        block = nests.defined_in[name]
        visible = block == moment.block or any(block == h and moment.block == nests.loops[h].body for h in nests.loops)
        if not visible or not _hold(nests, nests.form_conditions.get(name, ()), moment):
            continue
        width = nests.bits[name]
        bits = moment.values[name]
        assert (_evaluate(nests, polynomial, moment) - bits) % (1 << width) == 0, (
            f"%{name} = {polynomial} (mod 2**{width}) is wrong"
        )
        seen["congruences"] += 1
        if name in nests.closed_forms:
            assert _evaluate(nests, nests.closed_forms[name], moment) == signed(bits, width), f"%{name} = {polynomial} is wrong"
            seen["exact"] += 1


def _run(examples: int) -> Counter[str]:
    seen: Counter[str] = Counter()

    @settings(max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(programs(), st.lists(arguments(), min_size=4, max_size=4))
    def checked(function: Function, choices: list[dict[str, int]]) -> None:
        for values in choices:
            try:
                check(function, values, seen)
            except Undefined:
                seen["undefined"] += 1

    checked()
    return seen


def test_forms_hold_in_every_iteration() -> None:
    seen = _run(100)
    assert min(seen["trips"], seen["congruences"], seen["exact"]) > 500


@pytest.mark.long
def test_forms_hold_in_every_iteration_for_long() -> None:
    _run(20_000)
