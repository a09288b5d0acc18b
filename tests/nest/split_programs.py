"""Random nests whose conditions and subscripts depend on where an iteration is, as C text, and what runs of them do."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping
from functools import lru_cache

from rv.ir.function import Function
from rv.ir.types import IntType
from rv.semantics.memory import Memory
from rv.semantics.scalar import run

ROW = 64
BEGIN = 16
SIZES = (
    {"n": 9, "m": 7, "k": 4}, {"n": 4, "m": 12, "k": -3}, {"n": 1, "m": 1, "k": 0}, {"n": 2, "m": 0, "k": 2},
    {"n": 0, "m": 3, "k": 5}, {"n": 3, "m": 2, "k": 2**31 - 3}, {"n": 11, "m": 10, "k": 9}, {"n": 2, "m": 3, "k": -(2**31)},
)  # fmt: skip
TYPES = ("int", "int", "int", "unsigned", "long", "unsigned long", "signed char", "short")


def program(seed: int) -> str:
    """A function of arrays `A`, `B` and `s` and sizes `n`, `m` and `k`."""
    return _Program(random.Random(seed)).text()


class _Program:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.type = rng.choice(TYPES)
        self.names = "ijl"[: rng.choice([1, 1, 1, 2, 2, 2, 2, 2, 3])]

    def text(self) -> str:
        parameters = ", ".join(f"{'int' if self.type in ('signed char', 'short') else self.type} {name}" for name in "nmk")
        body = "\n".join(self.statement(self.rng.choice([1, 1, 2])) for _ in range(self.rng.choice([1, 1, 2])))
        for name in self.names:
            every, self.names = self.names, self.names[self.names.index(name) :]
            before = self.statement(1) + "\n" if self.rng.random() < 0.15 else ""
            self.names = every
            body = f"{self.loop(name)} {{\n{before}{body}\n}}"
        return f"double f({parameters}, double A[restrict], double B[restrict], double s)\n{{\n{body}\nreturn s;\n}}\n"

    def loop(self, name: str) -> str:
        end = self.rng.choice(["n", "n", "n", "m", "m", "9", "n - 1", "m - 2"])
        start = self.rng.choice(["0", "0", "0", "1", "2"])
        if "unsigned" not in self.type and self.rng.random() < 0.2:
            return f"for ({self.type} {name} = {end}; {name} >= {start}; {name}--)"
        compare = self.rng.choice(["<", "<", "<", "<=" if "unsigned" not in self.type else "<"])
        if "unsigned" in self.type:
            end = end[0]
        return f"for ({self.type} {name} = {start}; {name} {compare} {end}; {name}++)"

    def size(self) -> str:
        return self.rng.choice(["n", "m", "k", "3", "n - 1", "m - 1", "n - 2", "k + 1", "k"])

    def test(self) -> str:
        one = self.rng.choice(self.names)
        left = self.rng.choice([one, one, f"{one} + {self.rng.randint(1, 3)}", f"{one} - 1"])
        right = self.rng.choice([self.size(), self.size(), self.size(), self.rng.choice(self.names)])
        found = f"{left} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {right}"
        if self.rng.random() < 0.3:
            found = f"({found} {self.rng.choice(['&&', '||'])} {self.test()})"
        return found

    def subscript(self, name: str) -> str:
        shift = self.rng.randint(1, 3)
        size = self.rng.choice("nm")
        return self.rng.choice([
            name, name, name, f"({name} > 0 ? {name} - 1 : 0)", f"({name} < {size} - 1 ? {name} + 1 : {name})",
            f"(int) ({name} + {shift}) % (int) ({size} > 0 ? {size} : 1)", f"({self.test()} ? {name} : {shift})",
            f"(({name} + {shift}) % {size})", f"(({name} + {size} - 1) % {size})",
        ])  # fmt: skip

    def element(self) -> str:
        names = [self.rng.choice(self.names) for _ in range(2)]
        row, column = (self.subscript(name) for name in names)
        return f"{self.rng.choice('AAB')}[({BEGIN} + (int) {row}) * {ROW} + {BEGIN} + (int) {column}]"

    def value(self) -> str:
        found = self.rng.choice([self.element(), f"{self.element()} + {self.element()}", "1.5"])
        return f"({self.test()} ? {found} : {self.element()})" if self.rng.random() < 0.3 else found

    def statement(self, depth: int) -> str:
        plain = f"{self.place()} = {self.value()};" if self.rng.random() < 0.85 else f"s = s / 2 + {self.value()};"
        if depth == 0 or self.rng.random() < 0.3:
            return plain
        other = f"\nelse {{ {self.statement(depth - 1)} }}" if self.rng.random() < 0.5 else ""
        return f"if ({self.test()}) {{ {self.statement(depth - 1)} }}{other}"

    def place(self) -> str:
        row, column = (self.rng.choice(self.names) for _ in range(2))
        if len(self.names) > 1 and self.names[0] == "i" and self.rng.random() < 0.8:
            row, column = self.names[1], self.names[0]
        return f"{self.rng.choice('BBA')}[({BEGIN} + (int) {row}) * {ROW} + {BEGIN} + (int) {column}]"


@lru_cache
def _numbers() -> bytes:
    rng = random.Random(1)
    return struct.pack(f"<{ROW * ROW}d", *(rng.uniform(1, 2) for _ in range(ROW * ROW)))


def contents(function: Function, sizes: Mapping[str, int]) -> tuple[object, bytes]:
    """The result of a run and the memory after it."""
    memory, buffers = Memory(), [bytearray(_numbers()) for _ in "AB"]
    pointers = [memory.map(name, buffer).base for name, buffer in zip("AB", buffers, strict=True)]
    types = [parameter.var.type for parameter in function.parameters[:3]]
    numbers = [sizes[name] % 2**type_.bits for name, type_ in zip("nmk", types, strict=True) if isinstance(type_, IntType)]
    result = run(function, (*numbers, *pointers, 1.0), memory, fuel=400_000)
    return result, b"".join(map(bytes, buffers))
