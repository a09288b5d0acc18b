"""Shared libraries from objects, by the system's C compiler."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rv.target.machine import Target


class NoLinker(Exception):
    """No shared library could be made: no suitable C compiler is installed, or it failed."""


def find_linker(target: Target) -> tuple[str, ...]:
    """The command of a C compiler that links for the target. Raises NoLinker that names what was looked for."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    architecture = target.architecture
    native: Sequence[str] = ("cc", "gcc", "clang") if machine == architecture else ()
    candidates = (*native, f"{architecture.replace('_', '-')}-linux-gnu-gcc", f"{architecture}-linux-gnu-gcc")
    for name in candidates:
        if shutil.which(name) is not None:
            return (name,)
    raise NoLinker(f"no C compiler for {architecture} was found (looked for {', '.join(dict.fromkeys(candidates))})")


def shared_library(object_file: bytes, target: Target, path: Path) -> None:
    """Links the object to a shared library at `path`, which appears whole or not at all.

    Raises NoLinker when there is no C compiler or it fails, OSError when the file cannot be written.
    """
    command = find_linker(target)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".link-") as scratch:
        input_path, output_path = Path(scratch, "kernel.o"), Path(scratch, "kernel.so")
        input_path.write_bytes(object_file)
        arguments = [*command, "-shared", "-o", str(output_path), str(input_path), "-lm"]
        result = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise NoLinker(f"{command[0]} failed to link:\n{(result.stderr or result.stdout).strip()}")
        os.replace(output_path, path)
