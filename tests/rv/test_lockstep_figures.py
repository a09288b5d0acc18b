"""Lock-step execution of the programs in the figures of the thesis's chapters 3 to 5."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.semantics.arguments import Argument
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import Lockstep, NoProgress, State, Step, run_lockstep
from rv.semantics.memory import Memory
from rv.semantics.schedule import ACCEPTING, ControlState, Returned, every_schedule, random_scheduler
from rv.semantics.scope import Exhausted
from rv.semantics.undefined import UNDEFINED, Undefined

FREEZING, OBLIVIOUS = Interpretation.FREEZING, Interpretation.OBLIVIOUS


def program(text: str) -> Function:
    return verify(parse_function(text))


def trace(function: Function, arguments: Sequence[Sequence[Argument]], schedule: str, shown: str = "") -> list[Step]:
    """The steps of a given schedule of blocks with one-letter names."""
    lockstep = Lockstep(function)
    state = lockstep.start(arguments)
    step = lockstep.blocks(Memory())
    return [step(state, label) for label in schedule]


LOGSTAR = program("""
define i32 @logstar(double %n) {
A:
  jump B
B:
  %i0 = phi i32 [0, A], [%i, B]
  %x0 = phi double [%n, A], [%x, B]
  %i = add i32 %i0, 1
  %x = call double @log(double %x0)
  %more = fcmp ogt double %x, 1.0
  branch %more, B, C
C:
  %big = fcmp ogt double %n, 1.0
  %r = select %big, i32 %i, 0
  return i32 %r
}
""".replace("1.0", "0x1p0"))

PREDICATED_LOGSTAR = program("""
define i32 @logstar(double %n) {
A:
  jump B
B: predicate %live
  %live = phi i1 [1, A], [%stay, L]
  %i0 = phi i32 [0, A], [%i, L]
  %x0 = phi double [%n, A], [%x, L]
  %i.out = phi i32 [undef, A], [%i.upd, L]
  %i = add i32 %i0, 1
  %x = call double @log(double %x0)
  %more = fcmp ogt double %x, 0x1p0
  jump L
L:
  %stay = select %live, i1 %more, 0
  %leave = xor i1 %stay, 1
  %now = select %live, i1 %leave, 0
  %i.upd = select %now, i32 %i, %i.out
  %again = horizontal i1 any(i1 %stay)
  branch %again, B, C
C:
  %big = fcmp ogt double %n, 0x1p0
  %r = select %big, i32 %i.upd, 0
  return i32 %r
}
""")


def test_logstar_freezing_is_right() -> None:
    """Figure 3.20: every thread keeps what it computed when it left the loop."""
    seen: list[tuple[str, tuple[int, ...], tuple[object, ...]]] = []

    def observe(state: State, step: Step) -> None:
        seen.append((step.label, step.active, state.values("i")))

    assert run_lockstep(LOGSTAR, [[88.38], [1.5]], Memory(), observer=observe) == (3, 1)
    assert seen[1:] == [("B", (0, 1), (1, 1)), ("B", (0,), (2, 1)), ("B", (0,), (3, 1)), ("C", (0, 1), (3, 1))]
    assert run_lockstep(LOGSTAR, [[0.5], [math.nan], [1e300]], Memory()) == (0, 0, 4)


def test_logstar_oblivious_forgets() -> None:
    """Figure 3.21: the thread that left first has lost its values."""
    assert run_lockstep(LOGSTAR, [[88.38], [1.5]], Memory(), interpretation=OBLIVIOUS) == (3, UNDEFINED)
    assert run_lockstep(LOGSTAR, [[88.38], [50.0]], Memory(), interpretation=OBLIVIOUS) == (3, 3)


@pytest.mark.parametrize("interpretation", Interpretation)
def test_transformed_logstar_is_right_under_both(interpretation: Interpretation) -> None:
    """Figure 3.22c: live-out values are recorded when a thread leaves."""
    for values in ([88.38, 1.5], [1.5, 88.38], [0.5, math.nan, 1e300, 3.0], [2.0]):
        expected = run_lockstep(LOGSTAR, [[v] for v in values], Memory())
        assert run_lockstep(PREDICATED_LOGSTAR, [[v] for v in values], Memory(), interpretation=interpretation) == expected


def test_control_mechanics() -> None:
    """Figure 4.5."""
    function = program("""
