"""Every transformer against the meaning of shapes: all shapes, all words, four lanes; and monotone."""

from itertools import product

import pytest

from rv.analysis.strides.shape_lattice import Shape, as_signed, as_unsigned, below, join, shape, varying
from rv.analysis.strides.shape_transfer import shape_of_constant, transfer
from rv.ir.instructions import INT_BINARY_OPS, INT_PREDICATES, Binary, CompareInt, Convert, ElementPointer, Select
from rv.ir.types import I1, I8, I16, I32, I64, PTR, IntType
from rv.ir.values import Const, Var
from tests.rv_shapes.concrete import LANES, all_shapes, compare, contains, counterexample, evaluate, lanes_of, signed, vectors

FLAGGED = ("add", "sub", "mul", "shl")
CASES = [(op, nsw) for op in INT_BINARY_OPS for nsw in ((False, True) if op in FLAGGED else (False,))]


def binary(op, bits, nsw, left=None, right=None):
    type_ = IntType(bits)
    return Binary(Var("r", type_), op, left or Var("a", type_), right or Var("b", type_), nsw=nsw)


def apply(instruction, *operands):
    return transfer(instruction, operands, active_together=True, lanes=LANES)


def check(result, operation, left, right):
    found = counterexample(result, operation, left, right)
    assert found is None, f"{left!r}, {right!r} -> {result!r}: {found}"


@pytest.mark.parametrize("op, nsw", CASES)
def test_with_a_constant_on_the_right(op, nsw):
    for number, bits in ((n, b) for b in (3, 4) for n in range(1 << b)):
        value = Const(IntType(bits), number)
        instruction = binary(op, bits, nsw, right=value)
        for left in all_shapes(bits):
            result = apply(instruction, left, shape_of_constant(value))
            for xs in lanes_of(left):
                images = [{evaluate(op, x, number, bits, nsw) for x in x_} - {None} for x_ in xs]
                if all(images):
                    assert_images(result, images, (left, number))


def assert_images(result, images, about):
    if result.stride is None:
        assert all(w in vectors(result) for image in images for w in image), (about, result)
        return
    first = tuple(min(image) for image in images)
    assert contains(result, first), (about, result, first)
    # a strided result of free lanes: all that differ in one lane must be in it too
    changed = [(*first[:t], w, *first[t + 1 :]) for t, image in enumerate(images) for w in image]
    assert all(contains(result, vector) for vector in changed), (about, result)


@pytest.mark.parametrize("op, nsw", CASES)
def test_with_a_constant_on_the_left(op, nsw):
    bits = 3
    for number in range(1 << bits):
        value = Const(IntType(bits), number)
        instruction = binary(op, bits, nsw, left=value)
        for right in all_shapes(bits):
            result = apply(instruction, shape_of_constant(value), right)
            for ys in lanes_of(right):
                images = [{evaluate(op, number, y, bits, nsw) for y in y_} - {None} for y_ in ys]
                if all(images):
                    assert_images(result, images, (number, right))


def some(shapes, step, start=0):
    return shapes[start::step]


def check_pairs(instruction, operation, bits, pairs):
    for left, right in pairs:
        check(apply(instruction, left, right), operation, left, right)


@pytest.mark.parametrize("op, nsw", CASES)
def test_two_values(op, nsw):
    shapes = all_shapes(3)
    pairs = product(some(shapes, 7), some(shapes, 5, 2))
    check_pairs(binary(op, 3, nsw), lambda a, b: evaluate(op, a, b, 3, nsw), 3, pairs)


@pytest.mark.long
@pytest.mark.parametrize("op, nsw", CASES)
def test_all_pairs_of_values(op, nsw):
    shapes = all_shapes(3)
    check_pairs(binary(op, 3, nsw), lambda a, b: evaluate(op, a, b, 3, nsw), 3, product(shapes, shapes))


def comparison(predicate, bits):
    return CompareInt(Var("r", I1), predicate, Var("a", IntType(bits)), Var("b", IntType(bits)))


