"""What headers do besides testing: they run once more than the body, but where trips are counted they do not run at all."""

from __future__ import annotations

from dataclasses import dataclass

from rv.analysis.values.effects import may_write
from rv.evolution.facts import Loop, LoopFacts
from rv.ir.instructions import Instruction
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
