"""Patterns against their meaning: all words of small patterns, all operations with constants, sums, conversions, comparisons."""

from itertools import product

import pytest

from rv.analysis.strides.patterns import pattern
from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_lattice import below, join, pattern_of, shape, varying, with_pattern
from rv.analysis.strides.shape_transfer import shape_of_constant, transfer
from rv.ir.instructions import INT_PREDICATES, Binary, CompareInt, Convert
from rv.ir.types import I1, IntType
from rv.ir.values import Const, Var
from tests.rv_shapes.concrete import LANES, compare, contains, evaluate, signed

OPS = [(op, nsw) for op in ("add", "sub", "mul", "shl") for nsw in (False, True)]
OPS += [(op, False) for op in ("sdiv", "udiv", "srem", "urem", "lshr", "ashr", "and", "or", "xor")]
OFFSETS = (
    (0, 0, 1, 1),
    (0, 1, 0, 1),
    (1, 2, 3, 4),
    (0, 1, 2, 3),
    (2, 2, 3, 3),
    (0, 3, 6, 9),
    (3, 2, 1, 0),
    (5, 0, 1, 7),
    (-1, 0, 1, 2),
)
READINGS = (Facts.NONE, Facts.SIGNED, Facts.UNSIGNED, Facts.SIGNED | Facts.UNSIGNED)


def patterned(bits):
    """Shapes with patterns, some of which are known not to be negative."""
    for alignment, offsets, facts in product((0, 1, 3, 4, 8), OFFSETS, READINGS):
        found = pattern(bits, alignment, offsets, facts)
        for line in (varying(bits), shape(bits, None, 1, Facts.NATURAL)):
            of = with_pattern(line, found)
            if any(words(of)):
                yield of


def words(of):
    """The vectors of a shape with a pattern."""
    found, bits, size = pattern_of(of, LANES), of.bits, 1 << of.bits
    for first in range(size):
        line = [first + found.from_first(t) for t in range(LANES)]
        vector = tuple(word % size for word in line)
        readings = [[signed(word, bits) for word in vector]] if Facts.SIGNED in found.facts else []
        readings += [list(vector)] if Facts.UNSIGNED in found.facts else []
        negative = Facts.NONNEGATIVE in of.facts and any(word >> (bits - 1) for word in vector)
        if not negative and (all(_is_read(read, found) for read in readings) if readings else _is_read(line, found, size)):
            yield vector


def _is_read(read, found, size=0):
    """Whether words in one reading, or modulo their number, are a multiple of the alignment and the offsets."""
    base = read[0] - found.offsets[0]
    apart = all(word - read[0] == found.from_first(t) for t, word in enumerate(read))
    return apart and (base == 0 or ((found.alignment or size) and base % (found.alignment or size) == 0))


def follows(vector, of):
    """Whether a vector is one of a shape, its line as well as its pattern."""
    found = of.pattern
    line = shape(of.bits, of.stride, of.alignment, of.facts) if of.bits > 1 else varying(1)
    return contains(line, vector) and (found is None or vector in set(words(with_pattern(varying(of.bits), found))))


@pytest.fixture(scope="module")
def shapes():
    return {bits: tuple(dict.fromkeys(patterned(bits))) for bits in (3, 4, 5)}


def apply(instruction, *operands):
    return transfer(instruction, operands, active_together=True, lanes=LANES)


@pytest.mark.parametrize("op, nsw", OPS)
def test_with_a_constant(shapes, op, nsw):
    refined = 0
    for bits, number in ((b, n) for b in (3, 4) for n in range(1 << b)):
        type_ = IntType(bits)
        value = Const(type_, number)
        instruction = Binary(Var("r", type_), op, Var("a", type_), value, nsw=nsw)
        for of in shapes[bits][:: bits - 2]:
            result = apply(instruction, of, shape_of_constant(value))
            refined += result.pattern is not None
            for vector in words(of):
                image = tuple(evaluate(op, x, number, bits, nsw) for x in vector)
                assert None in image or follows(image, result), (of, number, vector, image, result)
    assert refined > 50


@pytest.mark.parametrize("op, nsw", [("add", False), ("add", True), ("sub", False), ("sub", True)])
def test_sums(shapes, op, nsw):
    type_ = IntType(4)
    instruction = Binary(Var("r", type_), op, Var("a", type_), Var("b", type_), nsw=nsw)
    for left, right in product(shapes[4][::19], shapes[4][::11]):
        result = apply(instruction, left, right)
        for xs, ys in product(words(left), words(right)):
            image = tuple(evaluate(op, x, y, 4, nsw) for x, y in zip(xs, ys, strict=True))
            assert None in image or follows(image, result), (left, right, image, result)


@pytest.mark.parametrize("op, narrow, wide", [("sext", 3, 5), ("zext", 3, 5), ("trunc", 3, 5)])
def test_conversions(shapes, op, narrow, wide):
    source, target = (wide, narrow) if op == "trunc" else (narrow, wide)
    instruction = Convert(Var("r", IntType(target)), op, Var("a", IntType(source)))
    for of in shapes[source]:
        result = apply(instruction, of)
        for vector in words(of):
            image = tuple((signed(x, source) if op == "sext" else x) % (1 << target) for x in vector)
            assert follows(image, result), (of, vector, image, result)


@pytest.mark.parametrize("predicate", INT_PREDICATES)
def test_comparisons(shapes, predicate):
    type_ = IntType(4)
    known = [of for of in shapes[4] if pattern_of(of, LANES).alignment == 0]
    for number in range(16):
        value = Const(type_, number)
        instruction = CompareInt(Var("r", I1), predicate, Var("a", type_), value)
        for of in known:
            result = apply(instruction, of, shape_of_constant(value))
            for vector in words(of):
                image = tuple(compare(predicate, x, number, 4) for x in vector)
                assert follows(image, result) and (len(set(image)) == 1 or result.pattern is not None), (of, number, result)


def test_joins(shapes):
    for left, right in product(shapes[4][::3], shapes[4][::5]):
        above = join(left, right)
        assert above == join(right, left) and below(left, above) and below(right, above)
        assert all(follows(vector, above) for of in (left, right) for vector in words(of)), (left, right, above)


@pytest.mark.parametrize(
    "op, number, lanes, alignment, offsets",
    [
        ("sdiv", 4, 8, 2, (0, 0, 0, 0, 1, 1, 1, 1)),
        ("srem", 4, 8, 0, (0, 1, 2, 3, 0, 1, 2, 3)),
        ("sdiv", 3, 6, 2, (0, 0, 0, 1, 1, 1)),
        ("and", 1, 4, 0, (0, 1, 0, 1)),
        ("xor", 1, 4, 4, (1, 0, 3, 2)),
    ],
)
def test_runs_and_periods(op, number, lanes, alignment, offsets):
    type_ = IntType(32)
    value = Const(type_, number)
    counter = shape(32, 1, lanes, Facts.NATURAL)
    operands = (counter, shape_of_constant(value))
    found = transfer(Binary(Var("r", type_), op, Var("a", type_), value), operands, active_together=True, lanes=lanes)
    assert found.pattern is not None
    assert (found.pattern.alignment, found.pattern.offsets) == (alignment, offsets)
