"""Small programs of the forms of well-known codes, built with their own makefiles: what they print is what gcc's code prints.

Each verifies itself as well. `REPLACED` says how many nests have to be replaced at least; docs/programs.md describes the
codes themselves.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPLACED = {
    "clover": 5,
    "comd": 1,
    "lbm": 0,
    "lulesh": 6,
    "npb": 2,
    "polybench": 4,
    "prk": 4,
    "rodinia": 6,
    "tsvc": 6,
}
FLAGS = "-march=native -ffp-contract=off"

TOOLS = ("gcc", "make", "cmake")
pytestmark = pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="gcc, make and cmake are not installed")


def printed(source: Path, directory: Path, compiler: str, *make: str, **environment: str) -> str:
    """What a program prints that its own makefile has built with a compiler."""
    shutil.copytree(source, directory)
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    if (source / "CMakeLists.txt").exists():
        script = directory / "compiler"
        script.write_text(f'#!/bin/sh\nexec {compiler} {FLAGS} "$@"\n')
        script.chmod(0o755)
        commands = [["cmake", f"-DCMAKE_C_COMPILER={script}", "."], ["make", "-j2", *make]]
    else:
        commands = [["make", "-j2", f"CC={compiler} {FLAGS}", *make]]
    for command in commands:
        done = subprocess.run(command, cwd=directory, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return subprocess.run([directory / "program"], capture_output=True, text=True, check=True, timeout=60, env=variables).stdout


def cc(report: Path) -> str:
    return f"{sys.executable} -m tensorrv.cli.cc.cli --tensorrv-report={report}"


@pytest.mark.parametrize("name", sorted(REPLACED))
def test_a_program_prints_what_it_prints_with_gcc(tmp_path: Path, name: str) -> None:
    report = tmp_path / "report"
    expected = printed(HERE / name, tmp_path / "gcc", "gcc")
    found = printed(HERE / name, tmp_path / "ours", cc(report))
    assert "SUCCESSFUL" in expected and found == expected
    text = report.read_text()
    assert sum(map(int, re.findall(r": (\d+) of \d+ nests replaced", text))) >= REPLACED[name], text
    assert "CompilerFailed" not in text and "left to the compiler: TRV507" not in text, text


@pytest.mark.parametrize("name", ["clover", "npb"])
def test_threads(tmp_path: Path, name: str) -> None:
    report, make = tmp_path / "report", "OPENMP=-fopenmp"
    expected = printed(HERE / name, tmp_path / "gcc", "gcc", make, OMP_NUM_THREADS="2")
    assert printed(HERE / name, tmp_path / "ours", cc(report), make, OMP_NUM_THREADS="2") == expected
