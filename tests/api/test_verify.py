"""Verification finds what is wrong: every kind of error is planted once, in C."""

import ctypes
import subprocess

import numpy as np
import pytest

from rv.evolution.polynomial import Polynomial, declared
from rv.ir.types import F32, F64, I32
from tensorrv.check.verify import Comparer, default_sizes, verify
from tensorrv.interface.reach import Reach
from tensorrv.interface.signature import ArrayArgument, ScalarArgument, Signature
from tensorrv.pipeline.native import native_function

ROWS, COLS = (Polynomial.symbol(declared(name)) for name in ("rows", "cols"))
SIGNATURE = Signature(
    "sweep",
    (
        ScalarArgument("rows", I32, True, "int"),
        ScalarArgument("cols", I32, True, "int"),
        ArrayArgument("A", F64, True, "double", True, False, False, (ROWS, COLS)),
        ArrayArgument("B", F64, True, "double", True, True, False, (ROWS, COLS)),
    ),
    I32,
    sizes=frozenset({"rows", "cols"}),
)


def touched(values):
    size = values["rows"] * values["cols"]
    return {"A": Reach(0, size - 1), "B": Reach(values["cols"], size - 1)}


TEMPLATE = """
int sweep(int rows, int cols, const double *A, double *B)
{{
    for (int j = 1; j < rows; ++j)
        for (int i = 0; i < cols; ++i)
            B[j * cols + i] = {value};
    {more}
    return {result};
}}
"""


@pytest.fixture
def build(tmp_path):
    def compile_c(value, more="", result="rows"):
        source = tmp_path / f"{len(list(tmp_path.iterdir()))}.c"
        source.write_text(TEMPLATE.format(value=value, more=more, result=result))
        library = source.with_suffix(".so")
        subprocess.run(["gcc", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", library, source], check=True)
        loaded = ctypes.CDLL(str(library))
        keep.append(loaded)
        return native_function(SIGNATURE, ctypes.cast(loaded.sweep, ctypes.c_void_p).value)

    keep = []
    return compile_c


GOOD = "A[j * cols + i] * 3 + A[(j - 1) * cols + i]"
SIZES = default_sizes(SIGNATURE, touched, (4, 8), {})


def test_equal(build):
    found = verify(Comparer(SIGNATURE, touched, build(GOOD), build(GOOD)), SIZES)
    assert found.difference is None
    assert found.runs == len(SIZES)
    assert found.elements > 1000


@pytest.mark.parametrize(
    ("value", "more", "result", "where"),
    [
        ("A[j * cols + i] * 3", "", "rows", "B"),
        ("A[(j - 1) * cols + i] * -1.0 * -1 + A[j * cols + i] * 2 + A[j * cols + i]", "", "rows", "B"),  # other roundings
        ("i == 16 ? 0 : " + GOOD, "", "rows", "B"),
        ("j % 4 == 3 && i % 8 == 7 ? 0 : " + GOOD, "", "rows", "B"),
        (GOOD, "B[rows * cols] = 0;", "rows", "memory beside 'B'"),
        (GOOD, "((double *)A)[-1] = 0;", "rows", "memory beside 'A'"),
        (GOOD, "if (rows > 2 && cols > 2) ((double *)A)[cols] += 1;", "rows", "A"),
        (GOOD, "", "rows + (cols > 9)", "the result of sweep()"),
    ],
)
def test_wrong(build, value, more, result, where):
    difference = verify(Comparer(SIGNATURE, touched, build(GOOD), build(value, more, result)), SIZES).difference
    assert difference is not None
    assert difference.where == where


def test_sign_of_zero_counts_and_nan_payload_does_not(build):
    assert verify(Comparer(SIGNATURE, touched, build("0.0 * i"), build("-0.0 * i")), SIZES).difference is not None
    assert verify(Comparer(SIGNATURE, touched, build("0.0 / 0.0"), build("-(0.0 / 0.0)")), SIZES).difference is None
    assert verify(Comparer(SIGNATURE, touched, build("0.0 / 0.0"), build("1")), SIZES).difference is not None
    assert verify(Comparer(SIGNATURE, touched, build("1"), build("0.0 / 0.0")), SIZES).difference is not None


def test_difference_says_where(build):
    comparer = Comparer(SIGNATURE, touched, build("1"), build("1 + (j == 2 && i == 3)"))
    difference = verify(comparer, [{"rows": 5, "cols": 7}]).difference
    assert str(difference) == "B[2][3] is 2.0, expected 1.0 (with rows=5, cols=7)"


@pytest.mark.parametrize("brush", [(4, 8), (3, 5), (8,), (1, 64), (16, 16)])
def test_sizes_cover_every_residue(brush):
    sizes = default_sizes(SIGNATURE, touched, brush, {})
    for name in ("rows", "cols"):
        assert {s[name] for s in sizes} >= {0, 1}
        for width in brush:
            if width <= 16:
                assert {s[name] % width for s in sizes} == set(range(width))


def test_a_long_brush_is_filled():
    sizes = default_sizes(SIGNATURE, touched, (1, 2048), {})
    assert max(s["cols"] for s in sizes) > 2 * 2048
    assert max(s["rows"] for s in sizes) > 2 * 2048
    assert all(s["rows"] * s["cols"] < 1 << 20 for s in sizes)


def test_fixed_sizes_stay():
    assert {s["rows"] for s in default_sizes(SIGNATURE, touched, (4, 8), {"rows": 9})} == {9}


def test_a_float_result_is_compared_in_units_of_a_float():
    signature = Signature("f", (), F32)
    one = np.float32(1)
    results = float(one), float(np.nextafter(one, np.float32(2)))
    found = verify(Comparer(signature, lambda _: {}, lambda: results[0], lambda: results[1], exact=False), [{}])
    assert found.ulps == 1
    assert verify(Comparer(signature, lambda _: {}, lambda: results[0], lambda: results[1]), [{}]).difference is not None
