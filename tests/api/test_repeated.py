"""Calls whose checks are remembered: they check what may have changed, and nothing that is wrong slips through."""

import threading

import numpy as np
import pytest

import tensorrv as trv
from tensorrv.run.repeated import MOST_SHAPES, address

SCALE = """
void scale(int n, double factor, int times, const double A[restrict n], double B[restrict n]) {
    for (int i = 0; i < n; i++)
        B[i] = A[i] * factor * times;
}
"""


@pytest.fixture(scope="module")
def scale():
    return trv.compile(SCALE, brush=8)


def checked(kernel, monkeypatch):
    """The number of full checks, as a list that grows."""
    caller, calls = kernel._caller or kernel._make_caller(), []
    bind = caller.bind
    monkeypatch.setattr(caller, "known", {})
    monkeypatch.setattr(caller, "bind", lambda *arguments: calls.append(arguments) or bind(*arguments))
    return calls


def test_the_second_call_is_not_checked_again(scale, monkeypatch):
    calls = checked(scale, monkeypatch)
    for factor in (2.0, -1.5, 0.25):
        a, b = np.random.rand(10), np.zeros(10)
        scale(a, b, factor, 3)
        np.testing.assert_array_equal(b, a * factor * 3)
    assert len(calls) == 1


def test_new_sizes_types_and_numbers_are_checked(scale, monkeypatch):
    calls = checked(scale, monkeypatch)
    for length, times in ((10, 3), (11, 3), (10, 4), (10, 3)):
        a, b = np.random.rand(length), np.zeros(length)
        scale(a, b, 2.0, times)
        np.testing.assert_array_equal(b, a * 2.0 * times)
    assert len(calls) == 3
    scale(a, b, 2, np.int32(3))
    np.testing.assert_array_equal(b, a * 2 * 3)
    assert len(calls) == 4


def test_the_same_array_twice_is_not_mistaken_for_two():
    add = trv.compile("void add(int n, const double A[n], const double B[n], double C[restrict n])"
                      "{ for (int i = 0; i < n; i++) C[i] = A[i] + B[i]; }", brush=8)  # fmt: skip
    a, b, c = np.arange(5.0), np.arange(5.0) * 10, np.zeros(5)
    add(a, a, c)
    np.testing.assert_array_equal(c, a + a)
    add(a, b, c)
    np.testing.assert_array_equal(c, a + b)


@pytest.mark.parametrize(
    "spoil, error",
    [
        (lambda a, b: (a, b[::-1]), ValueError),
        (lambda a, b: (a.astype(np.float32), b), TypeError),
        (lambda a, b: (a, b[:9]), ValueError),
        (lambda a, b: (b, b), ValueError),
        (lambda a, b: (a, list(b)), TypeError),
        (lambda a, b: (np.frombuffer(b"\0" * 88, np.uint8)[1:81].view(np.float64), b), ValueError),
    ],
)
def test_what_is_wrong_is_found_after_a_good_call(scale, spoil, error):
    a, b = np.random.rand(10), np.zeros(10)
    scale(a, b, 2.0, 3)
    with pytest.raises(error):
        scale(*spoil(a, b), 2.0, 3)


def test_arrays_that_become_read_only_or_overlap(scale):
    whole = np.random.rand(15)
    scale(whole[:5], whole[5:10], 2.0, 3)
    with pytest.raises(ValueError, match="overlap"):
        scale(whole[:5], whole[4:9], 2.0, 3)
    target = whole[5:10]
    target.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        scale(whole[:5], target, 2.0, 3)


def test_shapes_are_forgotten_when_there_are_too_many(scale, monkeypatch):
    checked(scale, monkeypatch)
    for length in range(MOST_SHAPES + 10):
        scale(np.ones(length), np.zeros(length), 1.0, 1)
    assert 0 < len(scale._caller.known) <= MOST_SHAPES


def test_addresses():
    whole = np.zeros((4, 6))
    for array in (whole, whole[1:], whole[:, 2:], np.zeros(0), np.zeros(3, np.float32)):
        assert address(array) == array.ctypes.data


def test_threads_call_one_kernel(scale):
    """Calls release the interpreter lock and share nothing that changes."""
    results = {}

    def work(k):
        a, b = np.full(1000 + k % 3, float(k)), np.zeros(1000 + k % 3)
        for _ in range(200):
            scale(a, b, 2.0, 1)
        results[k] = bool((b == 2.0 * k).all())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(6), True)
