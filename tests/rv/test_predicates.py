"""Comparisons turned around mean what they say, on both sides of every sign and for all kinds of floats."""

import math

import pytest

from rv.ir.comparisons import NEGATED, NEGATED_FLOAT, SWAPPED
from rv.ir.instructions import FLOAT_PREDICATES, INT_PREDICATES
from rv.ir.parser import parse_function
from rv.semantics.memory import Memory
from rv.semantics.scalar import run

BYTES = [0, 1, 2, 126, 127, 128, 129, 254, 255]
FLOATS = [-math.inf, -1.5, -0.0, 0.0, 2.0, math.inf, math.nan]


def results(instruction, predicate, type_, values, *, swapped=False):
    left, right = ("%b", "%a") if swapped else ("%a", "%b")
    test = f"%c = {instruction} {predicate} {type_} {left}, {right}"
    text = f"define i1 @f({type_} %a, {type_} %b) {{\nb:\n  {test}\n  return i1 %c\n}}"
    function = parse_function(text)
    return [bool(run(function, [a, b], Memory())) for a in values for b in values]


@pytest.mark.parametrize("predicate", INT_PREDICATES)
def test_integers(predicate):
    plain = results("icmp", predicate, "i8", BYTES)
    assert results("icmp", NEGATED[predicate], "i8", BYTES) == [not answer for answer in plain]
    assert results("icmp", SWAPPED[predicate], "i8", BYTES, swapped=True) == plain


@pytest.mark.parametrize("predicate", FLOAT_PREDICATES)
def test_floats(predicate):
    plain = results("fcmp", predicate, "double", FLOATS)
    assert results("fcmp", NEGATED_FLOAT[predicate], "double", FLOATS) == [not answer for answer in plain]
