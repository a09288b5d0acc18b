"""rv stands on its own feet: it vectorizes and runs functions and loops where nothing that builds on it can be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rv.target.host import host

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("target", ["native", "avx2"])
def test_rv_works_alone(target: str) -> None:
    if target == "avx2" and "avx2" not in host().features:
        pytest.skip("this machine has no AVX2")
    script = ROOT / "tests" / "drivers" / "alone.py"
    done = subprocess.run([sys.executable, script, target], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
