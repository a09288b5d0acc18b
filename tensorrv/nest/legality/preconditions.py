"""What stands in the way of taking iterations of loops together, before any dependence through arrays is looked at.

The loops can be counted, and their tests only test; loops between brushed ones do the same trips in every lane; no calls but
those of pure functions of the math library; operations across lanes stand in loops that are declared independent. A header may
only test because a brush counts the trips: what it does besides is behind the test where `rv.transform.bare_tests` could move it,
and refused otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Final

from rv.analysis.cfg.flow import flow_graph
from rv.evolution.facts import Loop
from rv.evolution.obstacles import work_in_test
from rv.evolution.polynomial import Symbol, counter
from rv.ir.instructions import BALLOT_LANES, Call, Horizontal
from rv.ir.libm import EXACT
from tensorrv.nest.choice.hints import declared_independent, safe_length
from tensorrv.nest.legality.carried import carried_variable, is_reduction_loop
from tensorrv.nest.legality.changing import what_changes_the_bound
from tensorrv.nest.legality.claim import BrushSizes, Claim
from tensorrv.nest.legality.witness import brush_text
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic, Related

_PURE: Final = EXACT | frozenset(
    name + suffix
    for name in (
        *("cbrt", "nearbyint", "round"),
        *("fdim", "hypot", "pow", "fmod", "remainder", "nextafter"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "erf", "erfc", "tgamma"),
        *("logb", "ilogb", "ldexp", "scalbn", "scalbln", "lround", "llround", "lrint", "llrint"),
    )
    for suffix in ("", "f")
)  # frexp, modf, remquo and lgamma write elsewhere


def uncountable(claim: Claim) -> Iterator[Diagnostic]:
    for header, _ in claim.brush:
        loop = claim.nests.loops[header]
        if loop.trip is None:
            behind = [other.span for other in _endless_behind(claim, loop) if other.span is not None]
            yield Diagnostic(
                severity="error",
                code="TRV301",
                message=f"the trip count of the {loop.called} is not computable before the loop",
                span=loop.span,
                label="not a counted loop" if loop.exit else "this loop never terminates",
                related=(
                    *(Related(span, "this loop never terminates") for span in behind),
                    *what_changes_the_bound(claim.nests, loop),
                ),
                hint="a brush needs a loop whose only exit compares a counter of constant step with an invariant bound",
            )


def tests(claim: Claim) -> Iterator[Diagnostic]:
    for header, _ in claim.brush:
        found = _work_in_test(claim.facts, claim.facts.loops[header])
        if found is not None:
            yield found


def _endless_behind(claim: Claim, loop: Loop) -> Iterator[Loop]:
    """Loops without a way out to which the loop is left from its middle: they are no part of it."""
    successors = flow_graph(claim.nests.function).successors
    left = [target for label in loop.blocks for target in successors[label] if target not in loop.blocks | {loop.exit}]
    for label in left:
        left += [target for target in successors[label] if target not in left]
    for other in claim.nests.loops.values():
        if not other.exit and other.header in left:
            yield other


def too_long(claim: Claim) -> Iterator[Diagnostic]:
    """Brushes that take more iterations at once than the user's hint covers."""
    for header, size in claim.brush:
        loop = claim.nests.loops[header]
        length = safe_length(loop, claim.assume_parallel)
        if length is not None and size > length:
            yield Diagnostic(
                severity="error",
                code="TRV313",
                message=f"safelen({length}) allows {length} iterations of the {loop.called} at once, not {size}",
                span=loop.span,
                label=f"`#pragma omp simd safelen({length})` stands before this loop",
                hint=f"brush at most {length} iterations of `{loop.name}`",
            )


def divergent(claim: Claim) -> Iterator[Diagnostic]:
    """Loops down to the innermost brushed one whose trips or start differ between lanes.

    Those further in run while any lane is in them.
    """
    brushed = {counter(loop.header): loop for loop in claim.brushed}
    innermost = claim.facts.loops[claim.brush[-1][0]]
    outermost = claim.facts.loops[claim.brush[0][0]]
    for loop in claim.facts.loops.values():
        if loop.header not in outermost.blocks or loop.header == outermost.header:
            continue
        if innermost.header not in loop.blocks:
            continue
        symbols = frozenset[Symbol]() if loop.trip is None else loop.trip.distance.symbols
        if loop.start is not None:
            symbols = symbols | loop.start.symbols
        culprits = sorted(brushed[s].name for s in symbols if s in brushed and s != counter(loop.header))
        if loop.trip is None or loop.start is None or culprits:
            yield _divergence(loop, culprits, claim.nests.loops[loop.header].trip is not None, outermost)


