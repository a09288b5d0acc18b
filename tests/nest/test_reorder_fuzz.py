"""Orders, tiles, slopes, fusion of random affine nests: what is accepted computes the same, what is refused breaks a dependence.

Values are compared by running P-LLVM before and after; whether an order breaks a dependence is found by sorting all iterations.
"""

from __future__ import annotations

import random
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import pytest

from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.transform.prepare import prepare
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.reorder.outcome import Reordered
from tensorrv.nest.reorder.reorder import reordered
from tensorrv.nest.reorder.requests import requests
from tensorrv.schedule.plan import Plan, Skew, Tile
from tensorrv.schedule.schedule import Dimension, Schedule
from tests.nest.affine_programs import EXTENT, OFFSET, Element, Nest, Statement, Subscript, lower_all
from tests.nest.c_text import prepared

SIZES = ({"n": 7, "m": 8, "l": 5}, {"n": 3, "m": 5, "l": 6}, {"n": 1, "m": 2, "l": 0}, {"n": 0, "m": 4, "l": 3})
ROWS = 2 * OFFSET
IMPOSSIBLE = ("is computed in the", "not every iteration of")


def subscript(rng: random.Random, names: Sequence[str]) -> Subscript:
    slopes = {rng.choice(names): rng.choice([1, 1, 1, 1, -1, 2])}
    if rng.random() < 0.15:
        slopes.setdefault(rng.choice(names), rng.choice([1, -1]))
    return Subscript(rng.randint(-2, 2), tuple(sorted(slopes.items())))


def statement(rng: random.Random, names: Sequence[str], known: Sequence[Element] = ()) -> Statement:
    """A statement, which may read what others write."""

    def element() -> Element:
        array = rng.choice("AB")
        return Element(array, tuple(subscript(rng, names) for _ in range(2 if array == "A" else 1)))

    target, sources = element(), [element() for _ in range(rng.randint(1, 2))]
    if known and rng.random() < 0.5:
        sources[0] = rng.choice(known)
    return Statement(target, tuple(sources))


def perfect(rng: random.Random, names: Sequence[str], like: Nest | None = None) -> Nest:
    """A nest with statements in its innermost loop only, with the bounds of another one if there is one."""
    body: tuple[Nest | Statement, ...] = tuple(statement(rng, names) for _ in range(rng.randint(1, 2)))
    bounds = [] if like is None else list(chain(like))
    for level in reversed(range(len(names))):
        step = rng.choice([1, 1, 1, 2, -1, -2])
        start, bound = (rng.randint(4, 7), rng.choice([-1, 1])) if step < 0 else (rng.randint(0, 1), "nml"[level])
        nest = Nest(names[level], start, step, bound, body)
        if bounds:
            other = bounds[level]
            nest = replace(nest, start=other.start, step=other.step, bound=other.bound)
        body = (nest,)
    (found,) = body
    assert isinstance(found, Nest)
    return found


def imperfect(
    rng: random.Random, names: Sequence[str], scope: tuple[str, ...] = (), known: tuple[Element, ...] = ()
) -> Nest:
    """A nest with statements and loops before and behind the inner loops, which read what `known` and these write."""
    name, *others = names
    inside = (*scope, name)
    body: list[Nest | Statement] = [statement(rng, inside, known)]
    if others:
        beside = [statement(rng, inside, known) for _ in range(rng.choice([0, 1, 1, 2]))]
        body = [imperfect(rng, others, inside, (*known, *(e for one in beside for e in (one.target, *one.sources))))]
        for one in beside:
            sibling = f"{name}{len(body)}"
            loop = Nest(sibling, 0, 1, rng.choice("nml"), (statement(rng, (*inside, sibling)),))
            body.insert(rng.choice([0, len(body)]), loop if rng.random() < 0.25 else one)
    step = rng.choice([1, 1, 1, 2, -1])
    start, bound = (rng.randint(4, 6), rng.choice([-1, 1])) if step < 0 else (rng.randint(0, 1), rng.choice("nml"))
    return Nest(name, start, step, bound, tuple(body))


