"""Theorems 3, 4 and 5 of the thesis on all small acyclic graphs and on random larger ones, with loops too; the mask classes.

Uniform branches are decided once for all threads: for each way to decide them the linearized graph has one path, and the original
one has those paths on which divergent branches may go either way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations, product

import pytest

from rv.analysis.cfg.control_dependence import control_dependence
from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.cfg.region import Region, whole_region
from rv.analysis.divergence.control_divergence import region_divergence
from rv.internal_error import InternalError
from rv.transform.linearize.linear_graph import LinearGraph, linear_graph
from rv.transform.linearize.mask_classes import mask_classes
from tests.rv_divergence.graphs import acyclic_graphs, graph, random_reducible

Decisions = Mapping[str, int]


def paths(flow: FlowGraph, decisions: Decisions, start: str) -> Iterator[tuple[str, ...]]:
    """The original paths from a block to the end; branches without a decision go either way."""
    ways = flow.successors[start]
    if not ways:
        yield (start,)
    for number, target in enumerate(ways):
        if len(ways) < 2 or decisions.get(start, number) == number:
            yield from ((start, *rest) for rest in paths(flow, decisions, target))


def linear_path(linear: LinearGraph, decisions: Decisions) -> tuple[str, ...]:
    path = [linear.order[0]]
    while linear.targets[path[-1]]:
        targets = linear.targets[path[-1]]
        path.append(targets[decisions.get(path[-1], 0) % len(targets)])
    return tuple(path)


def embedded(inner: tuple[object, ...], outer: tuple[object, ...]) -> bool:
    rest = iter(outer)
    return all(label in rest for label in inner)


def relatively_uniform_edge(region: Region, divergent: frozenset[str], source: str, target: str, above: str) -> bool:
    """Whether the edge is uniform in the dominance region of a block that dominates it (theorem 5)."""
    if not region.dominators.dominates(above, source) or not region.dominators.dominates(above, target) or above == target:
        return False
    control = control_dependence(region)
    pending, seen = [source], {source}
    while pending:
        label = pending.pop()
        if label in divergent and label == source:
            return False
        for branch in control.branches(label) - seen:
            if region.dominators.dominates(above, branch):
                if branch in divergent:
                    return False
                seen.add(branch)
                pending.append(branch)
    return True


def check(flow: FlowGraph, divergent: frozenset[str]) -> None:
    region = whole_region(flow)
    try:
        linear = linear_graph(region, divergent, flow.successors)
    except InternalError:  # several returns, and threads that part on their way to them
        assert sum(not ways for ways in flow.successors.values()) > 1
        return
    classes = mask_classes(region, divergent)
    control = control_dependence(region)
    branches = [b for b, ways in flow.successors.items() if len(ways) > 1 and b not in divergent]
    for label, ways in flow.successors.items():
        if label in divergent:
            assert len(set(linear.targets[label])) == 1
        for way, new in zip(ways, linear.targets[label], strict=True):
            if any(relatively_uniform_edge(region, divergent, label, way, d) for d in region.dominators.order):
                assert new == way  # theorem 5
    for chosen in product((0, 1), repeat=len(branches)):
        decisions = dict(zip(branches, chosen, strict=True))
        outer = linear_path(linear, decisions)
        inner = list(paths(flow, decisions, flow.entry))
        assert all(embedded(path, outer) for path in inner)  # theorem 3
        for label in outer:
            running = [path for path in inner if label in path]
            if not any(label in control.iterated_dependents(branch) for branch in divergent):
                assert len(running) == len(inner)  # theorem 4
            assert running == [path for path in inner if classes[label] in path]


def subsets(flow: FlowGraph) -> Iterator[frozenset[str]]:
    branches = [b for b, ways in flow.successors.items() if len(ways) > 1]
    for count in range(len(branches) + 1):
        yield from map(frozenset, combinations(branches, count))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_small_graphs(size: int) -> None:
    for flow in acyclic_graphs(size):
        for divergent in subsets(flow):
            check(flow, divergent)


def random_acyclic(seed: int, size: int) -> tuple[FlowGraph, frozenset[str]]:
    chosen = random.Random(seed)
    ways = {f"b{i}": sorted(chosen.sample(range(i + 1, size), min(chosen.choice((1, 2, 2)), size - 1 - i))) for i in range(size)}
    flow = graph({label: " ".join(f"b{t}" for t in targets) for label, targets in ways.items()})
    reached = {"b0"}
    for label in flow.successors:
        reached |= set(flow.successors[label]) if label in reached else set()
    kept = {label: " ".join(targets) for label, targets in flow.successors.items() if label in reached}
    flow = graph(kept)
    share = chosen.random()
    return flow, frozenset(b for b, t in flow.successors.items() if len(t) > 1 and chosen.random() < share)


def test_random_graphs() -> None:
    for seed in range(60):
        check(*random_acyclic(seed, 6 + seed % 7))


@pytest.mark.long
def test_many_random_graphs() -> None:
    for seed in range(60, 5000):
        check(*random_acyclic(seed, 6 + seed % 9))


# with loops: decisions are those of a block in an iteration of the loops around it

Visit = tuple[str, tuple[int, ...]]


def walk(region: Region, ways: Mapping[str, tuple[str, ...]], decide: Callable[[Visit, int], int]) -> list[Visit] | None:
    """The blocks that run, each with its iteration of every loop around it, the innermost first; None when there are too many."""
    label: str | None = region.entry
    turns: dict[str, int] = {}
    visits: list[Visit] = []
    while label is not None and len(visits) < 300:
        around = region.around(label)
        if label in around:
            turns[label] = turns.get(label, -1) + 1
        turns = {header: turn for header, turn in turns.items() if header in around}
        visit = (label, tuple(turns[header] for header in around))
        visits.append(visit)
        label = ways[label][decide(visit, len(ways[label]))] if ways[label] else None
    return visits if label is None else None


def check_loops(seed: int) -> int:
    """How many executions were compared."""
    chosen = random.Random(seed)
    flow = random_reducible(chosen, chosen.randint(4, 12))
    region = whole_region(flow)
    control, dependence = region_divergence(region), control_dependence(region)
    # loops have to be uniform: no thread may leave one without the others
    free = [b for b, ways in flow.successors.items() if len(ways) > 1 and not control.exits_made_divergent_by(b)]
    divergent = frozenset(b for b in free if chosen.random() < 0.6)
    try:
        linear = linear_graph(region, divergent, flow.successors)
    except InternalError:  # several returns
        return 0
    for label, ways in flow.successors.items():
        for way, new in zip(ways, linear.targets[label], strict=True):
            if any(relatively_uniform_edge(region, divergent, label, way, d) for d in region.dominators.order):
                assert new == way, (flow.successors, divergent, label)  # theorem 5
    varying = {b for branch in divergent for b in dependence.iterated_dependents(branch)}
    compared = 0
    for run in range(20):

        def decide(visit: Visit, count: int, thread: int = -1, run: int = run) -> int:
            return random.Random(f"{seed} {run} {visit} {thread if visit[0] in divergent else -1}").randrange(count)

        outer = walk(region, linear.targets, decide)
        threads = [walk(region, flow.successors, partial(decide, thread=t)) for t in range(4)]
        if outer is None:
            continue
        for thread in threads:
            assert thread is not None and embedded(tuple(thread), tuple(outer)), (flow.successors, divergent)  # theorem 3
        for visit in outer:
            assert visit[0] in varying or all(visit in thread for thread in threads if thread), visit  # theorem 4
        compared += 1
    return compared


def test_uniform_loops() -> None:
    assert sum(map(check_loops, range(150))) > 1000


@pytest.mark.long
def test_many_uniform_loops() -> None:
    assert sum(map(check_loops, range(1000, 8000))) > 50000


def test_dominance_is_preserved() -> None:
    for seed in range(150):
        chosen = random.Random(seed)
        flow = random_reducible(chosen, chosen.randint(4, 12))
        region = whole_region(flow)
        inner = [b for b, ways in flow.successors.items() if len(ways) > 1]
        divergent = frozenset(b for b in inner if chosen.random() < 0.5)
        try:
            linear = linear_graph(region, divergent, flow.successors)
        except InternalError:
            continue
        after = whole_region(graph({b: " ".join(dict.fromkeys(linear.targets[b])) for b in linear.order}))
        for label in linear.order:
            if region.around(label):
                continue  # loops must be uniform, which random subsets are not
            assert all(after.dominators.dominates(d, label) for d in region.dominators.chain(label))


def linearized(edges: dict[str, str], divergent: str) -> dict[str, str]:
    flow = graph(edges)
    linear = linear_graph(whole_region(flow), frozenset(divergent.split()), flow.successors)
    return {label: " ".join(dict.fromkeys(linear.targets[label])) for label in linear.order}


def test_the_first_example() -> None:  # figure 8.1: the uniform branch in A stays
    source = {"A": "B E", "B": "C D", "C": "E", "D": "E", "E": ""}
    assert linearized(source, "B") == {"A": "B E", "B": "C", "C": "D", "D": "E", "E": ""}
    assert linearized(source, "A B") == {"A": "B", "B": "C", "C": "D", "D": "E", "E": ""}


def test_walk_through() -> None:  # figure 8.2, as far as its text tells: b's branch is divergent, a's uniform
    source = {"a": "b c", "b": "d e", "c": "f g", "d": "h", "e": "h", "f": "k", "g": "k", "h": "k", "k": ""}
    found = linearized(source, "b f")
    assert found["a"] == "b c" and found["b"] == "d" and found["d"] == "e" and found["e"] == "h" and found["c"] == "f g"


def test_uniform_loop() -> None:  # figure 8.3: the back edge stays, what is deferred before the loop runs after it
    source = {"A": "P D", "P": "H", "H": "B X", "B": "C L", "C": "L", "L": "H", "X": "E", "D": "E", "E": ""}
    found = linearized(source, "A B")
    assert found == {"A": "P", "P": "H", "H": "B X", "B": "C", "C": "L", "L": "H", "X": "D", "D": "E", "E": ""}


def test_uniform_branch_under_a_varying_predicate() -> None:  # figure 8.5
    source = {"a": "b e", "b": "c d", "c": "d", "d": "f", "e": "f", "f": ""}
    assert linearized(source, "a") == {"a": "b", "b": "c d", "c": "d", "d": "e", "e": "f", "f": ""}


def test_uniform_predicate_in_unstructured_control_flow() -> None:  # figure 8.7: C is skipped though the rest is one region
    source = {"A": "B D", "B": "C D", "C": "X", "D": "E F", "E": "F", "F": "X", "X": ""}
    found = linearized(source, "D")
    assert found["A"] == "B D" and found["B"] == "C D" and found["D"] == "E" and found["E"] == "F"
