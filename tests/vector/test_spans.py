"""Statements of the vector IR name the place in the source that they were written for, through all passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rv.semantics.memory import Fault, Memory
from rv.vector.function import Statement
from rv.vector.instructions import Binary, Load, Store
from rv.vector.interpreter import run
from tensorrv.frontend.c.module import parse_c
from tensorrv.schedule.plan import parse_plan
from tests.vector.modules import module_of

SOURCE = """void f(int n, const double *restrict a, double *restrict b)
{
    for (int i = 0; i < n; ++i) {
        double x = a[i] * a[i];
        b[i] =
            x + a[i + 1];
    }
}
"""


def statements(path: Path) -> list[Statement]:
    path.write_text(SOURCE)
    (function,) = parse_c(path).functions
    module = module_of(function, parse_plan("brush=16"), "avx512")
    return [s for own in module.functions for block in own.blocks if not block.fixed for s in block.body]


def test_work_is_at_its_place(tmp_path: Path) -> None:
    found = statements(tmp_path / "a.c")
    lines = {kind: {s.span.line for s in found if isinstance(s.instruction, kind) and s.span} for kind in (Load, Store)}
    assert lines[Store] == {5}
    assert lines[Load] <= {4, 6}
    places = {s.instruction.op: s.span for s in found if isinstance(s.instruction, Binary) and s.instruction.op.startswith("f")}
    assert {op: span.line for op, span in places.items() if span} == {"fmul": 4, "fadd": 6}
    assert all(s.span is not None for s in found if isinstance(s.instruction, Load | Store))


def test_faults_name_it(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(SOURCE)
    (function,) = parse_c(path).functions
    module, memory = module_of(function, parse_plan("brush=16"), "avx512"), Memory()
    a, b = (memory.map(name, bytearray(8 * 16)) for name in "ab")
    with pytest.raises(Fault, match=r"a\.c:[46]:"):
        run(module, "f", [64, a, b], memory)
