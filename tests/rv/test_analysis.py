"""Dominators, loops and order against definitions, on random graphs; the examples with names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import FlowGraph, reverse_postorder
from rv.analysis.cfg.loops import IrreducibleCycle, loop_forest


def graph(edges: dict[str, str]) -> FlowGraph:
    successors = {label: tuple(targets.split()) for label, targets in edges.items()}
    predecessors = {label: tuple(s for s in successors if label in successors[s]) for label in successors}
    return FlowGraph(next(iter(successors)), successors, predecessors)


@st.composite
def graphs(draw: st.DrawFn) -> FlowGraph:
    size = draw(st.integers(1, 9))
    labels = [f"b{i}" for i in range(size)]
    edges = {label: draw(st.lists(st.sampled_from(labels[1:] or labels), max_size=2, unique=True)) for label in labels}
    if size == 1:
        edges = {labels[0]: []}
    return graph({label: " ".join(targets) for label, targets in edges.items()})


def reachable(flow: FlowGraph, start: str, without: str | None = None) -> set[str]:
    if start == without:
        return set()
    found, pending = {start}, [start]
    while pending:
        for label in flow.successors[pending.pop()]:
            if label not in found and label != without:
                found.add(label)
                pending.append(label)
    return found


@given(graphs())
def test_dominance_is_its_definition(flow: FlowGraph) -> None:
    tree = dominator_tree(flow)
    reached = reachable(flow, flow.entry)
    assert set(tree.order) == reached
    for above in flow.successors:
        avoiding = reachable(flow, flow.entry, without=above)
        for below in flow.successors:
            expected = above in reached and below in reached and below not in avoiding
            assert tree.dominates(above, below) == expected
    preorder = list(tree.preorder())
    assert sorted(preorder) == sorted(reached)
    for label in preorder:
        parent = tree.immediate[label]
        assert parent is None or preorder.index(parent) < preorder.index(label)


@given(graphs())
def test_reverse_postorder_puts_blocks_before_successors(flow: FlowGraph) -> None:
    order = reverse_postorder(flow)
    assert order[0] == flow.entry
    for label in order:
        for target in flow.successors[label]:
            if order.index(target) <= order.index(label):
                assert label in reachable(flow, target)


@given(graphs())
def test_loops_are_their_definition(flow: FlowGraph) -> None:
    tree = dominator_tree(flow)
    forest = loop_forest(flow, tree)
    back = [(a, b) for a in tree.order for b in flow.successors[a] if tree.dominates(b, a)]
    assert set(forest.loops) == {header for _, header in back}
    for header, loop in forest.loops.items():
        body = {header}
        for source, target in back:
            if target == header:
                body |= {b for b in tree.order if b != header and source in reachable(flow, b, without=header)}
        assert loop.blocks == body
        assert set(loop.latches) == {a for a, b in back if b == header}
        around = [other for other in forest.loops.values() if header in other.blocks and other.header != header]
        assert loop.depth == len(around) + 1
        assert loop.parent == (min(around, key=lambda other: len(other.blocks)).header if around else None)
    inner_first = [loop.header for loop in forest.innermost_first()]
    assert all(loop.parent is None or inner_first.index(loop.parent) > inner_first.index(h) for h, loop in forest.loops.items())


@given(graphs())
def test_irreducible_cycles_are_found(flow: FlowGraph) -> None:
    """Reducible means: without the back edges the graph has no cycle."""
    tree = dominator_tree(flow)
    forward = {
        a: " ".join(b for b in flow.successors[a] if not tree.dominates(b, a)) if a in tree.immediate else ""
        for a in flow.successors
    }
    rest = graph(forward)
    cyclic = any(label in reachable(rest, target) for label in tree.order for target in rest.successors[label])
    found = loop_forest(flow, tree).irreducible
    assert bool(found) == cyclic
    for cycle in found:
        assert not tree.dominates(cycle.first, cycle.second) and not tree.dominates(cycle.second, cycle.first)
        assert cycle.first in reachable(flow, cycle.second) and cycle.second in reachable(flow, cycle.first)


def test_irreducible_cycle_names_its_two_entries() -> None:
    flow = graph({"entry": "a b", "a": "b", "b": "a out", "out": ""})
    forest = loop_forest(flow, dominator_tree(flow))
    assert not forest.loops
    assert [{c.first, c.second} for c in forest.irreducible] == [{"a", "b"}]
    assert isinstance(forest.irreducible[0], IrreducibleCycle)


def test_nested_loops() -> None:
    flow = graph({"entry": "i", "i": "j out", "j": "body next", "body": "j", "next": "i", "out": ""})
    forest = loop_forest(flow, dominator_tree(flow))
    assert forest.loops["j"].parent == "i" and forest.loops["j"].depth == 2
    assert forest.loops["j"].exits == (("j", "next"),) and forest.loops["j"].entering == ("i",)
    assert forest.innermost == {"i": "i", "next": "i", "j": "j", "body": "j"}
    assert [loop.header for loop in forest.children(None)] == ["i"]
