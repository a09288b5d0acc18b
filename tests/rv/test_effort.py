"""How much work passes do on long functions, counted: it must grow with the length of the function, not with its square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import rv
import rv.transform.loops.lcssa
import rv.transform.loops.loop_simplify
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import find_loops
from rv.analysis.divergence.control_divergence import control_divergence
from rv.analysis.divergence.divergence_analysis import divergence
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.printer import print_function
from rv.transform.linearize.divergent_loops import uniform_loops
from rv.transform.linearize.partial import linearize
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from rv.transform.scalar.select import convert_branches
from rv.transform.simplify import simplify
from tensorrv.frontend.c.module import parse_c
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
    calls = count(rv.transform.loops.loop_simplify, "find_loops")
    assert_loop_simplify_form(simplify_loops(row_of_loops(loops)))
    assert calls[0] == 1


def test_closing_loops_visits_only_what_reads_their_values(count: Callable[[Any, str], list[int]]) -> None:
    calls = count(rv.transform.loops.lcssa, "map_operands")
    graphs = count(rv.transform.loops.lcssa, "dominator_tree")
    close_loops(row_of_loops(10))
    few = calls[0]
    close_loops(row_of_loops(80))
    assert calls[0] - few <= 8 * few and graphs[0] == 2


def function_calls(work: Callable[[], object]) -> int:
    """How many Python functions are called: the same on every machine."""
    calls = 0

    def count_call(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def ladder(count: int) -> Function:
    """Tests in a row, each of which jumps over the next block: && and || make such graphs."""

    def block(k: int) -> str:
        edges = ", ".join(f"[%t{b}, b{b}]" for b in (k - 2, k - 1) if b >= 0)
        sum_ = f"  %s{k} = phi i64 {edges}\n" if edges else "  %s0 = add i64 %a, 1\n"
        if k == count:
            return f"b{k}:\n{sum_}  return i64 %s{k}\n"
        test = f"  %t{k} = mul i64 %s{k}, {k + 3}\n  %c{k} = icmp sgt i64 %t{k}, {k}\n"
        return f"b{k}:\n{sum_}{test}  " + (f"branch %c{k}, b{k + 2}, b{k + 1}\n" if k + 2 <= count else f"jump b{count}\n")

    return parse_function(f"define i64 @f(i64 %a) {{\n{''.join(map(block, range(count + 1)))}}}\n")


def diamonds(count: int) -> Function:
    """Branches one after the other; every block stores, so that none of them can become a select."""
    blocks = [
        f"b{k}:\n  %x{k} = mul i64 %a, {k + 3}\n  %c{k} = icmp sgt i64 %x{k}, 1\n  branch %c{k}, t{k}, e{k}\n"
        f"t{k}:\n  store i64 %x{k}, %p\n  jump b{k + 1}\ne{k}:\n  store i64 %a, %p\n  jump b{k + 1}\n"
        for k in range(count)
    ]
    return parse_function(f"define void @f(i64 %a, ptr %p) {{\n{''.join(blocks)}b{count}:\n  return void\n}}\n")


def nested(count: int) -> Function:
    """Branches inside each other; every block stores."""
    blocks = [
        f"b{k}:\n  %x{k} = mul i64 %a, {k + 3}\n  store i64 %x{k}, %p\n  %c{k} = icmp sgt i64 %x{k}, 1\n"
        f"  branch %c{k}, b{k + 1}, e{k}\n"
        f"e{k}:\n  %y{k} = phi i64 [%a, b{k}], [{f'%y{k + 1}, e{k + 1}' if k + 1 < count else f'%a, b{count}'}]\n"
        f"  store i64 %y{k}, %p\n  {f'jump e{k - 1}' if k else 'return void'}\n"
        for k in range(count)
    ]
    return parse_function(f"define void @f(i64 %a, ptr %p) {{\n{''.join(blocks)}b{count}:\n  jump e{count - 1}\n}}\n")


def stores(count: int) -> Function:
    """Elements of one array written one after the other, each a function of the one before."""
    lines = [
        f"  %p{k} = elemptr i64, %A [{k}]\n  %x{k} = load i64, %p{k}\n  %y{k} = add i64 %x{k}, %a\n"
        f"  %q{k} = elemptr i64, %A [{k + 1}]\n  store i64 %y{k}, %q{k}\n"
        for k in range(count)
    ]
    return parse_function(f"define void @f(i64 %a, ptr %A) {{\nb:\n{''.join(lines)}  return void\n}}\n")


def made_uniform(function: Function) -> Function:
    """The function after all its loops were made uniform, with the work of finding out that all are uniform now."""
    simple = close_loops(simplify_loops(function))
    headers = frozenset(find_loops(simple).loops)
    made = uniform_loops(simple, headers, headers)
    assert not divergence(made.function, ["n"]).divergent_loops
    return made.function


GROWTH: dict[str, tuple[Callable[[int], Function], Callable[[Function], object]]] = {
    "tests in a row become one": (ladder, convert_branches),
    "branches in a row stay": (diamonds, convert_branches),
    "effects of branches": (diamonds, control_divergence),
    "linearization": (diamonds, lambda f: linearize(f, frozenset(b.label for b in f.blocks))),
    "effects of nested branches": (nested, control_divergence),
    "linearization of nested branches": (nested, lambda f: linearize(f, frozenset(b.label for b in f.blocks))),
    "loops in a row that threads leave apart": (row_of_loops, made_uniform),
    "divergence through loops in a row": (row_of_loops, lambda f: divergence(f, ["n"])),
    "stores of elements": (stores, simplify),
}


@pytest.mark.parametrize(("make", "work"), GROWTH.values(), ids=GROWTH.keys())
def test_work_grows_with_the_length_of_the_function(
    make: Callable[[int], Function], work: Callable[[Function], object]
) -> None:
    few, many = make(30), make(120)
    assert function_calls(lambda: work(many)) < 4 * 1.5 * function_calls(lambda: work(few))


def test_facts_about_a_graph_are_those_of_its_edges() -> None:
    function = ladder(20)
    renamed = parse_function(print_function(function).replace("%t", "%u"))
    assert flow_graph(renamed) is flow_graph(function) and find_loops(renamed) is find_loops(function)
    assert flow_graph(ladder(21)) is not flow_graph(function)


def test_a_kernel_of_two_hundred_blocks_is_compiled_in_a_second_or_two() -> None:
    arms = "\n".join(
        f"if (x > {k}.0) {{ s = s * {k}.5 + 1; B[i] = s; }} else {{ s = s - x; x = x / 1.5; }}" for k in range(70)
    )
    loop = f"for (int i = 0; i < n; ++i) {{ double x = A[i], s = 0; {arms} }}"
    text = f"void f(int n, const double *restrict A, double *restrict B) {{ {loop} }}"
    function = parse_c("long.c", text=text).function("f").function
    assert len(function.blocks) > 200
    assert function_calls(lambda: rv.vectorize_loop(function, "i", width=8)) < 3_000_000  # a million takes about half a second
