"""What entries of functions need: data, variables of the program, structs as C passes them, calls through pointers."""

from __future__ import annotations

import pytest

from rv.emit.llvm import module_text
from rv.semantics.memory import Memory
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target
from rv.vector.interpreter import run
from rv.vector.parser import parse_module
from rv.vector.printer import print_module
from rv.vector.verify import IllFormed, verify
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.entry import linkage_of

MODULE = r"""module arrays()
data @f.text "a\u00ff\""
external @count

define i32 @f(i64 %n, [2 x i64] %pair, ptr copied 24 align 8 %struct, ptr %g) {
  %place: ptr = stack i64 x 2 align 16
entry:
  %second: i64 = member %pair 1
  store %second, %place in "place" align 8
  %from: ptr = address @f.text, %n of i8
  %byte: i8 = load %from in "text" align 1
  call at %g void (%place, @count)
  %wide: i32 = zext %byte
  return %wide
}

define i32 @sign(i64 %n) {
entry:
  %from: ptr = address @f.text, %n of i8
  %byte: i8 = load %from in "text" align 1
  %wide: i32 = sext %byte
  return %wide
}

define i32 @through(i64 %n) {
entry:
  %found: i32 = call at @sign i32 (%n)
  return %found
}
"""


def test_text_form() -> None:
    module = verify(parse_module(MODULE))
    assert print_module(module) == MODULE


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_llvm_takes_it(target: str) -> None:
    resolved = resolve_target(target)
    assert "f.text" in CompiledModule(module_text(parse_module(MODULE), resolved), resolved).ir


def test_interpreter_reads_data_and_calls_through_pointers() -> None:
    assert [run(parse_module(MODULE), "through", [n], Memory()) for n in range(3)] == [ord("a"), 0xFFFFFFFF, ord('"')]


def test_symbols_are_in_the_module() -> None:
    with pytest.raises(IllFormed, match="rule 10: .*uses @f.text"):
        verify(parse_module(MODULE.replace('data @f.text "a\\u00ff\\""\n', "")))


STRUCTS = """
struct pair { double x, y; }; struct triple { long a; double b; int c; }; struct words { int i, j; float f; };
double f(struct pair p, struct triple t, struct words w, int n) { return p.x + t.b * w.j + w.f * n + p.y; }
"""


@pytest.mark.parametrize(("target", "architecture"), [("avx2", "x86_64"), ("neon", "aarch64")])
def test_structs_arrive_as_the_platform_passes_them(target: str, architecture: str) -> None:
    (function,) = parse_c("f.c", text=STRUCTS).functions
    (entry,) = linkage_of(function, "", resolve_target(target)).entry
    kinds = [str(p.register.type) + (f" copied {p.copied}" if p.copied else "") for p in entry.parameters]
    if architecture == "x86_64":
        assert kinds == ["double", "double", "ptr copied 24", "i64", "double", "i32"]
    else:
        assert kinds == ["[2 x double]", "ptr", "[2 x i64]", "i32"]
