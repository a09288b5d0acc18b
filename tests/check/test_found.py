"""What LLVM's optimizer and instruction selection get wrong is found: with the work-arounds left out, verification reports it."""

from __future__ import annotations

import pytest

import tensorrv.brush.widening
from rv.target.llvm_defects.known import Fences
from rv.target.machine import resolve_target, runs_here
from tensorrv.check.trial import verify_kernel
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import Plan, parse_brush

SIGNED_ZERO = """void f(int n, const float *restrict a, double *restrict o)
{ for (int i = 0; i < n; i++) { double y = a[i]; if (a[i] < 0) y = 0; o[i] = y; } }"""


@pytest.mark.parametrize(
    ("text", "target", "brush"),
    [(SIGNED_ZERO, "avx2", "none"), (SIGNED_ZERO, "avx2", "8"), (SIGNED_ZERO, "avx512", "16")],
)
def test_errors_of_llvm_are_found(monkeypatch: pytest.MonkeyPatch, text: str, target: str, brush: str) -> None:
    reason = runs_here(resolve_target(target))
    if reason is not None:
        pytest.skip(reason)
    monkeypatch.setattr(tensorrv.brush.widening, "fences", lambda function, architecture: Fences({}, frozenset()))
    kernel = compile_function(parse_c("f.c", text=text).function("f"), Plan(parse_brush(brush)), resolve_target(target))
    assert verify_kernel(kernel, ()).difference is not None
