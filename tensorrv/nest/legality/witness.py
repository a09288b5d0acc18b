"""The explanation of a violated dependence in the user's terms: sizes, two iterations, two elements, and what the brush does
to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.values.uses import definitions
from rv.evolution.polynomial import Polynomial, Symbol, counter
from rv.ir.instructions import Load, Phi
from tensorrv.nest.legality.dependence import Scheduled, Violation, subscripts_of
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic, Related


@dataclass(frozen=True, slots=True)
class _Side:
    """One iteration: values of all symbols that occur; those that no constraint speaks of are 0."""

    nests: Nests
    values: Mapping[Symbol, int]

    def evaluate(self, polynomial: Polynomial) -> int:
        return polynomial.evaluate(lambda symbol: self.values.get(symbol, 0))

    def variable(self, header: str) -> str:
        loop = self.nests.loops[header]
        return f"{loop.name}={self.evaluate(Polynomial.symbol(counter(header)) if loop.value is None else loop.value)}"

    def iteration(self, scheduled: Scheduled) -> str:
        moving = (loop for loop in scheduled.loops if loop.trip is None or loop.trip.constant != 1)
        return f"({', '.join(self.variable(loop.header) for loop in moving)})"

    def element(self, scheduled: Scheduled) -> str:
        subscripts = "".join("[...]" if s is None else f"[{self.evaluate(s)}]" for s in subscripts_of(scheduled))
        return f"{scheduled.access.array.source_name}{subscripts}"


def brush_text(brush: tuple[tuple[str, int], ...]) -> str:
    """The brush as the command line writes it, "4x8"."""
    return "x".join(str(size) for _, size in brush)


def explain_shared(nests: Nests, violation: Violation, hint: str) -> Diagnostic:
    """The refusal to divide a loop among threads, two iterations of which touch one element."""
    first, second = violation.source, violation.sink
    source = _Side(nests, {**violation.parameters, **violation.source_counters})
    sink = _Side(nests, {**violation.parameters, **violation.sink_counters})
    one, other = source.iteration(first), sink.iteration(second)
    called, name = first.loops[0].called, first.access.array.source_name
    shared = f"{_parameters(nests, source, violation)}iterations {one} and {other} share an element of `{name}`"
    place = second.access.span
    return Diagnostic(
        severity="error",
        code="TRV321",
        message=f"the iterations of the {called} cannot be divided among threads: {shared}",
        span=first.access.span,
        label=f"iteration {one} {_verb(first)} {source.element(first)}",
        related=() if place is None else (Related(place, f"and iteration {other} {_verb(second)} it"),),
        hint=hint,
    )


def explain_violation(nests: Nests, what: str, violation: Violation, hint: str) -> Diagnostic:
    """The refusal of `what` runs the two accesses of `violation` in the wrong order: "the brush 4x8"."""
    first, second = violation.source, violation.sink
    source = _Side(nests, {**violation.parameters, **violation.source_counters})
    sink = _Side(nests, {**violation.parameters, **violation.sink_counters})
    sizes = _parameters(nests, source, violation)
    name = first.access.array.source_name
    one, other = source.iteration(first), sink.iteration(second)
    wrong = f"{one} and {other} at once" if violation.at_once else f"{other} before {one}"
    place = second.access.span
    related = () if place is None else (Related(place, f"and iteration {other} {_verb(second)} it"),)
    message = f"{what} breaks a dependence through `{name}`: {sizes}it runs iterations {wrong}"
    return Diagnostic(
        severity="error",
        code="TRV305",
        message=message,
        span=first.access.span,
        label=f"iteration {one} {_verb(first)} {source.element(first)}",
        related=related,
        hint=hint,
    )


def _verb(scheduled: Scheduled) -> str:
    return "writes" if scheduled.access.kind == "store" else "reads"


def _parameters(nests: Nests, side: _Side, violation: Violation) -> str:
    """ "with n=6, m=12: " or nothing: loops around, parameters, and what has a name of its own in the source."""
    shown = []
    known = definitions(nests.function)
    for symbol, value in violation.parameters.items():
        if symbol.is_counter:
            shown.append(side.variable(symbol.name))
        elif symbol.is_variable and isinstance(known.get(symbol.name), Phi | Load | None):
            shown.append(f"{symbol.source_name}={value}")
    return f"with {', '.join(dict.fromkeys(shown))}, " if shown else ""