def calls(claim: Claim) -> Iterator[Diagnostic]:
    for _, instruction in claim.facts.function.instructions_in(claim.region.blocks):
        if isinstance(instruction, Call) and instruction.callee not in _PURE:
            message = f"the {claim.region.called} calls `{instruction.callee}`, which may do anything"
            label = "not a pure function of the math library"
            hint = "define the function `static inline` in the same file, or move the call out of the loops"
            if instruction.callee == "__assert_fail":
                message = f"the {claim.region.called} holds an assertion, which may end the program"
                label, hint = "an assertion", "-D NDEBUG removes assertions"
            yield Diagnostic("error", "TRV304", message, instruction.span, label, hint=hint)


def lanes_together(claim: Claim) -> Iterator[Diagnostic]:
    """Operations across lanes in loops that are not declared independent, and ballots of too many lanes."""
    for block, instruction in claim.facts.function.instructions_in(claim.region.blocks):
        if not isinstance(instruction, Horizontal):
            continue
        around = [loop for loop in claim.brushed if block.label in loop.blocks]
        undeclared = next((loop for loop in around if not declared_independent(loop, claim.assume_parallel)), None)
        if undeclared is not None:
            yield _communication(instruction, undeclared)
        lanes = prod(size for header, size in claim.brush if block.label in claim.facts.loops[header].blocks)
        if instruction.op == "ballot" and lanes > BALLOT_LANES:
            yield _large_ballot(instruction, claim.brush, lanes)


def together(claim: Claim) -> Iterator[Diagnostic]:
    """Operations across lanes, whose results depend on which iterations a brush takes at once."""
    for _, instruction in claim.facts.function.instructions_in(claim.region.blocks):
        if isinstance(instruction, Horizontal):
            yield _communication(instruction, claim.region)


def folds(claim: Claim) -> Iterator[Diagnostic]:
    found = carried_variable(claim.facts, claim.region, claim.fp)
    if found is not None:
        yield found
    elif is_reduction_loop(claim.facts, claim.region):
        yield Diagnostic(
            severity="error",
            code="TRV320",
            message=f"the {claim.region.called} carries a reduction, which is not divided among threads",
            span=claim.region.span,
            label="this loop is not divided among threads",
        )


def _communication(instruction: Horizontal, loop: Loop) -> Diagnostic:
    return Diagnostic(
        severity="error",
        code="TRV311",
        message=f"an operation across lanes makes iterations of the {loop.called} depend on each other",
        span=instruction.span,
        label="this result depends on which iterations form a brush",
        hint=f"if this is intended, put `#pragma omp simd` before the {loop.called} or pass --assume-parallel {loop.name}",
    )


def _large_ballot(instruction: Horizontal, brush: BrushSizes, lanes: int) -> Diagnostic:
    return Diagnostic(
        severity="error",
        code="TRV312",
        message=f"a ballot has {BALLOT_LANES} bits, but the brush {brush_text(brush)} has {lanes} lanes here",
        span=instruction.span,
        label="one bit for each lane",
        hint=f"brush at most {BALLOT_LANES} iterations at once",
    )


def _divergence(loop: Loop, culprits: Sequence[str], countable: bool, brushed: Loop) -> Diagnostic:
    if culprits:
        message = f"the bounds of the inner {loop.called} depend on `{culprits[0]}`, which is brushed"
    elif countable:
        message = f"the bounds of the inner {loop.called} are computed inside the {brushed.called}"
    else:
        message = f"the trip count of the inner {loop.called} may differ between iterations of `{brushed.name}`"
    name = culprits[0] if culprits else brushed.name
    return Diagnostic(
        severity="error",
        code="TRV303",
        message=message,
        span=loop.span,
        label="a divergent loop",
        hint=f"brush only the {loop.called}, or loops other than `{name}`",
    )


def _work_in_test(facts: Nests, loop: Loop) -> Diagnostic | None:
    """Why the loop cannot be counted without its test; None when the test does nothing that would be missed."""
    found = work_in_test(facts, loop)
    if found is None:
        return None
    message = f"the condition of the {loop.called} {found.does}"
    hint = f"move this from the condition of the loop over `{loop.name}` into its body"
    span = found.instruction.span or loop.span
    return Diagnostic("error", "TRV322", message, span, "executed once more than the body", hint=hint)
