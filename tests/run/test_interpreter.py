"""The scalar interpreter on the front end's unprepared code leaves the same bits as gcc -O0."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest

from rv.ir.function import Function
from rv.ir.types import FloatType, VoidType
from rv.semantics.arguments import Argument, Result
from rv.semantics.memory import Memory, Region
from rv.semantics.scalar import Program
from tensorrv.run.call import Array
from tests.run.harness import run_plans
from tests.run.subject import Case, make_cases, read_subject
from tests.run.test_cases import CASES
from tests.run.test_kernels import KERNELS
from tests.run.toolchain import toolchain

MAX_ELEMENTS = 5300


class Runs(Protocol):
    """A function that an interpreter runs."""

    function: Function

    def run(self, arguments: Sequence[Argument], memory: Memory) -> Result: ...


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("path", [*KERNELS, *CASES], ids=lambda path: path.stem)
def test_interpreter(path: Path, tmp_path: Path) -> None:
    subject = read_subject(path)
    outcome = run_plans(subject, (), toolchain("native"), tmp_path)
    programs = {f.name: Program(f.function) for f in subject.functions}
    compared = 0
    for case, expected, result in zip(make_cases(path), outcome.expected, outcome.results, strict=True):
        if sum(b.size for b in case.buffers) <= MAX_ELEMENTS:
            compare(programs[case.function.name], case, expected, result)
            compared += 1
    assert compared > len(subject.functions)


def compare(program: Runs, case: Case, expected: tuple[Array, ...], result: int) -> None:
    memory = Memory()
    copies = [buffer.copy() for buffer in case.buffers]
    regions = [memory.map(f"array{k}", copy.view(np.uint8) if copy.size else bytearray()) for k, copy in enumerate(copies)]
    arguments: list[int | float | Region] = []
    for argument in case.arguments:
        arguments.append(regions[argument[0]].base + argument[1] if isinstance(argument, tuple) else argument)
    returned = program.run(arguments, memory)
    for number, (found, wanted) in enumerate(zip(copies, expected, strict=True)):
        different = _different(found, wanted)
        assert not different.size, f"{case}: array {number} at {different[0]}: {found[different[0]]}, not {wanted[different[0]]}"
    type_ = program.function.result
    if isinstance(type_, FloatType):
        dtype = np.dtype(f"f{type_.bits // 8}")
        assert not _different(np.array([returned], dtype), np.array([result], np.uint64).view(dtype)[:1]).size, str(case)
    elif not isinstance(type_, VoidType):
        assert isinstance(returned, int)
        assert returned % 2**64 == result % (1 << type_.bits), str(case)  # type: ignore[union-attr]


def _different(found: Array, wanted: Array) -> Array:
    """Where two arrays differ in their bits; NaNs are equal. What is between the members of structs does not matter."""
    if found.dtype.names is not None:
        return np.unique(np.concatenate([_different(found[name], wanted[name]) for name in found.dtype.names]))
    width = found.dtype.itemsize
    different = found.view(f"u{width}") != wanted.view(f"u{width}")
    if found.dtype.kind == "f":
        different &= ~(np.isnan(found) & np.isnan(wanted))
    return np.flatnonzero(different)