def chain(nest: Nest) -> Iterator[Nest]:
    yield nest
    for child in nest.body:
        if isinstance(child, Nest):
            yield from chain(child)


@lru_cache
def numbers(count: int) -> bytes:
    rng = random.Random(count)
    return struct.pack(f"<{count}d", *(rng.uniform(1, 2) for _ in range(count)))


def contents(function: Function, sizes: Mapping[str, int]) -> bytes:
    """The memory after a run."""
    memory, buffers = Memory(), [bytearray(numbers(n)) for n in (ROWS * EXTENT, EXTENT)]
    pointers = [memory.map(name, buffer).base for name, buffer in zip("AB", buffers, strict=True)]
    run(function, (*pointers, *(sizes[name] for name in "nml")), memory, fuel=200_000)
    return b"".join(map(bytes, buffers))


Event = tuple[dict[str, int], Statement, tuple[object, ...], bool]


def events(nests: Sequence[Nest], sizes: Mapping[str, int]) -> Iterator[Event]:
    """Counters by header, statement, element, and whether it is written, in the order of the source."""

    def visit(node: Nest | Statement, values: dict[str, int], counters: dict[str, int]) -> Iterator[Event]:
        if isinstance(node, Statement):
            yield from ((counters, node, element.place(values), False) for element in node.sources)
            yield counters, node, node.target.place(values), True
            return
        for counter, value in enumerate(node.values(sizes)):
            for child in node.body:
                inside = {**values, node.variable: value}, {**counters, f"{node.variable}.head": counter}
                yield from visit(child, *inside)

    for nest in nests:
        yield from visit(nest, {}, {})


