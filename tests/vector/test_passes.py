"""Passes over the vector IR: what they make of small functions, and that its meaning stays."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace

import pytest

from rv.semantics.memory import Memory
from rv.target.description import load
from rv.vector.dead_code import without_dead_code
from rv.vector.divider.offload import Divisions, divisions, offloaded
from rv.vector.divider.quotients import without_divider
from rv.vector.function import Module
from rv.vector.interpreter import run
from rv.vector.parser import parse_module
from rv.vector.printer import print_module
from rv.vector.verify import IllFormed, verify

BEFORE = """module arrays()

define i64 @f(i64 %n, ptr %a) {
  %unread: ptr = stack i64 x 1 align 8
start.0:
  jump head.0
head.0:
  %i: i64 = phi [i64 0, start.0], [%next, head.0]
  %lost: i64 = phi [i64 1, start.0], [%more, head.0]
  %next: i64 = add %i, i64 1
  %more: i64 = mul %lost, i64 3
  %there: i64 = load %a in "a" align 8
  %kept: i64 = call effect i64 @counted(%next)
  %again: i1 = icmp ult %next, %n
  branch %again, head.0, end.0
end.0:
  store %n, %a in "a" align 8
  return %i
}
"""

AFTER = """module arrays()

define i64 @f(i64 %n, ptr %a) {
start.0:
  jump head.0
head.0:
  %i: i64 = phi [i64 0, start.0], [%next, head.0]
  %next: i64 = add %i, i64 1
  %kept: i64 = call effect i64 @counted(%next)
  %again: i1 = icmp ult %next, %n
  branch %again, head.0, end.0
end.0:
  store %n, %a in "a" align 8
  return %i
}
"""


def test_dead_code() -> None:
    module = verify(parse_module(BEFORE))
    assert print_module(verify(without_dead_code(module))) == AFTER
    assert without_dead_code(parse_module(AFTER)) == parse_module(AFTER)


DIVISIONS = """module arrays()

define void @f(ptr %a, ptr %b) {
start.0:
  %x: <8 x double> = load %a in "a" align 8
  %d: <8 x double> = load %b in "b" align 8
  %pair: { <8 x double>, <8 x double> } = roots (%d, <8 x i1> 1)
  %root: <8 x double> = member %pair 0
  %half: <8 x double> = member %pair 1
  %both: { <8 x double>, <8 x double> } = quotients (%half, %x, %root, <8 x i1> 1), (%d, %x, <8 x i1> <1, 1, 1, 1, 1, 1, 0, 1>)
  %first: <8 x double> = member %both 0
  %second: <8 x double> = member %both 1
  %sum: <8 x double> = fadd %first, %second
  store %sum, %a in "a" align 8
  return
}
"""


def stored(module: Module, x: list[float], d: list[float]) -> list[float]:
    memory = Memory()
    given, divisors = array("d", x), array("d", d)
    pointers = [memory.map(name, memoryview(values).cast("B")) for name, values in (("a", given), ("b", divisors))]
    run(module, "f", pointers, memory)
    return list(given)


X = [1.0, -3.5, 0.1, 1e-300, 7.0, math.pi, 2.0, 1e300]
D = [3.0, 2.0, 0.7, 1e10, 5e-5, 1e-200, 9.0, 10.0]


def test_quotients_are_expanded() -> None:
    module = verify(parse_module(DIVISIONS))
    assert print_module(module) == DIVISIONS
    expanded = verify(without_divider(module))
    assert [function.name for function in expanded.functions] == ["f", "rv.root.f64.1", "rv.quotient.f64.rd"]
    expected = [x / math.sqrt(d) + d / x for x, d in zip(X, D, strict=True)]
    assert stored(module, X, D) == stored(expanded, X, D) == expected
    assert without_divider(expanded) is expanded


GROUPS = "(%x, %d, <8 x i1> 1), (%d, %x, <8 x i1> 1), (%x, %e, <8 x i1> 1)"
FOUR = f"""module arrays()

define void @f(ptr %a, ptr %b) {{
start.0:
  %x: <8 x double> = load %a in "a" align 8
  %d: <8 x double> = load %b in "b" align 8
  %e: <8 x double> = fadd %d, %d
  %all: {{ {", ".join(["<8 x double>"] * 4)} }} = quotients {GROUPS}, (%e, %x, <8 x i1> 1)
  %0: <8 x double> = member %all 0
  %1: <8 x double> = member %all 1
  %2: <8 x double> = member %all 2
  %3: <8 x double> = member %all 3
  %4: <8 x double> = fsub %0, %1
  %5: <8 x double> = fsub %2, %3
  %6: <8 x double> = fsub %4, %5
  store %6, %a in "a" align 8
  return
}}
"""


@pytest.mark.parametrize(
    ("text", "kept", "left", "counts"),
    [
        (DIVISIONS, "quotients (%half, %x, %root, <8 x i1> 1)", "%second: <8 x double> = fdiv %d, %x", Divisions(2, 3)),
        (FOUR, f"quotients {GROUPS}", "%3: <8 x double> = fdiv %e, %x", Divisions(3, 4)),
    ],
    ids=["root", "quotients"],
)
def test_some_divisions_are_left_to_the_divider(text: str, kept: str, left: str, counts: Divisions) -> None:
    module, skylake = verify(parse_module(text)), load("skylake_x")
    chosen = verify(offloaded(module, skylake, 512))
    lines = print_module(chosen).splitlines()
    assert any(line.endswith(f"= {kept}") for line in lines) and any(line.strip() == left for line in lines)
    assert divisions(chosen) == {None: counts}
    none = verify(offloaded(module, replace(skylake, window=8), 512))
    assert divisions(none) == {None: Divisions(0, counts.all)}
    expected, *others = (list(map(float.hex, stored(one, X, D))) for one in (module, chosen, none))
    assert others == [expected, expected]


@pytest.mark.parametrize("line", ["roots (%d, i1 1)", "quotients (%x, <8 x i1> 1)", "quotients (%x, %x, <4 x i1> 1)"])
def test_groups_have_one_type(line: str) -> None:
    kind = "{ <8 x double>, <8 x double> }" if "roots" in line else "{ <8 x double> }"
    head, _, _ = DIVISIONS.partition("  %pair")
    with pytest.raises(IllFormed, match="rule 6"):
        verify(parse_module(f"{head}  %pair: {kind} = {line}\n  return\n}}\n"))
