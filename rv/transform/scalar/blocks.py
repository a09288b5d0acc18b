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

Loops keep their form: headers, preheaders and latches are not merged or passed by, nor are blocks that loops leave to. But a
header takes in a follower that only computes, so that a loop's test is in its header. A header keeps its hints; they are
dropped with the loop. Branches of loops stay in functions with operations across lanes: without an edge that is never taken a
block may be outside of its loop, where lanes of all iterations would execute it together.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from rv.analysis.cfg.flow import FlowGraph, flow_graph, reverse_postorder
from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.values.effects import is_speculatable
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS
from rv.ir.instructions import Branch, Horizontal, Jump
from rv.ir.rewrite import rename_predecessor, retarget, without_predecessors
from rv.ir.values import TRUE, Const, Value


def simplify_blocks(function: Function) -> Function:
    """The function with as few blocks as the rules above allow."""
    function = remove_unreached(_decide_branches(function))
    return _merge_lines(_bypass_empty(function))


def _decide_branches(function: Function) -> Function:
    """Branches on constants, or with one target, become jumps."""
    if not any(isinstance(b.terminator, Branch) and _is_decided(b.terminator) for b in function.blocks):
        return function
    blocks = {block.label: block for block in function.blocks}
    across = any(isinstance(instruction, Horizontal) and not instruction.total for _, instruction in function.instructions())
    kept_in = find_loops(function).innermost if across else {}
    for block in function.blocks:
        match block.terminator:
            case Branch(condition=Const(), then=then, otherwise=otherwise) if then != otherwise and block.label in kept_in:
                pass
            case Branch(condition=Const() as condition, then=then, otherwise=otherwise, span=span) if then != otherwise:
                kept, dropped = (then, otherwise) if condition == TRUE else (otherwise, then)
                blocks[block.label] = replace(blocks[block.label], terminator=Jump(kept, span))
                blocks[dropped] = without_predecessors(blocks[dropped], [block.label])
            case Branch(then=then, otherwise=otherwise, span=span) if then == otherwise:
                blocks[block.label] = replace(blocks[block.label], terminator=Jump(then, span))
    return replace(function, blocks=tuple(blocks.values()))


def _is_decided(branch: Branch) -> bool:
    return isinstance(branch.condition, Const) or branch.then == branch.otherwise


def remove_unreached(function: Function) -> Function:
    """The function without the blocks that the entry does not reach; hints on blocks that head no loop any more are dropped."""
    reached = frozenset(reverse_postorder(flow_graph(function)))
    gone = [block.label for block in function.blocks if block.label not in reached]
    if gone:
        kept = (without_predecessors(block, gone) for block in function.blocks if block.label in reached)
        function = replace(function, blocks=tuple(kept))
    headers = find_loops(function).loops
    if all(block.hints == NO_HINTS or block.label in headers for block in function.blocks):
        return function
    return replace(
        function,
        blocks=tuple(b if b.label in headers else replace(b, hints=NO_HINTS) for b in function.blocks),
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
    blocks = {block.label: block for block in function.blocks}
    predecessors = dict(graph.predecessors)
    for block in function.blocks:
        empty = not block.phis and not block.body and block.predicate == TRUE
        if block.label not in kept and empty and isinstance(blocks[block.label].terminator, Jump):
            _bypass(blocks, predecessors, block.label)
    return replace(function, blocks=tuple(blocks.values())) if len(blocks) < len(function.blocks) else function


def _bypass(blocks: dict[str, Block], predecessors: dict[str, tuple[str, ...]], label: str) -> None:
    """Passes by one empty block unless a phi of its target would need two values from one predecessor."""
    (target,) = blocks[label].successors
    before, after = predecessors[label], predecessors[target]
    if target == label or (blocks[target].phis and any(p in after for p in before)):
        return
    for source in before:
        blocks[source] = replace(blocks[source], terminator=retarget(blocks[source].terminator, label, target))
    blocks[target] = _spread_edge(blocks[target], label, before)
    predecessors[target] = tuple(dict.fromkeys(new for old in after for new in (before if old == label else (old,))))
    del blocks[label]


def _spread_edge(block: Block, label: str, before: tuple[str, ...]) -> Block:
    """The block whose phis take from each of `before` what they took from `label`."""

    def spread(incoming: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
        return tuple((new, v) for old, v in incoming for new in (before if old == label else (old,)))

    return replace(block, phis=tuple(replace(phi, incoming=spread(phi.incoming)) for phi in block.phis))


def _merge_lines(function: Function) -> Function:
    """Blocks take in the blocks that they alone jump to; these have no phis after value numbering."""
    graph, forest = flow_graph(function), find_loops(function)
    kept = kept_blocks(graph, forest)
    blocks = {block.label: block for block in function.blocks}
    predecessors = dict(graph.predecessors)
    for label in list(blocks):
        while label in blocks and take_in(blocks, predecessors, kept, forest, label):
            pass
    return replace(function, blocks=tuple(blocks.values()))


def take_in(
    blocks: dict[str, Block], predecessors: dict[str, tuple[str, ...]], kept: Collection[str], forest: LoopForest, label: str
) -> bool:
    """Appends to a block the one that it jumps to if nothing else goes there, neither is `kept`, and no phi is in the way.

    A header takes in what could as well be computed once more, as a test is.
    """
    head = blocks[label]
    if not isinstance(head.terminator, Jump) or predecessors[target := head.terminator.target] != (label,):
        return False
    follower = blocks[target]
    computes = label in forest.loops and all(map(is_speculatable, (*head.body, *follower.body)))
    if (label in kept and not computes) or target in kept or target == label or follower.phis:
        return False
    if follower.predicate != TRUE or head.predicate != TRUE:
        return False
    del blocks[target]
    blocks[label] = replace(head, body=(*head.body, *follower.body), terminator=follower.terminator)
    for successor in follower.successors:
        blocks[successor] = rename_predecessor(blocks[successor], target, label)
        predecessors[successor] = tuple(label if before == target else before for before in predecessors[successor])
    return True
