"""Directives of OpenMP that are not about loops: regions of statements, and directives that stand alone (docs/openmp.md).

A kernel runs every region in place, in the calling thread. A region has private variables by its clauses; where
it orders iterations of enclosing loops, the hints about these loops are withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from tensorrv.frontend.c.analyse.state import Analysis, Team
from tensorrv.frontend.c.pragmas.data_clauses import Copy, at_entry, combined, copies_of, implicit_copies, make_copies
from tensorrv.frontend.c.pragmas.directives import TEAMS, orders_iterations
from tensorrv.frontend.c.pragmas.loop_clauses import single_thread
from tensorrv.frontend.c.pragmas.text import Directive
from tensorrv.frontend.c.tree.nodes import Statement, Withdrawal
from tensorrv.report.diagnostics import Diagnostic

_BINDING: Final = frozenset("for distribute loop sections single scope masked master barrier critical atomic ordered".split())
"""Constructs that belong to a team, which may be that of a caller."""


@dataclass(frozen=True, slots=True)
class RegionPragma:
    """A pragma before a statement, with the variables that its construct has of its own."""

    node: Any
    directive: Directive
    copies: tuple[Copy, ...]


def region_pragma(a: Analysis, node: Any, directive: Directive) -> RegionPragma:
    """The meaning of a pragma for the statement that follows."""
    return RegionPragma(node, directive, copies_of(a, node, directive))


@contextmanager
def region(a: Analysis, pragma: RegionPragma, node: Any) -> Iterator[tuple[Statement, ...]]:
    """Inside of a region, with its new variables in scope, whose declarations are given; `node` is its statement."""
    directive = pragma.directive
    makes_threads = bool(TEAMS.intersection(directive.words))
    single = single_thread(a, pragma.node, directive) if makes_threads else ""
    with a.inner_scope(), team(a, node, single) if makes_threads else nullcontext():
        if a.team is not None:
            a.team.own.update(dict.fromkeys(combined(a, pragma.node, directive), True))
        copies = (*pragma.copies, *implicit_copies(a, node, directive))
        yield at_entry(make_copies(a, tuple(copy for copy in copies if copy.kind in ("private", "firstprivate"))))


@contextmanager
def team(a: Analysis, node: Any, single: str = "") -> Iterator[None]:
    """Inside of a construct that makes threads."""
    outer = a.team
    a.team = Team(node, a.loops, single) if outer is None else Team(node, a.loops, single or outer.single, dict(outer.own))
    try:
        yield
    finally:
        a.team = outer


def withdrawal(a: Analysis, node: Any, directive: Directive) -> list[Withdrawal]:
    """The withdrawal of hints of enclosing loops, if the directive causes one."""
    if not directive.words or orders_iterations(directive.words):
        name = f"`omp {directive.name}`" if directive.words else "a directive that OpenMP 5.2 does not have"
        return [Withdrawal(f"{name} may order its iterations", a.span(node))]
    return []


def remember(a: Analysis, node: Any, directive: Directive) -> None:
    """Takes note of what a directive declares; gives up on a function that it ends."""
    words = [item.text for clause in directive.clauses for item in clause.items]
    match directive.name:
        case "error" if "warning" not in words and "execution" in words:
            a.give_up("TRV044", "`omp error` ends the program", node, "ends here")
        case "error" if "warning" not in words:
            a.refuse("TRV044", "`omp error` stops the compilation", node, "stops here")
        case "declare reduction":
            a.reductions.add(directive.arguments.partition(":")[0].strip())
        case "threadprivate":
            a.threadprivate.update(name.strip() for name in directive.arguments.split(","))
        case _:
            pass


def note_unknown(a: Analysis, node: Any) -> None:
    """Reports that a directive is not followed."""
    ignored = "it is ignored, and the loops around and after it are not taken to have independent iterations"
    message = f"OpenMP 5.2 has no such directive: {ignored}"
    a.notes.append(Diagnostic("warning", "TRV024", message, a.span(node), "an unknown directive"))


def note_orphan(a: Analysis, node: Any, directive: Directive) -> None:
    """Reports that a construct applies to threads of callers, which the kernel does not have."""
    waiting = [pragma.directive for pragma in a.pragmas if isinstance(pragma, RegionPragma)]
    makes_threads = any(TEAMS.intersection(one.words) for one in (*waiting, directive))
    if a.team is not None or makes_threads or not _BINDING.intersection(directive.words):
        return
    effect = "one thread does all of the work here"
    message = f"`omp {directive.name}` applies to threads that callers of this function create: {effect}"
    label = "no `omp parallel` around it in this function"
    hint = "inside a parallel region, every thread that calls this kernel does all of its work"
    a.notes.append(Diagnostic("warning", "TRV025", message, a.span(node), label, hint=hint))
