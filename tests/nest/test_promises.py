"""Clauses of `#pragma omp simd` decide about brushes: `simdlen` when none is requested, `safelen` always, and `collapse`."""

from __future__ import annotations

import numpy as np
import pytest

import tensorrv as trv
from rv.evolution.facts import Legal
from tensorrv.nest.legality.proof import check_threads
from tensorrv.pipeline.explain.nests import explain
from tests.nest.c_text import nests_of

SCATTER = """
void f(int n, float *restrict a, const int *restrict k) {{
    {pragma}
    for (int i = 0; i < n; i++) a[k[i]] += 1;
}}
"""
GRID = """
void f(int n, int m, float a[restrict n][m], const int k[restrict m]) {{
    {pragma}
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) a[k[j]][k[i]] += 1;
}}
"""


def brushes(text: str, brush: object = "auto", **options: object) -> list[tuple[tuple[str, int], ...]]:
    """Loops with sizes of every brushed nest."""
    kernel = trv.compile(text, brush=brush, target="avx512", **options).kernel  # type: ignore[arg-type]
    loops = {header: loop.name for c in kernel.tensorized.choices for header, loop in c.facts.loops.items()}
    return [tuple((loops[header], size) for header, size in choice.brush) for choice in kernel.tensorized.choices]


@pytest.mark.parametrize(
    ("pragma", "size"),
    [
        ("#pragma omp simd", 8),
        ("#pragma omp simd simdlen(4)", 4),
        ("#pragma omp simd simdlen(32)", 32),
        ("#pragma omp simd safelen(8)", 8),
        ("#pragma omp simd safelen(64)", 8),
        ("#pragma omp simd simdlen(4) safelen(8)", 4),
    ],
)
def test_sizes_of_automatic_brushes(pragma: str, size: int) -> None:
    assert brushes(SCATTER.format(pragma=pragma)) == [(("i", size),)]


def test_a_brush_that_is_asked_for_goes_before_simdlen() -> None:
    text = SCATTER.format(pragma="#pragma omp simd simdlen(4) safelen(16)")
    kernel = trv.compile(text, brush=8)
    (note,) = kernel.diagnostics
    assert (note.severity, note.code) == ("note", "TRV143")
    assert "simdlen(4) of the loop over `i` is overridden by the brush, which takes 8" in note.message
    assert not trv.compile(text, brush=4).diagnostics


def test_safelen_is_a_limit() -> None:
    text = SCATTER.format(pragma="#pragma omp simd safelen(8)")
    assert brushes(text, 8) == [(("i", 8),)]
    with pytest.raises(trv.Refused, match=r"safelen\(8\) allows 8 iterations of the loop over `i` at once, not 16"):
        trv.compile(text, brush=16)
    assert brushes(text, 16, assume_parallel="i") == [(("i", 16),)]


def test_dependences_longer_than_safelen_are_kept() -> None:
    text = """
void f(int n, int *restrict a, const int *restrict k) {
    #pragma omp simd safelen(8)
    for (int i = 8; i < n; i++) a[k[i]] = a[k[i] - 8] + 1;
}
"""
    a, k = np.zeros(203, np.int32), np.arange(203, dtype=np.int32)
    trv.compile(text, brush=8)(203, a, k)
    assert a.tolist() == [i // 8 for i in range(203)]


@pytest.mark.parametrize(
    ("pragma", "legal"),
    [
        ("#pragma omp simd collapse(2)", True),
        ("#pragma omp parallel for collapse(2)", True),
        ("#pragma omp simd", False),
        ("#pragma omp simd collapse(2) if(n > 3)", False),
    ],
)
def test_collapse_promises_for_inner_loops(pragma: str, legal: bool) -> None:
    text = GRID.format(pragma=pragma)
    if legal:
        assert brushes(text, {"j": 2, "i": 8}) == [(("j", 2), ("i", 8))]
        return
    with pytest.raises(trv.Refused, match="subscript that is not affine"):
        trv.compile(text, brush={"j": 2, "i": 8})


ROW = """
void f(int n, const double *restrict a, double *restrict b, double *restrict c) {{
    #pragma omp simd {clause}
    for (int i = {start}; i < n; i++) {{ b[i] = a[i] + 1; }}
}}
"""


@pytest.mark.parametrize(
    ("clause", "start", "stores", "head"),
    [
        ("", 0, "cached", True),
        ("aligned(b: 64)", 0, "cached", False),
        ("aligned(a, b: 128)", 8, "cached", False),
        ("aligned(b: 64)", 1, "cached", True),
        ("aligned(b: 32)", 0, "cached", True),
        ("aligned(a: 64)", 0, "cached", True),
        ("aligned(b)", 0, "cached", True),
        ("aligned(b: 64)", 0, "stream", True),
    ],
)
def test_promised_alignment_needs_no_head(clause: str, start: int, stores: str, head: bool) -> None:
    """A promise that does not hold costs time, no more: stores around the caches, which would fault, do not believe it."""
    kernel = trv.compile(ROW.format(clause=clause, start=start), brush=8, target="avx512", stores=stores)  # type: ignore[arg-type]
    (nest,) = explain(kernel.kernel.tensorized)
    assert ("until stores are aligned" in nest.brushes[0]) == head
    for offset in range(3):
        room = np.zeros(80)
        a, b = np.arange(60.0), room[offset : offset + 60]
        kernel(60, a, b, np.zeros(60))
        assert b[start:].tolist() == (a[start:] + 1).tolist() and not b[:start].any()


def test_float_sums_need_fast_arithmetic_whatever_the_clause_says() -> None:
    """The clause would allow another order; strict results are those of the source's order."""
    text = """
double f(int n, const double *a) {
    double s = 0;
    #pragma omp simd reduction(+: s)
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}
"""
    with pytest.raises(trv.Refused) as refused:
        trv.compile(text, brush=8)
    (found,) = refused.value.diagnostics
    assert found.code == "TRV309" and "--fp fast" in found.hint
    assert trv.compile(text, brush=8, fp="fast")(5, np.arange(5.0)) == 10
    assert trv.compile(text.replace("double", "int"), brush=8)(5, np.arange(5, dtype=np.int32)) == 10


@pytest.mark.parametrize(
    ("pragma", "divided"),
    [
        ("#pragma omp simd", False),
        ("#pragma omp simd safelen(8)", False),
        ("#pragma omp parallel for", True),
        ("#pragma omp parallel for simd safelen(8)", True),
        ("#pragma ivdep", False),
    ],
)
def test_promises_for_threads(pragma: str, divided: bool) -> None:
    """Lanes run in lock step, so that `b[i] = a[i + 1]; a[i] = x;` are independent for them, but not for threads."""
    nests = nests_of(SCATTER.format(pragma=pragma))
    (loop,) = nests.loops.values()
    assert isinstance(check_threads(nests, loop.header), Legal) == divided
