"""Control divergence against executions by two threads, and on the thesis's figures."""

from __future__ import annotations

import random

import pytest

from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.cfg.region import Region, sub_region, whole_region
from rv.analysis.divergence.control_divergence import ControlDependences, region_divergence
from tests.rv_divergence.executions import Executions, edges_into_joins
from tests.rv_divergence.graphs import acyclic_graphs, graph, random_reducible


def check_precise(flow: FlowGraph) -> None:
    region = whole_region(flow)
    control, executions = region_divergence(region), Executions(region)
    for branch in control.branches:
        seen = executions.observe(branch)
        assert seen.joins == control.joins_of(branch), (flow.successors, branch)
        assert seen.arrivals == edges_into_joins(control.effects[branch]), (flow.successors, branch)
        assert seen.alone == control.predicated_by(branch), (flow.successors, branch)
        assert not control.exits_made_divergent_by(branch)


def check_sound(region: Region) -> int:
    """How many effects were claimed that no execution shows; exits of the region are never seen from outside."""
    control, executions = region_divergence(region), Executions(region)
    unseen = 0
    for branch in control.branches:
        seen, said = executions.observe(branch), control.effects[branch]
        assert seen.contained_in(said), (region.graph.successors, branch, seen, said)
        unseen += len(edges_into_joins(said) - seen.arrivals) + len(said.predicated - seen.alone)
        unseen += len(said.leaving - seen.leaving)
        unseen += sum(exit.target in region.graph.successors[exit.source] for exit in said.exits - seen.exits)
    return unseen


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_acyclic_graphs_exactly(size: int) -> None:
    for flow in acyclic_graphs(size):
        check_precise(flow)


def test_switches_exactly() -> None:
    for flow in acyclic_graphs(4, choices=3):
        check_precise(flow)


@pytest.mark.long
@pytest.mark.parametrize("size, choices", [(7, 2), (6, 3)])
def test_larger_acyclic_graphs_exactly(size: int, choices: int) -> None:
    for flow in acyclic_graphs(size, choices):
        check_precise(flow)


def check_random(seeds: range) -> int:
    unseen = 0
    for seed in seeds:
        generator = random.Random(seed)
        flow = random_reducible(generator, generator.randint(5, 10))
        region = whole_region(flow)
        unseen += check_sound(region)
        for loop in region.loops.loops.values():
            unseen += check_sound(sub_region(flow, loop.blocks))
    return unseen


def test_loop_nests() -> None:
    assert check_random(range(200)) == 0  # soundness is a must; that nothing is claimed in vain is luck of the sample


@pytest.mark.long
def test_many_loop_nests() -> None:
    assert check_random(range(1000, 11000)) < 100


# The thesis's figures, as far as its text describes them: of 7.2 and 7.9d it describes the subject.


def divergence_of(edges: dict[str, str]) -> ControlDependences:
    return region_divergence(whole_region(graph(edges)))


def exits(control: ControlDependences, branch: str) -> set[str]:
    return {exit.target for exit in control.exits_made_divergent_by(branch)}


def test_sync_dependence() -> None:  # figure 7.1a
    control = divergence_of({"A": "B C", "B": "D", "C": "D", "D": ""})
    assert control.joins_of("A") == {"D"}
    assert control.predicated_by("A") == {"B", "C"}
    assert control.joins_of("B") == set()


def test_temporal_dependence() -> None:  # figure 7.1c
    control = divergence_of({"A": "B", "B": "B X", "X": ""})
    assert control.joins_of("B") == set()
    assert exits(control, "B") == {"X"}
    assert control.loops_made_divergent_by("B") == {"B"}
    assert control.predicated_by("B") == {"B"}


def test_static_dependences() -> None:  # figure 7.2: joins of a branch G in a loop, and what a divergent latch H does to its exit
    control = divergence_of({"A": "G", "G": "B C", "B": "D E", "C": "E", "D": "F", "E": "F", "F": "H", "H": "G X", "X": ""})
    assert control.joins_of("G") == {"E", "F"}
    assert exits(control, "G") == set()
    assert control.joins_of("B") == {"F"}
    assert control.joins_of("H") == set()
    assert exits(control, "H") == {"X"}


def test_join_beyond_a_divergent_loop() -> None:  # figure 7.3
    control = divergence_of({"P": "A", "A": "B D", "B": "C E", "C": "D F", "D": "A", "E": "X", "F": "X", "X": ""})
    assert control.joins_of("A") == {"D", "X"}
    assert exits(control, "A") == {"E", "F"}
    # B post-dominates A, and yet only some threads run it in the first iteration
    assert control.predicated_by("A") == {"A", "B", "C", "D", "E", "F"}