define i32 @f(i1 %p, i1 %q) {
A:
  branch %p, B, C
B:
  jump E
C:
  branch %q, D, E
D:
  jump E
E:
  %r = phi i32 [1, B], [2, C], [3, D]
  return i32 %r
}
""")
    lockstep = Lockstep(function)
    state = lockstep.start([[1, 0], [0, 1]])
    step = lockstep.blocks(Memory())
    assert step(state, "A") == Step("A", (0, 1), (0, 1))
    assert state.control == [ControlState("A", "B"), ControlState("A", "C")]
    assert step(state, "B").came == (0,)
    assert state.control == [ControlState("B", "E"), ControlState("A", "C")]
    assert step(state, "C").came == (1,)
    assert state.control == [ControlState("B", "E"), ControlState("C", "D")]
    assert step(state, "D").came == (1,)
    assert step(state, "E").came == (0, 1)
    assert state.control == [ControlState("E", Returned(1)), ControlState("E", Returned(3))]
    assert state.finished and state.results == (1, 3)
    assert step(state, "E").came == ()


def test_activation_is_control_and_predicate() -> None:
    """Figure 4.6: p = [0, 1]."""
    function = program("""
define i32 @f(i1 %p) {
A:
  %notp = xor i1 %p, 1
  branch %p, B, C
B:
  jump C
C: predicate %notp
  %x = add i32 1, 1
  jump D
D:
  %r = select %notp, i32 %x, 7
  return i32 %r
}
""")
    steps = trace(function, [[0], [1]], "ABCD")
    assert steps == [Step("A", (0, 1), (0, 1)), Step("B", (1,), (1,)), Step("C", (0, 1), (0,)), Step("D", (0, 1), (0, 1))]
    for interpretation in Interpretation:
        assert run_lockstep(function, [[0], [1]], Memory(), interpretation=interpretation) == (2, 7)


DIAMONDS = [
    ("branch %p, B, C", "", "branch %q, D, E", "", ""),
    ("branch %p, B, C", "", "jump D", "", " predicate %q"),
    ("jump B", " predicate %p", "branch %qn, D, E", " predicate %np", " predicate %qn"),
    ("jump B", " predicate %p", "jump D", " predicate %np", " predicate %qn"),
]  # fmt: skip


@pytest.mark.parametrize("interpretation", Interpretation)
def test_incremental_if_conversion(interpretation: Interpretation) -> None:
    """Figure 4.7: the same threads are active in every block, whatever has been converted."""
    arguments = [[p, q] for p in (0, 1) for q in (0, 1)]
    reference = None
    for head, on_b, middle, on_c, on_d in DIAMONDS:
        from_b = "C" if head == "jump B" else "E"
        function = program(f"""
define i32 @f(i1 %p, i1 %q) {{
A:
  %np = xor i1 %p, 1
  %qn = and i1 %np, %q
  {head}
B:{on_b}
  jump {from_b}
C:{on_c}
  {middle}
D:{on_d}
  jump E
E:
  return i32 0
}}
""")
        active: dict[str, tuple[int, ...]] = {}

        def observe(state: State, step: Step, active: dict[str, tuple[int, ...]] = active) -> None:
            active[step.label] = step.active

        run_lockstep(function, arguments, Memory(), interpretation=interpretation, observer=observe)
        reference = reference or active
        assert active == reference
    assert reference == {"A": (0, 1, 2, 3), "B": (2, 3), "C": (0, 1), "D": (1,), "E": (0, 1, 2, 3)}


def test_a_shadow_defines_a_mask() -> None:
    """Figure 4.10: m is 0 for the threads that do not come to D; without a shadow the phi loses or keeps the value."""
    function = program("""
