"""Branches between the loops of a brush: in the body of one brushed loop, outside of the next one.

Lanes run the inner loop together whatever such branches decide (`tensorrv.nest.idioms.common_loops`). What is left of a body then
is what comes before the inner loop and what comes behind it, two regions without brushed loops, in which branches become
predicates as they do in the innermost body.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from rv.evolution.facts import Loop
from rv.ir.function import Function
from tensorrv.brush.shapes import analyze_shapes
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.choice.choose import Choice
from tensorrv.nest.idioms.common_loops import Obstacle, run_by_all, ways_to
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic


def regions(nests: Nests, headers: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """The parts of a nest without brushed loops: what is before and behind the loop inside each loop; the innermost body."""
    found: list[frozenset[str]] = []
    for outer, inner in pairwise(path(nests, headers)):
        before = ways_to(nests.function, outer, inner)
        found += [before, outer.blocks - inner.blocks - before - {outer.header}]
    return (*found, nests.loops[headers[-1]].blocks)


def path(nests: Nests, headers: tuple[str, ...]) -> tuple[Loop, ...]:
    """The loops from the outermost brushed one to the innermost, with those in between that are not brushed."""
    found = [nests.loops[headers[-1]]]
    while found[0].header != headers[0]:
        parent = found[0].parent
        assert parent is not None
        found.insert(0, nests.loops[parent])
    return tuple(found)


def parted_outside(nests: Nests, choice: Choice) -> frozenset[str]:
    """The blocks outside the innermost brushed loop whose branch lanes of one brush may take differently."""
    headers, sizes = zip(*choice.brush, strict=True)
    shapes = analyze_shapes(choice.facts, headers, sizes)
    return shapes.divergent_branches - nests.loops[headers[-1]].blocks


def run_inner_loops_together(nests: Nests, choice: Choice, function: Function) -> Choice | Function:
    """The function in which all lanes of a brush run its inner loops; the choice, refused, where they cannot.

    `nests` are the facts about the function, or about what it was before other nests changed.
    """
    if isinstance(choice.outcome, Diagnostic) or not parted_outside(nests, choice):
        return function
    before = function
    for outer, inner in pairwise(loop.header for loop in path(nests, tuple(header for header, _ in choice.brush))):
        loops = nests.loops if function is before else analyze_nests(function, nests.in_rows).loops
        try:
            function = run_by_all(function, loops[outer], loops[inner])
        except Obstacle as obstacle:
            return _refused(choice, loops[inner], obstacle)
    return function


def _refused(choice: Choice, inner: Loop, obstacle: Obstacle) -> Choice:
    names = ", ".join(nest_loop.name for nest_loop in (choice.facts.loops[header] for header, _ in choice.brush))
    diagnostic = Diagnostic(
        "error",
        "TRV140",
        f"not all lanes of a brush over {names} reach the {inner.called}, which {obstacle.reason}",
        (obstacle.at.span if obstacle.at is not None else None) or inner.span,
        "this is only computed under the condition",
        hint=f"compute it before the branch, or brush `{inner.name}` alone",
    )
    return replace(choice, outcome=diagnostic)
