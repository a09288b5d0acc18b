"""Loop-invariant code motion: what computes the same in every iteration moves to the preheader.

    pre:                                  pre:
      jump head                             %w = sext i32 %n to i64
    head:                                   jump head
      %i = phi i64 [0, pre], ...    ->    head:
      branch %c, body, out                  %i = phi i64 [0, pre], ...
    body:                                   branch %c, body, out
      %w = sext i32 %n to i64             body:
      %p = elemptr f, %A [%i, 0] ...        %p = elemptr f, %A [%i, 0] ...

Needs loop-simplify form. Loops are visited from the inside out, so that code leaves as many loops as it can. Nothing is executed
that the source would not execute, unless that is harmless: integer division, calls and loads move only from blocks that run
whenever the loop is entered, and loads only when nothing in the loop may write what they read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph, order_numbers
from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.memory.alias import NOWHERE, AliasAnalysis, Distinct, alias_analysis
from rv.analysis.values.effects import is_pure, is_speculatable, may_write
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Load, Store, operands
from rv.ir.values import TRUE, Var


def hoist_invariants(function: Function, distinct: Distinct = NOWHERE) -> Function:
    """The function with invariant code in preheaders; `distinct`: where pointer parameters point to separate arrays."""
    graph = flow_graph(function)
    dominators, numbers = dominator_tree(graph), order_numbers(graph)
    forest = find_loops(function)
    blocks = {block.label: block for block in function.blocks}
    # what moves is still the same code for these
    aliases = {known: alias_analysis(function, known, distinct.types) for known in (False, True)}
    for loop in forest.innermost_first():
        inside = [blocks[label] for label in sorted(loop.blocks, key=numbers.__getitem__)]
        blocks |= _hoist_from(blocks, inside, loop, dominators, aliases[distinct.holds_in(forest, loop.header)])
    return replace(function, blocks=tuple(blocks.values()))


def _hoist_from(
    blocks: Mapping[str, Block], inside: list[Block], loop: NaturalLoop, dominators: DominatorTree, aliases: AliasAnalysis
) -> Mapping[str, Block]:
    """The blocks that change when code leaves the loop, which has the blocks `inside`."""
    variant = {s.result.name for block in inside for s in (*block.phis, *block.body) if s.result is not None}
    hoisted: list[Instruction] = []
    for block in inside:
        always = _runs_whenever_entered(block, loop, dominators, inside)
        for instruction in block.body:
            if _is_invariant(instruction, variant) and _may_move(instruction, always, inside, aliases):
                assert instruction.result is not None
                variant.discard(instruction.result.name)
                hoisted.append(instruction)
    if not hoisted:
        return {}
    moved = {instruction.result for instruction in hoisted}
    (preheader,) = loop.entering
    before = blocks[preheader]
    left = {b.label: replace(b, body=tuple(i for i in b.body if i.result is None or i.result not in moved)) for b in inside}
    return {**left, preheader: replace(before, body=(*before.body, *hoisted))}


def _is_invariant(instruction: Instruction, variant: set[str]) -> bool:
    if instruction.result is None:
        return False
    return not any(isinstance(value, Var) and value.name in variant for value in operands(instruction))


def _may_move(instruction: Instruction, always: bool, inside: list[Block], aliases: AliasAnalysis) -> bool:
    if is_speculatable(instruction):
        return True
    if not always:
        return False
    if isinstance(instruction, Load):
        return not any(_may_change(other, instruction, aliases) for block in inside for other in block.body)
    return is_pure(instruction)


def _may_change(instruction: Instruction, load: Load, aliases: AliasAnalysis) -> bool:
    """Whether the instruction may write the memory that an invariant load reads, in whatever iteration."""
    if isinstance(instruction, Store):
        return not aliases.unchanged_by(instruction, load)
    return may_write(instruction)


def _runs_whenever_entered(block: Block, loop: NaturalLoop, dominators: DominatorTree, inside: list[Block]) -> bool:
    """Whether every complete execution of the loop runs the block: it dominates all exits, and nothing may end the program."""
    if block.predicate != TRUE:
        return False
    ways_out = {exiting for exiting, _ in loop.exits} or set(loop.latches)
    if not all(dominators.dominates(block.label, exiting) for exiting in ways_out):
        return False
    return not any(may_write(i) and not isinstance(i, Store) for other in inside for i in other.body)
