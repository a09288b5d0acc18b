"""Random subscripts of quotients, remainders and bits of counters, in brushes of all kinds of sizes, against gcc -O0."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rv.target.machine import resolve_target
from rv.vector.instructions import Gather
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import parse_plan
from tests.run.random_c import check_random
from tests.run.toolchain import TARGETS

FUNCTIONS = 5
PLANS = ("16", "24 tail=mask", "8 tail=peel", "4x8", "3x12 tail=mask", "2x16 projection=0,1", "30 tail=peel", "7 tail=scalar")
RUNS = Path(__file__).parents[2] / "benchmarks" / "ordinary" / "runs.c"


class Writer:
    """Writes functions that read `t` through index arithmetic on the counters i and j; all subscripts are in 0..63."""

    def __init__(self, source: random.Random, number: int) -> None:
        self.random = source
        self.number = number
        self.nested = source.random() < 0.5
        self.type = source.choice(("signed char", "short", "int", "float", "double"))

    def text(self) -> str:
        loads = " + ".join(f"t[{self.subscript()} & 63]" for _ in range(self.random.randint(1, 3)))
        first, step = self.random.choice((0, 0, 1, 3, 8)), self.random.choice((1, 1, 1, 2, 3))
        counter = self.random.choice(("int", "int", "unsigned", "long"))
        inner = f"for ({counter} i = {first}; i < n; i += {step})"
        loops = f"for (int j = 0; j < m; j++) {inner}" if self.nested else inner
        place = "j * n + i" if self.nested else "i"
        sizes = "int n, int m" if self.nested else "int n"
        return (
            f"void f{self.number}({sizes}, const {self.type} *restrict t, {self.type} *restrict out)\n"
            f"{{\n    {loops}\n        out[{place}] = {loads};\n}}\n"
        )

    def subscript(self, depth: int = 2) -> str:
        pick = self.random
        if depth == 0 or pick.random() < 0.15:
            return pick.choice(("i", "i", "j") if self.nested else ("i",))
        left = self.subscript(depth - 1)
        match pick.choice(("/", "%", ">>", "&", "^", "|", "+", "*")):
            case "/" | "%" as op:
                return f"({left} {op} {pick.choice((2, 3, 4, 5, 6, 8, 12))})"
            case ">>":
                return f"({left} >> {pick.randint(1, 3)})"
            case "*":
                return f"({left} * {pick.randint(2, 3)})"
            case "+":
                return f"({left} + {pick.choice((str(pick.randint(1, 9)), self.subscript(depth - 1)))})"
            case op:
                return f"({left} {op} {pick.choice((1, 2, 3, 4, 5, 6, 7, 8))})"


def check(seed: int, target: str, scratch: Path) -> None:
    source = random.Random(seed)
    directives = "// size n: 0..70\n// size m: 0..7\n// length t: 64\n// length out: 600\n"
    check_random(seed, directives, [Writer(source, number).text() for number in range(FUNCTIONS)], PLANS, target, scratch)


@pytest.mark.parametrize("target", TARGETS)
def test_random_subscripts(target: str, tmp_path: Path) -> None:
    check(TARGETS.index(target), target, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(3, 70))
def test_many_random_subscripts(seed: int, target: str, tmp_path: Path) -> None:
    check(seed, target, tmp_path)


@pytest.mark.parametrize("function, brush", [("by_4", 16), ("by_8", 32), ("by_3", 24), ("of_8", 16)])
def test_a_run_is_loaded_once(function: str, brush: int) -> None:
    """No gathers, and one load of the table for a brush."""
    unit = next(own for own in parse_c(RUNS).functions if own.name == function)
    kernel = compile_function(unit, parse_plan(f"brush={brush} tail=mask"), resolve_target("avx512"))
    main = [
        statement.instruction
        for written in kernel.tensorized.widened.module.functions
        for block in written.blocks
        if block.origin is not None and block.origin.sizes == (brush,)
        for statement in block.body
    ]
    assert main and not any(isinstance(instruction, Gather) for instruction in main)
