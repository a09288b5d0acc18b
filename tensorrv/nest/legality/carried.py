"""What a brushed loop may carry from one iteration to the next in variables: inductions, reductions and selections.

Integer folds are associative with wrap-around, minima and maxima of integers too, so brushing them changes no bit, and a
selection (`rv.evolution.selections`) gives what the scalar order gives. Floating sums and products round differently in another
order, and minima that a NaN replaces depend on where it is: they need `--fp fast`. Those of the C library's fmin and fmax become
selections where their order decides between zeros (`rv.evolution.libm_extrema`); mixed with comparisons they depend on whether
they start from a NaN, so that is refused as well.
"""

from __future__ import annotations

from rv.evolution.facts import ROUNDS, Loop, Reduction
from rv.evolution.readers import readers_in
from rv.ir.instructions import Call, Phi
from rv.ir.types import FloatMode
from rv.ir.values import Var
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic


def carried_variable(nests: Nests, loop: Loop, fp: FloatMode) -> Diagnostic | None:
    """Why the loop cannot be brushed because of a variable; None when every phi of its header is an induction, a reduction or
    part of a selection.
    """
    folds = {r.phi.name: r for r in nests.reductions if r.header == loop.header}
    selected = {member.name for s in nests.selections if s.header == loop.header for member in s.members}
    for phi in nests.function.block(loop.header).phis:
        if _is_induction(nests, loop, phi) or phi.value_from(loop.latch) == phi.result:
            continue
        if phi.result.name in selected:
            continue
        fold = folds.get(phi.result.name)
        if fold is None:
            return _recurrence(loop, phi)
        if fold.operation in ROUNDS and fp != "fast":
            return _rounding(nests, loop, phi, fold)
    return None


def is_reduction_loop(nests: Nests, loop: Loop) -> bool:
    """Whether the loop carries a reduction or a selection."""
    folds = any(r.header == loop.header and not _is_named_induction(nests, r.phi.name) for r in nests.reductions)
    return folds or any(s.header == loop.header for s in nests.selections)


def _is_induction(nests: Nests, loop: Loop, phi: Phi) -> bool:
    known = nests.pointers.get(phi.result.name)
    if known is not None:
        return known.base.name not in nests.defined_in or nests.defined_in[known.base.name] not in loop.blocks
    return _is_named_induction(nests, phi.result.name)


def _is_named_induction(nests: Nests, name: str) -> bool:
    return name in nests.congruences


def _recurrence(loop: Loop, phi: Phi) -> Diagnostic:
    name = phi.result.source_name
    return Diagnostic(
        severity="error",
        code="TRV302",
        message=f"`{name}` carries a value from one iteration of the {loop.called} to the next",
        span=phi.span or loop.span,
        label=f"`{name}` is neither an induction variable nor a reduction whose partial results are unused",
        hint=f"brush other loops than `{loop.name}`, or replace `{name}` by an array with one element per iteration",
    )


def _rounding(nests: Nests, loop: Loop, phi: Phi, fold: Reduction) -> Diagnostic:
    name = phi.result.source_name
    what = {"fadd": "sum", "fmul": "product", "fmin": "minimum", "fmax": "maximum"}[fold.operation]
    why, label, hint = "rounds differently when a brush reorders it", f"a {what} over `{loop.name}`", ""
    if fold.operation in ("fmin", "fmax"):
        call, sign = fold.operation, "<" if fold.operation == "fmin" else ">"
        if _is_called(nests, loop, phi):
            why = f"uses both `{call}` and comparisons, which treat NaN and signed zeros differently"
            hint = f"use `{call}` everywhere; or "
        else:
            why = "depends on the position of a NaN"
            label = f"`{name} {sign} x ? {name} : x` takes every NaN, and replaces it by the next number"
            hint = f"`x {sign} {name} ? x : {name}` and `{call}` ignore NaN; or "
    return Diagnostic(
        severity="error",
        code="TRV309",
        message=f"`{name}` is a floating-point {what} over `{loop.name}`, which {why}",
        span=phi.span or loop.span,
        label=label,
        hint=f"{hint}--fp fast allows it; or brush other loops",
    )


def _is_called(nests: Nests, loop: Loop, phi: Phi) -> bool:
    """Whether a partial result of a minimum or maximum goes through a function of the C library."""
    readers = readers_in(nests.function, loop.blocks)
    pending, seen = [phi.result.name], set[str]()
    while pending:
        for reader in readers.get(pending.pop(), ()):
            if isinstance(reader, Call):
                return True
            result = getattr(reader, "result", None)
            if isinstance(result, Var) and result.name not in seen:
                seen.add(result.name)
                pending.append(result.name)
    return False
