"""Random loop bodies full of operations across lanes, as C: a kernel whose loops run them, and a function that is one thread.

    void kernel(int n, ...)                  { for (int i = 0; i < n; i++) BODY }
    void thread(int i, int n, ...)           { if (i < n) BODY }

Nothing in a body is undefined as long as `rv_shuffle` reads active lanes, which the text makes sure of.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

COLUMNS = 64
_FOLDS = ("add", "mul", "min", "max", "and", "or", "xor")


@dataclass(frozen=True, slots=True)
class LaneProgram:
    """`rank` loops around `body`; `real` is the type of its floating-point numbers."""

    rank: int
    real: str
    body: str

    @property
    def text(self) -> str:
        shape = "[restrict n]" if self.rank == 1 else f"[restrict n][{COLUMNS}]"
        arrays = ", ".join(f"{type_} {name}{shape}" for type_, name in self.arrays)
        if self.rank == 1:
            loops, sizes, place, inside = f"{_loop('i', 'n')}", "int n", "int i", "i < n"
        else:
            loops, sizes = f"{_loop('j', 'n')}{_loop('i', 'm')}", "int n, int m"
            place, inside = "int j, int i", "j < n && i < m"
        return (
            f'#include "rv.h"\n#include <math.h>\nvoid kernel({sizes}, {arrays})\n{{\n{loops}{{\n{self.body}\n}}\n}}\n'
            f"void thread({place}, {sizes}, {arrays})\n{{\nif ({inside}) {{\n{self.body}\n}}\n}}\n"
        )

    @property
    def arrays(self) -> tuple[tuple[str, str], ...]:
        return ("const unsigned", "a"), (f"const {self.real}", "b"), ("unsigned", "c"), (self.real, "d")


def _loop(counter: str, bound: str) -> str:
    return f"#pragma omp simd\nfor (int {counter} = 0; {counter} < {bound}; {counter}++)\n"


def random_program(seed: int, rank: int) -> LaneProgram:
    chosen = random.Random(seed)
    real = chosen.choice(("float", "double"))
    return LaneProgram(rank, real, _Writer(chosen, real, "[i]" if rank == 1 else "[j][i]").body())


class _Writer:
    """Variables: x, y are unsigned, u and v floating, k are counters of loops."""

    def __init__(self, chosen: random.Random, real: str, place: str) -> None:
        self.chosen, self.real, self.place = chosen, real, place
        self.counters = 0

    def body(self) -> str:
        place = self.place
        statements = self.statements(3, 0)
        return (
            f"unsigned x = a{place}, y = x * 3u; {self.real} u = b{place}, v = u;\n{statements}\n"
            f"c{place} = x ^ y;\nd{place} = {'u' if self.chosen.random() < 0.5 else 'u + v'};"
        )

    def statements(self, count: int, depth: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(self.chosen.randint(1, count)))

    def statement(self, depth: int) -> str:
        kind = self.chosen.random()
        if depth < 3 and kind < 0.3:
            otherwise = f" else {{ {self.statements(2, depth + 1)} }}" if self.chosen.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {self.statements(2, depth + 1)} }}{otherwise}"
        if depth < 2 and kind < 0.45:
            return self.loop(depth)
        if kind < 0.8:
            return f"{self.chosen.choice('xy')} = {self.integer(2)};"
        return f"{self.chosen.choice('uv')} = {self.floating(2)};"

    def loop(self, depth: int) -> str:
        self.counters += 1
        k = f"k{self.counters}"
        test = self.chosen.choice((f"{k} < (x & 3u)", f"{k} < 3u", f"{k} < 4u && {self.condition()}"))
        leave = f"if ({self.condition()}) {self.chosen.choice(('break', 'continue'))};" if self.chosen.random() < 0.4 else ""
        inside = f"{self.statements(2, depth + 1)} {leave} {self.statements(1, depth + 1)}"
        return f"for (unsigned {k} = 0; {test}; {k}++) {{ {inside} y += {k}; }}"

    def condition(self) -> str:
        kind = self.chosen.random()
        if kind < 0.25:
            return f"({self.integer(1)} & 1u) == {self.chosen.randint(0, 1)}u"
        if kind < 0.45:
            return f"{self.floating(1)} {self.chosen.choice(('<', '>', '!='))} {self.floating(0)}"
        if kind < 0.85:
            return f"{self.chosen.choice(('rv_any', 'rv_all', '!rv_any', '!rv_all'))}({self.simple_condition()})"
        return f"rv_popcount({self.simple_condition()}) > {self.chosen.randint(0, 5)}"

    def simple_condition(self) -> str:
        return self.chosen.choice(("x & 1u", "y & 2u", "x < y", "u < v", "u > 0", "(x ^ y) & 5u", "rv_lane() & 1", "v"))

    def integer(self, depth: int) -> str:
        kind = self.chosen.random()
        if depth == 0 or kind < 0.15:
            return self.chosen.choice(("x", "y", "7u", "(unsigned)rv_lane()", "(unsigned)rv_lanes()", "(unsigned)rv_mask()"))
        if kind < 0.5:
            return f"({self.integer(depth - 1)} {self.chosen.choice('+-*&|^')} {self.integer(depth - 1)})"
        if kind < 0.7:
            return f"rv_reduce_{self.chosen.choice(_FOLDS)}({self.chosen.choice(('', '', '(int)'))}{self.integer(depth - 1)})"
        if kind < 0.8:
            wide = self.chosen.choice((f"rv_ballot({self.simple_condition()})", f"rv_popcount({self.simple_condition()})"))
            return f"(unsigned)({wide} % 1021u)"
        return self.across("x" if self.chosen.random() < 0.5 else "y")

    def floating(self, depth: int) -> str:
        kind = self.chosen.random()
        if depth == 0 or kind < 0.15:
            return self.chosen.choice(("u", "v", f"({self.real})(x & 15u)", f"({self.real})1.5"))
        if kind < 0.5:
            return f"({self.floating(depth - 1)} {self.chosen.choice('+-*')} {self.floating(depth - 1)})"
        if kind < 0.75:
            return f"rv_reduce_{self.chosen.choice(_FOLDS[:4])}({self.floating(depth - 1)})"
        return self.across(self.chosen.choice("uv"))

    def across(self, value: str) -> str:
        kind = self.chosen.random()
        if kind < 0.3:
            return f"rv_{self.chosen.choice(('first', 'last'))}({value})"
        lane = self.chosen.choice(("(rv_lane() ^ 1)", "(rv_lane() + 3) % rv_lanes()", "x % 16u", "3", "rv_lanes() - 1"))
        return f"rv_shuffle({value}, (int)(rv_ballot(1) >> ({lane}) & 1u ? ({lane}) : (unsigned)rv_lane()))"
