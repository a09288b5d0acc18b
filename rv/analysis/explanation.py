"""Chains of causes in words: from a divergent branch or a varying value back to what the threads were given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from rv.analysis.causes import Activation, Apart, Cause, Given, Mixed, Operand, Own
from rv.analysis.propagation import Rise, Shapes
from rv.analysis.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Call, CompareFloat, CompareInt, ElementPointer, Load, Phi, Select
from rv.ir.source import Span

S = TypeVar("S")
SEED: Final = "the threads are given different values"


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a chain: a variable or a branch (by its block), its place in the source, and the reason in words."""

    subject: str
    is_branch: bool
    span: Span | None
    reason: str

    def __str__(self) -> str:
        place = f" (line {self.span.line})" if self.span is not None else ""
        name = f"the branch in {self.subject}" if self.is_branch else f"%{self.subject}"
        return f"{name}{place} {'is divergent' if self.is_branch else 'varies'}: {self.reason}"


def explain_branch(
    function: Function, shapes: Shapes[S], label: str, shows: Callable[[S], bool] | None = None
) -> tuple[Link, ...]:
    """Why the branch of a block is divergent; empty when it is uniform. `shows` picks shapes of interest (one dimension, say)."""
    return _chain(function, shapes, shows).of(label, True)


def explain_value(
    function: Function, shapes: Shapes[S], variable: str, shows: Callable[[S], bool] | None = None
) -> tuple[Link, ...]:
    """Why a variable varies; empty when it is uniform."""
    return _chain(function, shapes, shows).of(variable, False)


def _chain(function: Function, shapes: Shapes[S], shows: Callable[[S], bool] | None) -> _Chain[S]:
    return _Chain(function, shapes, definitions(function), shows or (lambda shape: shape != shapes.lattice.bottom))


@dataclass(frozen=True, slots=True)
class _Chain(Generic[S]):
    function: Function
    shapes: Shapes[S]
    defined: dict[str, Definition]
    shows: Callable[[S], bool]

    def of(self, subject: str, is_branch: bool) -> tuple[Link, ...]:
        found: list[Link] = []
        seen: set[tuple[str, bool]] = set()
        while (subject, is_branch) not in seen:
            seen.add((subject, is_branch))
            rises = (self.shapes.branch_rises if is_branch else self.shapes.value_rises).get(subject, ())
            rise: Rise[S] | None = next((rise for rise in rises if self.shows(rise.shape)), None)
            if rise is None:
                break
            found.append(Link(subject, is_branch, self._span(subject, is_branch), self._reason(subject, is_branch, rise.cause)))
            match rise.cause:
                case Given() | Own():
                    break
                case Operand(variable=variable):
                    subject, is_branch = variable, False
                case Mixed(branch=branch) | Apart(branch=branch) | Activation(branch=branch):
                    subject, is_branch = branch, True
        return tuple(found)

    def _span(self, subject: str, is_branch: bool) -> Span | None:
        if is_branch:
            return self.function.block(subject).terminator.span
        if subject in self.defined:
            return self.defined[subject].span
        return next((p.span for p in self.function.parameters if p.var.name == subject), None)

    def _reason(self, subject: str, is_branch: bool, cause: Cause) -> str:
        match cause:
            case Given():
                return SEED
            case Own():
                return "every thread has a value of its own"
            case Mixed(branch=branch):
                return f"it is one value or another, depending on the way that the branch in {branch} has sent the thread"
            case Apart(variable=variable, header=header, branch=branch):
                return f"it reads %{variable}, and the branch in {branch} lets threads leave the loop of {header} apart"
            case Activation(branch=branch):
                return f"it depends on which threads are active, and the branch in {branch} decides that"
            case Operand(variable=variable):
                return f"its condition is %{variable}" if is_branch else self._computed(subject, variable)

    def _computed(self, subject: str, variable: str) -> str:
        match self.defined.get(subject):
            case Load():
                return f"it is loaded through %{variable}"
            case ElementPointer():
                return f"it is an address made with %{variable}"
            case CompareInt() | CompareFloat():
                return f"it compares %{variable}"
            case Select(condition=condition) if str(condition) == f"%{variable}":
                return f"it is chosen by %{variable}"
            case Phi() | Select():
                return f"it may be %{variable}"
            case Call(callee=callee):
                return f"it is {callee} of %{variable}"
            case _:
                return f"it is computed from %{variable}"
