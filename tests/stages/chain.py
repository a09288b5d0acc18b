"""The stages of a case, each compared with what came before it.

    threads one by one                                    (where no operation looks across lanes)
    = in lock step, FREEZING                              the source, any schedule; one return and canonical loops
    = skipped sides, uniform loops; both interpretations  (`rv.transform.boscc`, `rv.transform.divergent_loops`)
    = linearized, OBLIVIOUS, all threads in all blocks    (`rv.transform.linearize`)
    = prepared                                            (`rv.transform.prepare`, and all of the above on that)
    = machine code of the loop over lanes, with tiles and tails, between inaccessible pages      (`tensorrv.brush`)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rv.analysis.divergence import divergence
from rv.analysis.inhabited import inhabited
from rv.ir.function import Function
from rv.ir.instructions import Horizontal, Jump
from rv.ir.verify import verify
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import State, Step
from rv.semantics.scalar import Program
from rv.semantics.schedule import Scheduler, first_choice, random_scheduler
from rv.transform.boscc import expensive_sides, skip_sides
from rv.transform.control_uniform import canonical_control, control_uniform
from rv.transform.divergent_loops import uniform_loops
from rv.transform.linearize import linearize
from rv.transform.prepare import prepare
from tests.fuzz.children import Outcome
from tests.rv.forms import assert_loop_simplify_form
from tests.stages.case import Case
from tests.stages.machine import run_machine_code, tensorized
from tests.stages.meaning import UNPROMISED, Found, alone, together

FREEZING, OBLIVIOUS = Interpretation.FREEZING, Interpretation.OBLIVIOUS


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


def stages(case: Case, source: Function, prefix: str = "") -> Iterator[Stage]:
    """The passes that make control flow uniform."""
    function = canonical_control(source)
    yield Stage(f"{prefix}canonical control", verify(function), (FREEZING,))
    facts = divergence(function, case.varying)
    branches = facts.divergent_branches
    if case.skip_from is not None:
        sides = expensive_sides(function, branches, least=case.skip_from, threads=1)
        skipped = skip_sides(function, branches, None, sides)
        function, branches = skipped.function, skipped.divergent
        yield Stage(f"{prefix}skipped sides", verify(function), (FREEZING,))
    loops = uniform_loops(function, facts.divergent_loops, branches)
    assert_loop_simplify_form(loops.function)
    yield Stage(f"{prefix}uniform loops", verify(loops.function), (FREEZING, OBLIVIOUS))
    lanes = verify(linearize(loops.function, loops.divergent))
    assert lanes == control_uniform(source, case.varying, skip_from=case.skip_from)
    known = inhabited(lanes)
    assert all(isinstance(block.terminator, Jump) or known.holds(block.predicate, block.label) for block in lanes.blocks)
    yield Stage(f"{prefix}linearized", lanes, (OBLIVIOUS,))


def check(case: Case) -> Outcome:
    """Whether all stages agree; refused: whether there is no machine code to compare. Exceptions are failures as well."""
    try:
        expected = together(case, canonical_control(verify(case.function)), FREEZING)
    except UNPROMISED as error:
        return {"status": "undefined", "detail": str(error)}
    every = expected
    try:
        if not looks_across(case.function):
            program = Program(case.function)
            single = [alone(case, program, thread) for thread in case.threads]
            every = [found for found in single if found is not None]
            if len(every) < len(single):
                return {"status": "undefined", "detail": "one thread alone"}
            compare("one by one", every[: case.width], expected)
            compare("another schedule", run(case, case.function, FREEZING, random_scheduler(case.seed)), expected)
        for origin, prefix in ((case.function, ""), (prepare(case.function), "prepared, ")):
            for stage in stages(case, origin, prefix):
                for interpretation in stage.interpretations:
                    found = run(case, stage.function, interpretation, all_come=FREEZING not in stage.interpretations)
                    compare(f"{stage.name}, {interpretation.name}", found, expected)
        return last_stages(case, every)
    except Differs as difference:
        return {"status": "mismatch", "kind": difference.stage, "detail": str(difference)}


def last_stages(case: Case, expected: list[Found]) -> Outcome:
    loop, result = tensorized(case)
    if not result.brushed:
        return {"status": "refused", "detail": "; ".join(d.message for d in result.refusals)}
    compare("machine code", run_machine_code(case, loop, result.llvm), expected)
    return {"status": "ok"}


def run(
    case: Case,
    function: Function,
    interpretation: Interpretation,
    scheduler: Scheduler = first_choice,
    *,
    all_come: bool = False,
) -> list[Found]:
    """What the threads leave. Raises Differs where they do what the source does not do."""

    def observe(_: State, step: Step) -> None:
        assert not all_come or step.came == tuple(range(case.width)), step

    try:
        return together(case, function, interpretation, observe, scheduler)
    except UNPROMISED as error:
        raise Differs("something undefined", f"{type(error).__name__}: {error}") from error


def compare(stage: str, found: list[Found], expected: list[Found]) -> None:
    """Raises Differs."""
    for thread, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        if mine != theirs:
            raise Differs(stage, f"thread {thread} leaves {mine}, not {theirs}")
