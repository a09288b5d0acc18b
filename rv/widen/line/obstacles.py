"""Why a loop cannot take several iterations at once, in variables and in what it does."""

from __future__ import annotations

from collections.abc import Iterator

from rv.analysis.values.effects import is_pure_call
from rv.evolution.facts import Fold, Loop, LoopFacts
from rv.evolution.obstacles import carried, work_in_test
from rv.ir.instructions import BALLOT_LANES, Call, Horizontal
from rv.ir.types import FloatMode
from rv.ir.values import Value, Var


class CannotVectorize(ValueError):
    """A function or loop that cannot be vectorized; the message gives the reason."""


def obstacles(facts: LoopFacts, loop: Loop, lanes: int, fp: FloatMode, *, independent: bool) -> Iterator[str]:
    """The reasons, as far as they have nothing to do with memory."""
    if loop.trip is None:
        yield f"the trip count of the {loop.called} is not computable before the loop"
        return
    work = work_in_test(facts, loop)
    if work is not None:
        yield f"the condition of the {loop.called} {work.does}"
    for found in carried(facts, loop, fp):
        name = found.phi.result.name
        if found.reduction is None:
            yield f"%{name} carries a value from one iteration of the {loop.called} to the next"
        else:
            why = "whose result depends on the order: fp='fast' allows it"
            yield f"%{name} is a floating-point reduction over the {loop.called}, {why}"
    for phi in facts.function.block(loop.exit).phis:
        for _, value in phi.incoming:
            if not _is_left(facts, loop, value):
                yield f"%{phi.result.name} needs a value of the last iteration of the {loop.called}"
    for block, instruction in facts.function.instructions_in(loop.blocks):
        if isinstance(instruction, Call) and not is_pure_call(instruction):
            yield f"block {block.label} calls @{instruction.callee}, which may do anything"
        if isinstance(instruction, Horizontal) and not independent:
            yield f"block {block.label} has an operation across lanes: iterations have to be independent"
        if isinstance(instruction, Horizontal) and instruction.op == "ballot" and lanes > BALLOT_LANES:
            yield f"a ballot has {BALLOT_LANES} lanes at most, not {lanes}"


def _is_left(facts: LoopFacts, loop: Loop, value: Value) -> bool:
    """Whether what is read behind a loop is fixed in it, a closed form, or a reduction or selection."""
    if not isinstance(value, Var) or facts.defined_in.get(value.name) not in loop.blocks:
        return True
    folds: tuple[Fold, ...] = (*facts.reductions, *facts.selections)
    folded = any(value in fold.members for fold in folds if fold.header == loop.header)
    return folded or value.name in facts.congruences or value.name in facts.pointers