define i32 @f(i1 %p, i1 %q) {
A:
  branch %p, B, C
B:
  branch %q, D, E
C:
  branch %q, D, E
D:
  %m = phi i1 [1, B], [1, C] shadow(0)
  %d = phi i32 [5, B], [6, C]
  jump E
E:
  %r = phi i32 [-1, B], [-2, C], [%d, D]
  return i32 %r
}
""")
    arguments = [[1, 1], [0, 1], [1, 0], [0, 0]]
    for interpretation, passive in ((OBLIVIOUS, UNDEFINED), (FREEZING, UNDEFINED)):
        lockstep = Lockstep(function, interpretation)
        seen: dict[str, tuple[object, ...]] = {}

        def observe(state: State, step: Step, seen: dict[str, tuple[object, ...]] = seen) -> None:
            seen.update({name: state.values(name) for name in "md"} if step.label == "D" else {})

        results = lockstep.run(arguments, Memory(), observer=observe)
        assert results == (5, 6, 2**32 - 1, 2**32 - 2)
        assert seen["m"] == (1, 1, 0, 0)
        assert all(a is b for a, b in zip(seen["d"], (5, 6, passive, passive), strict=True))


def test_shadow_and_activation() -> None:
    """Figure 4.11: resolution depends on the control mask and not on the predicate of the block before."""
    function = program("""
define i32 @f(i1 %p) {
A:
  branch %p, D, B
B: predicate 0
  jump C
C:
  %x = phi i32 [1, B] shadow(2)
  jump D
D:
  %y = phi i32 [10, A], [%x, C]
  return i32 %y
}
""")
    lockstep = Lockstep(function)
    state = lockstep.start([[1], [0]])
    step = lockstep.blocks(Memory())
    step(state, "A")
    assert step(state, "B") == Step("B", (1,), ())
    assert state.control[1] == ControlState("B", ACCEPTING)
    assert step(state, "C") == Step("C", (1,), (1,))
    assert state.values("x") == (2, 1)
    step(state, "D")
    assert state.results == (10, 1)


def test_a_use_outside_the_definition_mask_is_found() -> None:
    """Figure 4.16a: x is defined where p holds and used where it does not."""
    function = program("""
define i32 @f(i1 %p) {
A:
  %notp = xor i1 %p, 1
  jump B
B: predicate %p
  %x = add i32 1, 1
  jump C
C: predicate %notp
  %y = add i32 %x, 1
  %c = icmp sgt i32 %y, 0
  branch %c, D, E
D:
  return i32 1
E:
  return i32 2
}
""")
    for interpretation in Interpretation:
        with pytest.raises(Undefined, match="branch %c, D, E` in block C of @f, thread 1"):
            run_lockstep(function, [[1], [0]], Memory(), interpretation=interpretation)


def test_passive_threads_follow_a_guide() -> None:
    """Figure 5.2: where an active thread branched, passive ones go as well, in every greedy schedule."""
    function = program("""
define i32 @f(i1 %on) {
A: predicate %on
  branch 1, B, C
B:
  jump D
C:
  jump D
D:
  %r = phi i32 [1, B], [2, C]
  return i32 %r
}
""")
    runs = [run_lockstep(function, [[1], [0]], Memory(), scheduler=scheduler) for scheduler in every_schedule()]
    assert runs == [(1, 1)]
    runs = [run_lockstep(function, [[0], [0]], Memory(), scheduler=scheduler) for scheduler in every_schedule()]
    assert sorted(map(str, runs)) == ["(1, 1)", "(2, 2)"], "no thread decides the direction"


def test_a_guide_past_a_block_that_reaches_its_target() -> None:
    """The active thread goes to C directly; B, which the passive one accepts too, is not waited for."""
    function = program("""
