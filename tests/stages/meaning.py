"""What the interpreters say: the result and the arrays of every thread, one by one and in lock step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rv.semantics.lockstep import Lockstep, NoProgress, State, Step
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import Program
from rv.semantics.schedule import Scheduler, first_choice
from rv.semantics.scope import Exhausted
from rv.semantics.undefined import Undefined, UndefinedValue
from tests.stages.case import Case, Number, Thread

UNPROMISED = (Fault, Undefined, Exhausted, NoProgress)
"""What a program may do for which nothing is promised."""
FUEL = 2_000
Found = tuple[object, tuple[tuple[object, ...], ...]]


def plain_number(value: object) -> object:
    """A number in a form in which equality is that of bits, but for NaNs, which are all one."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value.hex()
    return value


def plain_arrays(case: Case, arrays: Sequence[bytes | bytearray]) -> tuple[tuple[object, ...], ...]:
    found = (np.frombuffer(array, element).tolist() for array, element in zip(arrays, case.elements, strict=True))
    return tuple(tuple(map(plain_number, array)) for array in found)


def _arguments(case: Case, thread: Thread, memory: Memory, buffers: Sequence[bytearray]) -> list[Number]:
    bases = [memory.map("array", buffer).base for buffer in buffers] or [0] * len(case.pointers)
    numbers = iter(thread.numbers)
    pointers = iter(bases)
    return [next(pointers) if k in case.pointers else next(numbers) for k in range(len(case.shapes))]


def alone(case: Case, program: Program, thread: Thread) -> Found | None:
    """One thread by itself; None when nothing is promised."""
    memory, buffers = Memory(), list(map(bytearray, thread.arrays or ()))
    try:
        result = program.run(_arguments(case, thread, memory, buffers), memory, fuel=FUEL)
    except UNPROMISED:
        return None
    if isinstance(result, UndefinedValue):
        return None
    return plain_number(result), plain_arrays(case, buffers) if buffers else ()


def together(
    case: Case,
    lockstep: Lockstep,
    observer: Callable[[State, Step], None] | None = None,
    scheduler: Scheduler = first_choice,
    fuel: int = 2 * FUEL,
) -> list[Found]:
    """The lanes of the case in lock step, for as many blocks as there is fuel. Raises one of `UNPROMISED`."""
    memory = Memory()
    buffers = [list(map(bytearray, thread.arrays or ())) for thread in case.lanes]
    arguments = [_arguments(case, thread, memory, own) for thread, own in zip(case.lanes, buffers, strict=True)]
    results = lockstep.run(arguments, memory, observer=observer, scheduler=scheduler, fuel=fuel)
    return [
        (plain_number(result), plain_arrays(case, own) if own else ()) for result, own in zip(results, buffers, strict=True)
    ]
