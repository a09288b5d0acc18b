"""Running `tensorrv-cc` in this process, and programs that it has compiled."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tensorrv.cli.cc.cli import main

FILES = Path(__file__).parent / "files"
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def compiled(directory: Path, *words: str, report: str = "report.txt") -> str:
    """Compiles in `directory`, which must succeed; the report."""
    path = directory / report
    path.unlink(missing_ok=True)
    status = main([f"--tensorrv-report={path}", *words])
    assert status == 0
    return path.read_text() if path.exists() else ""


def output(program: Path, *arguments: str) -> str:
    """What a program prints, with its exit status."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
    return f"{done.stdout}status {done.returncode}"


def reference(directory: Path, source: Path, *words: str) -> str:
    """What a program prints that gcc has compiled without optimization."""
    program = directory / "reference"
    subprocess.run(["gcc", "-w", "-O0", *words, source, "-o", program, "-lm"], check=True)
    return output(program)
