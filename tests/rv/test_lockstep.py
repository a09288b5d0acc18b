"""Lock-step execution: horizontal operations, masks, memory, faults, schedules against their definitions, random programs."""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import FlowGraph, flow_graph, reverse_postorder
from rv.analysis.cfg.loops import loop_forest
from rv.analysis.values.effects import may_trap
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Jump, Select
from rv.ir.parser import parse_function
from rv.ir.types import I1
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import run_lockstep
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import Program
from rv.semantics.schedule import (
    ACCEPTING,
    ControlState,
    Scheduler,
    every_schedule,
    first_choice,
    random_scheduler,
    schedule_rules,
)
from rv.semantics.scope import Exhausted
from rv.semantics.undefined import UNDEFINED, Undefined
from rv.transform.linearize.control_uniform import canonical_control
from rv.transform.prepare import prepare
from tests.rv.gotos import random_gotos
from tests.rv.outcome import number_bits
from tests.rv.programs import ELEMENTS, random_function

FREEZING, OBLIVIOUS = Interpretation.FREEZING, Interpretation.OBLIVIOUS
TOP = UNDEFINED


def program(text: str) -> Function:
    return verify(parse_function(text))


def same(found: object, expected: object) -> bool:
    return found is expected if expected is TOP or found is TOP else found == expected


def horizontal(operation: str, type_: str, values: list[object], active: list[int], total: bool = False) -> list[object]:
    """The results of `operation` on %x in a block in which the `active` threads are active."""
    operand = operation.partition("(")[2].partition(" ")[0] if "%x" in operation else "i32"
    function = program(f"""
define {type_} @f({operand} %x, i1 %on, i32 %k) {{
A:
  jump B
B: predicate %on
  %r = horizontal {type_} {operation}{" total" if total else ""}
  jump C
C:
  return {type_} %r
}}
""")
    arguments = [[value, int(number in active), (number + 1) % len(values)] for number, value in enumerate(values)]
    return list(run_lockstep(function, arguments, Memory(), interpretation=OBLIVIOUS))  # type: ignore[arg-type]


