"""The user's C compiler without optimization, as a second opinion on what the C source means.

Our scalar code shares the front end with what it is compared with, and the code generator with what it is made by; a C compiler
shares nothing. Its code is compared with our scalar code, so that a difference shows which of the two steps is wrong.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rv.target.machine import Target, runs_here

# of what gcc takes for commutative it exchanges operands even without optimization, which decides between zeros
_IN_ORDER: Final = tuple(f"-fno-builtin-{name}" for name in ("fmin", "fminf", "fmax", "fmaxf"))
# without -frounding-math gcc 12 negates where the source subtracts from 0: -0.0 for 0 - (double)i
_MEANING: Final = ("-std=gnu11", "-O0", "-ffp-contract=off", "-frounding-math", "-fwrapv", "-fsigned-char", *_IN_ORDER)
# calls between functions of the file must not reach functions of the same name in this process
_LIBRARY: Final = ("-shared", "-fPIC", "-Wl,-Bsymbolic", "-w")
_LONGEST: Final = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class CSource:
    """A C file as other compilers read it, with options such as `-D` and `-I`."""

    path: Path
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """A shared library, and what to call its code in reports."""

    path: Path
    called: str


def unoptimized(source: CSource | None, target: Target, directory: Path) -> Library | None:
    """The file as the C compiler reads it, in `directory`; None without source, without compiler, or when that refuses it."""
    compiler = next(filter(shutil.which, ("gcc", "clang")), None)
    if source is None or compiler is None or runs_here(target) is not None or not source.path.is_file():
        return None
    output = directory / "unoptimized.so"
    command = [compiler, *_MEANING, *_LIBRARY, *source.options, str(source.path), "-o", str(output), "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        return None
    return Library(output, f"{compiler} -O0") if done.returncode == 0 else None
