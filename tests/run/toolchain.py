"""Compilers of C for each target, and how their programs run on this machine."""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from rv.target.machine import Target, resolve_target, runs_here
from tensorrv.frontend.shipped import INCLUDE

TARGETS = ("avx512", "avx2", "neon")
# of what gcc takes for commutative it exchanges operands even without optimization, which decides between zeros
IN_ORDER = tuple(f"-fno-builtin-{name}" for name in ("fmin", "fminf", "fmax", "fmaxf"))
REFERENCE = ("-O0", "-ffp-contract=off", "-frounding-math", "-fwrapv", "-fsigned-char", "-w", f"-I{INCLUDE}", *IN_ORDER)


@dataclass(frozen=True, slots=True)
class Toolchain:
    target: Target
    compiler: str
    runner: tuple[str, ...]

    def compile(self, source: Path, output: Path, *options: str) -> None:
        """An object file from a C file."""
        self._call("-c", *options, "-o", str(output), str(source))

    def link(self, objects: Sequence[Path], program: Path) -> None:
        self._call("-o", str(program), *map(str, objects), "-lm")

    def run(self, program: Path, *arguments: Path) -> str:
        """What the program prints."""
        command = [*self.runner, str(program), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert result.returncode == 0, f"the driver failed with {result.returncode}: {result.stderr}"
        assert result.stdout.endswith("done\n")
        return result.stdout.removesuffix("done\n")

    def _call(self, *arguments: str) -> None:
        result = subprocess.run([self.compiler, *arguments], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr


class Missing(Exception):
    """Programs for a target cannot be made or run here; the message says why."""


@functools.cache
def toolchain(name: str) -> Toolchain:
    """The tools for the target called `name`. Raises Missing."""
    target = resolve_target(name)
    if target.architecture == "aarch64" and platform.machine() not in ("aarch64", "arm64"):
        return Toolchain(target, _find("aarch64-linux-gnu-gcc"), (_find("qemu-aarch64"), "-L", "/usr/aarch64-linux-gnu"))
    reason = runs_here(target)
    if reason is not None:
        raise Missing(reason)
    return Toolchain(target, _find("gcc"), ())


def installed(name: str) -> Toolchain:
    """The tools for a target; skips the test that needs them where they are missing."""
    try:
        return toolchain(name)
    except Missing as reason:
        pytest.skip(str(reason))


def _find(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise Missing(f"{program} is not installed")
    return found
