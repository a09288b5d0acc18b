"""Loops that do nothing are left out: pieces in which no condition is true.

    for (i = k; i < n; ++i)          ->    (nothing)
      if (false) b[i] = a[i];
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import use_counts
from rv.evolution.facts import Loop
from rv.ir.function import Block, Function
from rv.ir.instructions import Load, Phi
from rv.ir.rewrite import rename_predecessor, retarget
from rv.ir.values import Var
from rv.transform.prepare import canonicalize
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Nests


def without_idle_loops(function: Function, headers: Iterable[str]) -> Function:
    """The function without those of these loops that have no effect: they end, and no result of theirs is used."""
    for header in headers:
        nests = analyze_nests(function)
        if header in nests.loops and _is_idle(nests, nests.loops[header]):
            function = canonicalize(_without(nests, nests.loops[header]))
    return function


def _is_idle(nests: Nests, loop: Loop) -> bool:
    inside = (other for other in nests.loops.values() if other.header in loop.blocks)
    if any(other.trip is None for other in inside):
        return False
    for _, instruction in nests.function.instructions_in(loop.blocks):
        if not isinstance(instruction, Load) and not is_speculatable(instruction):
            return False
    uses = use_counts(nests.function)
    return not any(_comes_from(nests, loop, phi) for phi in nests.function.block(loop.exit).phis if uses[phi.result.name])


def _comes_from(nests: Nests, loop: Loop, phi: Phi) -> bool:
    value = phi.value_from(loop.header)
    return isinstance(value, Var) and nests.defined_in[value.name] in loop.blocks


def _without(nests: Nests, loop: Loop) -> Function:
    """Control goes from the loop's preheader to its exit."""

    def changed(block: Block) -> Block:
        if block.label == loop.preheader:
            return replace(block, terminator=retarget(block.terminator, loop.header, loop.exit))
        if block.label == loop.exit:
            kept = tuple(phi for phi in block.phis if not _comes_from(nests, loop, phi))
            return rename_predecessor(replace(block, phis=kept), loop.header, loop.preheader)
        return block

    return replace(nests.function, blocks=tuple(changed(b) for b in nests.function.blocks if b.label not in loop.blocks))