CASES = [
    ("any(i1 %x)", "i1", [1, 0, 0, 0], [1, 2], [TOP, 0, 0, TOP]),
    ("any(i1 %x)", "i1", [0, 0, 1, 0], [1, 2], [TOP, 1, 1, TOP]),
    ("all(i1 %x)", "i1", [0, 1, 1, 0], [1, 2], [TOP, 1, 1, TOP]),
    ("all(i1 %x)", "i1", [1, 0, 1, 1], [1, 2], [TOP, 0, 0, TOP]),
    ("ballot(i1 %x)", "i64", [1, 1, 0, 1], [1, 2, 3], [TOP, 10, 10, 10]),
    ("popcount(i1 %x)", "i32", [1, 1, 0, 1], [1, 2, 3], [TOP, 2, 2, 2]),
    ("lane()", "i32", [0, 0, 0, 0], [1, 3], [TOP, 1, TOP, 3]),
    ("lanes()", "i32", [0, 0, 0, 0], [1, 3], [TOP, 4, TOP, 4]),
    ("first(i32 %x)", "i32", [5, 6, 7, 8], [1, 3], [TOP, 6, TOP, 6]),
    ("last(i32 %x)", "i32", [5, 6, 7, 8], [0, 2], [7, TOP, 7, TOP]),
    ("first(i32 %x)", "i32", [5, TOP, 7, 8], [0, 2], [5, TOP, 5, TOP]),
    ("shuffle(i32 %x, i32 %k)", "i32", [5, 6, 7, 8], [0, 1, 2, 3], [6, 7, 8, 5]),
    ("shuffle(i32 %x, i32 %k)", "i32", [5, 6, 7, 8], [0, 2, 3], [TOP, TOP, 8, 5]),
    ("shuffle(i32 %x, i32 4)", "i32", [5, 6, 7, 8], [0, 1, 2, 3], [TOP] * 4),
    ("shuffle(i32 %x, i32 -1)", "i32", [5, 6, 7, 8], [0, 1, 2, 3], [TOP] * 4),
    ("shuffle(i32 %k, i32 %x)", "i32", [3, TOP], [0, 1], [TOP, TOP]),
    ("reduce_add(i8 %x)", "i8", [100, 100, 100, 1], [0, 1, 2], [44, 44, 44, TOP]),
    ("reduce_mul(i8 %x)", "i8", [3, 100, 5, 7], [0, 2, 3], [105, TOP, 105, 105]),
    ("reduce_smin(i8 %x)", "i8", [-128, 3, -2, 7], [1, 2, 3], [TOP, 254, 254, 254]),
    ("reduce_smax(i8 %x)", "i8", [127, 3, -2, 7], [1, 2, 3], [TOP, 7, 7, 7]),
    ("reduce_umin(i8 %x)", "i8", [0, 3, -2, 7], [1, 2, 3], [TOP, 3, 3, 3]),
    ("reduce_umax(i8 %x)", "i8", [255, 3, -2, 7], [1, 2, 3], [TOP, 254, 254, 254]),
    ("reduce_and(i8 %x)", "i8", [0, 7, 14, 6], [1, 2], [TOP, 6, 6, TOP]),
    ("reduce_or(i8 %x)", "i8", [64, 1, 2, 6], [1, 2], [TOP, 3, 3, TOP]),
    ("reduce_xor(i8 %x)", "i8", [64, 3, 2, 6], [1, 2], [TOP, 1, 1, TOP]),
    ("reduce_add(i8 %x)", "i8", [1, TOP, 3, 4], [0, 1], [TOP] * 4),
    ("reduce_add(i8 %x)", "i8", [1, TOP, 3, 4], [0, 2], [4, TOP, 4, TOP]),
    ("any(i1 %x)", "i1", [1, TOP, 0, 0], [0, 1], [TOP] * 4),
    ("reduce_fadd(double %x)", "double", [1e300, 1.0, -1e300, 0.5], [0, 1, 2, 3], [0.5] * 4),
    ("reduce_fmul(double %x)", "double", [2.0, 3.0, 5.0, 7.0], [1, 3], [TOP, 21.0, TOP, 21.0]),
    ("reduce_fmin(double %x)", "double", [math.nan, 3.0, -5.0, -7.0], [0, 1, 2], [-5.0, -5.0, -5.0, TOP]),
    ("reduce_fmax(double %x)", "double", [math.nan, 3.0, -5.0, 7.0], [0, 1, 2], [3.0, 3.0, 3.0, TOP]),
    ("reduce_fadd(float %x)", "float", [2.0**24, 1.0, 1.0], [0, 1, 2], [2.0**24] * 3),
    ("any(i1 %x)", "i1", [1, 1], [], [TOP, TOP]),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "type_", "values", "active", "expected"), CASES)
def test_horizontal_operations(
    operation: str, type_: str, values: list[object], active: list[int], expected: list[object]
) -> None:
    found = horizontal(operation, type_, values, active)
    assert all(map(same, found, expected)), found


def test_a_total_horizontal_operation_is_of_all_threads() -> None:
    assert horizontal("reduce_add(i8 %x)", "i8", [1, 2, 3, 4], [1], total=True) == [10] * 4
    assert horizontal("ballot(i1 %x)", "i64", [1, 0, 0, 1], [], total=True) == [9] * 4


TOTAL = program("""
define i32 @f(i1 %on, i32 %x) {
A:
  jump B
B: predicate %on
  %m = mask()
  %y = add i32 %x, 1
  %z = add i32 %x, 1 total
  jump C
C:
  %r = select %m, i32 %y, %z
  %s = mul i32 %r, 2
  return i32 %s
}
""")


@pytest.mark.parametrize("interpretation", Interpretation)
def test_masks_and_total_instructions_are_for_all_threads(interpretation: Interpretation) -> None:
    assert run_lockstep(TOTAL, [[1, 5], [0, 7]], Memory(), interpretation=interpretation) == (12, 16)


PASSIVE = program("""
define i32 @f(i32 %n) {
A:
  jump H
H:
  %i = phi i32 [0, A], [%next, B]
  %on = icmp slt i32 %i, %n
  %next = add i32 %i, 1
  jump B
B: predicate %on
  %last = add i32 %i, 10
  branch %on, H, C
C:
  return i32 %last
}
""")


