"""What must not be evaluated is not: the interpreter traps on divisions by zero and accesses outside of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rv.ir.instructions import Binary
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from tensorrv.frontend.c.module import parse_c


def result(text: str, *arguments: int | float) -> int | float:
    """The result of the only function in `text`; pointer parameters get an array of four ones."""
    (function,) = parse_c("f.c", text=text).functions
    memory = Memory()
    ones: dict[str, np.ndarray[Any, Any]] = {"int": np.ones(4, dtype=np.int32), "double": np.ones(4)}
    scalars = iter(arguments)
    given = [memory.map(p.name, ones[p.element.c_type]) if p.rank else next(scalars) for p in function.parameters]
    value = run(function.function, given, memory)
    assert isinstance(value, int | float)
    return value


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("int f(int a, int b) { return b != 0 && a / b > 1; }", (5, 0), 0),
        ("int f(int a, int b) { return b == 0 || a % b > 1; }", (5, 0), 1),
        ("int f(int a, int b) { return b ? a / b : 7; }", (5, 0), 7),
        ("int f(int a, int b) { int c = 3; b && (c = 4); return c; }", (5, 0), 3),
        ("int f(int i, const int *A) { return i < 4 && A[i] == 1; }", (4,), 0),
        ("double f(int i, const double *A) { return i < 4 ? A[i] : -1.0; }", (1 << 20,), -1.0),
        ("int f(int i, const int *A) { while (i < 4 && A[i] == 1) i++; return i; }", (0,), 4),
        ("int f(int i, const int *A) { return sizeof(A[i++]) + i; }", (9,), 13),
        ("int f(int s, int x) { return s < 32 ? x << s : 0; }", (40, 1), 0),
        ("int f(double x) { return x < 1e6 ? (int)x : 9; }", (1e300,), 9),
    ],
)
def test_operands_that_do_not_decide_are_not_evaluated(text: str, arguments: tuple[int | float, ...], expected: float) -> None:
    assert result(text, *arguments) == expected


def test_signed_operations_promise_not_to_overflow_only_where_c_executes_them() -> None:
    (function,) = parse_c("f.c", text="int f(int a, int b) { return a < 10 ? a + 1 : b; }").functions
    (sum_,) = [(block, i) for block, i in function.function.instructions() if isinstance(i, Binary) and i.op == "add"]
    assert sum_[1].nsw and sum_[0].label != "entry"


def test_unsigned_arithmetic_makes_no_promise() -> None:
    text = "unsigned f(unsigned a, unsigned long b, int c) { return a + 1 - b * 2 + (c - a); }"
    (function,) = parse_c("f.c", text=text).functions
    assert not any(i.nsw for _, i in function.function.instructions() if isinstance(i, Binary))
