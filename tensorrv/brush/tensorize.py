"""From a function and a plan to vector LLVM IR: the middle of the pipeline, in the order of the thesis's figure 11.4.

    prepare -> promote accumulators -> nests -> choose loops, prove legality
            -> two versions where a run-time test is needed -> widen

A nest for which the brush is illegal stays scalar; the diagnostics say why.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from rv.ir.function import Function
from rv.ir.instructions import Branch
from rv.target.machine import Target
from rv.transform.prepare import prepare
from rv.transform.promote import promote
from rv.transform.version import version_loop
from tensorrv.brush.shapes import analyze_shapes, divergent_branch
from tensorrv.brush.widening import ChosenNest, Widened, widen
from tensorrv.diagnostics import Diagnostic
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.choose import Choice, Request, choose_brushes
from tensorrv.nest.model import Legal, Loop, Nests
from tensorrv.nest.region import nests_within
from tensorrv.plan import Plan

Stage = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Tensorized:
    """The LLVM module of a function, its P-LLVM before widening, and what became of every nest."""

    llvm: str
    function: Function
    choices: tuple[Choice, ...]
    widened: Widened

    @property
    def refusals(self) -> tuple[Diagnostic, ...]:
        """Why nests stay scalar, one for each."""
        return tuple(choice.outcome for choice in self.choices if isinstance(choice.outcome, Diagnostic))

    @property
    def brushed(self) -> bool:
        """Whether any nest took the brush."""
        return any(isinstance(choice.outcome, Legal) for choice in self.choices)


def tensorize(source: Function, plan: Plan, target: Target, stage: Stage) -> Tensorized:
    """Vector code for `source` under `plan`; `stage(name)` times the steps."""
    with stage("prepare"):
        function = promote(prepare(source), plan.assume_no_alias)
    with stage("nests"):
        nests = analyze_nests(function)
        choices = tuple(_uniform_inside(nests, choice) for choice in _choose(nests, plan))
    with stage("versions"):
        chosen = [choice for choice in choices if isinstance(choice.outcome, Legal)]
        nests, versioned = _versions(nests, chosen)
    with stage("widen"):
        widened = widen(nests, versioned, plan, target)
    return Tensorized(widened.text, nests.function, choices, widened)


def _choose(nests: Nests, plan: Plan) -> tuple[Choice, ...]:
    if not plan.brush.sizes:
        return ()
    request = Request(plan.brush.sizes, plan.brush.names, plan.fp, plan.assume_no_alias, frozenset(plan.assume_parallel))
    return choose_brushes(nests, request)


def _uniform_inside(nests: Nests, choice: Choice) -> Choice:
    """The choice, refused when lanes of one brush may branch differently."""
    if isinstance(choice.outcome, Diagnostic):
        return choice
    headers = tuple(header for header, _ in choice.brush)
    branch = divergent_branch(nests.function, choice.facts, analyze_shapes(choice.facts, headers))
    return choice if branch is None else replace(choice, outcome=_divergence(branch, nests.loops[headers[-1]]))


def _divergence(branch: Branch, loop: Loop) -> Diagnostic:
    return Diagnostic(
        "error",
        "TRV140",
        f"the iterations of loop `{loop.name}` that a brush runs at once may take different ways here",
        branch.span,
        "this condition differs from lane to lane",
        hint="arms that only compute become selects: write both sides as one expression (`c ? x : y`), with its loads before it",
    )


def _versions(nests: Nests, chosen: list[Choice]) -> tuple[Nests, list[ChosenNest]]:
    """The function with a scalar version of every nest that is only legal under run-time conditions."""
    function = nests.function
    for choice in chosen:
        assert isinstance(choice.outcome, Legal)
        if choice.outcome.conditions or choice.outcome.overlaps:
            loop = nests.loops[choice.brush[0][0]]
            function = version_loop(function, loop.header, loop.blocks, loop.preheader, loop.exit)
    if function is not nests.function:
        nests = analyze_nests(function)
    result = []
    for choice in chosen:
        assert isinstance(choice.outcome, Legal)
        headers = tuple(header for header, _ in choice.brush)
        sizes = tuple(size for _, size in choice.brush)
        result.append(ChosenNest(headers, sizes, choice.outcome, nests_within(nests, headers[0])))
    return nests, result
