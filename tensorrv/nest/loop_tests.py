"""Tests of brushed loops: a brush counts the trips, so a header may only test.

What a header does besides is behind the test where `rv.transform.bare_tests` could move it. The rest is refused: stores in a
header, which runs once more than the body, and results of the last test that are read behind the loop, but have no closed form.
"""

from __future__ import annotations

from rv.analysis.values.effects import may_write
from rv.evolution.facts import Loop, LoopFacts
from rv.ir.instructions import Instruction
from rv.ir.values import Var
from tensorrv.report.diagnostics import Diagnostic


def work_in_test(facts: LoopFacts, loop: Loop) -> Diagnostic | None:
    """Why the loop cannot be counted without its test; None when the test does nothing that would be missed."""
    header = facts.function.block(loop.header)
    store = next(filter(may_write, header.body), None)
    if store is not None:
        return _refusal(loop, store, f"the condition of the {loop.called} writes memory")
    computed = {i.result.name: i for i in header.body if i.result is not None}
    for phi in facts.function.block(loop.exit).phis:
        for label, value in phi.incoming:
            known = isinstance(value, Var) and (value.name in facts.congruences or value.name in facts.pointers)
            if label == loop.header and isinstance(value, Var) and value.name in computed and not known:
                what = f"the condition of the {loop.called} computes a value that is used after the loop"
                return _refusal(loop, computed[value.name], what)
    return None


def _refusal(loop: Loop, instruction: Instruction, message: str) -> Diagnostic:
    hint = f"move this from the condition of the loop over `{loop.name}` into its body"
    return Diagnostic("error", "TRV322", message, instruction.span or loop.span, "executed once more than the body", hint=hint)
