"""Chains of causes in words: from a divergent branch or a varying value back to what the threads were given, and from a uniform
one to what all threads have in common.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

from rv.analysis.divergence.causes import Activation, Apart, Cause, Contents, Given, Mixed, Operand, Overwritten, Own
from rv.analysis.divergence.propagation import Rise, Shapes
from rv.analysis.values.uses import defining_blocks, definitions
from rv.ir.function import Function
from rv.ir.instructions import Branch, Call, CompareFloat, CompareInt, ElementPointer, Horizontal, Load, Phi, Select, operands
from rv.ir.source import Span
from rv.ir.values import Var

S = TypeVar("S")
SEED: Final = "its values differ between threads on entry"
Kind = Literal["value", "branch", "object"]


Excerpt = Callable[[Span], str]


@dataclass(frozen=True, slots=True)
class Link:
    """One step of a chain: a variable, a branch (by its block) or a stack object (by its alloca), its place in the source, and
    the reason in words.
    """

    subject: str
    kind: Kind
    span: Span | None
    reason: str
    uniform: bool = False

    def __str__(self) -> str:
        return self.text(lambda _: "")

    def text(self, excerpt: Excerpt) -> str:
        """In words; `excerpt` gives the source text of a place, or nothing."""
        source = "" if self.span is None else excerpt(self.span)
        said = f", `{source}`" if source and source != self.subject.partition(".")[0] else ""
        place = f" (line {self.span.line}{said})" if self.span is not None else ""
        text = {
            "value": f"%{self.subject}{place} {'is uniform' if self.uniform else 'varies'}",
            "branch": f"the branch in {self.subject}{place} is {'uniform' if self.uniform else 'divergent'}",
            "object": f"the contents of %{self.subject}{place} vary",
        }
        return f"{text[self.kind]}: {self.reason}"


class Explanation(Generic[S]):
    """The causes of everything in a function whose shapes are known. `shows` picks shapes of interest (one dimension, say)."""

    def __init__(self, function: Function, shapes: Shapes[S]) -> None:
        self.function, self.shapes = function, shapes
        self._defined, self._homes = definitions(function), defining_blocks(function)

    def branch(self, label: str, shows: Callable[[S], bool] | None = None) -> tuple[Link, ...]:
        """Why the branch of a block is divergent; empty when it is uniform."""
        return self._chain(label, "branch", shows)

    def value(self, variable: str, shows: Callable[[S], bool] | None = None) -> tuple[Link, ...]:
        """Why a variable varies; empty when it is uniform."""
        return self._chain(variable, "value", shows)

    def object(self, alloca: str, shows: Callable[[S], bool] | None = None) -> tuple[Link, ...]:
        """Why what a stack object holds varies; empty when all threads have the same in it."""
        return self._chain(alloca, "object", shows)

    def uniform_branch(self, label: str) -> tuple[Link, ...]:
        """Why the branch of a block is uniform: its condition and everything that this rests on, each variable once, nearest
        first.

        Ends at what is the same for all threads by its nature: what is defined outside the region, results of operations across
        lanes, and values that agree although their operands vary. Empty when the branch is divergent.
        """
        end = self.function.block(label).terminator
        if not isinstance(end, Branch) or self.branch(label):
            return ()
        condition = end.condition
        reason = f"its condition is {condition}"
        rest = self.uniform_value(condition.name) if isinstance(condition, Var) else ()
        return (Link(label, "branch", end.span, reason, uniform=True), *rest)

    def uniform_value(self, variable: str) -> tuple[Link, ...]:
        """Why a variable is uniform, as `uniform_branch`; empty when it varies."""
        return () if self.value(variable) else tuple(self._common(variable))

    def _chain(self, subject: str, kind: Kind, shows: Callable[[S], bool] | None) -> tuple[Link, ...]:
        rises = {"value": self.shapes.value_rises, "branch": self.shapes.branch_rises, "object": self.shapes.object_rises}
        differs = shows or (lambda shape: shape != self.shapes.lattice.bottom)
        found: list[Link] = []
        seen: set[tuple[str, Kind]] = set()
        while (subject, kind) not in seen:
            seen.add((subject, kind))
            known = rises[kind].get(subject, ())
            rise: Rise[S] | None = next((rise for rise in known if differs(rise.shape)), None)
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
        if subject in self._defined:
            return self._defined[subject].span
        return next((p.span for p in self.function.parameters if p.var.name == subject), None)

    def _reason(self, subject: str, kind: Kind, cause: Cause) -> str:
        match cause:
            case Given():
                return SEED
            case Own():
                return "it is different in every thread"
            case Mixed(branch=branch):
                return f"it merges different values from the two sides of the branch in {branch}"
            case Apart(variable=variable, header=header, branch=branch):
                return f"it reads %{variable}, and at the branch in {branch} threads leave the loop {header} at different times"
            case Activation(branch=branch):
                return f"it depends on the set of active threads, which the branch in {branch} determines"
            case Contents(object=name):
                return f"it is loaded from %{name}"
            case Overwritten(branch=branch):
                return f"after the branch in {branch}, some threads store to it while others still need their own contents"
            case Operand(variable=variable):
                stored = f"%{variable} is stored to it, or is the address of a store"
                text = {"branch": f"its condition is %{variable}", "object": stored}
                return text.get(kind) or self._computed(subject, variable)

    def _computed(self, subject: str, variable: str) -> str:
        match self._defined.get(subject):
            case Load():
                return f"it is loaded through %{variable}"
            case ElementPointer():
                return f"it is an address computed from %{variable}"
            case CompareInt() | CompareFloat():
                return f"it compares %{variable}"
            case Select(condition=condition) if str(condition) == f"%{variable}":
                return f"it is selected by %{variable}"
            case Phi() | Select():
                return f"it may have the value of %{variable}"
            case Call(callee=callee):
                return f"it is the result of {callee} of %{variable}"
            case _:
                return f"it is computed from %{variable}"

    def _common(self, variable: str) -> Iterator[Link]:
        """What a uniform value rests on."""
        pending, seen = deque([variable]), {variable}
        while pending:
            name = pending.popleft()
            reason, onward = self._why_common(name)
            yield Link(name, "value", self._span(name, "value"), reason, uniform=True)
            for other in onward:
                if other not in seen:
                    seen.add(other)
                    pending.append(other)

    def _why_common(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Why it is uniform, and the variables that this rests on."""
        definition = self._defined.get(name)
        if definition is None or self._homes[name] not in self.shapes.control.region.numbers:
            return "it has the same value in all threads on entry", ()
        read = tuple(dict.fromkeys(value.name for value in operands(definition) if isinstance(value, Var)))
        varying = [other for other in read if self.value(other)]
        named = ", ".join(f"%{other}" for other in read)
        match definition:
            case Horizontal(op=op):
                return f"{op} has the same result in all threads", ()
            case _ if varying:
                return f"it is the same in all threads although %{varying[0]} varies", ()
            case Load():
                return f"it is loaded through {named}", read
            case Phi():
                return f"all threads take the same one of {named}" if read else "it is the same constant", read
            case CompareInt() | CompareFloat():
                return f"it compares {named}", read
            case _:
                return f"it is computed from {named}" if read else "it is a constant", read
