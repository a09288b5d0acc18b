"""Tests of brushed loops: a brush counts the trips, so a header may only test.

What a header does besides is behind the test where `rv.transform.bare_tests` could move it. The rest is refused: stores in a
header, which runs once more than the body, and results of the last test that are read behind the loop, but have no closed form.
"""

from __future__ import annotations

from rv.evolution import loop_tests
from rv.evolution.facts import Loop, LoopFacts
from tensorrv.report.diagnostics import Diagnostic


def work_in_test(facts: LoopFacts, loop: Loop) -> Diagnostic | None:
    """Why the loop cannot be counted without its test; None when the test does nothing that would be missed."""
    found = loop_tests.work_in_test(facts, loop)
    if found is None:
        return None
    message = f"the condition of the {loop.called} {found.does}"
    hint = f"move this from the condition of the loop over `{loop.name}` into its body"
    span = found.instruction.span or loop.span
    return Diagnostic("error", "TRV322", message, span, "executed once more than the body", hint=hint)
