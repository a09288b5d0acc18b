"""How much work passes do on long functions, counted: it must grow with the length of the function, not with its square."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rv.transform.lcssa
import rv.transform.loop_simplify
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.transform.lcssa import close_loops
from rv.transform.loop_simplify import simplify_loops
from tests.rv.forms import assert_loop_simplify_form


def row_of_loops(count: int) -> Function:
    """Loops one after the other; each adds to two sums and reads what the last one left."""
    parts = ["define i32 @f(i32 %n) {\nb0:\n  jump h0\n"]
    before, total = "0", "1"
    for k in range(count):
        parts.append(f"""
h{k}:
  %i{k} = phi i32 [{before}, b{k}], [%j{k}, l{k}]
  %s{k} = phi i32 [{total}, b{k}], [%t{k}, l{k}]
  %c{k} = icmp slt i32 %i{k}, %n
  branch %c{k}, l{k}, b{k + 1}
l{k}:
  %j{k} = add i32 %i{k}, 1
  %t{k} = add i32 %s{k}, %j{k}
  jump h{k}
b{k + 1}:
  %u{k} = mul i32 %i{k}, 3
  %v{k} = add i32 %u{k}, %s{k}
  {f"jump h{k + 1}" if k + 1 < count else f"return i32 %v{k}"}
""")
        before, total = f"%u{k}", f"%v{k}"
    return parse_function("".join(parts) + "}\n")


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], list[int]]:
    """Counts the calls that a module makes of a function it imported."""

    def watch(module: Any, name: str) -> list[int]:
        calls, true = [0], getattr(module, name)

        def counted(*given: Any, **named: Any) -> Any:
            calls[0] += 1
            return true(*given, **named)

        monkeypatch.setattr(module, name, counted)
        return calls

    return watch


@pytest.mark.parametrize("loops", [5, 60])
def test_loops_are_found_once_where_nothing_changes(count: Callable[[Any, str], list[int]], loops: int) -> None:
    calls = count(rv.transform.loop_simplify, "find_loops")
    assert_loop_simplify_form(simplify_loops(row_of_loops(loops)))
    assert calls[0] == 1


def test_closing_loops_visits_only_what_reads_their_values(count: Callable[[Any, str], list[int]]) -> None:
    calls = count(rv.transform.lcssa, "map_operands")
    graphs = count(rv.transform.lcssa, "dominator_tree")
    close_loops(row_of_loops(10))
    few = calls[0]
    close_loops(row_of_loops(80))
    assert calls[0] - few <= 8 * few and graphs[0] == 2
