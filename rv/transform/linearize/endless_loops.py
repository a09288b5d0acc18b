"""A way out of loops that have none, which no thread takes: then every block reaches a return.

    head:                                 head:
      store i32 %x, %A                      store i32 %x, %A
      jump head                   ->        jump head.latch
                                          head.latch:
                                            branch 0, head.never, head
                                          head.never:
                                            return undef

What a program does in which a thread comes to such a loop is as before: it does not end. But threads may come to it behind a
divergent branch, and others not; post-dominance and the form of loops (`rv.transform.loops.loop_simplify`) then speak of it like
of any other loop, and passive threads, which pass through it after linearization, leave it at once
(`rv.transform.linearize.guards`).
"""

from __future__ import annotations

from dataclasses import replace

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Return
from rv.ir.rewrite import FreshNames
from rv.ir.types import VOID
from rv.ir.values import FALSE, Undef
from rv.transform.loops.loop_simplify import gather_edges


def leave_endless_loops(function: Function) -> Function:
    """The function with an edge from every loop without exits to a return. Reducible control flow is assumed."""
    names = FreshNames.of(function)
    for loop in find_loops(function).loops.values():
        if not loop.exits:
            function = _with_exit(function, loop, names)
    return function


def _with_exit(function: Function, loop: NaturalLoop, names: FreshNames) -> Function:
    latch, never = names.name(f"{loop.header}.latch"), names.name(f"{loop.header}.never")
    function = gather_edges(function, loop.latches, loop.header, latch, names, after=loop.latches[-1])
    value = None if function.result == VOID else Undef(function.result)
    blocks: list[Block] = []
    for block in function.blocks:
        if block.label == latch:
            blocks.append(replace(block, terminator=Branch(FALSE, never, loop.header, block.terminator.span)))
        else:
            blocks.append(block)
    return replace(function, blocks=(*blocks, Block(never, (), (), Return(value))))
