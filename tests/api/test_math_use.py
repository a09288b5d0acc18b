"""What is said about the mathematical functions that a kernel calls: which are vector functions, and why others are not."""

from __future__ import annotations

import pytest

from tensorrv.frontend.c.module import parse_c
from tensorrv.unit.vector_math import math_use

TEXT = "#include <math.h>\ndouble f(double x) { return tgamma(x) + exp(sqrt(x)) + lgamma(x) + fmin(x, log(x)) + sin(x); }"


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        (True, "vector functions exp, log, sin; libm lane by lane for tgamma, lgamma, which --math vector has not"),
        (
            False,
            ("libm lane by lane for exp, log, sin, which --math vector has; "
             "libm lane by lane for tgamma, lgamma, which --math vector has not"),
        ),
    ],
)
def test_every_call_that_is_no_instruction_is_named(vector: bool, said: str) -> None:
    assert str(math_use(parse_c("f.c", text=TEXT).function("f").function, vector=vector)) == said
