"""llvm-mca, which estimates what other cores need for a piece of machine code."""

from __future__ import annotations

import re
import shutil
import subprocess


def find_mca() -> str | None:
    """The program, Debian's by preference; None where it is not installed."""
    return shutil.which("llvm-mca-19") or shutil.which("llvm-mca")


def mca_cycles(mca: str, text: str, cpu: str, triple: str, iterations: int) -> float | None:
    """The cycles of an iteration of `text`, assembly; None for what llvm-mca does not take."""
    command = [mca, f"-mcpu={cpu}", f"-mtriple={triple}", f"-iterations={iterations}"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    found = re.search(r"Total Cycles:\s*(\d+)", result.stdout)
    return None if found is None else int(found[1]) / iterations