def breaks(nests: Sequence[Nest], schedule: Schedule, sizes: Mapping[str, int]) -> bool:
    """Whether two accesses of one element, one of them a write, change places."""

    scheduled = {loop for d in schedule.dimensions for loop in d.loops}

    def time(counters: Mapping[str, int], place: int) -> tuple[int, ...]:
        own = [(next(h for h in d.loops if h in counters), d) for d in schedule.dimensions]
        order = list(counters)
        first = min(order.index(h) for h, _ in own)
        around = [counters[h] for h in order[:first]]
        inside = [counters[h] for h in order[first:] if h not in scheduled]
        sums = [(counters[header] + sum(f * counters[u] for u, f in d.skew)) // d.size for header, d in own]
        return (*around, *sums, *inside, place)

    places: dict[int, int] = {}
    touched: dict[tuple[object, ...], list[tuple[tuple[int, ...], bool]]] = {}
    for counters, node, element, writes in events(nests, sizes):
        place = 2 * places.setdefault(id(node), len(places)) + writes
        touched.setdefault(element, []).append((time(counters, place), writes))
    return out_of_order(touched)


def out_of_order(touched: Mapping[tuple[object, ...], Sequence[tuple[tuple[int, ...], bool]]]) -> bool:
    """Whether two accesses of one element, one of them a write, have their times the other way round."""
    return any(
        later < earlier and (stores or stores_too)
        for events in touched.values()
        for k, (earlier, stores) in enumerate(events)
        for later, stores_too in events[k + 1 :]
    )


def in_tiles(rng: random.Random, plan: Plan, names: Sequence[str]) -> Plan:
    """The plan with some of the loops in tiles."""
    tiled = rng.sample(names, rng.randint(1, len(names)))
    return replace(plan, tile=Tile(tuple(rng.choice([2, 3, 4]) for _ in tiled), tuple(tiled)))


def check_same(function: Function, result: Reordered, what: object) -> None:
    verify(result.function)
    for sizes in SIZES:
        assert contents(result.function, sizes) == contents(function, sizes), f"{what} with {sizes} computes something else"


def check_order(seed: int, seen: Counter[str]) -> None:
    rng = random.Random(seed)
    names = "jik"[: rng.choice([2, 2, 3])]
    nest = perfect(rng, names)
    plan = Plan(order=tuple(rng.sample(names, len(names))))
    if rng.random() < 0.6:
        plan = in_tiles(rng, plan, names)
        plan = replace(plan, order=plan.order if rng.random() < 0.5 else ())
    function = prepare(lower_all([nest]))
    request = next(requests(plan, analyze_nests(function).loops), None)
    if request is None:
        return
    result = reordered(function, plan)
    what = f"seed {seed}: {nest} with {plan}"
    if result.changed:
        check_same(function, result, what)
        ((_, schedule),) = result.changed.items()
        assert not any(breaks([nest], schedule, sizes) for sizes in SIZES), f"{what} breaks a dependence and was accepted"
        seen["accepted"] += 1
        return
    assert [d.code for d in result.refusals] == ["TRV305"], (what, result.refusals)
    seen["refused"] += 1
    last = list(request.schedules())[-1]
    seen["refused for larger sizes"] += not any(breaks([nest], last, sizes) for sizes in SIZES)


def breaks_apart(nest: Nest, path: Sequence[str], sizes: Mapping[str, int]) -> bool:
    """Whether what is before the innermost loop of a path, that loop, and what is behind it cannot follow each other."""
    inner = next(n for n in chain(nest) if n.variable == path[-1])
    region = next(n for n in chain(nest) if n.variable == path[0])
    behind = False
    groups: dict[int, int] = {}

    def visit(node: Nest | Statement) -> None:
        nonlocal behind
        if node is inner:
            groups.update((id(one), 1) for one in statements(node))
            behind = True
        elif isinstance(node, Statement):
            groups[id(node)] = 2 if behind else 0
        else:
            for child in node.body:
                visit(child)

    visit(region)
    touched: dict[tuple[object, ...], list[tuple[tuple[int, ...], bool]]] = {}
    for counters, node, element, writes in events([nest], sizes):
        if id(node) in groups:
            around = [counters[f"{n.variable}.head"] for n in chain(nest) if f"{n.variable}.head" in counters]
            outside = around[: [n.variable for n in chain(nest)].index(region.variable)]
            touched.setdefault(element, []).append(((*outside, groups[id(node)]), writes))
    return out_of_order(touched)


def statements(nest: Nest) -> Iterator[Statement]:
    for child in nest.body:
        if isinstance(child, Nest):
            yield from statements(child)
        else:
            yield child


def check_imperfect(seed: int, seen: Counter[str]) -> None:
    """Statements and loops between loops, which are distributed."""
    rng = random.Random(seed)
    names = "jik"[: rng.choice([2, 2, 3])]
    nest = imperfect(rng, names)
    plan = Plan(order=tuple(rng.sample(names, len(names))))
    if rng.random() < 0.5:
        tiled = rng.sample(names, rng.randint(1, len(names)))
        plan = Plan(tile=Tile(tuple(rng.choice([2, 3, 4]) for _ in tiled), tuple(tiled)))
    function = prepare(lower_all([nest]))
    result = reordered(function, plan)
    what = f"seed {seed}: {nest} with {plan}"
    seen["accepted"] += bool(result.changed)
    check_same(function, result, what)
    request = next(requests(plan, analyze_nests(function).loops), None)
    for refusal in result.refusals:
        assert refusal.code == "TRV305" or any(why in refusal.message for why in IMPOSSIBLE), (what, refusal)
        seen["refused" if refusal.code == "TRV305" else "impossible"] += 1
        if refusal is result.refusals[0] and f"distributes the loop over `{names[0]}`" in refusal.message:
            assert request is not None
            path = [header.removesuffix(".head") for header in request.moved]
            seen["distributions refused"] += 1
            seen["refused for larger sizes"] += not any(breaks_apart(nest, path, sizes) for sizes in SIZES)


def check_slope(seed: int, seen: Counter[str]) -> None:
    """Wavefronts, and tiles along a slope, of loops that count up, down and in steps; some store to buffers in turn."""
    rng = random.Random(seed)
    names = "jik"[: rng.choice([2, 2, 3])]
    nest = perfect(rng, names)
    nest = rising(nest, "nml") if rng.random() < 0.5 else nest
    nest = in_turn(nest, Subscript(0, ((names[0], 1),), rng.choice([2, 3, 4]))) if rng.random() < 0.3 else nest
    skewed, *others = rng.sample(names, rng.randint(2, len(names)))
    plan = Plan(skew=(Skew(skewed, tuple((name, rng.randint(1, 3)) for name in others)),))
    if rng.random() < 0.5:
        plan = in_tiles(rng, plan, names)
    function = prepare(lower_all([nest]))
    request = next(requests(plan, analyze_nests(function).loops), None)
    assert request is not None
    result = reordered(function, plan)
    what = f"seed {seed}: {nest} with {plan}"
    if result.changed:
        check_same(function, result, what)
        ((_, schedule),) = result.changed.items()
        assert not any(breaks([nest], schedule, sizes) for sizes in SIZES), f"{what} breaks a dependence and was accepted"
        assert any(d.kind == "skewed" for d in schedule.dimensions)
        seen["accepted"] += 1
        return
    (refusal,) = result.refusals
    seen["refused" if refusal.code == "TRV305" else "impossible"] += 1
    assert refusal.code == "TRV305" or "inside a loop that it skews" in refusal.message, (what, refusal)
    if refusal.code == "TRV305":
        last = list(request.schedules())[-1]
        seen["refused for larger sizes"] += not any(breaks([nest], last, sizes) for sizes in SIZES)


def in_turn(node: Nest, buffer: Subscript) -> Nest:
    """The nest with the rows of `A` chosen by a remainder: statements write the one behind that of the outer loop."""

    def element(one: Element, constant: int) -> Element:
        return replace(one, subscripts=(replace(buffer, constant=constant), *one.subscripts[1:])) if one.array == "A" else one

    def changed(child: Nest | Statement) -> Nest | Statement:
        if isinstance(child, Nest):
            return in_turn(child, buffer)
        sources = tuple(element(one, -k) for k, one in enumerate(child.sources))
        return Statement(element(child.target, 1), sources)

    return replace(node, body=tuple(map(changed, node.body)))


NARROW = ("unsigned char", "unsigned short", "signed char")


def triangle(rng: random.Random, names: Sequence[str]) -> str:
    """C text of a nest whose bounds depend on the variables of outer loops. Narrow bounds may wrap."""
    type_ = rng.choice(["long", "int", "long", "int", "unsigned", *NARROW[: 3 if len(names) == 2 else 0]])
    loops, around = "", list[str]()
    for name, size in zip(names, "nml", strict=False):
        start, bound = str(rng.randint(0, 1)), f"({type_}){size}"
        if around and rng.random() < 0.7:
            sign = "" if type_ == "unsigned" else rng.choice(["", "-", "2 * "])
            start = f"{sign}{rng.choice(around)} + {rng.randint(0, 3)}"
        if around and rng.random() < 0.7:
            more = rng.choice(["", "", f" + {rng.choice(around)}"])
            bound = f"{rng.choice(['', '3 * '])}{rng.choice(around)}{more} + {rng.randint(0, 3)}"
        elif around and rng.random() < 0.5 and type_ != "unsigned":
            bound = f"{bound} - {rng.choice(around)}"
        if type_ in NARROW:
            start, bound = f"({type_})({start})", f"({type_})({bound})"
        relation = "<" if type_ in NARROW else rng.choice(["<", "<="])
        loops += f"for ({type_} {name} = {start}; {name} {relation} {bound}; {name}++) "
        around.append(name)

    def element() -> str:
        return "A" + "".join(f"[{rng.choice(names)} + {rng.randint(48, 52)}]" for _ in range(2))

    arrays = f"double A[restrict {ROWS}][{EXTENT}], double B[restrict {EXTENT}]"
    return f"void f({arrays}, long n, long m, long l) {{ {loops} {element()} = {element()} + {element()}; }}"


def check_triangle(seed: int, seen: Counter[str]) -> None:
    rng = random.Random(seed)
    names = "jik"[: rng.choice([2, 2, 3])]
    text = triangle(rng, names)
    plan = Plan(order=tuple(rng.sample(names, len(names))))
    if rng.random() < 0.5:
        plan = in_tiles(rng, plan, names)
    function = prepared(text)
    result = reordered(function, plan)
    check_same(function, result, f"seed {seed}: {text} with {plan}")
    seen["accepted"] += bool(result.changed)
    for refusal in result.refusals:
        assert refusal.code in ("TRV305", "TRV306", "TRV330"), (text, plan, refusal)
        seen["refused"] += 1


def rising(nest: Nest, bounds: str) -> Nest:
    """The nest with loops that count up by 1."""
    body = tuple(rising(part, bounds[1:]) if isinstance(part, Nest) else part for part in nest.body)
    return replace(nest, start=nest.start % 2, step=1, bound=bounds[0], body=body)


def check_fusion(seed: int, seen: Counter[str]) -> None:
    rng = random.Random(seed)
    depth = rng.choice([1, 1, 2])
    first = perfect(rng, "ji"[:depth])
    second = perfect(rng, "qp"[:depth], first)
    function = prepare(lower_all([first, second]))
    result = reordered(function, Plan(fuse=True))
    what = f"seed {seed}: {first} {second}"
    if result.changed:
        check_same(function, result, what)
        ((_, schedule),) = result.changed.items()
        assert not any(breaks([first, second], schedule, sizes) for sizes in SIZES), f"{what} was fused"
        seen["accepted"] += 1
        return
    assert [d.code for d in result.refusals] == ["TRV305"], (what, result.refusals)
    seen["refused"] += 1
    pairs = zip(chain(first), chain(second), strict=True)
    fused = Schedule(tuple(Dimension(tuple(f"{nest.variable}.head" for nest in pair)) for pair in pairs))
    seen["refused for larger sizes"] += not any(breaks([first, second], fused, sizes) for sizes in SIZES)


def _run(check, seeds: range) -> Counter[str]:  # type: ignore[no-untyped-def]
    seen: Counter[str] = Counter()
    for seed in seeds:
        check(seed, seen)
    print(dict(seen))
    return seen


def test_orders_and_tiles() -> None:
    seen = _run(check_order, range(40))
    assert seen["accepted"] > 5 and seen["refused"] > 5
    assert seen["refused for larger sizes"] <= 0.2 * seen["refused"]


def test_statements_between_loops() -> None:
    seen = _run(check_imperfect, range(50))
    assert seen["accepted"] > 5 and seen["refused"] > 5
    assert seen["refused for larger sizes"] <= 0.4 * seen["distributions refused"]


def test_slopes() -> None:
    seen = _run(check_slope, range(60))
    assert seen["accepted"] > 5 and seen["refused"] > 5
    assert seen["refused for larger sizes"] <= 0.2 * seen["refused"]


def test_triangles() -> None:
    seen = _run(check_triangle, range(40))
    assert seen["accepted"] > 10 and seen["refused"] > 3


@pytest.mark.parametrize(("size", "legal"), [(2, True), (4, True), (3, False)])
@pytest.mark.parametrize(("start", "element", "skew"), [("j", "i / 2", ()), ("0", "(i + j) / 2", (Skew("i", (("j", 1),)),))])
def test_tiles_begin_where_the_proof_has_them(start: str, element: str, skew: tuple[Skew, ...], size: int, legal: bool) -> None:
    """Elements are of pairs, the first of them even: in tiles that begin at odd numbers the sums have another order."""
    loops = f"for (int j = 0; j < n; j++) for (int i = {start}; i < m; i++)"
    arrays = f"double A[restrict {ROWS}][{EXTENT}], double B[restrict {EXTENT}]"
    text = f"void f({arrays}, long n, long m, long l) {{ {loops} B[{element}] = B[{element}] * 0.5 + A[j][i]; }}"
    function = prepared(text)
    result = reordered(function, Plan(tile=Tile((3, size), ("j", "i")), skew=skew))
    assert bool(result.changed) == legal
    check_same(function, result, text)


def test_fusion() -> None:
    seen = _run(check_fusion, range(40))
    assert seen["accepted"] > 5 and seen["refused"] > 5
    assert seen["refused for larger sizes"] <= 0.2 * seen["refused"]


@pytest.mark.long
def test_for_long() -> None:
    _run(check_order, range(1000, 6000))
    _run(check_imperfect, range(1000, 6000))
    _run(check_slope, range(1000, 6000))
    _run(check_triangle, range(1000, 6000))
    _run(check_fusion, range(1000, 6000))
