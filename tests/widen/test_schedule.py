"""The order of statements: dependences are kept; chains that make the processor wait are written in turns, as registers allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rv.target.description import load as load_machine
from rv.vector.dependences import Node
from rv.vector.instructions import Place
from rv.vector.order import peak_weight, schedule
from rv.vector.window import cycles, least_cycles, timing_of

LENGTH = 200
TIMING = timing_of(load_machine("golden_cove"), 512)


def load(k: int) -> Node:
    return Node((), 1, Place((k,), "a", 1), "load")


def pure(*before: int, division: bool = False) -> Node:
    return Node(before, 1, None, "pure", division)


def store(k: int, *before: int) -> Node:
    return Node(before, 0, Place((k,), "b", 1), "store")


def chains(count: int, kept: int = 0) -> list[Node]:
    """Chains from a load to a store, of operations that each wait for the one before; `kept` more loads live to their ends."""
    nodes: list[Node] = []
    for _ in range(count):
        first = len(nodes)
        nodes += [load(k) for k in range(first, first + kept + 1)]
        nodes += [pure(k - 1) for k in range(len(nodes), len(nodes) + LENGTH)]
        for k in range(first, first + kept):
            nodes.append(pure(k, len(nodes) - 1))
        nodes.append(store(first, len(nodes) - 1))
    return nodes


def order(nodes: list[Node], registers: int) -> list[int]:
    return schedule(nodes, registers, TIMING)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_chains_are_written_in_turns(count: int) -> None:
    nodes = chains(count)
    found = order(nodes, 32)
    assert cycles(nodes, found, TIMING) < 0.8 * cycles(nodes, list(range(len(nodes))), TIMING)
    assert peak_weight(nodes, found) <= 4 + count, "some at a time, and what waits for being stored"


def test_one_chain_after_the_other_where_registers_are_few() -> None:
    nodes = chains(2, kept=10)
    assert peak_weight(nodes, order(nodes, 16)) < 16 < peak_weight(nodes, order(nodes, 32)) <= 32


def copies(count: int) -> list[Node]:
    """Loads, operations and stores of as many elements."""
    nodes = [load(k) for k in range(count)] + [pure(k) for k in range(count)]
    return nodes + [store(k, count + k) for k in range(count)]


def test_stores_wait_for_all_loads_while_registers_suffice() -> None:
    """Short chains stay as they are read, one after the other; what is stored stays in registers."""
    found = order(copies(16), 32)
    assert found[:31] == [k + step for k in range(16) for step in (0, 16)][:31]


def test_stores_go_first_where_registers_do_not_suffice() -> None:
    nodes = copies(64)
    found = order(nodes, 32)
    assert peak_weight(nodes, found) <= 32
    first = next(place for place, k in enumerate(found) if nodes[k].kind == "store")
    assert 32 <= first <= 64, "as many operations as registers hold results come before the first store"


def test_stores_stay_in_front_of_loads_that_depend_on_them() -> None:
    nodes = [load(0), store(0, 0), Node((1,), 1, Place((0,), "a", 1), "load"), pure(1, 2), store(1, 3), load(5), store(2, 5)]
    found = order(nodes, 32)
    assert found.index(1) < found.index(2) and found.index(5) < found.index(4)


KINDS = st.sampled_from(["fadd", "fdiv", "load", "store"])


@given(st.lists(st.tuples(st.sets(st.integers(1, 12), max_size=3), KINDS), max_size=60))
def test_nodes_follow_those_they_depend_on(given_nodes: list[tuple[set[int], str]]) -> None:
    nodes: list[Node] = []
    for k, (back, kind) in enumerate(given_nodes):
        before = tuple(k - b for b in back if k - b >= 0 and nodes[k - b].kind != "store")
        if kind == "load":
            nodes.append(load(k))
        elif kind == "store":
            nodes.append(store(k, *before))
        else:
            nodes.append(pure(*before, division=kind == "fdiv"))
    for registers in (2, 8, 32):
        found = order(nodes, registers)
        assert sorted(found) == list(range(len(nodes)))
        place = {k: at for at, k in enumerate(found)}
        assert all(place[b] < place[k] for k in found for b in nodes[k].before)


def test_the_model() -> None:
    """A chain takes the sum of its latencies less what the next turn overlaps; the divider takes one division at a time."""
    chain = chains(1)
    everything = list(range(len(chain)))
    assert 2 * LENGTH < cycles(chain, everything, TIMING) < 4 * LENGTH
    divisions = [pure(division=True) for _ in range(8)]
    assert cycles(divisions, list(range(8)), TIMING) == least_cycles(divisions, TIMING) == 8 * TIMING.divider
