"""What a loop hands from one iteration to the next in variables, where that keeps lanes from taking iterations together.

Nothing does where all phis of the header are inductions, reductions or parts of selections. Integer folds are
associative with wrap-around, minima and maxima of integers too, so lanes change no bit, and a selection
(`rv.evolution.selections`) gives what the scalar order gives. Floating sums and products round differently in another order, and
minima that a NaN replaces depend on where it is: they need `fp="fast"`. Those of the C library's fmin and fmax become selections
where their order decides between zeros (`rv.evolution.libm_extrema`); mixed with comparisons they depend on whether they start
from a NaN, so these are in the way as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rv.evolution.facts import ROUNDS, Loop, LoopFacts, Reduction
from rv.ir.instructions import Phi
from rv.ir.types import FloatMode


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
