"""Layouts from Python, in plans, and what is refused."""

import numpy as np
import pytest

import tensorrv as trv
from layouts.layout import Blocked, ColumnMajor, compose
from layouts.packing import pack
from tensorrv.pipeline.explain.nests import explain
from tensorrv.schedule.plan import Plan, PlanError, parse_plan

FLAT = """
void scale(int n, int m, const double *restrict A, double *restrict B)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            B[j * m + i] = 2 * A[j * m + i] + 1;
}
"""
CHOICE = """
void choose(int n, double *a, double *b, double *restrict c, int s)
{
    double *p = s ? a : b;
    for (int i = 0; i < n; ++i)
        c[i] = p[i];
}
"""
OVERLAP = """
void copy(int n, double A[n][n], double B[n][n])
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            B[j][i] = A[j][i];
}
"""


def test_kernel_on_packed_arrays():
    layout = Blocked(2, 2)
    rows, stored = trv.compile("jacobi5", brush=(4, 8)), trv.compile("jacobi5", brush=(4, 8), layouts={"A": layout, "B": "2x2"})
    A, B = np.random.default_rng(1).random((35, 27)), np.zeros((35, 27))
    rows(A, B)
    a, b = pack(layout, A), pack(layout, np.zeros_like(A))
    stored(a, b)
    assert np.array_equal(b.unpack(), B)
    # the output is the next sweep's input as it is
    stored(b, a)
    rows(B, A)
    assert np.array_equal(a.unpack(), A)
    again = np.zeros(b.data.size)
    stored(pack(layout, A).data, again, rows=35, cols=27)
    rows(A, B)
    assert np.array_equal(pack(layout, B).data[again != 0], again[again != 0])


def test_wrong_arguments():
    k = trv.compile("jacobi5", brush=(4, 8), layouts={"A": Blocked(2, 2)})
    A, B = np.zeros((35, 27)), np.zeros((35, 27))
    with pytest.raises(ValueError, match=r"'A' of jacobi5\(\) must be in its layout"):
        k(A, B)
    with pytest.raises(ValueError, match="layout '2x2', not 'col'"):
        k(pack(ColumnMajor(), A), B)
    with pytest.raises(ValueError, match=r"'B' of jacobi5\(\) must be stored under layout 'row'"):
        k(pack(Blocked(2, 2), A), pack(Blocked(2, 2), B))
    with pytest.raises(ValueError, match="has 1007 elements, but layout '2x2' of 35 x 27 stores 1008"):
        k(np.zeros(1007), B)
    with pytest.raises(ValueError, match="shape"):
        k(pack(Blocked(2, 2), np.zeros((35, 26))), B)


def test_flattened_subscripts():
    k = trv.compile(FLAT, brush=(2, 8), layouts={"A": "4x4", "B": "1x8"})
    A = np.random.default_rng(2).random((13, 21))
    a, b = pack(Blocked(4, 4), A), pack(Blocked(1, 8), np.zeros_like(A))
    k(13, 21, a.data, b.data)
    assert np.array_equal(b.unpack(), 2 * A + 1)


@pytest.mark.parametrize("shift", [0, 1, 7])
def test_overlap_is_tested_on_the_stored_arrays(shift):
    k = trv.compile(OVERLAP, brush=(4, 8), layouts={"A": "4x4", "B": "4x4"})
    n = 18
    stored = pack(Blocked(4, 4), np.random.default_rng(3).random((n, n)))
    memory = np.zeros(2 * stored.data.size)
    memory[: stored.data.size] = stored.data
    a = memory[: stored.data.size]
    b = memory[16 * shift : 16 * shift + stored.data.size]
    k(n=n, A=a, B=b)
    found = type(stored)(stored.layout, stored.shape, b).unpack()
    expected = memory.copy()
    expected[: stored.data.size] = stored.data
    address = [(j, i) for j in range(n) for i in range(n)]
    from layouts.address import address_map

    where = address_map(stored.layout, 2)
    for index in address:
        place = where.offset(index, (n, n))
        expected[16 * shift + place] = expected[place]
    result = expected[16 * shift : 16 * shift + stored.data.size]
    assert np.array_equal(found, type(stored)(stored.layout, stored.shape, result).unpack())


ACROSS = """
void across(int n, int m, int k, const double *restrict A, double *restrict B)
{
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < k; ++i)
            B[j * m + i] = A[j * m + i] + 1;
}
"""


