"""Arrays of structs: which elements are touched, NumPy's structured arrays, verification on random data, the header."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from rv.target.machine import resolve_target
from tensorrv.check.trial import verify_kernel
from tensorrv.check.verify import Comparer, columns, verify
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.facts import interface_of
from tensorrv.pipeline.header import header_text
from tensorrv.pipeline.kernel import compile_function, element_types
from tensorrv.pipeline.native import native_function
from tensorrv.report.diagnostics import Refused
from tensorrv.run.call import record_dtype
from tensorrv.schedule.plan import parse_plan
from tensorrv.unit.elements import Record
from tensorrv.unit.unit import Unit

TARGET = resolve_target("native")
PLAN = parse_plan("brush=8")
TEXT = """
struct point { double x, y; };
typedef struct { float pos[3]; short id; struct { unsigned char r, g; } color; } body;
struct list { struct list *next; double value; };
void norms(int n, const struct point *restrict a, double *restrict r)
{
    for (int i = 0; i < n; i++) r[i] = a[i].x * a[i].x + a[i].y * a[i].y;
}
void paint(int n, body *restrict b)
{
    for (int i = 2; i < n; i++) if (b[i].pos[1] > 0) b[i].color.g = b[i].id;
}
void values(int n, struct list *restrict b) { for (int i = 0; i < n; i++) b[i].value = 1; }
"""


def function(name: str) -> Unit:
    return parse_c("structs.c", text=TEXT).function(name)


def test_reach_counts_structs() -> None:
    found = interface_of(function("norms")).reaches({"n": 10})
    ranges = {name: (reach.low, reach.high) for name, reach in found.items() if reach and reach.high >= 0}
    assert ranges == {"a": (0, 9), "r": (0, 9)}
    paint = interface_of(function("paint"))
    reach = paint.reaches({"n": 10})["b"]
    assert reach is not None and (reach.low, reach.high) == (2, 9)
    assert paint.signature.arrays[0].element_size == 16


def test_dtype_has_a_field_for_each_number() -> None:
    element = function("paint").parameters[1].element
    assert isinstance(element, Record)
    dtype = record_dtype(element)
    assert dtype.names == ("pos[0]", "pos[1]", "pos[2]", "id", "color.r", "color.g") and dtype.itemsize == 16
    assert [str(t) for t in element_types(function("paint"))] == ["float", "i16", "i8"]


def test_calls_take_structured_arrays_of_the_same_layout() -> None:
    kernel = trv.compile(TEXT, function="paint", brush=(8,))
    natural = np.dtype({"names": ["pos", "id", "color"], "formats": [("f4", 3), "i2", [("r", "u1"), ("g", "u1")]]}, align=True)
    bodies = np.zeros(21, natural)
    bodies["pos"][:, 1] = np.arange(21) % 2
    bodies["id"] = np.arange(21)
    kernel(21, bodies)
    assert bodies["color"]["g"].tolist() == [i if i > 1 and i % 2 else 0 for i in range(21)]
    assert bodies["id"].tolist() == list(range(21))
    with pytest.raises(TypeError, match="argument 'b' of paint\\(\\) must have dtype"):
        kernel(21, np.zeros(21, np.dtype([("pos", "f4", 3), ("id", "i4")])))
    norms = trv.compile(TEXT, function="norms", brush=(8,))
    with pytest.raises(ValueError, match="has 20 elements, but the kernel needs 21"):
        norms(21, np.zeros(20, [("x", "f8"), ("y", "f8")]), np.zeros(21))


@pytest.mark.parametrize("name", ["norms", "paint"])
def test_kernels_are_verified_on_random_structs(name: str) -> None:
    found = verify_kernel(compile_function(function(name), PLAN, TARGET), ())
    assert found.difference is None and found.elements > 200


def test_a_wrong_member_is_found() -> None:
    wrong = parse_c("wrong.c", text=TEXT.replace("b[i].color.g = b[i].id", "b[i].color.r = b[i].id")).function("paint")
    kernels = [compile_function(f, PLAN, TARGET) for f in (function("paint"), wrong)]
    interface = interface_of(function("paint"))
    both = [native_function(interface.signature, k.module.jit().address(k.name)) for k in kernels]
    found = verify(Comparer(interface.signature, interface.reaches, both[0], both[1]), [{"n": 20}])
    assert found.difference is not None and found.difference.where.startswith("color.")


def test_structs_with_pointers_are_not_verified() -> None:
    kernel = compile_function(function("values"), PLAN, TARGET)
    with pytest.raises(Refused, match="hold pointers"):
        verify_kernel(kernel, ())


def test_columns_of_plain_arrays_are_themselves() -> None:
    plain = np.arange(3)
    assert columns(plain) == [("", plain)]


def test_headers_declare_structs_without_members(tmp_path: Path) -> None:
    for name, source in (("norms", "c"), ("paint", "c"), ("norms", "cpp")):
        (tmp_path / "k.h").write_text(header_text(function(name), "avx2"))
        (tmp_path / f"k.{source}").write_text('#include "k.h"\n' + (TEXT if source == "c" and name == "norms" else ""))
        subprocess.run(["gcc", "-Wall", "-Werror", "-Wno-unused", "-c", f"k.{source}"], cwd=tmp_path, check=True)
