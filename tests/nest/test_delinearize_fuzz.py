"""Delinearized subscripts and footprints against the addresses that execution computes, for random flattened subscripts in C."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rv.evolution.polynomial import Kind, Polynomial, Symbol
from rv.ir.types import size_of
from rv.ir.values import Var
from tensorrv.nest.legality.aliasing import Guards, alias_guards
from tensorrv.nest.model import Access, Nests
from tests.nest.c_text import nests_of
from tests.nest.machine import Moment, Undefined, moments, signed

TERMS = (
    "i * m",
    "i * m",
    "j",
    "j",
    "k",
    "i * m * l",
    "j * l",
    "(i * m + j) * l",
    "i * p",
    "i * (m + 2)",
    "i * 64",
    "2 * j",
    "m",
    "-j",
    "-i * m",
)
SIZES = ("n", "m", "l", "p")


@st.composite
def kernels(draw: st.DrawFn) -> str:
    type_ = draw(st.sampled_from(["int", "int", "unsigned", "long", "unsigned long"]))
    depth = draw(st.integers(1, 3))
    loops = ""
    for variable, size in list(zip("ijk", "nml", strict=True))[:depth]:
        start, less = draw(st.sampled_from([0, 0, 1])), draw(st.sampled_from(["", "", " - 1"]))
        if draw(st.integers(0, 3)):
            loops += f"for ({type_} {variable} = {start}; {variable} < {size}{less}; {variable}++) "
        else:
            loops += f"for ({type_} {variable} = {size}{less}; {variable} > {start}; {variable}--) "
    known = [t for t in TERMS if set("ijk"[depth:]).isdisjoint(t)]
    parameters = ", ".join(f"{type_} {size}" for size in SIZES)

    def subscript() -> str:
        terms = [draw(st.sampled_from(known)) for _ in range(draw(st.integers(1, 3)))]
        return " + ".join([*terms, str(draw(st.integers(-1, 3)))])

    stores = " ".join(f"{draw(st.sampled_from('AB'))}[{subscript()}] = 1;" for _ in range(draw(st.integers(1, 3))))
    return f"void f({parameters}, double *A, float *B) {{ {loops} {{ {stores} }} }}"


@st.composite
def sizes(draw: st.DrawFn) -> dict[str, int]:
    return {size: draw(st.sampled_from([0, 1, 2, 3, 4, 6, 70, -1])) for size in SIZES}


def check(text: str, values: Mapping[str, int], seen: Counter[str]) -> None:
    nests = nests_of(text)
    arguments = {name: value % (1 << nests.bits[name]) for name, value in values.items()}
    region = next(iter(nests.loops.values()))
    # as if the user answered for all dependences but not for aliases: footprints are what is tested
    guards = alias_guards(nests, region, nests.accesses, assume_no_alias=False)
    for moment in moments(nests.function, {**arguments, "A": 0, "B": 0}, 900):
        for access in nests.accesses:
            if access.block == moment.block:
                _check_access(nests, access, moment, seen)
                if isinstance(guards, Guards):
                    _check_footprint(nests, access, guards, moment, seen)


def _value(nests: Nests, moment: Moment, polynomial: Polynomial) -> int:
    return polynomial.evaluate(lambda symbol: _symbol(nests, moment, symbol))


def _check_footprint(nests: Nests, access: Access, guards: Guards, moment: Moment, seen: Counter[str]) -> None:
    """An access lies in one of the footprints of its array."""
    needed = (*guards.conditions, *access.conditions, *(c for loop in nests.loops.values() for c in loop.conditions))
    ranges = {f for pair in guards.overlaps for f in pair if f.array == access.array}
    if not ranges or not all(_value(nests, moment, c.polynomial) >= 0 for c in needed):
        return
    assert isinstance(access.instruction.pointer, Var)
    offset = signed(moment.values[access.instruction.pointer.name], 64) // size_of(access.element)
    assert any(_value(nests, moment, f.low) <= offset <= _value(nests, moment, f.high) for f in ranges), (
        "outside of its footprint"
    )
    seen["footprints"] += 1


def _check_access(nests: Nests, access: Access, moment: Moment, seen: Counter[str]) -> None:
    def value(polynomial: Polynomial) -> int:
        return _value(nests, moment, polynomial)

    loops = [loop for loop in nests.loops.values() if access.block in loop.blocks]
    needed = [*access.conditions, *(c for loop in loops for c in loop.conditions)]
    if access.subscripts is None or not all(value(c.polynomial) >= 0 for c in needed):
        return
    assert isinstance(access.instruction.pointer, Var)
    address = moment.values[access.instruction.pointer.name]
    offset = 0
    for extent, subscript in zip((Polynomial(), *access.extents), access.subscripts, strict=True):
        offset = offset * value(extent) + value(subscript)
    assert (size_of(access.element) * offset - address) % (1 << 64) == 0, "the subscripts name another element"
    seen["offsets"] += 1
    if access.extents and all(value(c.polynomial) >= 0 for c in access.in_bounds):
        inner = list(zip(access.subscripts[1:], access.extents, strict=True))
        assert all(0 <= value(subscript) < value(extent) for subscript, extent in inner), "a subscript is outside of its extent"
        seen["bounds"] += 1


def _symbol(nests: Nests, moment: Moment, symbol: Symbol) -> int:
    if symbol.is_counter:
        return moment.counters[symbol.name]
    name = symbol.name
    return moment.values[name] if symbol.kind is Kind.UNSIGNED else signed(moment.values[name], nests.bits[name])


def _run(examples: int) -> Counter[str]:
    seen: Counter[str] = Counter()

    @settings(max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(kernels(), st.lists(sizes(), min_size=3, max_size=3))
    def checked(text: str, choices: list[dict[str, int]]) -> None:
        for values in choices:
            try:
                check(text, values, seen)
            except Undefined:
                seen["undefined"] += 1

    checked()
    return seen


def test_subscripts_name_the_element() -> None:
    seen = _run(60)
    assert seen["offsets"] > 1000 and seen["bounds"] > 100 and seen["footprints"] > 100


@pytest.mark.long
def test_subscripts_name_the_element_for_long() -> None:
    _run(5000)