@pytest.mark.parametrize(("n", "m", "k"), [(5, 20, 20), (5, 20, 17), (4, 12, 19), (3, 0, 6), (2, 1, 9)])
def test_rows_that_are_not_kept_to(n, m, k):
    # where k > m, iterations reach into the next row, one element at a time and in order
    stored = trv.compile(ACROSS, brush=(2, 8), layouts={"A": "4x4", "B": "2x2"})
    count = (n - 1) * m + k
    length = max(1, m)
    shape = (-(-count // length), length)
    A = np.random.default_rng(4).random(shape)
    B = np.zeros(shape)
    a, b = pack(Blocked(4, 4), A), pack(Blocked(2, 2), B)
    for j in range(n):
        B.reshape(-1)[j * m : j * m + k] = A.reshape(-1)[j * m : j * m + k] + 1
    stored(n, m, k, a.data, b.data)
    assert np.array_equal(b.unpack(), B)


def test_flattened_subscripts_are_resolved():
    k = trv.compile(FLAT, brush=(4, 8), target="avx512", layouts={"A": "4x4", "B": "2x2"})
    assert "gather" not in k.llvm
    assert "scatter" not in k.llvm


def counts(name, brush, layout):
    (report,) = explain(trv.compile(name, brush=brush, target="avx512", layouts=layout).kernel.tensorized)
    return tuple(report.counts[kind] for kind in ("vector loads", "scalar loads", "gathers", "stores", "shuffles"))


@pytest.mark.parametrize(
    ("name", "brush", "layout", "expected"),
    [
        # every register is a piece of a block; shifts by one take one shuffle of two registers each
        ("jacobi5", (2, 8), "2x2", (8, 0, 0, 2, 8)),
        ("sparse_jacobi5", (2, 8), "2x2", (9, 0, 0, 2, 0)),
        ("jacobi9", (2, 8), "2x2", (9, 0, 0, 2, 10)),
        ("transpose", (8, 8), "2x2", (8, 0, 0, 8, 8)),
        ("transpose", (8, 8), "4x4", (8, 0, 0, 8, 8)),
        ("transpose", (8, 8), "8x8", (8, 0, 0, 8, 24)),
        ("seidel9", (8, 8), "1x8", (30, 0, 0, 8, 0)),
    ],
)
def test_accesses_of_a_brush_on_blocks(name, brush, layout, expected):
    assert counts(name, brush, {"A": layout, "B": layout}) == expected


def test_cost_of_a_layout(capsys):
    trv.compile("transpose", brush=(8, 8), target="avx512", layouts={"A": "2x2", "B": "2x2"}).explain()
    text = capsys.readouterr().out
    assert "B to layout 2x2 and back: 32 bytes copied and" in text
    assert "0.25 -> 0.25 loads and stores, 0.38 -> 0.12 shuffles; pays after 3 sweeps" in text


def test_plan_text():
    plan = Plan(layouts=(("B", compose(ColumnMajor(), Blocked(4, 4))), ("A", Blocked(2, 2))))
    assert str(plan) == "brush=none layouts=A=2x2;B=col+4x4"
    assert parse_plan(str(plan)) == plan
    assert parse_plan("brush=none layouts=A=row") == Plan()
    for text in ("layouts=2x2", "layouts=A=2y2", "layouts=A=2x2;A=4x4", "layouts=1=2x2"):
        with pytest.raises(PlanError):
            parse_plan(text)


@pytest.mark.parametrize(
    ("source", "layouts", "code"),
    [
        ("jacobi5", {"C": "2x2"}, "TRV150"),
        ("jacobi5", {"rows": "2x2"}, "TRV150"),
        ("jacobi5", {"A": "2x2x2"}, "TRV151"),
        ("jacobi5", {"A": "0,2,1"}, "TRV151"),
        (FLAT, {"A": "col"}, "TRV152"),
        (CHOICE, {"a": "pad:1", "b": "8"}, "TRV153"),
        (FLAT.replace("restrict", ""), {"A": "2x2"}, "TRV154"),
    ],
)  # fmt: skip
def test_refused(source, layouts, code):
    with pytest.raises(trv.Refused) as refusal:
        trv.compile(source, brush=(8,), layouts=layouts)
    assert [diagnostic.code for diagnostic in refusal.value.diagnostics] == [code]
    assert all(diagnostic.span is not None for diagnostic in refusal.value.diagnostics)
