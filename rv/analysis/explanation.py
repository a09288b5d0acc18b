"""Chains of causes in words: from a divergent branch or a varying value back to what the threads were given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

from rv.analysis.causes import Activation, Apart, Cause, Contents, Given, Mixed, Operand, Overwritten, Own
from rv.analysis.propagation import Rise, Shapes
from rv.analysis.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Call, CompareFloat, CompareInt, ElementPointer, Load, Phi, Select
from rv.ir.source import Span

S = TypeVar("S")
SEED: Final = "the threads are given different values"
Kind = Literal["value", "branch", "object"]


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a chain: a variable, a branch (by its block) or a stack object (by its alloca), its place in the source, and
    the reason in words."""

    subject: str
    kind: Kind
    span: Span | None
    reason: str

    def __str__(self) -> str:
        place = f" (line {self.span.line})" if self.span is not None else ""
        told = {
            "value": f"%{self.subject}{place} varies",
            "branch": f"the branch in {self.subject}{place} is divergent",
            "object": f"what %{self.subject}{place} holds varies",
        }
        return f"{told[self.kind]}: {self.reason}"


def explain_branch(
    function: Function, shapes: Shapes[S], label: str, shows: Callable[[S], bool] | None = None
) -> tuple[Link, ...]:
    """Why the branch of a block is divergent; empty when it is uniform. `shows` picks shapes of interest (one dimension, say)."""
    return _chain(function, shapes, shows).of(label, "branch")


def explain_value(
    function: Function, shapes: Shapes[S], variable: str, shows: Callable[[S], bool] | None = None
) -> tuple[Link, ...]:
    """Why a variable varies; empty when it is uniform."""
    return _chain(function, shapes, shows).of(variable, "value")


def explain_object(
    function: Function, shapes: Shapes[S], alloca: str, shows: Callable[[S], bool] | None = None
) -> tuple[Link, ...]:
    """Why what a stack object holds varies; empty when all threads have the same in it."""
    return _chain(function, shapes, shows).of(alloca, "object")


def _chain(function: Function, shapes: Shapes[S], shows: Callable[[S], bool] | None) -> _Chain[S]:
    return _Chain(function, shapes, definitions(function), shows or (lambda shape: shape != shapes.lattice.bottom))


@dataclass(frozen=True, slots=True)
class _Chain(Generic[S]):
    function: Function
    shapes: Shapes[S]
    defined: dict[str, Definition]
    shows: Callable[[S], bool]

    def of(self, subject: str, kind: Kind) -> tuple[Link, ...]:
        rises = {"value": self.shapes.value_rises, "branch": self.shapes.branch_rises, "object": self.shapes.object_rises}
        found: list[Link] = []
        seen: set[tuple[str, Kind]] = set()
        while (subject, kind) not in seen:
            seen.add((subject, kind))
            known = rises[kind].get(subject, ())
            rise: Rise[S] | None = next((rise for rise in known if self.shows(rise.shape)), None)
            if rise is None:
                break
            found.append(Link(subject, kind, self._span(subject, kind), self._reason(subject, kind, rise.cause)))
            match rise.cause:
                case Given() | Own():
                    break
                case Operand(variable=variable):
                    subject, kind = variable, "value"
                case Contents(object=name):
                    subject, kind = name, "object"
                case Mixed(branch=branch) | Apart(branch=branch) | Activation(branch=branch) | Overwritten(branch=branch):
                    subject, kind = branch, "branch"
        return tuple(found)

    def _span(self, subject: str, kind: Kind) -> Span | None:
        if kind == "branch":
            return self.function.block(subject).terminator.span
        if subject in self.defined:
            return self.defined[subject].span
        return next((p.span for p in self.function.parameters if p.var.name == subject), None)

    def _reason(self, subject: str, kind: Kind, cause: Cause) -> str:
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
            case Contents(object=name):
                return f"it is loaded from %{name}"
            case Overwritten(branch=branch):
                return f"of the threads that the branch in {branch} parts, some store to it while others need theirs"
            case Operand(variable=variable):
                told = {"branch": f"its condition is %{variable}", "object": f"%{variable} is stored to it, or tells where"}
                return told.get(kind) or self._computed(subject, variable)

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