define i32 @f(i1 %on) {
A: predicate %on
  branch 0, B, C
B:
  jump C
C:
  %r = phi i32 [1, B], [2, A]
  return i32 %r
}
""")
    assert [run_lockstep(function, [[1], [0]], Memory(), scheduler=s) for s in every_schedule()] == [(2, 2)]


HORIZONTAL = """
define i32 @f(i1 %c, i1 %v) {
A:
  branch %c, B, C
B:
  jump D
C:
  jump D
D:
  %any = horizontal i1 any(i1 %v)
  branch %any, E, F
E:
  jump G
F:
  jump G
G:
  %x = phi i32 [0, E], [1, F]
  return i32 %x
}
"""


def test_the_schedule_shows_through_horizontal_operations() -> None:
    """Figure 5.3a: greedy schedules bring the threads to D together; another one does not."""
    function = program(HORIZONTAL)
    arguments = [[1, 0], [0, 1]]
    for scheduler in every_schedule():
        assert run_lockstep(function, arguments, Memory(), scheduler=scheduler) == (0, 0)
    lockstep = Lockstep(function)
    state = lockstep.start(arguments)
    step = lockstep.blocks(Memory())
    for label in "ABDCDEFG":
        step(state, label)
    assert state.results == (1, 0)


def test_threads_of_a_loop_stay_in_one_iteration() -> None:
    """Figure 5.3b: i is uniform in H under greedy schedules, and not under AHLHLHLX with B late."""
    function = program("""
define i32 @f(i1 %v) {
A:
  jump H
H:
  %i = phi i32 [0, A], [%next, L]
  branch %v, B, L
B:
  jump L
L:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 3
  branch %more, H, X
X:
  return i32 %next
}
""")
    for scheduler in every_schedule(50):

        def observe(state: State, step: Step) -> None:
            assert step.label != "H" or (step.active == (0, 1) and len(set(state.values("i"))) == 1)

        assert run_lockstep(function, [[1], [0]], Memory(), scheduler=scheduler, observer=observe) == (3, 3)
    lockstep = Lockstep(function)
    state = lockstep.start([[1], [0]])
    step = lockstep.blocks(Memory())
    for label in "AHLHLBL":
        step(state, label)
    assert step(state, "H").active == (0, 1)
    assert state.values("i") == (1, 2)


def test_a_greedy_schedule_waits_for_threads_that_can_still_come() -> None:
    """Figure 5.4: D does not run while a thread is at C."""
    function = program("""
define i32 @f(i1 %p) {
A:
  branch %p, B, C
B:
  jump D
C:
  jump D
D:
  return i32 0
}
""")
    lockstep = Lockstep(function)
    state = lockstep.start([[1], [0]])
    step = lockstep.blocks(Memory())
    step(state, "A")
    assert lockstep.rules.choices(state.control) == ("B", "C")
    step(state, "B")
    assert lockstep.rules.choices(state.control) == ("C",)
    with pytest.raises(ValueError, match="none of the blocks"):
        run_lockstep(function, [[1], [0]], Memory(), scheduler=lambda choices: "D")


STUCK = """
define i32 @f(i1 %p) {
A:
  jump B
B: predicate %p
  branch %p, B, C
C:
  jump D
D:
  return i32 0
}
"""


def test_termination_is_preserved() -> None:
    """Figure 5.5: no thread is active in the loop; the first choice leaves it, others may spin."""
    function = program(STUCK)
    assert run_lockstep(function, [[0], [0]], Memory(), fuel=4) == (0, 0)
    lengths = []
    for scheduler in every_schedule(5):
        steps: list[str] = []
        run_lockstep(function, [[0], [0]], Memory(), scheduler=scheduler, observer=lambda _, step, s=steps: s.append(step.label))  # type: ignore[misc]
        lengths.append("".join(steps))
    assert lengths == ["ABCD", "ABBCD", "ABBBCD", "ABBBBCD", "ABBBBBCD"]
    assert run_lockstep(function, [[0], [0]], Memory(), scheduler=random_scheduler(1)) == (0, 0)
    with pytest.raises(Exhausted):
        run_lockstep(function, [[0], [0]], Memory(), scheduler=lambda choices: choices[-1], fuel=50)


def test_no_progress_past_a_passive_return() -> None:
    function = program("define i32 @f(i1 %p) {\nA: predicate %p\n  return i32 0\n}\n")
    assert run_lockstep(function, [[1]], Memory()) == (0,)
    with pytest.raises(NoProgress):
        run_lockstep(function, [[1], [0]], Memory())
