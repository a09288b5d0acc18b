"""The case of a seed: control flow of any kind, loops, stack objects, operations across lanes; threads and a plan."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rv.analysis.verify import verify
from rv.ir.function import Block, Function, Parameter
from rv.ir.instructions import Branch, CompareInt, Jump, Phi, Return
from rv.ir.types import F64, I1, I32, PTR
from rv.ir.values import Var, const_float, const_i32
from rv.semantics.scalar import Program
from rv.target.machine import resolve_target, runs_here
from rv.transform.linearize.single_return import single_return
from tensorrv.schedule.plan import SKIP_POLICIES, TAIL_POLICIES
from tests.rv.programs import ELEMENTS, random_function
from tests.rv_divergence.graphs import random_reducible
from tests.rv_divergence.stack_programs import random_stack_code
from tests.rv_linear.unstructured import random_code
from tests.stages.case import WIDTHS, Case, Number, Shape, Thread
from tests.stages.horizontals import with_horizontals
from tests.stages.machine import STEP
from tests.stages.meaning import alone

TARGETS: Final = ("native", "avx512", "avx2", "x86-64-v2")
TRIES: Final = 3


def random_case(seed: int) -> Case | None:
    """The case; None when too few threads do only what is defined."""
    chosen = random.Random(seed)
    case, make = chosen.choice((structured, unstructured))(chosen)
    width = WIDTHS[seed % len(WIDTHS)]
    if chosen.random() < 0.25:
        case, make = guarded(case, make, chosen)
    across = chosen.random() < 0.4
    threads = _defined_threads(case, make, width if across else width * chosen.choice((1, 1, 2, 3)) + chosen.randint(0, width))
    if across:
        census = Var("C" if any(p.var.name == "C" for p in case.function.parameters) else "A", PTR)
        count = len(threads[0].arrays[-1]) // 4 if threads and threads[0].arrays else ELEMENTS
        case = replace(case, function=with_horizontals(case.function, census, count, chosen))
    if len(threads) < width or all(thread.arrays is None for thread in threads):
        return None
    return replace(case, threads=tuple(threads[:width] if across else threads), width=width)


def _defined_threads(case: Case, make: Callable[[], Thread], count: int) -> list[Thread]:
    """Threads that do only what is defined; fewer when most do not."""
    program, found = Program(case.function), list[Thread]()
    first = make()
    for _ in range(TRIES * count + TRIES):
        if not found:
            first = make()
        thread = _like(case, first, make() if found else first, len(found))
        if alone(case, program, thread) is not None:
            found.append(thread)
        if len(found) == count:
            break
    return found


def _like(case: Case, first: Thread, thread: Thread, place: int) -> Thread:
    """The thread with numbers as the parameters' shapes want them."""
    shapes = [shape for k, shape in enumerate(case.shapes) if k not in case.pointers]
    numbers: list[Number] = []
    for shape, common, own in zip(shapes, first.numbers, thread.numbers, strict=True):
        numbers.append({"uniform": common, "linear": common + place * STEP, "varying": own}[shape])
    return replace(thread, numbers=tuple(numbers))


def _case(function: Function, shapes: list[Shape], elements: tuple[str, ...], chosen: random.Random) -> Case:
    plan = f"brush=1 tail={chosen.choice(TAIL_POLICIES)} boscc={chosen.choice(SKIP_POLICIES)}"
    plan += f" register_bits={chosen.choice((0, 0, 0, 128, 256))}"
    target = chosen.choice([t for t in TARGETS if runs_here(resolve_target(t)) is None])
    skip_from, seed = chosen.choice((None, 1, 10)), chosen.randrange(10**9)
    return Case(verify(function), tuple(shapes), elements, (), 1, plan, target, skip_from, seed)


def _shape(chosen: random.Random, *, linear: bool) -> Shape:
    return chosen.choice(("uniform", "varying", "linear") if linear else ("uniform", "varying"))  # type: ignore[return-value]


def structured(chosen: random.Random) -> tuple[Case, Callable[[], Thread]]:
    """A function of `tests.rv.programs`."""
    shapes: list[Shape] = [chosen.choice(("linear", "varying")) for _ in range(3)]
    shapes += [_shape(chosen, linear=linear) for linear in (True, True, False, False)]

    def thread() -> Thread:
        values = [chosen.choice([0.0, 1.0, -2.5, 0.1, 1e300, math.inf]) for _ in range(2 * ELEMENTS)]
        arrays = (
            struct.pack(f"<{2 * ELEMENTS}d", *values),
            struct.pack(f"<{ELEMENTS}d", *values[:ELEMENTS]),
            struct.pack(f"<{ELEMENTS}i", *(chosen.randint(-9, 9) for _ in range(ELEMENTS))),
        )
        y = struct.unpack("<f", struct.pack("<f", chosen.uniform(-3, 3)))[0]
        return Thread(arrays, (chosen.randint(-2, 6), chosen.randint(-20, 20), chosen.uniform(-3, 3), y))

    function = random_function(chosen.randrange(10**9))
    return _case(function, shapes, ("f8", "f8", "i4"), chosen), thread


def unstructured(chosen: random.Random) -> tuple[Case, Callable[[], Thread]]:
    """Any reducible control flow, two times in three with stack objects."""
    size = 3 + int(12 * chosen.random() ** 2)
    make = chosen.choice((random_code, random_stack_code, random_stack_code))
    function = make(random_reducible(chosen, size), chosen)
    shapes: list[Shape] = [chosen.choice(("linear", "varying")), _shape(chosen, linear=True), _shape(chosen, linear=True)]

    def thread() -> Thread:
        return Thread((bytes(4 * size),), (chosen.randint(0, 99), chosen.randint(0, 99)))

    return _case(function, shapes, ("i4",), chosen), thread


def guarded(case: Case, make: Callable[[], Thread], chosen: random.Random) -> tuple[Case, Callable[[], Thread]]:
    """The function for those threads alone whose last parameter is not 0; the others have no arrays."""
    function = single_return(case.function)
    on, wanted = Var("on", I32), Var("wanted", I1)
    blocks = list(function.blocks)
    (last,) = (k for k, block in enumerate(blocks) if isinstance(block.terminator, Return))
    result = blocks[last].terminator
    blocks[last] = replace(blocks[last], terminator=Jump("leave"))
    returned = Var("returned", function.result)
    assert isinstance(result, Return) and result.value is not None
    zero = const_i32(0) if function.result == I32 else const_float(F64, 0.0)
    leave = Block("leave", (Phi(returned, ((blocks[last].label, result.value), ("enter", zero))),), (), Return(returned))
    test = CompareInt(wanted, "ne", on, const_i32(0))
    enter = Block("enter", (), (test,), Branch(wanted, blocks[0].label, "leave"))
    parameters = (*function.parameters, Parameter(on))
    whole = verify(Function(function.name, parameters, function.result, (enter, *blocks, leave)))
    share = chosen.choice((0.2, 0.5, 0.9))

    def thread() -> Thread:
        given = make()
        return Thread(given.arrays, (*given.numbers, 1)) if chosen.random() < share else Thread(None, (*given.numbers, 0))

    return replace(case, function=whole, shapes=(*case.shapes, "varying")), thread
