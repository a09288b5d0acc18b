"""The programs in `benchmarks/` have a --help."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = [path for path in sorted((ROOT / "benchmarks").glob("*.py")) if "__main__" in path.read_text()]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_help(path):
    found = subprocess.run([sys.executable, str(path), "--help"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("usage:")


NAMED = [(name, []) for name in ("compile_time", "control_flow", "forms", "traced")]
NAMED += [("thesis", ["--kernels"]), ("mca", ["--kernel"]), ("ports", ["--kernel"])]


@pytest.mark.parametrize(("program", "option"), NAMED, ids=[program for program, _ in NAMED])
def test_unknown_kernels_are_named(program, option):
    command = [sys.executable, str(ROOT / "benchmarks" / f"{program}.py"), *option, "nosuch"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 2 and "there is no nosuch, but " in found.stderr
