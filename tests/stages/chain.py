"""The stages of a case, each compared with what came before it.

    threads one by one                                    (where no operation looks across lanes)
    = in lock step, FREEZING                              the source, any schedule; one return and canonical loops
    = skipped sides, uniform loops; both interpretations  (`rv.transform.linearize.boscc`,
    `..divergent_loops`) = linearized, OBLIVIOUS, all threads in all blocks
    (`rv.transform.linearize.partial`) = prepared                                            (`rv.transform.prepare`, and all of
    the above on that) = the vector IR of the loop over lanes, with tiles and tails, in its interpreter
    (`tensorrv.brush`) = machine code of that, between inaccessible pages                                              (`rv.emit`
    and LLVM)
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from rv.analysis.divergence.divergence_analysis import divergence
from rv.analysis.divergence.inhabited import inhabited
from rv.analysis.verify import verify
from rv.evolution.facts import Legal
from rv.ir.function import Function
from rv.ir.instructions import Horizontal, Jump
from rv.ir.steps import Keep, forget
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import Lockstep, State, Step
from rv.semantics.scalar import Program
from rv.semantics.schedule import Scheduler, first_choice, random_scheduler
from rv.semantics.undefined import Undefined
from rv.transform.linearize.boscc import expensive_sides, skip_sides
from rv.transform.linearize.control_uniform import canonical_control
from rv.transform.linearize.divergent_loops import uniform_loops
from rv.transform.linearize.partial import linearize
from rv.transform.prepare import prepare
from tensorrv.brush.tensorize import Tensorized
from tests.fuzz.children import Outcome
from tests.rv.forms import assert_loop_simplify_form
from tests.stages.case import WIDTHS, Case
from tests.stages.machine import run_machine_code, run_vector_code, tensorized
from tests.stages.meaning import FUEL, UNPROMISED, Found, alone, together

FREEZING, OBLIVIOUS = Interpretation.FREEZING, Interpretation.OBLIVIOUS
ENOUGH: Final = 10 * FUEL
"""Blocks that a stage may run; passes add blocks, and run both sides of branches."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A function with the meaning of the case under these interpretations."""

    name: str
    function: Function
    interpretations: tuple[Interpretation, ...]


class Differs(Exception):
    """A stage means something else than the ones before."""

    def __init__(self, stage: str, detail: str) -> None:
        super().__init__(f"{stage}: {detail}")
        self.stage = stage


def looks_across(function: Function) -> bool:
    return any(isinstance(instruction, Horizontal) for _, instruction in function.instructions())


def stages(case: Case, source: Function, prefix: str = "", keep: Keep = forget) -> Iterator[Stage]:
    """The passes that make control flow uniform; `keep` is the seam between them."""
    function = canonical_control(source)
    yield Stage(f"{prefix}canonical control", verify(function), (FREEZING,))
    facts = keep("divergence", divergence(function, case.varying))
    branches = facts.divergent_branches
    if case.skip_from is not None:
        sides = expensive_sides(function, branches, least=case.skip_from, threads=1)
        skipped = skip_sides(function, branches, None, sides)
        function, branches = keep("skip-sides", skipped.function), skipped.divergent
        yield Stage(f"{prefix}skipped sides", verify(function), (FREEZING,))
    loops = uniform_loops(function, facts.divergent_loops, branches)
    assert_loop_simplify_form(loops.function)
    function = keep("uniform-loops", loops.function)
    yield Stage(f"{prefix}uniform loops", verify(function), (FREEZING, OBLIVIOUS))
    lanes = verify(keep("linearize", linearize(function, loops.divergent)))
    known = inhabited(lanes)
    assert all(isinstance(block.terminator, Jump) or known.holds(block.predicate, block.label) for block in lanes.blocks)
    yield Stage(f"{prefix}linearized", lanes, (OBLIVIOUS,))


def check(case: Case, keep: Keep = forget) -> Outcome:
    """Whether all stages agree; refused: whether there is no machine code to compare. Exceptions are failures as well.

    In lock step the threads run at the width of the case and, the first of them, at all smaller widths. `keep`, the seam between
    the stages, may plant errors in them.
    """
    try:
        return _Check(case, keep).outcome()
    except UNPROMISED as error:
        return {"status": "undefined", "detail": str(error)}
    except Differs as difference:
        return {"status": "mismatch", "kind": difference.stage, "detail": str(difference)}


