"""Shuffle networks against a plain simulation, and their cost on transpositions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rv.widen.across.shuffle_network import Element, Network, Request, build_network


def simulate(network: Network, sources: int, width: int) -> dict[int, list[Element | None]]:
    values: dict[int, list[Element | None]] = {s: [(s, lane) for lane in range(width)] for s in range(sources)}
    for shuffle in network.shuffles:
        both = values[shuffle.left] + values[shuffle.right]
        values[shuffle.node] = [None if lane < 0 else both[lane] for lane in shuffle.mask]
    return values


def assert_delivers(network: Network, requests: list[Request], sources: int, width: int) -> None:
    values = simulate(network, sources, width)
    for request, node in zip(requests, network.outputs, strict=True):
        for lane, element in enumerate(request):
            assert element is None or values[node][lane] == element


@pytest.mark.parametrize(
    ("width", "block", "expected"), [(2, 2, 2), (4, 2, 8), (8, 2, 24), (8, 4, 24), (16, 4, 64), (4, 4, 8)]
)
def test_transposition_takes_n_log_n_shuffles(width: int, block: int, expected: int) -> None:
    requests: list[Request] = [tuple((s, lane) for s in range(width)) for lane in range(width)]
    network = build_network(width, requests, width, block)
    assert_delivers(network, requests, width, width)
    assert len(network.shuffles) == expected


@pytest.mark.parametrize(("size", "width", "expected"), [(8, 4, 32), (16, 8, 96), (16, 4, 128), (8, 2, 32)])
def test_large_transpositions_go_block_by_block(size: int, width: int, expected: int) -> None:
    # register k holds lanes k*width ... of the matrix in row order, and of its transpose in the requests
    lanes = [(j, i) for j in range(size) for i in range(size)]
    place = {lane: divmod(number, width) for number, lane in enumerate(lanes)}
    requests: list[Request] = [tuple(place[i, j] for j, i in lanes[k : k + width]) for k in range(0, len(lanes), width)]
    network = build_network(len(lanes) // width, requests, width, 2)
    assert_delivers(network, requests, len(lanes) // width, width)
    assert len(network.shuffles) == expected


def test_transposition_of_doubles_starts_with_shuffles_inside_128_bit_blocks() -> None:
    requests: list[Request] = [tuple((s, lane) for s in range(4)) for lane in range(4)]
    first = build_network(4, requests, 4, 2).shuffles[0]
    assert first.mask == (0, 4, 2, 6)


def test_an_identity_costs_nothing() -> None:
    network = build_network(1, [((0, 0), (0, 1), (0, 2), (0, 3))], 4, 2)
    assert network.shuffles == () and network.outputs == (0,)


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, int, list[Request]]:
    width = draw(st.integers(1, 9))
    sources = draw(st.integers(1, 11))
    element = st.none() | st.tuples(st.integers(0, sources - 1), st.integers(0, width - 1))
    requests = draw(st.lists(st.lists(element, min_size=1, max_size=width).map(tuple), min_size=1, max_size=10))
    return sources, width, requests


@given(problems(), st.sampled_from([1, 2, 4]))
def test_every_request_is_delivered(problem: tuple[int, int, list[Request]], block: int) -> None:
    sources, width, requests = problem
    assert_delivers(build_network(sources, requests, width, block), requests, sources, width)
