"""The forms that loop passes promise, checked from their definitions."""

from __future__ import annotations

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import find_loops
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Function
from rv.ir.instructions import operands
from rv.ir.values import Var


def assert_loop_simplify_form(function: Function) -> None:
    graph = flow_graph(function)
    for loop in find_loops(function).loops.values():
        assert len(loop.entering) == len(loop.latches) == 1, loop
        assert graph.successors[loop.entering[0]] == (loop.header,), loop
        for _, outside in loop.exits:
            assert set(graph.predecessors[outside]) <= loop.blocks, (loop, outside)


def assert_loop_closed(function: Function) -> None:
    defined = defining_blocks(function)
    for loop in find_loops(function).loops.values():
        for block in function.blocks:
            uses = [(label, value) for phi in block.phis for label, value in phi.incoming]
            uses += [(block.label, value) for s in (*block.body, block.terminator) for value in operands(s)]
            for label, value in uses:
                if isinstance(value, Var) and defined[value.name] in loop.blocks:
                    assert label in loop.blocks, (loop.header, block.label, value)