def test_passive_results_are_kept_or_lost() -> None:
    assert run_lockstep(PASSIVE, [[3]], Memory()) == (12,)
    assert run_lockstep(PASSIVE, [[3]], Memory(), interpretation=OBLIVIOUS)[0] is TOP


def test_passive_phis_are_kept_or_lost() -> None:
    function = program("""
define i32 @f(i32 %n) {
A:
  jump H
H:
  %i = phi i32 [0, A], [%next, H]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  branch %more, H, C
C:
  return i32 %i
}
""")
    assert run_lockstep(function, [[1], [3]], Memory()) == (0, 2)
    results = run_lockstep(function, [[1], [3]], Memory(), interpretation=OBLIVIOUS)
    assert all(map(same, results, (TOP, 2)))


@pytest.mark.parametrize("interpretation", Interpretation)
def test_a_predicate_computed_in_its_own_block(interpretation: Interpretation) -> None:
    """What leads to it runs for all threads before the activation is known, in every iteration anew."""
    function = program("""
define i32 @f(i32 %n) {
A:
  jump B
B: predicate %on
  %i = phi i32 [0, A], [%next, C]
  %sum = phi i32 [0, A], [%new, C]
  %next = add i32 %i, 1 total
  %on = icmp sle i32 %next, %n total
  %more = add i32 %sum, %next
  jump C
C:
  %new = select %on, i32 %more, %sum
  %again = icmp slt i32 %next, 5
  branch %again, B, D
D:
  return i32 %new
}
""")
    assert run_lockstep(function, [[0], [1], [3], [9]], Memory(), interpretation=interpretation) == (0, 1, 6, 15)


def test_the_first_choice_leaves_a_loop_by_a_detour() -> None:
    """B reaches R, so R has to wait; from B the way back to the header is the shorter one to R, but only on paper."""
    function = program("""
define i32 @f(i1 %on) {
A:
  jump H
H: predicate %on
  branch %on, B, R
B: predicate %on
  branch %on, L, X
L:
  jump H
X:
  jump Y
Y:
  jump Z
Z:
  jump R
R:
  return i32 5
}
""")
    assert run_lockstep(function, [[0], [0]], Memory(), fuel=20) == (5, 5)


GATHER = program("""
define i32 @f(ptr %A, i64 %k, i1 %on) {
A:
  %p = elemptr i32, %A [%k]
  jump B
B: predicate %on
  %x = load i32, %p
  %y = add i32 %x, 1
  store i32 %y, %p
  jump C
C:
  return i32 %y
}
""")


def test_passive_threads_touch_no_memory() -> None:
    memory = Memory()
    region = memory.map("A", bytearray(struct.pack("<3i", 10, 20, 30)))
    results = run_lockstep(GATHER, [[region, 0, 1], [region, 99, 0], [0, 0, 0], [region, 2, 1]], memory, interpretation=OBLIVIOUS)
    assert all(map(same, results, (11, TOP, TOP, 31)))
    assert struct.unpack("<3i", region.data) == (11, 20, 31)


def test_faults_name_the_thread() -> None:
    memory = Memory()
    region = memory.allocate("A", 12)
    with pytest.raises(Fault, match=r"byte 12 of A \(12 bytes\): `%x = load i32, %p` in block B of @f, thread 1"):
        run_lockstep(GATHER, [[region, 0, 1], [region, 3, 1]], memory)
    with pytest.raises(Fault, match="misaligned"):
        run_lockstep(GATHER, [[region.base + 2, 0, 1]], memory)


def test_colliding_threads_store_in_ascending_order() -> None:
    """All of them load before any of them stores, and the last one's value stays."""
    function = program("""
define void @f(ptr %A) {
A:
  %l = horizontal i32 lane()
  %x = load i32, %A
  %y = add i32 %x, %l
  store i32 %y, %A
  return void
}
""")
    memory = Memory()
    region = memory.map("A", bytearray(struct.pack("<i", 100)))
    assert run_lockstep(function, [[region]] * 4, memory) == (None,) * 4
    assert struct.unpack("<i", region.data) == (103,)


