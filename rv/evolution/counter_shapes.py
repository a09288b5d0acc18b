"""The stride-alignment shapes of what headers of loops define, whose iterations become lanes (thesis, chapter 10).

The first lane of a whole tile is a multiple of its size away from the loop's first iteration, and so is the block in which a
narrower tile lies. Shapes of alignment speak about whole blocks.
"""

from __future__ import annotations

from math import gcd

from rv.analysis.strides.patterns import pattern
from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_lattice import Shape, shape, uniform, varying, with_pattern
from rv.evolution.facts import LoopFacts
from rv.evolution.polynomial import Polynomial, counter
from rv.ir.instructions import Branch
from rv.ir.types import I1
from rv.ir.values import Var


def exit_tests(facts: LoopFacts, headers: tuple[str, ...]) -> frozenset[str]:
    """The exit tests of loops: those of tiles decide instead, for all lanes."""
    terminators = [facts.function.block(header).terminator for header in headers]
    return frozenset(t.condition.name for t in terminators if isinstance(t, Branch) and isinstance(t.condition, Var))


def counter_shapes(facts: LoopFacts, headers: tuple[str, ...], dimension: int, lanes: int) -> dict[str, Shape]:
    """The shapes of what the headers define along one dimension, in which so many iterations are lanes."""
    given = {name: uniform(I1.bits) for name in exit_tests(facts, headers)}
    for e, header in enumerate(headers):
        for phi in facts.function.block(header).phis:
            name = phi.result.name
            form = facts.closed_forms.get(name) or facts.congruences.get(name)
            if form is not None:
                given[name] = _shape_of_form(facts, headers, dimension, lanes, name, form)
            elif e == dimension:
                given[name] = varying(facts.bits.get(name, 64))
    return given


def _shape_of_form(facts: LoopFacts, headers: tuple[str, ...], dimension: int, lanes: int, name: str, form: Polynomial) -> Shape:
    """The shape of a counter: its loop's first lane is a multiple of the number of lanes away from the start."""
    bits, region = facts.bits[name], facts.loops[headers[0]].blocks
    own = counter(headers[dimension])
    if any(not s.is_counter and facts.defined_in.get(s.name) in region for s in form.symbols):
        return varying(bits)
    stride = form.coefficient(own).as_constant
    if stride is None:
        return varying(bits)
    # counters of other loops are some whole numbers here
    whole = gcd(stride * lanes, *(coefficient for monomial, coefficient in form.without([own]).terms if monomial))
    first = form.constant_term
    exact = Facts.NONE
    if name in facts.closed_forms:
        natural = all(c >= 0 and all(s.is_counter for s in m) for m, c in form.terms)
        exact = Facts.NATURAL if natural else Facts.SIGNED
    offsets = tuple(first + stride * t for t in range(lanes))
    return with_pattern(shape(bits, stride, gcd(whole, first), exact), pattern(bits, whole, offsets, exact))
