"""Layouts: text form, bijection into the extent, inverse, packing and unpacking of NumPy arrays for every shape and dtype."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from layouts.address import address_map
from layouts.layout import (
    Aligned,
    Blocked,
    ColumnMajor,
    LayoutError,
    Padded,
    Permuted,
    RowMajor,
    compose,
    parse_layout,
)
from layouts.packing import fill, pack, unpack, view

BLOCKS = st.sampled_from([1, 2, 3, 4, 5, 8])


@st.composite
def steps_for(draw, rank):
    """A step for an index of `rank` entries, and how many it leaves."""
    kind = draw(st.sampled_from(["col", "block", "permute", "pad", "align"]))
    if kind == "block" and rank <= 6:
        sizes = draw(st.lists(BLOCKS, min_size=1, max_size=rank))
        return Blocked(*sizes), rank + sum(size > 1 for size in sizes)
    if kind == "permute" and rank > 1:
        return Permuted(*draw(st.permutations(range(rank)))), rank
    if kind == "pad":
        return Padded(draw(st.integers(0, 5))), rank
    if kind == "align":
        return Aligned(draw(st.integers(1, 9))), rank
    return ColumnMajor(), rank


@st.composite
def layouts_for(draw, rank):
    """A layout of up to three steps that fits arrays of `rank` dimensions."""
    found, entries = [], rank
    for _ in range(draw(st.integers(0, 3))):
        step, after = draw(steps_for(entries))
        try:
            address_map(compose(*found, step), rank)
        except LayoutError:
            continue
        found.append(step)
        entries = after
    return compose(*found)


@st.composite
def layouts_with_shapes(draw):
    rank = draw(st.integers(1, 4))
    return draw(layouts_for(rank)), tuple(draw(st.lists(st.integers(0, 9), min_size=rank, max_size=rank)))


ANY_TIME = settings(deadline=None)


@ANY_TIME
@given(layouts_with_shapes())
def test_offsets_are_a_bijection_with_an_inverse(pair):
    layout, shape = pair
    address = address_map(layout, len(shape))
    extent = address.extent(shape)
    offsets = {index: address.offset(index, shape) for index in np.ndindex(*shape)}
    assert len(set(offsets.values())) == len(offsets)
    assert all(0 <= offset < extent for offset in offsets.values())
    places = {offset: address.index(offset, shape) for offset in range(extent)}
    assert {index: offset for offset, index in places.items() if index is not None} == offsets
    assert extent >= math.prod(shape)


@ANY_TIME
@given(layouts_with_shapes())
def test_text_round_trip(pair):
    assert parse_layout(str(pair[0])) == pair[0]
    assert hash(parse_layout(str(pair[0]))) == hash(pair[0])


@ANY_TIME
@given(layouts_with_shapes(), st.sampled_from(["f8", "f4", "i8", "i4", "i2", "i1", "u2", "?", "c16", "S3"]), st.data())
def test_packing_moves_every_element_to_its_place_and_back(pair, dtype, data):
    layout, shape = pair
    array = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    if data.draw(st.booleans()):
        array = np.asfortranarray(array)
    packed = pack(layout, array)
    address = address_map(layout, len(shape))
    assert packed.data.size == address.extent(shape)
    assert all(packed.data[address.offset(index, shape)] == array[index] for index in np.ndindex(*shape))
    assert np.array_equal(packed.unpack(), array)
    assert packed.unpack().dtype == array.dtype
    seen = packed.view()
    assert (seen is None) == (len(address.digits) > len(shape))
    if seen is not None:
        assert np.array_equal(seen, array)
        assert not array.size or np.shares_memory(seen, packed.data)


@ANY_TIME
@example((compose(Blocked(3), Blocked(2, 3)), (7,)))
@example((compose(Blocked(8), Blocked(1, 8)), (17,)))
@given(layouts_with_shapes())
def test_padding_is_left_alone(pair):
    layout, shape = pair
    data = np.full(address_map(layout, len(shape)).extent(shape), -1)
    fill(layout, np.arange(math.prod(shape)).reshape(shape), data)
    assert np.count_nonzero(data == -1) == data.size - math.prod(shape)


@settings(deadline=None, max_examples=25)
@given(layouts_with_shapes())
def test_the_text_of_an_offset_is_c_that_computes_it(pair):
    layout, shape = pair
    address = address_map(layout, len(shape))
    names, lengths = [f"i{k}" for k in range(len(shape))], [f"n{k}" for k in range(len(shape))]
    # C's and Python's operators agree on numbers that are not negative
    text = address.text(names, lengths).replace("/", "//")
    for index in np.ndindex(*shape):
        values = {**dict(zip(names, index, strict=True)), **dict(zip(lengths, shape, strict=True))}
        assert eval(text, {}, values) == address.offset(index, shape)
    extent = address.extent_text(lengths).replace("/", "//")
    assert eval(extent, {}, dict(zip(lengths, shape, strict=True))) == address.extent(shape)


@pytest.mark.parametrize("text", ["2x2", "4x4", "8x8", "1x8", "col", "8x8+2x2", "1,0+4x4", "8+0,2,1", "pad:3", "3x5", "64x2"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "u1", "c16", "S3", "V200", "O"])
@pytest.mark.parametrize("shape", [(70, 300), (513, 37), (64, 64)])
def test_large_arrays_go_the_fast_ways(text, dtype, shape):
    random = np.random.default_rng(9)
    numbers = random.integers(0, 1 << 30, shape)
    array = numbers.view("V8").astype(dtype) if dtype == "V200" else numbers.astype(dtype)
    layout = parse_layout(text)
    address = address_map(layout, 2)
    packed = pack(layout, array)
    for j, i in random.integers(0, shape, (400, 2)).tolist():
        assert packed.data[address.offset((j, i), shape)] == array[j, i]
    assert np.array_equal(packed.unpack(), array)


def test_the_thesis_layout():
    # section 11.7: i%2 + (i/2)*4 + (j%2)*2 + (j/2)*2*m
    address = address_map(Blocked(2, 2), 2)
    m = 10
    assert all(
        address.offset((j, i), (6, m)) == i % 2 + i // 2 * 4 + j % 2 * 2 + j // 2 * 2 * m for j in range(6) for i in range(m)
    )


@pytest.mark.parametrize(
    "text", ["", "2x", "x2", "0x2", "2x2x", "1,1", "0", "0,2", "pad", "pad:", "pad:-1", "align:0", "2x2+", "+col", "9999x2"]
)
def test_bad_text(text):
    with pytest.raises(LayoutError):
        parse_layout(text)


@pytest.mark.parametrize(("text", "rank"), [("2x2", 1), ("1,0", 3), ("8x8+3x2", 2), ("2x2+1,0", 2)])
def test_a_layout_that_does_not_fit(text, rank):
    with pytest.raises(LayoutError):
        address_map(parse_layout(text), rank)


def test_composition_is_flat():
    assert compose(RowMajor(), Blocked(2, 2), RowMajor()) == Blocked(2, 2)
    assert compose() == RowMajor()
    assert str(compose(compose(Permuted(1, 0), Blocked(4, 4)), Padded(2))) == "1,0+4x4+pad:2"


def test_wrong_buffers():
    layout = Blocked(2, 2)
    with pytest.raises(ValueError, match="contiguous"):
        unpack(layout, np.zeros(15), (4, 4))
    with pytest.raises(ValueError, match="contiguous"):
        unpack(layout, np.zeros(32)[::2], (4, 4))
    with pytest.raises(ValueError, match="shape"):
        unpack(layout, np.zeros(16), (4, 4), out=np.zeros((4, 5)))
    assert view(layout, np.zeros(16), (4, 4)) is None
