"""Packing by compiled kernels, against NumPy's loops: every element in its place, padding untouched, the way back exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorrv as trv
from layouts import packing as by_numpy
from layouts.layout import Blocked, LayoutError, parse_layout
from layouts.packing import PackedArray
from tensorrv.api import packing


@pytest.fixture
def always(monkeypatch):
    """Kernels move arrays of all sizes; the list of the requested ones."""
    found = []
    true = packing.copying
    monkeypatch.setattr(packing, "WORTH_A_KERNEL", 0)
    monkeypatch.setattr(packing, "copying", lambda *key: found.append(key) or true(*key))
    return found


def random(dtype, shape):
    """Elements of any bits, NaNs with payloads among them."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    return np.random.default_rng(count).integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype).reshape(shape)


def bits(array):
    return np.ascontiguousarray(array).view(np.uint8)


def check(layout, array):
    packed = trv.pack(layout, array)
    expected = by_numpy.pack(packed.layout, array)
    assert packed.data.dtype == array.dtype and packed.shape == array.shape
    assert np.array_equal(bits(packed.data), bits(expected.data))
    back = packed.unpack()
    assert back.dtype == array.dtype and back.shape == array.shape and np.array_equal(bits(back), bits(array))


SOME = settings(deadline=None, max_examples=40)


@pytest.mark.parametrize(
    ("text", "rank"),
    [("2x2", 2), ("3x5", 2), ("8x8+2x2", 2), ("1,0+4x2", 2), ("2x2+pad:3", 2), ("8x8+1,0,2,3", 2), ("4", 1), ("2x2x2", 3)],
)
def test_every_shape_and_remainder(text, rank, always):
    @SOME
    @given(st.lists(st.integers(0, 21), min_size=rank, max_size=rank).map(tuple))
    def run(shape):
        check(text, random("f8", shape))

    run()
    assert {key[3] for key in always} == {True, False}


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u1", "?", "c8", "M8[s]"])
def test_numbers_of_every_size(dtype, always):
    check("4x4", random("u1", (37, 83)) % 2 == 1 if dtype == "?" else random(dtype, (37, 83)))
    assert {key[2] for key in always} == {np.dtype(dtype).itemsize}


@pytest.mark.parametrize("dtype", ["c16", "S3", "O"])
def test_what_is_no_number_goes_by_numpy(dtype, always):
    array = np.arange(35).reshape(5, 7).astype(dtype)
    packed = trv.pack("2x2", array)
    assert np.array_equal(packed.unpack(), array) and np.array_equal(packed.data, by_numpy.pack(Blocked(2, 2), array).data)
    assert always == []


def test_arrays_of_any_strides(always):
    whole = random("f8", (40, 50))
    for array in (np.asfortranarray(whole), whole[3:-2, ::3], whole[::-1], whole.T):
        check("2x4", array)
    misaligned = np.zeros(40 * 50 * 8 + 1, np.uint8)[1:].view("f8").reshape(40, 50)
    misaligned[...] = whole
    check("2x4", misaligned)
    assert always


def test_reading_only_and_writing_to_what_is_given(always):
    array = random("f8", (23, 19))
    array.flags.writeable = False
    packed = trv.pack("2x2", array)
    packed.data.flags.writeable = False
    for out in (np.zeros((23, 19)), np.zeros((19, 23)).T, np.zeros((23, 38))[:, ::2]):
        assert trv.unpack("2x2", packed.data, (23, 19), out) is out
        assert np.array_equal(bits(out), bits(array))
    with pytest.raises(ValueError, match="shape"):
        trv.unpack("2x2", packed.data, (23, 19), np.zeros((19, 23)))
    with pytest.raises(ValueError, match="contiguous"):
        trv.unpack("2x2", packed.data[:-1], (23, 19))
    with pytest.raises(LayoutError):
        trv.pack("2x2", np.zeros(9))


def test_other_elements_of_the_stored_array_stay(always):
    stored = parse_layout("2x2")
    array = random("f8", (5, 7))
    data = np.zeros(6 * 8 + 5)
    by_numpy.fill(stored, array, data)
    assert np.array_equal(bits(trv.unpack(stored, data, (5, 7))), bits(array))


def test_only_blocks_of_large_arrays_are_worth_a_kernel(monkeypatch):
    monkeypatch.setattr(packing, "copying", lambda *key: pytest.fail("a kernel was made"))
    trv.pack("2x2", np.zeros((99, 99))).unpack()
    trv.pack("1,0+pad:3", np.zeros((999, 999))).unpack()
    monkeypatch.undo()
    check("2x2", random("f8", (515, 517)))


def test_packed_arrays_are_taken_by_kernels():
    kernel = trv.compile("jacobi5", brush=(4, 8), layouts={"A": "2x2", "B": "2x2"})
    a = np.random.default_rng(1).random((67, 43))
    x, y = trv.pack("2x2", a), trv.pack("2x2", np.zeros_like(a))
    kernel(x, y)
    b = np.zeros_like(a)
    b[1:-1, 1:-1] = 0.2 * (a[:-2, 1:-1] + a[1:-1, :-2] + a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, 1:-1])
    assert np.array_equal(y.unpack(), b)


def test_what_is_no_array_and_no_layout():
    assert trv.pack("2x2", [[1, 2], [3, 4]]).unpack().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="masked"):
        trv.pack("2x2", np.ma.masked_array(np.ones((2, 2)), [[0, 1], [0, 0]]))
    with pytest.raises(TypeError, match="a layout is a text"):
        trv.pack((2, 2), np.ones((2, 2)))
    with pytest.raises(TypeError):
        Blocked(2.5)


def test_row_major_arrays_may_go_through_pack():
    loops = "for (int j = 0; j < n; j++) for (int i = 0; i < m; i++)"
    kernel = trv.compile(f"void f(int n, int m, double A[n][m]) {{ {loops} A[j][i] += 1; }}")
    packed = trv.pack("row", np.zeros((3, 5)))
    kernel(packed)
    assert packed.unpack().tolist() == [[1.0] * 5] * 3
    with pytest.raises(ValueError, match="another number of elements"):
        kernel(PackedArray(packed.layout, (4, 5), packed.data))
