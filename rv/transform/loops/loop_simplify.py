"""Loop-simplify form: every loop has one preheader, one latch and dedicated exits (thesis, section 2.4).

    entry:                                entry:
      branch %c, head, out                  branch %c, head.pre, out
    head:                                 head.pre:
      ...                           ->      jump head
      branch %d, body, out                head:
    body:                                   ...
      branch %e, head, next                 branch %d, body, head.exit
    next:                                 body:
      jump head                             branch %e, head.latch, next
                                          next:
                                            jump head.latch
                                          head.latch:
                                            jump head
                                          head.exit:
                                            jump out

A preheader is the only block that enters the loop and has no other successor; an exit is dedicated when the block outside
has predecessors in the loop only. Blocks are inserted where the form does not hold; nothing is moved.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.ir.function import Block, Function
from rv.ir.instructions import Jump, Phi
from rv.ir.rewrite import FreshNames, retarget
from rv.ir.values import Value


def simplify_loops(function: Function) -> Function:
    """The function with all its natural loops in loop-simplify form."""
    names = FreshNames.of(function)
    forest = find_loops(function)
    for header in [loop.header for loop in forest.innermost_first()]:
        for insert in (_one_preheader, _one_latch, _dedicated_exits):
            changed = insert(function, forest.loops[header], names)
            if changed is not function:
                function, forest = changed, find_loops(changed)
    return function


def _one_preheader(function: Function, loop: NaturalLoop, names: FreshNames) -> Function:
    if len(loop.entering) == 1 and function.block(loop.entering[0]).successors == (loop.header,):
        return function
    return gather_edges(function, loop.entering, loop.header, names.name(f"{loop.header}.pre"), names)


def _one_latch(function: Function, loop: NaturalLoop, names: FreshNames) -> Function:
    if len(loop.latches) == 1:
        return function
    label = names.name(f"{loop.header}.latch")
    return gather_edges(function, loop.latches, loop.header, label, names, after=loop.latches[-1])


def _dedicated_exits(function: Function, loop: NaturalLoop, names: FreshNames) -> Function:
    targets = dict.fromkeys(outside for _, outside in loop.exits)
    entered = {outside: flow_graph(function).predecessors[outside] for outside in targets}
    for outside in targets:
        exiting = [inside for inside, target in loop.exits if target == outside]
        if set(entered[outside]) != set(exiting):
            function = gather_edges(function, exiting, outside, names.name(f"{loop.header}.exit"), names)
    return function


def gather_edges(
    function: Function, sources: Iterable[str], target: str, label: str, names: FreshNames, after: str | None = None
) -> Function:
    """The function with a new block `label` through which all `sources` go to `target`, before it or after block `after`.

    Phis of the target are split: the new block chooses among the sources' values where they differ.
    """
    moved = frozenset(sources)
    phis: list[Phi] = []

    def split(phi: Phi) -> Phi:
        taken = tuple(edge for edge in phi.incoming if edge[0] in moved)
        kept = tuple(edge for edge in phi.incoming if edge[0] not in moved)
        value: Value = taken[0][1]
        if any(other != value for _, other in taken):
            value = names.variable(phi.result.name, phi.result.type)
            phis.append(replace(phi, result=value, incoming=taken))
        return replace(phi, incoming=(*kept, (label, value)))

    blocks: list[Block] = []
    for block in function.blocks:
        if block.label in moved:
            block = replace(block, terminator=retarget(block.terminator, target, label))
        if block.label == target:
            block = replace(block, phis=tuple(split(phi) for phi in block.phis))
        blocks.append(block)
    place = next(i for i, b in enumerate(blocks) if b.label == (after or target)) + (after is not None)
    inserted = Block(label, tuple(phis), (), Jump(target, function.block(target).span))
    return replace(function, blocks=(*blocks[:place], inserted, *blocks[place:]))


