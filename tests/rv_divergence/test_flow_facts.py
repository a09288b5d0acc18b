"""Post-dominance, control dependence and block order against their definitions."""

from __future__ import annotations

import random

import pytest

from rv.analysis.cfg.block_order import block_order
from rv.analysis.cfg.control_dependence import control_dependence
from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.cfg.levels import loop_levels
from rv.analysis.cfg.postdominance import post_dominator_tree
from rv.analysis.cfg.region import Region, find_region, sub_region, whole_region
from rv.internal_error import InternalError
from rv.ir.parser import parse_function
from tests.rv_divergence.graphs import acyclic_graphs, graph, random_reducible


def samples(count: int) -> list[Region]:
    found: list[Region] = []
    for seed in range(count):
        generator = random.Random(seed)
        flow = random_reducible(generator, generator.randint(3, 11))
        region = whole_region(flow)
        found += [region, *(sub_region(flow, loop.blocks) for loop in region.loops.loops.values())]
    return found


def leaves(region: Region, start: str, without: str) -> bool:
    """Whether there is a way from a block out of the region that avoids another block."""
    seen, pending = {start}, [start]
    while pending:
        label = pending.pop()
        if label == without:
            continue
        if label in region.leaving or not region.graph.successors[label]:
            return True
        fresh = [t for t in region.graph.successors[label] if t not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return False


def test_post_dominance_is_its_definition() -> None:
    for region in samples(60):
        tree = post_dominator_tree(region)
        for above in region.graph.successors:
            for below in region.graph.successors:
                assert tree.post_dominates(below, above) == (not leaves(region, above, without=below))
            nearest = tree.immediate(above)
            others = {b for b in region.graph.successors if b != above and tree.post_dominates(b, above)}
            assert (nearest is None) == (not others)
            assert nearest is None or all(tree.post_dominates(b, nearest) for b in others)


def test_control_dependence_is_its_definition() -> None:
    for region in samples(60):
        tree, control = post_dominator_tree(region), control_dependence(region)
        for k in region.graph.successors:
            expected = {
                (a, b)
                for a in region.graph.successors
                for b in region.graph.successors[a]
                if tree.post_dominates(k, b) and (k == a or not tree.post_dominates(k, a))
            }
            assert set(control.edges[k]) == expected
            assert control.branches(k) == {a for a, _ in expected}


def test_iterated_control_dependence() -> None:
    flow = graph({"A": "B X", "B": "C D", "C": "D", "D": "X", "X": ""})
    control = control_dependence(whole_region(flow))
    assert control.dependents["A"] == {"B", "D"}
    assert control.iterated_dependents("A") == {"B", "C", "D"}


def test_a_loop_without_exit_is_no_obstacle() -> None:
    flow = graph({"A": "B X", "B": "B", "X": ""})
    tree = post_dominator_tree(whole_region(flow))
    assert not tree.post_dominates("X", "A")
    assert control_dependence(whole_region(flow)).iterated_dependents("A") == {"B", "X"}


def compact(order: tuple[str, ...], labels: frozenset[str]) -> bool:
    places = [order.index(label) for label in labels]
    return not places or max(places) - min(places) == len(places) - 1


def check_order(region: Region) -> None:
    order = block_order(region)
    dominated = {a: frozenset(b for b in order if region.dominators.dominates(a, b)) for a in order}
    assert sorted(order) == sorted(region.graph.successors)
    for label in order:
        for target in region.graph.successors[label]:
            assert order.index(label) < order.index(target) or region.dominators.dominates(target, label)
        around = region.around(label)
        level = around[1:] if label in region.loops.loops else around
        inside = region.loops.loops[level[0]].blocks if level else frozenset(order)
        assert compact(order, dominated[label] & inside)
    for header, loop in region.loops.loops.items():
        first, last = order.index(header), order.index(header) + len(loop.blocks) - 1
        assert compact(order, loop.blocks) and all(order.index(b) >= first for b in loop.blocks)
        if len(loop.latches) == 1 and region.around(loop.latches[0])[0] == header:
            assert order[last] == loop.latches[0]


def test_block_order_is_topological_and_compact() -> None:
    for size in (3, 4, 5):
        for flow in acyclic_graphs(size):
            region = whole_region(flow)
            check_order(region)
            order = block_order(region)
            assert all(
                compact(order, frozenset(b for b in order if region.dominators.dominates(a, b))) for a in order
            ), flow.successors
    for region in samples(150):
        check_order(region)


def test_block_order_of_the_thesis() -> None:  # figure 8.6: an order that is compact for dominance regions, and for loops
    flow = graph({"a": "b c", "b": "d e", "c": "f", "d": "e", "e": "f", "f": ""})
    assert block_order(whole_region(flow)) == ("a", "b", "d", "e", "c", "f")
    flow = graph({"p": "h", "h": "b x", "b": "h y", "x": "r", "y": "r", "r": ""})
    assert block_order(whole_region(flow)) == ("p", "h", "b", "x", "y", "r")


def irreducible() -> FlowGraph:
    return graph({"A": "B C", "B": "C", "C": "B X", "X": ""})


def test_regions_with_two_entries_are_refused() -> None:
    flow = graph({"A": "B C", "B": "D", "C": "D", "D": ""})
    with pytest.raises(InternalError, match="exactly one entry"):
        sub_region(flow, frozenset("BCD"))
    with pytest.raises(InternalError, match="reducible"):
        whole_region(irreducible())


def test_one_iteration_of_a_loop_is_a_region() -> None:
    function = parse_function("""define void @f(i1 %c) {
entry:
  jump head
head:
  branch %c, body, done
body:
  branch %c, head, done
done:
  return void
}
""")
    region = find_region(function, frozenset({"head", "body"}))
    assert region.entry == "head"
    assert region.graph.successors == {"head": ("body",), "body": ()}
    assert region.leaving == {"head": ("done",), "body": ("head", "done")}
    assert not region.loops.loops


def test_levels_are_acyclic() -> None:
    flow = graph({"e": "O", "O": "I x", "I": "L o", "L": "I o", "o": "O y", "x": "", "y": ""})
    levels = loop_levels(whole_region(flow))
    assert levels[None].graph.successors == {"e": ("O",), "O": ("x", "y"), "x": (), "y": ()}
    assert levels["O"].graph.successors == {"O": ("I",), "I": ("o",), "o": ()}
    assert levels["O"].leaving == {"O": ("x",), "o": ("O", "y")}
    assert levels["I"].graph.successors == {"I": ("L",), "L": ()}
    assert levels["I"].leaving == {"I": ("o",), "L": ("I", "o")}
