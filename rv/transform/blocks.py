"""Fewer blocks: constant branches become jumps, unreached blocks go, straight lines become one block, empty blocks are passed by.

    a:                                    a:
      %x = add i32 %n, 1                    %x = add i32 %n, 1
      branch 1, b, c                        %y = add i32 %x, 1
    b:                            ->        return i32 %y
      jump d
    c:
      jump d
    d:
      %y = add i32 %x, 1
      return i32 %y

Loops keep their form: headers, preheaders and latches are not merged or passed by, nor are blocks that loops leave to. A
header keeps its pragmas; they are dropped with the loop.
"""

from __future__ import annotations

from dataclasses import replace

from rv.analysis.flow import FlowGraph, flow_graph, reverse_postorder
from rv.analysis.loops import LoopForest, find_loops
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Jump
from rv.ir.rewrite import rename_predecessor, retarget, without_predecessors
from rv.ir.values import TRUE, Const, Value


def simplify_blocks(function: Function) -> Function:
    """The function with as few blocks as the rules above allow."""
    function = remove_unreached(_decide_branches(function))
    return _merge_lines(_bypass_empty(function))


def _decide_branches(function: Function) -> Function:
    """Branches on constants, or with one target, become jumps."""
    blocks = {block.label: block for block in function.blocks}
    for block in function.blocks:
        match block.terminator:
            case Branch(condition=Const() as condition, then=then, otherwise=otherwise, span=span) if then != otherwise:
                kept, dropped = (then, otherwise) if condition == TRUE else (otherwise, then)
                blocks[block.label] = replace(blocks[block.label], terminator=Jump(kept, span))
                blocks[dropped] = without_predecessors(blocks[dropped], [block.label])
            case Branch(then=then, otherwise=otherwise, span=span) if then == otherwise:
                blocks[block.label] = replace(blocks[block.label], terminator=Jump(then, span))
    return replace(function, blocks=tuple(blocks.values()))


def remove_unreached(function: Function) -> Function:
    """The function without the blocks that the entry does not reach; pragmas on blocks that head no loop any more are dropped."""
    reached = frozenset(reverse_postorder(flow_graph(function)))
    gone = [block.label for block in function.blocks if block.label not in reached]
    if gone:
        kept = (without_predecessors(block, gone) for block in function.blocks if block.label in reached)
        function = replace(function, blocks=tuple(kept))
    headers = find_loops(function).loops
    if all(not block.pragmas or block.label in headers for block in function.blocks):
        return function
    return replace(
        function,
        blocks=tuple(b if b.label in headers else replace(b, pragmas=()) for b in function.blocks),
    )


def kept_blocks(graph: FlowGraph, forest: LoopForest) -> set[str]:
    """Headers, preheaders, latches, and the blocks outside a loop that it leaves to."""
    kept: set[str] = set()
    for loop in forest.loops.values():
        kept.add(loop.header)
        kept.update(loop.latches)
        kept.update(label for label in loop.entering if graph.successors[label] == (loop.header,))
        kept.update(outside for _, outside in loop.exits)
    return kept


def _bypass_empty(function: Function) -> Function:
    """Predecessors of an empty block that only jumps go to its target directly, where phis allow it."""
    graph = flow_graph(function)
    kept = kept_blocks(graph, find_loops(function)) | {function.entry.label}
    for block in function.blocks:
        empty = not block.phis and not block.body and block.predicate == TRUE
        if block.label not in kept and empty and isinstance(block.terminator, Jump):
            function = _bypass(function, block.label)
    return function


def _bypass(function: Function, label: str) -> Function:
    """Passes by one empty block unless a phi of its target would need two values from one predecessor."""
    graph = flow_graph(function)
    (target,) = graph.successors[label]
    before = graph.predecessors[label]
    after = graph.predecessors[target]
    if target == label or (function.block(target).phis and any(p in after for p in before)):
        return function
    blocks: list[Block] = []
    for block in function.blocks:
        if block.label in before:
            block = replace(block, terminator=retarget(block.terminator, label, target))
        if block.label == target:
            block = _spread_edge(block, label, before)
        if block.label != label:
            blocks.append(block)
    return replace(function, blocks=tuple(blocks))


def _spread_edge(block: Block, label: str, before: tuple[str, ...]) -> Block:
    """The block whose phis take from each of `before` what they took from `label`."""

    def spread(incoming: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
        return tuple((new, v) for old, v in incoming for new in (before if old == label else (old,)))

    return replace(block, phis=tuple(replace(phi, incoming=spread(phi.incoming)) for phi in block.phis))


def _merge_lines(function: Function) -> Function:
    """A block that jumps to a block without other predecessors takes it in; the latter has no phis after value numbering."""
    graph = flow_graph(function)
    kept = kept_blocks(graph, find_loops(function))
    blocks = {block.label: block for block in function.blocks}
    for label in list(blocks):
        while label in blocks and isinstance(jump := blocks[label].terminator, Jump):
            target = jump.target
            if graph.predecessors[target] != (label,) or {label, target} & kept or target == label or blocks[target].phis:
                break
            if blocks[target].predicate != TRUE or blocks[label].predicate != TRUE:
                break
            merged = blocks.pop(target)
            blocks[label] = replace(
                blocks[label], body=(*blocks[label].body, *merged.body), terminator=merged.terminator
            )
            for successor in merged.successors:
                blocks[successor] = rename_predecessor(blocks[successor], target, label)
            graph = flow_graph(replace(function, blocks=tuple(blocks.values())))
    return replace(function, blocks=tuple(blocks.values()))