class _Check:
    """What the threads of a case have to leave, at every width, and which functions are known to do that."""

    def __init__(self, case: Case, keep: Keep) -> None:
        """Raises one of `UNPROMISED` when nothing is promised at the width of the case."""
        self.case, self.keep = case, keep
        source = Lockstep(canonical_control(verify(case.function)), FREEZING)
        self.expected = {case.width: together(case, source)}
        for width in WIDTHS[: WIDTHS.index(case.width)]:
            with contextlib.suppress(*UNPROMISED):
                self.expected[width] = together(replace(case, width=width), source)
        self.known: list[tuple[Function, Interpretation]] = [(source.function, FREEZING)]

    def outcome(self) -> Outcome:
        every = self.expected[self.case.width]
        if not looks_across(self.case.function):
            every = self.one_by_one()
            compare("one by one", every[: self.case.width], self.expected[self.case.width])
            self.run("another schedule", self.case.function, FREEZING, random_scheduler(self.case.seed))
        prepared = self.keep("prepare", prepare(self.case.function))
        for origin, prefix in ((self.case.function, ""), (prepared, "prepared, ")):
            for stage in stages(self.case, origin, prefix, self.keep):
                for interpretation in stage.interpretations:
                    if (stage.function, interpretation) not in self.known:
                        self.known.append((stage.function, interpretation))
                        self.run(stage.name, stage.function, interpretation, all_come=FREEZING not in stage.interpretations)
        return last_stages(self.case, every, self.keep)

    def one_by_one(self) -> list[Found]:
        """What all threads leave, whether they are lanes or not. Raises Undefined."""
        program = Program(self.case.function)
        found = [one for thread in self.case.threads if (one := alone(self.case, program, thread)) is not None]
        if len(found) < len(self.case.threads):
            raise Undefined("one thread alone")
        return found

    def run(
        self,
        stage: str,
        function: Function,
        interpretation: Interpretation,
        scheduler: Scheduler = first_choice,
        *,
        all_come: bool = False,
    ) -> None:
        """Raises Differs where threads do what the source does not do; `all_come`: all are to come to every block that runs."""
        lockstep = Lockstep(function, interpretation)
        for width, expected in self.expected.items():
            observe = partial(_observe_all, stage, width) if all_come else None
            try:
                found = together(replace(self.case, width=width), lockstep, observe, scheduler, ENOUGH)
            except UNPROMISED as error:
                raise Differs("something undefined", f"{stage}: {type(error).__name__}: {error}") from error
            compare(f"{stage}, {interpretation.name}", found, expected)


def _observe_all(stage: str, width: int, _: State, step: Step) -> None:
    """Raises Differs when not all threads come to a block."""
    if step.came != tuple(range(width)):
        raise Differs(stage, f"only threads {step.came} of {width} come to block {step.label}")


def last_stages(case: Case, expected: list[Found], keep: Keep = forget) -> Outcome:
    loop, result = tensorized(case, keep)
    if not result.brushed:
        return {"status": "refused", "detail": "; ".join(d.message for d in result.refusals)}
    promised = [expected]
    if looks_across(case.function) and _has_scalar_version(result):
        try:
            promised.append(one_lane_each(case))
        except UNPROMISED:  # such code must not run: it may go on for ever
            return {"status": "refused", "detail": "run-time checks may choose one lane at a time, of which nothing is promised"}
    try:
        found = run_vector_code(case, loop, result.widened.module, len(case.threads) * ENOUGH)
    except UNPROMISED as error:
        raise Differs("something undefined", f"vector code: {type(error).__name__}: {error}") from error
    if found not in promised:
        compare("vector code", found, expected)
    found = run_machine_code(case, loop, keep("machine code", result.widened.module))
    if found not in promised:
        compare("machine code", found, expected)
    return {"status": "ok"}


def _has_scalar_version(result: Tensorized) -> bool:
    """Whether a run-time check may decide for it: then there is one lane at a time."""
    return any(isinstance(choice.outcome, Legal) and choice.outcome.is_conditional for choice in result.choices)


def one_lane_each(case: Case) -> list[Found]:
    """What the lanes leave when they run one after the other. Raises one of `UNPROMISED`."""
    source = Lockstep(canonical_control(case.function), FREEZING)
    return [found for lane in case.lanes for found in together(replace(case, threads=(lane,), width=1), source)]


def compare(stage: str, found: list[Found], expected: list[Found]) -> None:
    """Raises Differs."""
    for thread, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        if mine != theirs:
            raise Differs(stage, f"thread {thread} leaves {mine}, not {theirs}")
