"""What running a random program gives, bit for bit, in a form that can be compared."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rv.ir.function import Function
from rv.semantics.arguments import Argument, Result
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import Exhausted, run
from rv.semantics.undefined import Undefined, UndefinedValue
from tests.rv.programs import ELEMENTS


@dataclass(frozen=True)
class Outcome:
    """Result and memory; NaNs are all one, because their payloads are not promised. `undefined`: nothing is promised."""

    undefined: bool
    result: bytes | str
    doubles: tuple[bytes, ...]
    integers: bytes


def number_bits(value: float) -> bytes:
    return b"nan" if math.isnan(value) else struct.pack("<d", value)


def interpreted(function: Function, arguments: Sequence[Argument], memory: Memory) -> Result:
    return run(function, arguments, memory, fuel=100_000)


Execute = Callable[[Any, Sequence[Argument], Memory], Result]


def outcome(function: Any, seed: int, overlap: int | None = None, execute: Execute = interpreted) -> Outcome:
    """Runs with arguments made from `seed`; with `overlap` the array B begins that many elements into A."""
    chosen = random.Random(seed)
    memory = Memory()
    values = [chosen.choice([0.0, 1.0, -2.5, 0.1, 1e300, math.inf]) for _ in range(2 * ELEMENTS)]
    first = bytearray(struct.pack(f"<{2 * ELEMENTS}d", *values))
    second = bytearray(struct.pack(f"<{ELEMENTS}d", *reversed(values[:ELEMENTS])))
    third = bytearray(struct.pack(f"<{ELEMENTS}i", *(chosen.randint(-9, 9) for _ in range(ELEMENTS))))
    a = memory.map("A", first).base
    b = memory.map("B", second).base if overlap is None else a + 8 * overlap
    c = memory.map("C", third).base
    numbers = (chosen.randint(-2, 6), chosen.randint(-20, 20), chosen.uniform(-3, 3), chosen.uniform(-3, 3))
    try:
        result = execute(function, (a, b, c, *numbers), memory)
    except (Fault, Undefined, Exhausted) as error:
        return Outcome(True, str(error), (), b"")
    doubles = struct.unpack(f"<{3 * ELEMENTS}d", bytes(first + second))
    assert not isinstance(result, int)
    shown = number_bits(result) if isinstance(result, float) else "undefined"
    return Outcome(isinstance(result, UndefinedValue), shown, tuple(map(number_bits, doubles)), bytes(third))