def test_patterns() -> None:  # figure 7.4: a join that is itself a successor, and one that is not
    control = divergence_of({"A": "x z", "x": "z", "z": ""})
    assert control.joins_of("A") == {"z"}
    control = divergence_of({"A": "p q", "p": "x", "q": "y", "x": "z", "y": "z", "z": ""})
    assert control.joins_of("A") == {"z"}


def test_uniform_exits_of_a_divergent_loop() -> None:  # figures 7.5 and 7.6: W and X never at once
    loop = {"P": "A", "A": "W B", "B": "X C", "C": "D E", "D": "Y E", "E": "Z F", "F": "A"}
    control = divergence_of({**loop, "W": "V", "X": "V", "V": "R", "Y": "R", "Z": "R", "R": ""})
    assert control.joins_of("C") == {"E", "R"}
    assert exits(control, "C") == {"Y"}
    control = divergence_of(
        {"P": "A", "A": "W B", "B": "X C", "C": "D E", "D": "Y F", "E": "Z F", "F": "A", "W": "V", "X": "V", "V": "R"}
        | {"Y": "R", "Z": "R", "R": ""}
    )
    assert control.joins_of("C") == {"F", "R"}
    assert exits(control, "C") == {"Y", "Z"}


def test_walkthrough() -> None:  # figure 7.7a: the labels are block indices
    control = divergence_of(
        {"e": "0", "0": "1", "1": "7 2", "2": "3 5", "3": "4 8", "4": "5 9", "5": "0", "7": "10", "8": "10", "9": "10", "10": ""}
    )
    assert control.joins_of("2") == {"5", "10"}
    assert exits(control, "2") == {"8", "9"}
    assert control.loops_made_divergent_by("2") == {"0"}


def test_partially_divergent_loop() -> None:  # figure 7.7b
    control = divergence_of(
        {"e": "0", "0": "1", "1": "5 2", "2": "6 3", "3": "8 4", "4": "1", "5": "7", "6": "7", "7": "0", "8": ""}
    )
    assert control.joins_of("3") == set()
    assert exits(control, "3") == {"8"}
    assert control.loops_made_divergent_by("3") == {"0", "1"}


def test_exits_with_causes_of_their_own() -> None:  # figure 7.9a
    control = divergence_of({"A": "H", "H": "D B", "B": "C Q", "C": "E Q", "Q": "H", "D": "X", "E": "X", "X": ""})
    assert exits(control, "H") == {"D"}
    assert exits(control, "B") == exits(control, "C") == {"E"}


def test_join_above_the_post_dominator() -> None:  # figure 7.9b
    control = divergence_of({"A": "B C", "B": "D", "C": "D E", "D": "F", "E": "F", "F": ""})
    assert control.joins_of("A") == {"D", "F"}
    assert control.joins_of("C") == {"F"}


def test_branch_that_does_not_select() -> None:  # figure 7.9c: b decides whether X is reached, not over which edge
    control = divergence_of({"A": "B D", "B": "E C", "C": "X D", "D": "X", "X": "E", "E": ""})
    assert control.joins_of("B") == {"E"}
    assert control.joins_of("C") == {"X"}


def test_switch() -> None:  # figure 7.9d: three ways at once, of which one branches again
    control = divergence_of({"A": "B C D", "B": "X", "C": "X Y", "D": "Y", "X": "Z", "Y": "Z", "Z": ""})
    assert control.joins_of("A") == {"X", "Y", "Z"}
    assert control.joins_of("C") == {"Z"}
    assert control.arrivals_at("C", "Z") == {"X", "Y"}


def test_exits_of_several_loops_at_once() -> None:
    control = divergence_of({"e": "O", "O": "I x", "I": "J o", "J": "I x", "o": "O", "x": ""})
    assert control.loops_made_divergent_by("J") == {"I", "O"}
    assert control.joins_of("J") == {"x"}  # over J -> x and, later, over O -> x
    assert {(e.header, e.source) for e in control.exits_made_divergent_by("J")} == {("I", "J"), ("O", "J")}


def test_one_iteration_of_a_loop() -> None:
    flow = graph({"e": "H", "H": "B x", "B": "C D", "C": "L", "D": "L x", "L": "H", "x": ""})
    control = region_divergence(sub_region(flow, frozenset("HBCDL")))
    assert control.joins_of("B") == {"L"}
    assert control.leaving_apart_by("B") == {("L", "H"), ("D", "x")}
    assert control.loops_made_divergent_by("B") == set()
    assert control.predicated_by("B") == {"C", "D", "L"}