def test_schedule_dependence_is_visible() -> None:
    """Either arm of a divergent branch may run first."""
    function = program("""
define void @f(ptr %A, i1 %p) {
A:
  branch %p, B, C
B:
  store i32 1, %A
  jump D
C:
  store i32 2, %A
  jump D
D:
  return void
}
""")
    left = []
    for scheduler in every_schedule():
        memory = Memory()
        region = memory.allocate("A", 4)
        run_lockstep(function, [[region, 1], [region, 0]], memory, scheduler=scheduler)
        left.append(struct.unpack("<i", region.data)[0])
    assert left == [2, 1]


def test_undefined_predicates_are_errors_for_threads_that_come() -> None:
    function = program("""
define i32 @f(i1 %p, i1 %q) {
A:
  branch %p, B, C
B: predicate %q
  jump C
C:
  return i32 1
}
""")
    assert run_lockstep(function, [[1, 1], [0, TOP]], Memory()) == (1, 1)
    with pytest.raises(Undefined, match="the predicate in block B of @f, thread 1"):
        run_lockstep(function, [[1, 1], [1, TOP]], Memory())


def test_argument_lists_are_checked() -> None:
    with pytest.raises(TypeError, match="takes 2 arguments"):
        run_lockstep(TOTAL, [[1, 5], [0]], Memory())


# schedules against the definitions


def legal_blocks(graph: FlowGraph, threads: list[ControlState]) -> set[str]:
    """Definitions 13 to 17, with loops as wholes in the last one; paths by search."""
    order = {label: number for number, label in enumerate(reverse_postorder(graph))}

    def accepting(label: str) -> bool:
        return any(t.accepts(label, graph.successors) for t in threads)

    def guides(thread: ControlState) -> set[object]:
        return {other.next for other in threads if other.last == thread.last and isinstance(other.next, str)}

    def progress(label: str) -> bool:
        before = [t for t in threads if t.last is not None and label in graph.successors[t.last]]
        return any(t.next == label for t in threads) or all(not guides(t) for t in before)

    dominators = dominator_tree(graph)
    loops = list(loop_forest(graph, dominators).loops.values())

    def comes_to(start: str, end: str) -> bool:
        """Whether there is a path that does not go back to the header of a loop around `end`, except that it may end there."""
        around = {loop.header: loop for loop in loops if end in loop.blocks}
        if start in around or start == end:
            return False
        seen, pending = {start}, [start]
        while pending:
            source = pending.pop()
            for target in graph.successors[source]:
                if target == end:
                    return True
                again = target in around and source in around[target].blocks
                if target not in seen and not again:
                    seen.add(target)
                    pending.append(target)
        return False

    def is_waited_for(other: str, label: str) -> bool:
        """Whether a thread branched to `other`, or lost ones would go on to it and do not leave a loop for `label` instead."""
        lost = {t.last for t in threads if t.next is ACCEPTING and t.last is not None and other in graph.successors[t.last]}
        staying = [
            last
            for last in lost
            if label in graph.successors[last]
            and any(last in loop.blocks and other in loop.blocks and label not in loop.blocks for loop in loops)
        ]
        onward = {last for last in lost if last is not None and order[last] < order[other]} - set(staying)
        return any(t.next == other for t in threads) or bool(onward)

    moving = {label for label in order if accepting(label) and progress(label)}
    return {label for label in moving if not any(comes_to(other, label) and is_waited_for(other, label) for other in moving)}


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_choices_are_those_of_the_definitions(seed: int) -> None:
    chosen = random.Random(seed)
    function = random_function(seed)
    rules = schedule_rules(function)
    graph = rules.graph
    for _ in range(5 if len(graph.successors) > 1 else 0):
        threads = []
        # threads that are close to each other: at the predecessors of one block or of its successors
        middle = chosen.choice([label for label in graph.successors if graph.predecessors[label]])
        near = {middle, *graph.predecessors[middle]}
        near.update(p for target in graph.successors[middle] for p in graph.predecessors[target])
        for _ in range(chosen.randint(1, 4)):
            last = chosen.choice(sorted(label for label in near if graph.successors[label]))
            following = ACCEPTING if chosen.random() < 0.4 else chosen.choice(graph.successors[last])
            threads.append(ControlState(last, following))
        choices = rules.choices(threads)
        assert choices and len(set(choices)) == len(choices)
        assert set(choices) == legal_blocks(graph, threads)


