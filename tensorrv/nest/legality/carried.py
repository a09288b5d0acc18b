"""Diagnostics for what a brushed loop carries from one iteration to the next in variables (`rv.evolution.obstacles`)."""

from __future__ import annotations

from rv.evolution.facts import Loop, Reduction
from rv.evolution.obstacles import carried
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
    found = next(carried(nests, loop, fp), None)
    if found is None:
        return None
    return _recurrence(loop, found.phi) if found.reduction is None else _rounding(nests, loop, found.phi, found.reduction)


def is_reduction_loop(nests: Nests, loop: Loop) -> bool:
    """Whether the loop carries a reduction or a selection."""
    folds = any(r.header == loop.header and r.phi.name not in nests.congruences for r in nests.reductions)
    return folds or any(s.header == loop.header for s in nests.selections)


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
