"""Whole random programs of Csmith, built with tensorrv-cc, against gcc -O0: `python -m tests.cc.random_programs --seconds 600`.

Csmith (Yang, Chen, Eide, Regehr: Finding and Understanding Bugs in C Compilers, PLDI 2011; Debian's `csmith`, `libcsmith-dev`)
writes programs without undefined behaviour that print a checksum of all their variables. Every nest that can take a brush is
replaced, whether that is expected to be faster or not.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.random_runs import command, show_failure

LEFT_OUT: Final = ("--no-bitfields", "--no-packed-struct", "--no-volatiles", "--no-volatile-pointers")
GENERATOR: Final = ("csmith", *LEFT_OUT, "--max-funcs", "4", "--max-block-depth", "4", "--max-array-len-per-dim", "20")
INCLUDES: Final = "-I/usr/include/csmith"
BRUSHES: Final = ("8", "4x4")
LONGEST: Final = 5.0
"""Seconds that a program may run; others are passed over."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a program under a brush: how many nests were replaced, and what is wrong (empty: nothing)."""

    nests: int
    wrong: str


def missing() -> str:
    """Why no random programs can be made on this machine; empty when they can."""
    if shutil.which("csmith") is None or shutil.which("gcc") is None or not Path(INCLUDES[2:], "csmith.h").exists():
        return "csmith, its headers or gcc are not installed"
    return ""


def check_program(seed: int, scratch: Path) -> dict[str, Result]:
    """The program of a seed under every brush; empty when it runs too long."""
    source, reference = scratch / "random.c", scratch / "reference"
    source.write_text(subprocess.run([*GENERATOR, "-s", str(seed)], capture_output=True, text=True, check=True).stdout)
    subprocess.run(["gcc", "-w", "-O0", INCLUDES, source, "-o", reference], check=True)
    try:
        expected = subprocess.run([reference], capture_output=True, timeout=LONGEST, check=True).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return {}
    return {brush: _built(brush, source, expected, scratch) for brush in BRUSHES}


def _built(brush: str, source: Path, expected: bytes, scratch: Path) -> Result:
    program = scratch / "program"
    program.unlink(missing_ok=True)
    options = ["-w", "-O1", f"--tensorrv-brush={brush}", "--tensorrv-all", "--tensorrv-explain", INCLUDES]
    tool = [sys.executable, "-c", "from tensorrv.cli.cc.cli import main; raise SystemExit(main())"]
    built = subprocess.run([*tool, *options, source, "-o", program], capture_output=True, text=True, check=False)
    nests = built.stderr.count(": brush ")
    if built.returncode != 0:
        return Result(nests, f"no program: {built.stderr[-300:]}")
    if "TRV507" in built.stderr:
        return Result(nests, "internal error")
    try:
        ran = subprocess.run([program], capture_output=True, timeout=4 * LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return Result(nests, "it does not end")
    return Result(nests, "" if ran.stdout == expected and ran.returncode == 0 else f"other output, status {ran.returncode}")


def main() -> None:
    options = command("python -m tests.cc.random_programs", batch=1, save="csmith-failures", reduce=0).parse_args()
    end, seed, nests, programs = time.monotonic() + options.seconds, options.seed, 0, 0
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory() as scratch:
            results = check_program(seed, Path(scratch))
            for brush, result in results.items():
                nests += result.nests
                if result.wrong:
                    show_failure(seed, f"brush {brush}", {"detail": result.wrong})
                    options.save.mkdir(exist_ok=True)
                    shutil.copy(Path(scratch, "random.c"), options.save / f"seed_{seed}.c")
        programs += bool(results)
        seed += 1
    print(f"{programs} programs, {nests} nests replaced in {' and '.join(BRUSHES)}")


if __name__ == "__main__":
    main()
