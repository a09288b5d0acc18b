"""Shared libraries from objects, by the system's C compiler."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rv.target.machine import Target


class NoLinker(Exception):
    """No shared library could be made: no suitable C compiler is installed, or it failed."""


def find_linker(target: Target) -> str:
    """The name of a C compiler that links for the target. Raises NoLinker with the names that were tried."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    architecture = target.architecture
    native: Sequence[str] = ("cc", "gcc", "clang") if machine == architecture else ()
    candidates = (*native, f"{architecture.replace('_', '-')}-linux-gnu-gcc")
    for name in candidates:
        if shutil.which(name) is not None:
            return name
    raise NoLinker(f"no C compiler for {architecture} was found (looked for {', '.join(candidates)})")


def shared_library(object_file: bytes, target: Target, *, openmp: bool = False) -> bytes:
    """The object as a shared library, with libgomp if it needs that. Raises NoLinker when there is no C compiler or it fails."""
    compiler = find_linker(target)
    with tempfile.TemporaryDirectory(prefix="tensorrv-") as scratch:
        source, output = Path(scratch, "kernel.o"), Path(scratch, "kernel.so")
        source.write_bytes(object_file)
        command = [compiler, "-shared", "-o", str(output), str(source), "-lm", *(["-fopenmp"] if openmp else [])]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise NoLinker(f"{compiler} failed to link: {(result.stderr or result.stdout).strip()}")
        return output.read_bytes()