@pytest.mark.parametrize("predicate", INT_PREDICATES)
def test_comparisons(predicate):
    shapes = all_shapes(3)
    pairs = product(some(shapes, 5), some(shapes, 3, 1))
    check_pairs(comparison(predicate, 3), lambda a, b: compare(predicate, a, b, 3), 3, pairs)


@pytest.mark.long
@pytest.mark.parametrize("predicate", INT_PREDICATES)
def test_all_comparisons(predicate):
    shapes = all_shapes(3)
    check_pairs(comparison(predicate, 3), lambda a, b: compare(predicate, a, b, 3), 3, product(shapes, shapes))


@pytest.mark.parametrize("op, narrow, wide", [("sext", 3, 5), ("zext", 3, 5), ("trunc", 3, 4), ("sext", 4, 5), ("zext", 4, 5)])
def test_conversions(op, narrow, wide):
    source, target = (wide, narrow) if op == "trunc" else (narrow, wide)
    instruction = Convert(Var("r", IntType(target)), op, Var("a", IntType(source)))

    def convert(word):
        return (signed(word, source) if op == "sext" else word) % (1 << target)

    for of in all_shapes(source):
        result = apply(instruction, of)
        for xs in lanes_of(of):
            assert_images(result, [{convert(x) for x in x_} for x_ in xs], of)


def test_select():
    type_ = IntType(3)
    instruction = Select(Var("r", type_), Var("c", I1), Var("a", type_), Var("b", type_))
    for left, right in product(some(all_shapes(3), 4), some(all_shapes(3), 5)):
        parted = apply(instruction, varying(1), left, right)
        together = apply(instruction, Shape(1, 0, 1), left, right)
        for xs, ys in product(lanes_of(left), lanes_of(right)):
            assert_images(parted, [{*x, *y} for x, y in zip(xs, ys, strict=True)], (left, right))
            assert_images(together, list(map(set, xs)), (left, right))
            assert_images(together, list(map(set, ys)), (left, right))


BASE, ROW, COLUMN, LENGTH = Var("base", PTR), Var("row", I64), Var("column", I64), Var("length", I64)


def address(element, *indices, extents=()):
    return ElementPointer(Var("p", PTR), element, BASE, indices, extents)


@pytest.mark.parametrize("element, size", [(I8, 1), (I16, 2), (I32, 4)])
def test_addresses(element, size):
    """Words of 4 bits stand for those of 64; the sizes of elements are what they are."""
    shapes = all_shapes(4)
    for base, index in product(some(shapes, 97), some(shapes, 41, 3)):
        result = apply(address(element, ROW), base, index)
        check(result, lambda a, i: (a + size * i) % 16, base, index)


@pytest.mark.parametrize("extent", [1, 3, 6])
def test_addresses_in_rows(extent):
    base, shapes = shape(4, 0, 0), all_shapes(4)
    for row, column in product(some(shapes, 83), some(shapes, 53, 7)):
        fixed = address(I16, ROW, COLUMN, extents=(Const(I64, extent),))
        result = apply(fixed, base, row, column, shape_of_constant(Const(IntType(4), extent)))
        check(result, lambda j, i: 2 * (j * extent + i) % 16, row, column)


def test_addresses_in_rows_of_one_unknown_length():
    base, shapes = shape(4, 0, 0), all_shapes(4)
    for row, length in product(some(shapes, 31), (of for of in shapes if of.is_uniform)):
        one = shape_of_constant(Const(IntType(4), 1))
        result = apply(address(I16, ROW, Const(I64, 1), extents=(LENGTH,)), base, row, one, length)
        check(result, lambda j, n: 2 * (j * n + 1) % 16, row, length)


@pytest.mark.parametrize("stride, alignment", [(0, 1), (0, 4), (1, 0), (1, 4), (2, 8), (-3, 2), (5, 1)])
def test_what_strided_shapes_mean(stride, alignment):  # figure 10.4: multiples of a, and s more in every thread
    lines = {tuple((alignment * k + stride * t) % 16 for t in range(LANES)) for k in range(16)}
    assert vectors(shape(4, stride, alignment)) == lines


@pytest.mark.parametrize("alignment", [1, 2, 4, 8])
def test_what_varying_shapes_mean(alignment):  # figure 10.4: a multiple of a in every thread
    assert vectors(shape(4, None, alignment)) == {alignment * k % 16 for k in range(16)}


