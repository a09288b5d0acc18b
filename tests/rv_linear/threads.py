"""Runs of one function by several threads with memory of their own: one by one, and in lock step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rv.ir.function import Function
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import State, Step, run_lockstep
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import Program
from rv.semantics.scope import Exhausted
from rv.semantics.undefined import Undefined, UndefinedValue

Number = int | float
Arrays = Sequence[bytes]
Found = tuple[object, tuple[bytes, ...]]


def _plain(value: object) -> object:
    return "nan" if isinstance(value, float) and math.isnan(value) else repr(value)


def alone(program: Program, arrays: Arrays, numbers: Sequence[Number], fuel: int = 5_000) -> Found | None:
    """Result and memory of one thread; None when nothing is promised."""
    memory = Memory()
    buffers = [bytearray(array) for array in arrays]
    try:
        result = program.run([*(memory.map("M", buffer).base for buffer in buffers), *numbers], memory, fuel=fuel)
    except (Fault, Undefined, Exhausted):
        return None
    return None if isinstance(result, UndefinedValue) else (_plain(result), tuple(map(bytes, buffers)))


def together(
    function: Function,
    arrays: Sequence[Arrays],
    numbers: Sequence[Sequence[Number]],
    interpretation: Interpretation,
    observer: Callable[[State, Step], None] | None = None,
) -> list[Found]:
    """Results and memory of all threads in lock step."""
    memory = Memory()
    buffers = [[bytearray(array) for array in own] for own in arrays]
    arguments = [
        [*(memory.map(f"M{t}", buffer).base for buffer in own), *given]
        for t, (own, given) in enumerate(zip(buffers, numbers, strict=True))
    ]
    results = run_lockstep(function, arguments, memory, interpretation=interpretation, observer=observer)
    return [(_plain(r), tuple(map(bytes, own))) for r, own in zip(results, buffers, strict=True)]
