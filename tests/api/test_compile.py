"""The Python interface on real kernels, against NumPy."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tensorrv as trv

DOT = """
double dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; ++i) s += a[i] * b[i];
    return s;
}
"""


def stencil(a):
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1] = 0.2 * (a[:-2, 1:-1] + a[1:-1, :-2] + a[1:-1, 1:-1] + a[1:-1, 2:] + a[2:, 1:-1])
    return expected


@pytest.mark.parametrize("brush", [(4, 8), "4x8", {"j": 4, "i": 8}, "auto", None, 8, (3, 5), [16, 2], np.array([2, 8])])
@pytest.mark.parametrize("shape", [(37, 53), (3, 3), (2, 9), (66, 64)])
def test_jacobi5_bit_for_bit(brush, shape):
    a, b = np.random.default_rng(0).random(shape), np.zeros(shape)
    assert trv.compile("jacobi5", brush=brush)(a, b) is None
    assert np.array_equal(b, stencil(a))


def test_matmul_accumulates():
    random = np.random.default_rng(0)
    a, b, c = random.integers(0, 9, (13, 7)) * 1.0, random.integers(0, 9, (7, 21)) * 1.0, np.ones((13, 21))
    trv.compile("matmul", brush=(4, 8))(a, b, c)
    assert np.array_equal(c, a @ b + 1)


def test_bytes():
    image, result = np.random.default_rng(0).integers(0, 256, (19, 70), dtype=np.uint8), np.zeros((19, 70), dtype=np.uint8)
    trv.compile("blur", brush=(2, 16))(image, result)
    weights = np.outer([1, 2, 1], [1, 2, 1])
    wide = image.astype(int)
    total = sum(weights[y, x] * wide[y : y + 17, x : x + 68] for y in range(3) for x in range(3))
    assert np.array_equal(result[1:-1, 1:-1], (total + 8) >> 4)


def test_text_and_result():
    k = trv.compile(DOT, brush=8, fp="fast")
    assert k(5, np.arange(5.0), np.arange(5.0)) == 30.0
    with pytest.raises(ValueError, match="'a' of dot.. has 5 elements, but the kernel needs 6"):
        k(6, np.arange(5.0), np.arange(6.0))


def test_overlap_is_checked_before_and_aliases_work():
    text = "void shift(int n, double *a, const double *b) { for (int i = 0; i < n; ++i) a[i] = b[i] + 1; }"
    memory = np.arange(20.0)
    trv.compile(text, brush=8)(16, memory[1:], memory)
    assert np.array_equal(memory[:17], np.arange(17.0))  # every element is the one before plus one
    with pytest.raises(ValueError, match="overlap"):
        trv.compile(text, brush=8, assume_no_alias=True)(16, memory[1:], memory)


def test_refusals():
    with pytest.raises(trv.Refused) as caught:
        trv.compile("gauss_seidel", brush=(4, 8))
    assert caught.value.diagnostics[0].span.line == 8
    (note,) = caught.value.__notes__
    assert "gauss_seidel.c:8:" in note and "^^^" in note and "hint: " in note
    with pytest.raises(trv.Refused, match="several functions"):
        trv.compile("void f(int n, int a[n]) { for (int i = 0; i < n; ++i) a[i] = 1; }\n"
                    "void g(int n, int a[n]) { for (int i = 0; i < n; ++i) a[i] = 2; }", brush=8)  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"brush": (4, 0)}, "empty dimension"),
        ({"brush": ("a",)}, "not a brush"),
        ({"brush": 2.5}, "not a brush"),
        ({"brush": True}, "not a brush"),
        ({"brush": {"i": 2.5}}, "not a brush"),
        ({"target": "avx51"}, "avx512"),
        ({"fp": "quick"}, "quick"),
    ],
)
def test_choices_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        trv.compile("jacobi5", **options)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (None, {}, "a kernel is a path, .* not NoneType"),
        (b"void f(void) {}", {}, "a kernel is a path, .* not bytes"),
        ("jacobi5", {"layouts": "2x2"}, "layouts is a dictionary"),
        ("jacobi5", {"layouts": {"A": 3}}, "the layout of 'A'"),
        ("jacobi5", {"target": None}, "a target is a name"),
    ],
)
def test_values_of_wrong_types(source, options, message):
    with pytest.raises(TypeError, match=message):
        trv.compile(source, **options)


def test_forms(tmp_path):
    k = trv.compile("jacobi5", brush=(4, 8), target="avx512")
    assert "zmm" in k.assembly
    assert "<8 x double>" in k.llvm
    assert "void jacobi5(" in k.header
    assert [path.name for path in k.write(tmp_path, ["obj", "asm"])] == ["jacobi5.avx512.o", "jacobi5.avx512.s"]
    assert [path.name for path in k.write(tmp_path, "llvm,header")] == ["jacobi5.avx512.ll", "jacobi5.avx512.h"]
    with pytest.raises(ValueError, match="not one of"):
        k.write(tmp_path, ["exe"])


def test_explain(capsys):
    trv.compile("jacobi5", brush=(4, 8)).explain()
    assert "A[j - 1][i]" in capsys.readouterr().out


def test_defines():
    text = "void f(double a[N]) { for (int i = 0; i < N; ++i) a[i] = i; }"
    a = np.zeros(13)
    trv.compile(text, brush=4, defines={"N": 13})(a)
    assert np.array_equal(a, np.arange(13.0))
    with pytest.raises(ValueError, match="shape 13"):
        trv.compile(text, brush=4, defines={"N": 13})(np.zeros(12))


def test_import_is_cheap_and_functions_are_not_shadowed():
    script = "import sys, tensorrv as t; assert 'numpy' not in sys.modules; t.compile('jacobi5'); t.compile('jacobi5')"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=os.getcwd())
    assert not hasattr(trv, "nonsense")
