"""The order of lines: dependences are kept; chains that make the processor wait are written in turns, as registers allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rv.widen.lines import Line
from rv.widen.schedule import peak_weight, schedule
from rv.widen.window import DIVIDER, cycles, least_cycles

LENGTH = 200


def load(k: int) -> Line:
    return Line(f"%l{k}", "load", (), 1, (0, k), "load")


def pure(k: int, *before: int, text: str = "fadd") -> Line:
    return Line(f"%{k}", f"{text} {k}", before, 1, None, "pure")


def chains(count: int, kept: int = 0) -> list[Line]:
    """Chains from a load to a store, of operations that each wait for the one before; `kept` more loads live to their ends."""
    lines: list[Line] = []
    for _ in range(count):
        first = len(lines)
        lines += [load(k) for k in range(first, first + kept + 1)]
        lines += [pure(k, k - 1) for k in range(len(lines), len(lines) + LENGTH)]
        for k in range(first, first + kept):
            lines.append(pure(len(lines), k, len(lines) - 1))
        lines.append(Line(None, "store", (len(lines) - 1,), 0, (1, first), "store"))
    return lines


def order(lines: list[Line], registers: int) -> list[int]:
    places = {id(line): k for k, line in enumerate(lines)}
    return [places[id(line)] for line in schedule(lines, registers)]


@pytest.mark.parametrize("count", [2, 4, 8])
def test_chains_are_written_in_turns(count: int) -> None:
    lines = chains(count)
    found = order(lines, 32)
    assert cycles(lines, found) < 0.8 * cycles(lines, list(range(len(lines))))
    assert peak_weight(lines, found) <= 4 + count, "some at a time, and what waits for being stored"


def test_one_chain_after_the_other_where_registers_are_few() -> None:
    lines = chains(2, kept=10)
    assert peak_weight(lines, order(lines, 16)) < 16 < peak_weight(lines, order(lines, 32)) <= 32


def copies(count: int) -> list[Line]:
    """Loads, operations and stores of as many elements."""
    lines = [load(k) for k in range(count)]
    lines += [pure(count + k, k) for k in range(count)]
    return lines + [Line(None, f"store {k}", (count + k,), 0, (1, k), "store") for k in range(count)]


def test_stores_wait_for_all_loads_while_registers_suffice() -> None:
    """Short chains stay as they are read, one after the other; what is stored stays in registers."""
    found = order(copies(16), 32)
    assert found[:31] == [k + step for k in range(16) for step in (0, 16)][:31]


def test_stores_go_first_where_registers_do_not_suffice() -> None:
    lines = copies(64)
    found = order(lines, 32)
    assert peak_weight(lines, found) <= 32
    first = next(place for place, k in enumerate(found) if lines[k].kind == "store")
    assert 32 <= first <= 64, "as many operations as registers hold results come before the first store"


def test_stores_stay_in_front_of_loads_that_depend_on_them() -> None:
    lines = [load(0), Line(None, "store", (0,), 0, (1, 0), "store"), Line("%l1", "load", (1,), 1, (1, 0), "load")]
    lines += [pure(1, 2), Line(None, "store", (3,), 0, (2, 0), "store"), load(5), Line(None, "store", (5,), 0, (3, 0), "store")]
    found = order(lines, 32)
    assert found.index(1) < found.index(2) and found.index(5) < found.index(4)


KINDS = st.sampled_from(["fadd", "fdiv", "load", "store"])


@given(st.lists(st.tuples(st.sets(st.integers(1, 12), max_size=3), KINDS), max_size=60))
def test_lines_follow_those_they_depend_on(given_lines: list[tuple[set[int], str]]) -> None:
    lines: list[Line] = []
    for k, (back, kind) in enumerate(given_lines):
        before = tuple(k - b for b in back if k - b >= 0 and lines[k - b].kind != "store")
        if kind == "load":
            lines.append(load(k))
        elif kind == "store":
            lines.append(Line(None, f"store {k}", before, 0, (1, k), "store"))
        else:
            lines.append(pure(k, *before, text=kind))
    for registers in (2, 8, 32):
        found = order(lines, registers)
        assert sorted(found) == list(range(len(lines)))
        place = {k: at for at, k in enumerate(found)}
        assert all(place[b] < place[k] for k in found for b in lines[k].before)


def test_the_model() -> None:
    """A chain takes the sum of its latencies less what the next turn overlaps; the divider takes one division at a time."""
    chain = chains(1)
    everything = list(range(len(chain)))
    assert 2 * LENGTH < cycles(chain, everything) < 4 * LENGTH
    divisions = [pure(k, text="fdiv") for k in range(8)]
    assert cycles(divisions, list(range(8))) == least_cycles(divisions) == 8 * DIVIDER
