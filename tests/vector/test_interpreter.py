"""The interpreter on the vector IR of all kernels and cases leaves the bits of gcc -O0."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from rv.ir.function import Function
from rv.semantics.arguments import Argument, Result
from rv.semantics.memory import Memory
from rv.vector.function import Module
from rv.vector.interpreter import Program
from tensorrv.schedule.plan import parse_plan
from tests.run.harness import run_plans
from tests.run.subject import make_cases, read_subject
from tests.run.test_cases import CASES
from tests.run.test_interpreter import compare
from tests.run.test_kernels import KERNELS
from tests.run.toolchain import installed, toolchain
from tests.vector.modules import PLANS, module_of

PATHS = [*KERNELS, *CASES]
MOST_ELEMENTS = 700
OF_TARGETS = {"libm_extrema", "mixed_extrema"}
"""Cases with results that differ between targets: those of zeros of both signs. They are compared with the target's own gcc."""


class VectorProgram:
    """A module with the interface of scalar programs."""

    def __init__(self, function: Function, module: Module) -> None:
        self.function = function
        self.program = Program(module)

    def run(self, arguments: Sequence[Argument], memory: Memory) -> Result:
        return self.program.run(self.function.name, arguments, memory)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("target", ["arrowlake", "neoverse-n2", "znver4"])
def test_products_added_to_words_at_once(target: str, tmp_path: Path) -> None:
    path = next(path for path in CASES if path.stem == "narrow_sums")
    subject = read_subject(path)
    outcome = run_plans(subject, (), toolchain("native"), tmp_path)
    programs = {f.name: VectorProgram(f.function, module_of(f, parse_plan("brush=64"), target)) for f in subject.functions}
    for case, expected, result in zip(make_cases(path), outcome.expected, outcome.results, strict=True):
        if sum(b.size for b in case.buffers) <= MOST_ELEMENTS:
            compare(programs[case.function.name], case, expected, result)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("number", range(len(PATHS)), ids=lambda k: PATHS[k].stem)
def test_bits_of_gcc(number: int, tmp_path: Path) -> None:
    path = Path(PATHS[number])
    text, target = PLANS[number % len(PLANS)]
    strict = parse_plan(text.replace(" fp=fast", ""))
    subject = read_subject(path)
    tools = installed(target) if path.stem in OF_TARGETS else toolchain("native")
    outcome = run_plans(subject, (), tools, tmp_path)
    programs = {f.name: VectorProgram(f.function, module_of(f, strict, target)) for f in subject.functions}
    for case, expected, result in zip(make_cases(path), outcome.expected, outcome.results, strict=True):
        if sum(b.size for b in case.buffers) <= MOST_ELEMENTS:
            compare(programs[case.function.name], case, expected, result)
