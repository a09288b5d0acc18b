"""Stores around the caches: where they are used, why not elsewhere, and that what they rest on is true."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorrv as trv
from layouts.address import address_map
from layouts.layout import parse_layout
from rv.evolution.polynomial import Polynomial
from rv.ir.types import F64, PTR
from rv.ir.values import Var
from tensorrv.brush.memory.placed import LaidOutGroup, _fits, pitches
from tensorrv.pipeline.explain.nests import explain

COPY = "void f(int n, int m, const {t} A[restrict n][m], {t} B[restrict n][m]) {{ for (int j = 0; j < n; ++j) for (int i = 1; i < m; ++i) B[j][i] = A[j][i]; }}"  # noqa: E501


def report(text, *, brush=(8,), function=None, target="avx512", **options):
    kernel = trv.compile(text, function=function, brush=brush, stores="stream", target=target, **options)
    return explain(kernel.kernel.tensorized)[0], kernel.llvm.count("!nontemporal")


@pytest.mark.parametrize("target", ["avx512", "avx2", "neon"])
@pytest.mark.parametrize("layout", [None, "2x2", "4x2", "8x8", "1x8", "8x8+2x2", "8x8+1,0,2,3", "4x4+pad:4"])
@pytest.mark.parametrize("element", ["double", "float"])
def test_whole_registers_go_around_the_caches(layout, element, target):
    found, count = report(
        COPY.format(t=element), brush=(4, 16), target=target, layouts={} if layout is None else {"A": layout, "B": layout}
    )
    assert found.cached == () and count >= 1 and "around the caches" in found.brushes[1]
    # blocks that are smaller than a register start in its middle unless the head is as long as the brush
    assert layout is None or "up to 15 until blocks begin" in found.brushes[1]


@pytest.mark.parametrize(
    ("text", "brush", "reason"),
    [
        ("void f(int n, const int a[restrict n], double b[restrict n]) { for (int i = 0; i < n; ++i) if (a[i]) b[i] = 1; }",
         (8,), "it is masked"),
        ("void f(int n, double a[n][n]) { for (int j = 1; j < n; ++j) for (int i = 0; i < n; ++i) a[j][i] += a[j - 1][i]; }",
         (1, 8), "its first address cannot be aligned"),
        ("void f(int n, const double a[restrict n], double b[restrict 2 * n]) { for (int i = 0; i < n; ++i) b[2 * i] = a[i]; }",
         (8,), "not consist of whole registers"),
        ("""void f(int n, const int p[restrict n], const double a[restrict n], double b[restrict n]) {
            #pragma omp simd
            for (int i = 0; i < n; ++i) b[p[i]] = a[i]; }""", (8,), "at unrelated addresses"),
        ("""void f(int n, const double a[restrict n][n], double b[restrict n][n])
            { for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) b[i][j] = a[i][j]; }""", (8, 1), "not advance by whole"),
    ],
)  # fmt: skip
def test_reasons_against_it(text, brush, reason):
    found, count = report(text, brush=brush, projection=(0, 1) if "b[i][j]" in text else None)
    ((store, why),) = found.cached
    assert reason in why and store[0] in "ab" and count == 0
    assert not any("around the caches" in brush for brush in found.brushes)


def test_no_reasons_without_the_wish():
    kernel = trv.compile(COPY.format(t="double"), brush=(8, 1), projection=(0, 1), target="avx512")
    assert explain(kernel.kernel.tensorized)[0].cached == ()


@pytest.mark.parametrize("layout", ["2x2", "8x8", "1x8", "4x4+pad:4", "8x8+2x2"])
@pytest.mark.parametrize("shape", [(9, 64), (16, 63), (5, 17), (3, 1), (2, 200)])
@pytest.mark.parametrize("shift", [0, 1, 4])
def test_aligned_and_other_arrays(layout, shape, shift):
    """A store of a register that is not aligned would end the process."""
    kernel = trv.compile(COPY.format(t="double"), brush=(2, 16), stores="stream", layouts={"B": layout}, assume_no_alias=True)
    a = np.random.default_rng(3).random(shape)
    extent = address_map(parse_layout(layout), 2).extent(shape)
    raw = np.full(extent + 16, -1.0)
    start = (-raw.ctypes.data // 8) % 8 + shift
    stored = raw[start : start + extent]
    kernel(*shape, a, stored)
    expected = np.where(np.arange(shape[1]) >= 1, a, -1.0)
    assert np.array_equal(trv.unpack(layout, stored, shape), expected)
    assert (raw[:start] == -1).all() and (raw[start + extent :] == -1).all()


def test_packed_arrays_begin_cache_lines():
    assert all(trv.pack("2x2", np.zeros((n, n), dtype)).data.ctypes.data % 64 == 0 for n in (3, 9, 600) for dtype in "df?D")


LAYOUTS = ("2x2", "4x2", "8x8+2x2", "2x2+pad:3", "8x8+1,0,2,3", "1,0+4x4", "3x5", "1x8+0,2,1", "4x4+1,0,2,3", "6x6+3x2")


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(LAYOUTS), st.data())
def test_addresses_move_by_multiples_of_the_movement(text, data):
    address = address_map(parse_layout(text), 2)
    shape = tuple(data.draw(st.integers(1, 40)) for _ in range(2))
    lengths = [Polynomial.constant(n) for n in address.lengths(shape)]
    moduli = []
    for k in range(2):
        digits = [digit for digit in address.digits if digit.dimension == k]
        block = address.block(k)
        moduli.append(data.draw(st.sampled_from([g for g in range(1, block + 1) if block % g == 0 and _fits(g, digits)])))
    family = LaidOutGroup(Var("B", PTR), F64, address, pitches(address, lengths), (Polynomial(),) * 2, tuple(moduli))
    steps = [g * data.draw(st.integers(0, 5)) for g in moduli]
    known = [data.draw(st.integers(0, g - 1)) for g in moduli]
    start = [g * data.draw(st.integers(0, 9)) + v for g, v in zip(moduli, known, strict=True)]

    def offset(times):
        return address.offset([i + s * t for i, s, t in zip(start, steps, times, strict=True)], shape)

    moved = [offset((a, b)) - offset((0, 0)) for a in range(3) for b in range(3)]
    movement = family.movement(steps)
    assert all(distance % movement == 0 if movement else distance == 0 for distance in moved)


def test_movement_is_not_less_than_it_is():
    def movement(text, moduli, steps, shape=(64, 64)):
        address = address_map(parse_layout(text), 2)
        lengths = [Polynomial.constant(n) for n in address.lengths(shape)]
        return LaidOutGroup(Var("B", PTR), F64, address, pitches(address, lengths), (Polynomial(),) * 2, moduli).movement(steps)

    assert movement("2x2", (2, 2), (0, 8)) == 16
    assert movement("8x8", (8, 8), (0, 8)) == 64
    assert movement("8x8", (8, 4), (0, 4)) == 4
    assert movement("8x8", (4, 8), (4, 0)) == 32
    assert movement("2x2+pad:3", (2, 2), (0, 2)) == 10
    assert movement("2x2", (2, 2), (0, 0)) == 0
