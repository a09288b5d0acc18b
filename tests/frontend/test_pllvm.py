"""P-LLVM text as a kernel: units that are written come back, and what does not fit is refused with its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from rv.ir.function import Function
from tensorrv.cli.gen import main
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.pllvm.module import parse_pllvm
from tensorrv.frontend.shipped import find_kernel, shipped_kernels
from tensorrv.report.diagnostics import Refused
from tensorrv.unit.elements import Number
from tensorrv.unit.text import unit_text
from tensorrv.unit.unit import Unit

DOUBLED = """\
define void @doubled(i32 %n, ptr restrict %A) {
entry:
  jump for.i
for.i:
  %i = phi i32 [0, entry], [%i.1, for.i.latch]
  %t.1 = icmp slt i32 %i, %n
  branch %t.1, for.i.latch, return
for.i.latch:
  %x = sext i32 %i to i64
  %p = elemptr float, %A [%x]
  %a = load float, %p
  %s = fadd float %a, %a
  store float %s, %p
  %i.1 = add nsw i32 %i, 1
  jump for.i
return:
  return void
}
"""
TWO_ENTRIES = """\
define void @f(i1 %c) {
entry:
  branch %c, a, b
a:
  branch %c, b, return
b:
  branch %c, a, return
return:
  return void
}
"""


def interface(unit: Unit) -> list[tuple[object, ...]]:
    """What of a unit's interface has a text."""
    numbers = [p for p in unit.parameters if isinstance(p.element, Number)]
    return [
        (p.name, p.rank, p.extents, p.const, p.restrict, p.element.type, p.element.signed, p.element.c_type == "_Bool")
        for p in numbers
    ]


@pytest.mark.parametrize("name", shipped_kernels())
def test_units_are_read_back(name: str) -> None:
    for unit in parse_c(find_kernel(name)).functions:
        if unit.symbols or unit.records or not all(isinstance(p.element, Number) for p in unit.parameters):
            continue
        (again,) = parse_pllvm("t.pllvm", text=unit_text(unit)).functions
        assert again.function == unit.function and hints(again.function) == hints(unit.function)
        assert interface(again) == interface(unit)
        assert (again.typed_memory, again.result and again.result.signed) == (True, unit.result and unit.result.signed)


def hints(function: Function) -> list[object]:
    return [block.hints for block in function.blocks]


def test_the_command_reads_what_it_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jacobi5", "--brush", "4x8", "--emit", "pllvm", "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    command = [str(tmp_path / "jacobi5.native.pll"), "--brush", "4x8", "--verify", "--emit", "header", "-o", str(tmp_path)]
    assert main([*command, "--size", "rows=9,cols=20"]) == 0
    assert "bit-identical to the scalar code\n" in capsys.readouterr().out
    header = (tmp_path / "jacobi5.native.h").read_text()
    assert "void jacobi5(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols]);" in header


def test_what_is_not_declared_is_found_in_the_code() -> None:
    kernel = trv.compile(DOUBLED, brush=8)
    numbers = np.arange(20, dtype=np.float32)
    kernel(20, numbers)
    assert numbers.tolist() == [2.0 * k for k in range(20)]
    with pytest.raises(ValueError, match=r"'A' of doubled\(\) has 20 elements, but the kernel needs 21 \(line 11\)"):
        kernel(21, numbers)


def test_memory_of_any_type_is_read_as_any_other_unless_it_is_typed() -> None:
    assert not parse_pllvm("t.pllvm", text=DOUBLED).functions[0].typed_memory
    text = f"interface @doubled {{ memory: typed }}\n{DOUBLED}"
    assert parse_pllvm("t.pllvm", text=text).functions[0].typed_memory


def declared(lines: str) -> str:
    return f"interface @doubled {{\n{lines}\n}}\n{DOUBLED}"


@pytest.mark.parametrize(
    ("text", "code", "place", "message"),
    [
        (DOUBLED.replace("%a, %a", "%a, %b"), "TRV050", "12:3", "%b is not defined"),
        (DOUBLED.replace("fadd float", "fadd flat"), "TRV050", "12:13", "expected a type, found 'flat'"),
        (DOUBLED + DOUBLED, "TRV050", "19:1", "@doubled is defined twice"),
        (TWO_ENTRIES, "TRV051", "1:1", "@f has a cycle that can be entered at b and a"),
        (declared("%m: signed"), "TRV052", "2:1", "@doubled has no parameter %m"),
        (declared("%A: float[%m]"), "TRV052", "2:1", "%m is not an integer parameter"),
        (declared("%A: float[%n][]"), "TRV052", "2:1", "an inner length of %A is left out"),
        (declared("%A: float[%n"), "TRV052", "2:1", "not a line of an interface"),
        (declared("%A: flat[]"), "TRV052", "2:1", "no type 'flat'"),
        (declared("%n: i32[%n]"), "TRV052", "2:1", "%n is a i32, not an array"),
        (declared("%n: bool"), "TRV052", "2:1", "a bool is an i8"),
        (declared("result: signed"), "TRV052", "2:1", "@doubled has no result"),
        (declared("%A: float[]").replace("interface @doubled", "interface @other"), "TRV052", "1:1", "no function @other"),
        (DOUBLED.replace("store float %s", "store i32 %n"), "TRV053", "1:1", "%A are accessed as float and i32"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, code: str, place: str, message: str) -> None:
    with pytest.raises(Refused) as refusal:
        parse_pllvm("t.pllvm", text=text)
    (found,) = refusal.value.diagnostics
    assert (found.code, str(found.span)) == (code, f"t.pllvm:{place}") and message in found.message
    assert refusal.value.sources["t.pllvm"] == text
