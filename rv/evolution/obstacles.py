"""What keeps lanes from taking iterations of a loop together, apart from memory: work in its test, and what it carries.

A header runs once more than the body, but where trips are counted it does not run at all: it may only test.

From one iteration to the next a loop may hand inductions, reductions and parts of selections. Integer folds are associative with
wrap-around, minima and maxima of integers too, so lanes change no bit, and a selection (`rv.evolution.selections`) gives what the
scalar order gives. Floating sums and products round differently in another order, and minima that a NaN replaces depend on where
it is: they need `fp="fast"`. Those of the C library's fmin and fmax become selections where their order decides between zeros
(`rv.evolution.libm_extrema`); mixed with comparisons they depend on whether they start from a NaN, so these are in the way too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rv.analysis.values.effects import may_write
from rv.evolution.facts import ROUNDS, Loop, LoopFacts, Reduction
from rv.ir.instructions import Instruction, Phi
from rv.ir.types import FloatMode
from rv.ir.values import Var


@dataclass(frozen=True, slots=True)
class WorkInTest:
    """An instruction of a header that would be missed: the condition of the loop `does` something."""

    instruction: Instruction
    does: str


def work_in_test(facts: LoopFacts, loop: Loop) -> WorkInTest | None:
    """Why the loop cannot be counted without its test; None when the test does nothing that would be missed."""
    header = facts.function.block(loop.header)
    store = next(filter(may_write, header.body), None)
    if store is not None:
        return WorkInTest(store, "writes memory")
    computed = {i.result.name: i for i in header.body if i.result is not None}
    for phi in facts.function.block(loop.exit).phis:
        for label, value in phi.incoming:
            known = isinstance(value, Var) and (value.name in facts.congruences or value.name in facts.pointers)
            if label == loop.header and isinstance(value, Var) and value.name in computed and not known:
                return WorkInTest(computed[value.name], "computes a value that is used after the loop")
    return None


@dataclass(frozen=True, slots=True)
class Carried:
    """A phi that is in the way: a reduction whose result depends on the order, or any other recurrence."""

    phi: Phi
    reduction: Reduction | None


def carried(facts: LoopFacts, loop: Loop, fp: FloatMode) -> Iterator[Carried]:
    """The phis that are in the way, in order."""
    folds = {r.phi.name: r for r in facts.reductions if r.header == loop.header}
    selected = {member.name for s in facts.selections if s.header == loop.header for member in s.members}
    for phi in facts.function.block(loop.header).phis:
        if _is_induction(facts, loop, phi) or phi.result.name in selected:
            continue
        fold = folds.get(phi.result.name)
        if fold is None or (fold.operation in ROUNDS and fp != "fast"):
            yield Carried(phi, fold)


def _is_induction(facts: LoopFacts, loop: Loop, phi: Phi) -> bool:
    known = facts.pointers.get(phi.result.name)
    if known is not None:
        return known.base.name not in facts.defined_in or facts.defined_in[known.base.name] not in loop.blocks
    return phi.result.name in facts.congruences
