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
