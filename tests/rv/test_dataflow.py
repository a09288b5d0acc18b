"""Dataflow graphs: what tokens compute is what the scalar interpreter computes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rv.analysis.verify import verify
from rv.dataflow.convert import dataflow
from rv.dataflow.graph import DataflowGraph, Init, Operation, Pick, Switch
from rv.dataflow.simulate import simulate
from rv.internal_error import InternalError
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.semantics.arguments import Argument, Result
from rv.semantics.memory import Memory
from rv.semantics.scalar import Exhausted
from rv.transform.prepare import prepare
from tensorrv.cli.gen import main
from tests.rv.outcome import Execute, interpreted, outcome
from tests.rv.programs import random_function
from tests.rv_divergence.graphs import random_reducible
from tests.rv_linear.unstructured import random_code

SUM = """define i64 @sum(ptr %A, i64 %n, i64 %m) {
start:
  jump head
head:
  %i = phi i64 [0, start], [%next, latch]
  %s = phi i64 [0, start], [%t, latch]
  %c = icmp slt i64 %i, %n
  branch %c, body, done
body:
  %p = elemptr i64, %A [%i]
  %x = load i64, %p
  %q = icmp slt i64 %x, %m
  branch %q, add, latch
add:
  %more = add i64 %s, %x
  store i64 0, %p
  jump latch
latch:
  %t = phi i64 [%s, body], [%more, add]
  %next = add i64 %i, 1
  jump head
done:
  return i64 %s
}
"""


def tokens(graph: DataflowGraph, arguments: Sequence[Argument], memory: Memory) -> Result:
    return simulate(graph, arguments, memory, fuel=2_000_000)


def test_kinds_of_nodes() -> None:
    graph = dataflow(parse_function(SUM))
    count = {kind: sum(isinstance(node, kind) for node in graph.nodes) for kind in (Init, Pick, Switch, Operation)}
    assert count[Init] == 1 and count[Pick] > 4 and count[Switch] > 4
    (store,) = [node for node in graph.nodes if isinstance(node, Operation) and node.instruction.result is None]
    assert store.when is not None and store.after is not None and store.order is not None
    text = str(graph).splitlines()
    assert text[0] == "dataflow @sum(ptr %A, i64 %n, i64 %m)"
    assert any(line.startswith("  %x, %memory.1 = load i64, %p after %") for line in text)


def check(seed: int) -> bool:
    """Whether the program has a meaning that can be compared."""
    function = random_function(seed)
    expected = outcome(function, seed)
    if expected.undefined:
        return False
    for source in (function, prepare(function)):
        assert outcome(dataflow(source), seed, execute=tokens) == expected
    return True


def test_random_programs() -> None:
    assert sum(map(check, range(150))) > 50


@pytest.mark.long
def test_many_random_programs() -> None:
    assert sum(map(check, range(1000, 11000))) > 3000


def check_graph(seed: int) -> None:
    chosen = random.Random(seed)
    size = chosen.randint(3, 10)
    function = verify(random_code(random_reducible(chosen, size), chosen))
    graph = dataflow(function)
    for _ in range(3):
        arguments = [chosen.randint(0, 99), chosen.randint(0, 99)]
        expected = ran(interpreted, function, arguments, size)
        assert expected is None or ran(tokens, graph, arguments, size) == expected, seed


def ran(execute: Execute, given: Function | DataflowGraph, arguments: list[int], size: int) -> tuple[Result, bytearray] | None:
    """Result and memory; None for what does not end."""
    memory, cells = Memory(), bytearray(4 * size)
    try:
        return execute(given, [memory.map("M", cells), *arguments], memory), cells
    except Exhausted:
        return None


def test_random_control_flow() -> None:
    for seed in range(80):
        check_graph(seed)


@pytest.mark.long
def test_much_random_control_flow() -> None:
    for seed in range(1000, 6000):
        check_graph(seed)


def test_errors_in_graphs_are_found() -> None:
    graph = dataflow(parse_function(SUM))

    def wrong(number: int) -> DataflowGraph:
        node = graph.nodes[number]
        match node:
            case Init(first=first):
                changed = replace(node, first=1 - first)
            case Pick(inputs=(first, second)):
                changed = replace(node, inputs=(second, first))
            case Switch(results=(first, second)):
                changed = replace(node, results=(second, first))
            case _:
                return graph
        return replace(graph, nodes=(*graph.nodes[:number], changed, *graph.nodes[number + 1 :]))

    def result(found: DataflowGraph) -> object:
        memory, cells = Memory(), bytearray(b"".join(k.to_bytes(8, "little") for k in (5, 1, 7, 2, 9)))
        try:
            return tokens(found, [memory.map("A", cells), 5, 6], memory), bytes(cells)
        except InternalError as error:
            return str(error)

    expected = result(graph)
    changed = [wrong(number) for number in range(len(graph.nodes))]
    assert all(result(found) != expected for found in changed if found is not graph)


def test_command(tmp_path: Path) -> None:
    (tmp_path / "sum.pllvm").write_text(SUM)
    options = ["--brush", "none", "--target", "avx2", "--emit", "dataflow", "-o", str(tmp_path)]
    assert main([str(tmp_path / "sum.pllvm"), *options]) == 0
    assert (tmp_path / "sum.avx2.dataflow").read_text() == str(dataflow(prepare(parse_function(SUM))))