@pytest.mark.parametrize("bits", [3, 4])
def test_order_and_join_mean_inclusion(bits):
    step = 1 if bits == 3 else 7
    shapes = some(all_shapes(bits), step)
    for left, right in product(shapes, shapes):
        above = join(left, right)
        assert above == join(right, left)
        assert below(left, above) and below(right, above)
        for xs in (*lanes_of(left), *lanes_of(right)):
            assert_images(above, list(map(set, xs)), (left, right))


@pytest.mark.parametrize("view", [as_signed, as_unsigned])
def test_exactness_that_follows_from_alignment(view):
    for of in all_shapes(4):
        for xs in lanes_of(of):
            assert_images(view(of, LANES), list(map(set, xs)), of)


@pytest.mark.parametrize("op, nsw", CASES)
def test_transformers_are_monotone(op, nsw):
    shapes = all_shapes(3)
    ordered = [(a, b) for a in some(shapes, 2) for b in shapes if a != b and below(a, b)][::6]
    others = some(shapes, 11)
    for low, high in ordered:
        for other in others:
            for results in (
                (apply(binary(op, 3, nsw), low, other), apply(binary(op, 3, nsw), high, other)),
                (apply(binary(op, 3, nsw), other, low), apply(binary(op, 3, nsw), other, high)),
            ):
                assert below(*results), (low, high, other, results)
        for number in range(8):
            value = Const(IntType(3), number)
            instruction = binary(op, 3, nsw, right=value)
            results = tuple(apply(instruction, of, shape_of_constant(value)) for of in (low, high))
            assert below(*results), (low, high, number, results)


@pytest.mark.parametrize("predicate", INT_PREDICATES)
def test_comparisons_are_monotone(predicate):
    shapes = all_shapes(3)
    ordered = [(a, b) for a in some(shapes, 2) for b in shapes if a != b and below(a, b)][::4]
    instruction = comparison(predicate, 3)
    for low, high in ordered:
        for other in some(shapes, 9):
            assert below(apply(instruction, low, other), apply(instruction, high, other)), (low, high, other)
            assert below(apply(instruction, other, low), apply(instruction, other, high)), (low, high, other)


def ordered_pairs(bits, step):
    shapes = all_shapes(bits)
    return [(a, b) for a in some(shapes, step) for b in shapes if a != b and below(a, b)]


@pytest.mark.parametrize("op, narrow, wide", [("sext", 3, 5), ("zext", 3, 5), ("trunc", 3, 4), ("ptrtoint", 4, 4)])
def test_conversions_are_monotone(op, narrow, wide):
    source, target = (wide, narrow) if op == "trunc" else (narrow, wide)
    instruction = Convert(Var("r", IntType(target)), op, Var("a", IntType(source)))
    for low, high in ordered_pairs(source, 2 if source == 3 else 23):
        assert below(apply(instruction, low), apply(instruction, high)), (low, high)


def test_selections_are_monotone():
    type_ = IntType(3)
    instruction = Select(Var("r", type_), Var("c", I1), Var("a", type_), Var("b", type_))
    together, parted = Shape(1, 0, 1), varying(1)
    for low, high in ordered_pairs(3, 2)[::5]:
        for other in some(all_shapes(3), 9):
            for least, most in ((together, together), (together, parted), (parted, parted)):
                assert below(apply(instruction, least, low, other), apply(instruction, most, high, other)), (low, high, other)
                assert below(apply(instruction, least, other, low), apply(instruction, most, other, high)), (low, high, other)


def test_addresses_are_monotone():
    pointer = address(I16, ROW, COLUMN, extents=(LENGTH,))
    others = some(all_shapes(4), 211)
    for low, high in ordered_pairs(4, 37)[::7]:
        for other in others:
            for place in range(4):
                operands = [other, other, other, shape(4, 0, 3)]
                before, after = ([*operands[:place], of, *operands[place + 1 :]] for of in (low, high))
                assert below(apply(pointer, *before), apply(pointer, *after)), (low, high, other, place)
