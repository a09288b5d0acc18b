"""What stack objects hold: figures, traps, and random programs in which one object of all threads replaces uniform ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from rv.analysis.divergence.divergence_analysis import Divergence, divergence
from rv.analysis.divergence.explanation import Explanation
from rv.analysis.strides.shape_analysis import vector_shapes
from rv.analysis.strides.shape_lattice import shape
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.types import I32
from rv.ir.values import Var
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import State, Step, run_lockstep
from rv.semantics.memory import Memory
from rv.semantics.scalar import Program
from rv.semantics.undefined import UNDEFINED
from rv.transform.linearize.control_uniform import canonical_control, control_uniform
from tests.rv_divergence.graphs import random_reducible
from tests.rv_divergence.stack_programs import ELEMENTS, random_stack_code, with_shared_objects
from tests.rv_linear.threads import alone

Threads = Sequence[tuple[int, int]]


def places(values: Sequence[object], memory: Memory) -> list[object]:
    """Values to compare: addresses of stack objects relative to the object."""
    found: list[object] = []
    for value in values:
        number = value >> 40 if isinstance(value, int) else 0
        if isinstance(value, int) and 0 < number < len(memory.regions) and memory.regions[number].undefined:
            name = memory.regions[number].name
            found.append((name.partition(" of ")[0], value - memory.regions[number].base))
        else:
            found.append(value)
    return found


def check_uniform(function: Function, found: Divergence, threads: Threads, size: int) -> None:
    """What is said to be uniform has one value in all threads that define it together."""
    memory = Memory()
    arrays = [memory.allocate(f"A{t}", size).base for t in range(len(threads))]
    blocks = {block.label: block for block in function.blocks}

    def look(state: State, step: Step) -> None:
        block = blocks[step.label]
        for definition in (*block.phis, *block.body):
            if definition.result is not None and definition.result.name not in found.varying:
                values = places(state.values(definition.result.name), memory)
                seen = {values[t] for t in step.active if values[t] is not UNDEFINED}
                assert len(seen) <= 1, definition

    run_lockstep(function, [[a, *own] for a, own in zip(arrays, threads, strict=True)], memory, observer=look)


def run_shared(function: Function, shared: frozenset[str], threads: Threads, size: int) -> list[tuple[object, bytes]]:
    """Results of linearized code when all threads use one object in place of each of those in `shared`."""
    code, count = with_shared_objects(function, shared)
    memory = Memory()
    common = [memory.stack_object(f"common {k}", 4 * ELEMENTS).base for k in range(count)]
    buffers = [bytearray(size) for _ in threads]
    arguments = [[*common, memory.map("A", b).base, *own] for b, own in zip(buffers, threads, strict=True)]
    results = run_lockstep(code, arguments, memory, interpretation=Interpretation.OBLIVIOUS)
    return [(repr(result), bytes(b)) for result, b in zip(results, buffers, strict=True)]


def check_program(seed: int) -> tuple[int, int]:
    """How many objects there are, and how many are found uniform; (0, 0) when the program promises nothing."""
    chosen = random.Random(seed)
    size = chosen.randint(4, 8)
    function = canonical_control(random_stack_code(random_reducible(chosen, size), chosen))
    varying = ["A", *chosen.choice([["u"], ["u"], ["u", "v"], []])]
    common = {"u": chosen.randint(0, 99), "v": chosen.randint(0, 99)}
    candidates = [tuple(chosen.randint(0, 99) if n in varying else common[n] for n in ("u", "v")) for _ in range(9)]
    program = Program(function)
    alone_ = [(own, done) for own in candidates if (done := alone(program, [bytes(4 * size)], own)) is not None][-4:]
    if len(alone_) < 2:
        return 0, 0
    threads, expected = [own for own, _ in alone_], [(result, memory[0]) for _, (result, memory) in alone_]
    found = divergence(function, varying)
    check_uniform(function, found, threads, 4 * size)  # type: ignore[arg-type]
    objects = frozenset(found.shapes.object_rises)
    lanes = verify(control_uniform(function, varying))
    assert run_shared(lanes, objects - found.varying_objects, threads, 4 * size) == expected, seed  # type: ignore[arg-type]
    return len(objects), len(objects - found.varying_objects)


def test_one_object_serves_all_threads() -> None:
    counts = [check_program(seed) for seed in range(120)]
    assert 0.2 < sum(u for _, u in counts) / sum(n for n, _ in counts) < 0.8


@pytest.mark.long
def test_many_programs() -> None:
    for seed in range(1000, 16000):
        check_program(seed)


def analyzed(*lines: str) -> tuple[Function, Divergence]:
    """A function whose parameters %v and %A are varying."""
    text = "\n".join(line if ":" in line else f"  {line}" for line in lines)
    function = verify(parse_function(f"define i32 @f(ptr %A, i32 %u, i32 %v, i64 %t, i64 %i) {{\n{text}\n}}"))
    return function, divergence(function, {"A", "v", "t"})


def test_figure_6_11() -> None:
    _, found = analyzed(
        "start:",
        "%X = alloca i64 x 1", "store i64 %t, %X", "%x = load i64, %X",
        "%Y = alloca i64 x 64", "%yt = elemptr i64, %Y [%t]", "store i64 42, %yt",
        "%y3 = elemptr i64, %Y [3]", "%y = load i64, %y3",
        "%Z = alloca i64 x 64", "%zi = elemptr i64, %Z [%i]", "%j = mul i64 2, %i", "store i64 %j, %zi",
        "%z7 = elemptr i64, %Z [7]", "%z = load i64, %z7",
        "return i32 0",
    )  # fmt: skip
    assert found.varying_objects == {"X", "Y"}
    assert found.varying == {"A", "v", "t", "x", "yt", "y"}


FIGURE_6_12 = (
    "A:",
    "%X = alloca i32 x 8", "%Y = alloca i32 x 8",
    "%x1 = elemptr i32, %X [1]", "store i32 7, %x1", "%c = icmp eq i32 %v, 0", "branch %c, B, C",
    "B:",
    "%x0 = elemptr i32, %X [0]", "store i32 %v, %x0", "jump C",
    "C:",
    "%d = icmp eq i32 %u, 0", "branch %d, D, E",
    "D:",
    "%y4 = elemptr i32, %Y [4]", "store i32 %u, %y4", "jump E",
    "E:",
    "%y5 = elemptr i32, %Y [5]", "%s = load i32, %y5", "%r = load i32, %x1", "return i32 %s",
)  # fmt: skip


def test_figure_6_12() -> None:
    _, found = analyzed(*FIGURE_6_12)
    assert found.varying_objects == {"X"}
    assert not {"y4", "s"} & found.varying and "r" in found.varying


def test_objects_selected_by_a_varying_condition() -> None:
    """In the figure itself the second store goes to %X in some threads and to %Y in others: then %Y is not uniform either."""
    lines = [line.replace("elemptr i32, %Y [4]", "elemptr i32, %q [4]") for line in FIGURE_6_12]
    _, found = analyzed(*lines[: lines.index("C:") + 1], "%q = phi ptr [%X, A], [%Y, B]", *lines[lines.index("C:") + 1 :])
    assert found.varying_objects == {"X", "Y"} and {"q", "s"} <= found.varying


def test_store_under_a_divergent_branch() -> None:
    code = (
        "A:", "%X = alloca i32 x 2", "store i32 1, %X", "%c = icmp slt i32 %v, 3", "branch %c, B, C",
        "B:", "store i32 2, %X", "jump C",
        "C:", "%x = load i32, %X", "return i32 %x",
    )  # fmt: skip
    function, found = analyzed(*code)
    assert found.varying_objects == {"X"} and "x" in found.varying
    assert [str(link) for link in Explanation(function, found.shapes).value("x")] == [
        "%x varies: it is loaded from %X",
        "the contents of %X vary: after the branch in A, some threads store to it while others still need their own contents",
        "the branch in A is divergent: its condition is %c",
        "%c varies: it compares %v",
        "%v varies: its values differ between threads on entry",
    ]
    # no thread needs the object after the store
    _, found = analyzed(*(line.replace("load i32, %X", "add i32 %u, 1") for line in code))
    assert not found.varying_objects and "x" not in found.varying


def test_stored_in_two_arms() -> None:
    function, found = analyzed(
        "A:", "%X = alloca i32 x 2", "%c = icmp slt i32 %v, 3", "branch %c, B, C",
        "B:", "store i32 %u, %X", "jump D",
        "C:", "store i32 5, %X", "jump D",
        "D:", "%x = load i32, %X", "return i32 %x",
    )  # fmt: skip
    assert "X" in found.varying_objects and "x" in found.varying
    assert Explanation(function, found.shapes).object("X")[0].kind == "object"


def test_arms_that_never_meet() -> None:
    """What each arm loads is the same for its threads, but one object of all threads would be overwritten in between."""
    code = (
        "A:", "%X = alloca i32 x 2", "store i32 1, %X", "%c = icmp slt i32 %v, 3", "branch %c, B, C",
        "B:", "store i32 %u, %X", "%y = load i32, %X", "return i32 %y",
        "C:", "%x = load i32, %X", "return i32 %x",
    )  # fmt: skip
    _, found = analyzed(*code)
    assert found.varying_objects == {"X"}
    _, found = analyzed(*(line.replace("store i32 %u, %X", "%w = add i32 %u, 1") for line in code))
    assert not found.varying_objects


def traversal(on_found: str, after: str) -> tuple[str, ...]:
    """A stack from which threads pop. With %v they go to `on_found` (E leaves, N goes on without a push); `after` is in E."""
    from_b = {"E": ("", ", [%n, B]"), "N": (", [%popped, B]", ""), "P": ("", "")}[on_found]
    return (
        "A:", "%S = alloca i32 x 64", "store i32 %u, %S", "jump H",
        "H:", "%top = phi i64 [1, A], [%pushed, N]", "%more = icmp sgt i64 %top, 0", "branch %more, B, E",
        "B:", "%popped = sub i64 %top, 1", "%p = elemptr i32, %S [%popped]", "%n = load i32, %p",
        "%found = icmp eq i32 %n, %v", f"branch %found, {on_found}, P" if on_found != "P" else "jump P",
        "P:", "%half = lshr i32 %n, 1", "store i32 %half, %p", "%again = icmp sgt i32 %half, 0", "branch %again, N, M",
        "M:", "jump N",
        "N:", f"%pushed = phi i64 [%top, P], [%popped, M]{from_b[0]}", "jump H",
        "E:", f"%r = phi i32 [-1, H]{from_b[1]}", after, "return i32 %r",
    )  # fmt: skip


def test_threads_that_leave_a_traversal_need_their_stack_no_more() -> None:
    _, found = analyzed(*traversal("E", "%none = add i32 %r, 0"))
    assert not found.varying_objects and not {"top", "n", "half", "again", "pushed"} & found.varying
    assert found.divergent_branches == {"B"} and "r" in found.varying


def test_the_stack_is_read_after_the_traversal() -> None:
    _, found = analyzed(*traversal("E", "%left = load i32, %S"))
    assert found.varying_objects == {"S"} and {"n", "left"} <= found.varying
    _, found = analyzed(*traversal("P", "%left = load i32, %S"))
    assert not found.varying_objects and not {"n", "left"} & found.varying


def test_some_threads_do_not_push() -> None:
    _, found = analyzed(*traversal("N", "%none = add i32 %r, 0"))
    assert "S" in found.varying_objects and {"n", "top"} <= found.varying


def test_predicated_stores() -> None:
    code = (
        "A:", "%X = alloca i32 x 2", "store i32 1, %X", "%c = icmp slt i32 %v, 3", "jump B",
        "B: predicate %c", "store i32 %u, %X", "jump C",
        "C:", "%x = load i32, %X", "return i32 %x",
    )  # fmt: skip
    _, found = analyzed(*code)
    assert found.varying_objects == {"X"} and "x" in found.varying


def test_addresses_as_numbers() -> None:
    _, found = analyzed("A:", "%X = alloca i32 x 2", "%n = ptrtoint ptr %X to i64", "%m = add i64 %n, 1", "return i32 0")
    assert {"n", "m"} <= found.varying and "X" not in found.varying


def test_shapes_of_words_in_stack_objects() -> None:
    function, _ = analyzed(*FIGURE_6_12)
    found = vector_shapes(function, {"v": shape(32, 1, 0)}, 8)
    assert str(found.of(Var("s", I32))) == "u" and str(found.of(Var("r", I32))) == "v"