# random programs: in lock step as alone

WIDTHS = (1, 2, 3, 4, 8)


class Arrays:
    """Memory and arguments of the threads of one run; every thread has arrays of its own."""

    def __init__(self, seed: int, width: int, uniform: bool) -> None:
        self.memory = Memory()
        self.bytes: list[bytearray] = []
        self.arguments = []
        for thread in range(width):
            chosen = random.Random(f"{seed} {0 if uniform else thread}")
            values = [chosen.choice([0.0, 1.0, -2.5, 0.1, 1e300, math.inf]) for _ in range(3 * ELEMENTS)]
            arrays = [
                bytearray(struct.pack(f"<{2 * ELEMENTS}d", *values[: 2 * ELEMENTS])),
                bytearray(struct.pack(f"<{ELEMENTS}d", *values[2 * ELEMENTS :])),
                bytearray(struct.pack(f"<{ELEMENTS}i", *(chosen.randint(-9, 9) for _ in range(ELEMENTS)))),
            ]
            self.bytes += arrays
            places = [self.memory.map(f"{name}{thread}", data) for name, data in zip("ABC", arrays, strict=True)]
            numbers = [chosen.randint(-2, 6), chosen.randint(-20, 20), chosen.uniform(-3, 3), chosen.uniform(-3, 3)]
            self.arguments.append([*places, *numbers])

    def contents(self) -> list[object]:
        """All bytes, with all NaNs alike."""
        found: list[object] = []
        for number, data in enumerate(self.bytes):
            found.append(bytes(data) if number % 3 == 2 else [number_bits(v) for (v,) in struct.iter_unpack("<d", data)])
        return found


def shown(result: object) -> object:
    return number_bits(result) if isinstance(result, float) else "undefined" if result is TOP else result


def alone(function: Function, seed: int, width: int, uniform: bool) -> tuple[list[object], list[object]] | None:
    """Results and memory of every thread run by itself; None when one of them does what is undefined."""
    arrays = Arrays(seed, width, uniform)
    scalar = Program(function)
    try:
        results = [shown(scalar.run(arguments, arrays.memory, fuel=20_000)) for arguments in arrays.arguments]
    except (Fault, Undefined, Exhausted):
        return None
    return results, arrays.contents()


def together(
    function: Function, seed: int, width: int, uniform: bool, interpretation: Interpretation, scheduler: Scheduler
) -> tuple[list[object], list[object]]:
    arrays = Arrays(seed, width, uniform)
    results = run_lockstep(function, arrays.arguments, arrays.memory, interpretation=interpretation, scheduler=scheduler)
    return [shown(result) for result in results], arrays.contents()


def check_freezing(seed: int, make_scheduler: Callable[[], Scheduler]) -> None:
    function = verify(random_function(seed))
    width = WIDTHS[seed % len(WIDTHS)]
    expected = alone(function, seed, width, uniform=False)
    if expected is not None:
        assert together(function, seed, width, False, FREEZING, make_scheduler()) == expected


@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_freezing_is_scalar_execution_of_each_thread(seed: int) -> None:
    check_freezing(seed, lambda: random_scheduler(seed))


