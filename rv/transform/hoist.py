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

from dataclasses import replace

from rv.analysis.alias import NOWHERE, AliasAnalysis, Distinct, alias_analysis
from rv.analysis.dominance import DominatorTree, dominator_tree
from rv.analysis.effects import is_pure, is_speculatable, may_write
from rv.analysis.flow import flow_graph
from rv.analysis.loops import NaturalLoop, find_loops
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Load, Store, operands
from rv.ir.values import TRUE, Var


def hoist_invariants(function: Function, distinct: Distinct = NOWHERE) -> Function:
    """The function with invariant code in preheaders; `distinct`: where pointer parameters point to separate arrays."""
    dominators = dominator_tree(flow_graph(function))
    forest = find_loops(function)
    for loop in forest.innermost_first():
        aliases = alias_analysis(function, distinct.holds_in(forest, loop.header))
        function = _hoist_from(function, loop, dominators, aliases)
    return function


def _hoist_from(function: Function, loop: NaturalLoop, dominators: DominatorTree, aliases: AliasAnalysis) -> Function:
    blocks = {block.label: block for block in function.blocks}
    inside = [blocks[label] for label in dominators.order if label in loop.blocks]
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
        return function
    moved = {instruction.result for instruction in hoisted}
    (preheader,) = loop.entering

    def changed(block: Block) -> Block:
        if block.label == preheader:
            return replace(block, body=(*block.body, *hoisted))
        if block.label in loop.blocks:
            return replace(block, body=tuple(i for i in block.body if i.result is None or i.result not in moved))
        return block

    return replace(function, blocks=tuple(changed(block) for block in function.blocks))


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
        return not aliases.different_arrays(instruction.pointer, load.pointer)
    return may_write(instruction)


def _runs_whenever_entered(block: Block, loop: NaturalLoop, dominators: DominatorTree, inside: list[Block]) -> bool:
    """Whether every complete execution of the loop runs the block: it dominates all ways out, and nothing may end the program."""
    if block.predicate != TRUE:
        return False
    ways_out = {exiting for exiting, _ in loop.exits} or set(loop.latches)
    if not all(dominators.dominates(block.label, exiting) for exiting in ways_out):
        return False
    return not any(may_write(i) and not isinstance(i, Store) for other in inside for i in other.body)
