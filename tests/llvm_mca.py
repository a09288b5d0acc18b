"""llvm-mca as an oracle for models of cores."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from rv.target.machine import resolve_target


def total_cycles(text: str, cpu: str, iterations: int) -> int:
    """The cycles that a processor needs for assembly so many times; the test is skipped where llvm-mca is not installed."""
    mca = shutil.which("llvm-mca-19") or shutil.which("llvm-mca")
    if mca is None:
        pytest.skip("llvm-mca is not installed")
    command = [mca, f"-mcpu={cpu}", f"-mtriple={resolve_target(cpu).triple}", f"-iterations={iterations}"]
    printed = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return int(printed.partition("Total Cycles:")[2].split()[0])
