"""The passes, text in and text out, and what the inputs mean for threads that run alone and together.

Comments at the top of a case name the divergent branches and loops, a region, its mask, and parameters that are uniform.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.printer import print_function
from rv.ir.types import PTR, FloatType, IntType, Type
from rv.ir.values import TRUE
from rv.semantics.block_code import Interpretation
from rv.semantics.scalar import Program
from rv.transform.linearize.boscc import expensive_sides, skip_sides
from rv.transform.linearize.control_uniform import control_uniform
from rv.transform.linearize.divergent_loops import uniform_loops
from rv.transform.linearize.partial import linearize
from tests.rv_linear.threads import Number, alone, together

CASES = sorted((Path(__file__).parent / "cases").glob("*/*.pllvm"))


def words(text: str, key: str) -> frozenset[str]:
    """What follows `; key` in a line of its own."""
    return frozenset(w for line in text.splitlines() if line.startswith(f"; {key} ") for w in line.split()[2:])


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_case(path: Path, check_case: Callable[[Path, Callable[[str], str]], None]) -> None:
    def produce(text: str) -> str:
        function, divergent = verify(parse_function(text)), words(text, "divergent")
        if path.parent.name == "uniform_loops":
            return print_function(verify(uniform_loops(function, words(text, "loops"), divergent).function))
        if path.parent.name == "boscc":
            skipped = skip_sides(function, divergent, None, expensive_sides(function, divergent, least=2.5, threads=1))
            return print_function(verify(linearize(verify(skipped.function), skipped.divergent)))
        masks = [p.var for p in function.parameters if f"%{p.var.name}" in words(text, "mask")]
        return print_function(verify(linearize(function, divergent, words(text, "region") or None, masks[0] if masks else TRUE)))

    check_case(path, produce)


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_case_runs(path: Path) -> None:
    text = path.read_text().partition("; becomes\n")[0]
    text = text.replace("call i32 @slow(i32 %a)", "add i32 %a, 5").replace("call i32 @also_slow(i32 %a)", "sub i32 %a, 5")
    function = memory_first(verify(parse_function(text)))
    uniform = words(text, "uniform")
    varying = [p.var.name for p in function.parameters if p.var.name not in uniform]
    lanes = verify(control_uniform(function, varying, skip_from=2.5 if path.parent.name == "boscc" else None))
    program = Program(function)
    chosen = random.Random(1)
    pointers = [p.var for p in function.parameters if p.var.type == PTR]
    numeric = [p.var for p in function.parameters if p.var.type != PTR]
    for width in (1, 2, 4, 8):
        for _ in range(25):
            common = {var.name: number(var.type, chosen) for var in numeric}
            numbers = [[common[v.name] if v.name in uniform else number(v.type, chosen) for v in numeric] for _ in range(width)]
            arrays = [[struct.pack("<4i", *(chosen.randint(-3, 13) for _ in range(4))) for _ in pointers] for _ in range(width)]
            expected = [alone(program, a, n) for a, n in zip(arrays, numbers, strict=True)]
            assert None not in expected
            assert together(function, arrays, numbers, Interpretation.FREEZING) == expected
            assert together(lanes, arrays, numbers, Interpretation.OBLIVIOUS) == expected


def memory_first(function: Function) -> Function:
    """The function with its pointers in front of the other parameters."""
    return replace(function, parameters=tuple(sorted(function.parameters, key=lambda p: p.var.type != PTR)))


def number(type_: Type, chosen: random.Random) -> Number:
    if isinstance(type_, FloatType):
        return chosen.uniform(0.5, 90.0)
    return chosen.randint(0, 1) if isinstance(type_, IntType) and type_.bits == 1 else chosen.randint(-1, 9)
