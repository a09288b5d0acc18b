"""`vectorize_loop`: outer and inner loops, with what is left over, in place of the scalar function."""

from __future__ import annotations

import numpy as np
import pytest

import rv
import tensorrv as trv
from tensorrv.frontend.c.module import parse_c

C = r"""
void rows(int n, int m, double B[restrict n], const double A[restrict n][m])
{
    for (int j = 0; j < n; j++) {
        double s = 0;
        for (int i = 0; i < m; i++)
            s += A[j][i] * (i + 1);
        B[j] = s;
    }
}

void running(int n, int m, double B[restrict n], const double A[restrict n][m])
{
    double s = 0;
    for (int j = 0; j < n; j++) {
        s += A[j][0];
        B[j] = s;
    }
}
"""


@pytest.mark.parametrize("lanes", [1, 3, 8])
def test_an_outer_loop_with_a_remainder(lanes: int) -> None:
    """Each lane sums a row, so the order of a sum stays."""
    function = parse_c("rows.c", text=C).function("rows").function
    rows = trv.vectorize_loop(function, "j", width=lanes)
    for n in (0, 1, lanes, 2 * lanes + 3):
        A = np.random.default_rng(n).uniform(-1, 1, (n, 5))
        B = np.zeros(n)
        rows(n, 5, B, A)
        expected = np.zeros(n)
        for i in range(5):
            expected += A[:, i] * (i + 1)
        assert B.tobytes() == expected.tobytes()


def test_what_cannot_be_vectorized() -> None:
    module = parse_c("rows.c", text=C)
    with pytest.raises(ValueError, match="no loop over 'k'; its loops are over j, i"):
        trv.vectorize_loop(module.function("rows").function, "k", width=8)
    with pytest.raises(trv.Refused, match="`s` is a floating-point sum over `i`"):
        trv.vectorize_loop(module.function("rows").function, "i", width=8)
    with pytest.raises(trv.Refused, match="`s` carries a value"):
        trv.vectorize_loop(module.function("running").function, "j", width=8)
    assert "<8 x double>" in trv.vectorize_loop(module.function("rows").function, "i", width=8, fp="fast").llvm


def test_text_is_a_function_too() -> None:
    text = """define i64 @total(ptr %A, i64 %n) {
    b:
      jump head
    head:
      %i = phi i64 [0, b], [%next, body]
      %s = phi i64 [0, b], [%t, body]
      %c = icmp slt i64 %i, %n
      branch %c, body, done
    body:
      %p = elemptr i64, %A [%i]
      %x = load i64, %p
      %t = add i64 %s, %x
      %next = add nsw i64 %i, 1
      jump head
    done:
      return i64 %s
    }"""
    total = rv.vectorize_loop(text, "i", width=8)
    assert "<8 x i64>" in total.llvm and [total(np.arange(99), n) for n in (0, 1, 16, 99)] == [0, 0, 120, 4851]
    with pytest.raises(TypeError, match="argument 2 of total must be a number of type i64"):
        total(np.arange(99), "9")