@pytest.mark.long
@settings(max_examples=5000, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_freezing_is_scalar_execution_of_each_thread_long(seed: int) -> None:
    check_freezing(seed, lambda: random_scheduler(seed))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_freezing_does_not_depend_on_the_schedule(seed: int) -> None:
    function = verify(random_function(seed))
    expected = alone(function, seed, 3, uniform=False)
    for scheduler in itertools.islice(every_schedule(8), 8 if expected is not None else 0):
        assert together(function, seed, 3, False, FREEZING, scheduler) == expected


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_oblivious_is_right_where_threads_agree(seed: int) -> None:
    """Threads with equal arguments are never passive where one of them is active."""
    function = verify(random_function(seed))
    expected = alone(function, seed, 3, uniform=True)
    if expected is not None:
        assert together(function, seed, 3, True, OBLIVIOUS, first_choice) == expected


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_oblivious_only_loses_values(seed: int) -> None:
    """A divergent loop may leave undefined what FREEZING keeps, but nothing else."""
    function = verify(random_function(seed))
    expected = alone(function, seed, 4, uniform=False)
    if expected is None:
        return
    try:
        results, memory = together(function, seed, 4, False, OBLIVIOUS, random_scheduler(seed))
    except (Undefined, Fault):
        return
    assert memory == expected[1]
    assert all(found in (right, "undefined") for found, right in zip(results, expected[0], strict=True))


# predicates in random programs


def predicated(function: Function, seed: int) -> Function:
    """The function with predicates on some blocks that jump, and some total instructions."""
    chosen = random.Random(seed)
    graph = flow_graph(function)
    dominators = dominator_tree(graph)
    truths = {
        block.label: [i.result for i in (*block.phis, *block.body) if i.result is not None and i.result.type == I1]
        for block in function.blocks
    }
    blocks = []
    for block in function.blocks:
        above = [value for label in list(dominators.chain(block.label))[1:] for value in truths[label]]
        own = [phi.result for phi in block.phis if phi.result.type == I1]
        if (above or own) and isinstance(block.terminator, Jump) and chosen.random() < 0.7:
            body = tuple(
                replace(i, total=True)
                if isinstance(i, Binary | Select | Convert | CompareInt) and not may_trap(i) and chosen.random() < 0.6
                else i
                for i in block.body
            )
            block = replace(block, predicate=chosen.choice([*above, *own]), body=body)
        blocks.append(block)
    return verify(replace(function, blocks=tuple(blocks)))


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_one_thread_in_lock_step_is_the_scalar_interpreter(seed: int) -> None:
    """Both interpreters agree on predicates and totals: results, memory, and which instruction goes wrong."""
    function = predicated(random_function(seed), seed)
    arrays = Arrays(seed, 1, uniform=False)
    try:
        result: object = shown(Program(function).run(arrays.arguments[0], arrays.memory, fuel=20_000))
    except (Fault, Undefined) as error:
        result = str(error)
    except Exhausted:
        return
    again = Arrays(seed, 1, uniform=False)
    try:
        (other,) = run_lockstep(function, again.arguments, again.memory, interpretation=OBLIVIOUS)
        found: object = shown(other)
    except (Fault, Undefined) as error:
        found = str(error).removesuffix(", thread 0")
    if "the predicate in block" not in str(found):
        assert found == result
        assert again.contents() == arrays.contents()
    else:
        assert isinstance(result, str)


def check_gotos(seed: int) -> None:
    """FREEZING equals scalar execution, and OBLIVIOUS only loses, whatever the control flow."""
    function = verify(random_gotos(seed))
    chosen = random.Random(seed)
    numbers = [chosen.randint(0, 2**32 - 1) for _ in range(chosen.choice(WIDTHS))]
    scalar = Program(function)
    expected = tuple(scalar.run([n], Memory()) for n in numbers)
    arguments = [[n] for n in numbers]
    assert run_lockstep(function, arguments, Memory(), scheduler=random_scheduler(seed), fuel=10_000) == expected
    try:
        results = run_lockstep(function, arguments, Memory(), interpretation=OBLIVIOUS, scheduler=random_scheduler(seed))
    except Undefined:
        return
    assert all(found is TOP or found == right for found, right in zip(results, expected, strict=True))


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_gotos(seed: int) -> None:
    check_gotos(seed)


@pytest.mark.long
@settings(max_examples=10000, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_gotos_long(seed: int) -> None:
    check_gotos(seed)


FOUND = """define i32 @f(i32 %t) {
start:
  jump head
head:
  %i = phi i32 [0, start], [%next, latch]
  %c = icmp eq i32 %i, %t
  branch %c, found, latch
found:
  %together = horizontal i32 popcount(i1 1)
  %always = icmp eq i32 %i, %i
  branch %always, out, latch
latch:
  %next = add i32 %i, 1
  jump head
out:
  return i32 %together
}
"""


def test_a_branch_that_is_always_taken_keeps_its_block_in_the_loop() -> None:
    """Behind the loop all three lanes would execute the operation together."""
    function = parse_function(FOUND)
    for form in (function, prepare(function)):
        assert run_lockstep(canonical_control(form), [[0], [1], [2]], Memory()) == (1, 1, 1)
