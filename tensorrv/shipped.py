"""What comes with the package: kernels, reachable by name, and the header `rv.h`, which other compilers may include as well."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Final

from tensorrv.diagnostics import Diagnostic, Refused

INCLUDE: Final = Path(__file__).parent / "include"
"""Where `rv.h` is; `#include "rv.h"` finds it without being told."""


def kernels_directory() -> Path:
    """Where the shipped kernels are: in the installed package, or beside it in a source tree."""
    package = Path(__file__).parent
    installed = package / "kernels"
    return installed if installed.is_dir() else package.parent / "kernels"


def shipped_kernels() -> tuple[str, ...]:
    """The names of the shipped kernels."""
    return tuple(sorted(path.stem for path in kernels_directory().glob("*.c")))


def find_kernel(text: str) -> Path:
    """The file that `text` means: a path, or the name of a shipped kernel. Raises Refused."""
    if not text:
        raise Refused(
            Diagnostic("error", "TRV081", "the kernel's name is empty", hint="give a C file or a shipped kernel's name")
        )
    path = Path(text)
    if path.is_file() or path.is_fifo():
        return path
    if text in shipped_kernels():
        return kernels_directory() / f"{text}.c"
    if path.is_dir():
        raise Refused(Diagnostic("error", "TRV081", f"'{text}' is a directory, not a C file"))
    if path.exists():
        raise Refused(Diagnostic("error", "TRV081", f"'{text}' is a device, not a C file"))
    close = difflib.get_close_matches(path.stem, shipped_kernels(), n=3)
    hint = f"shipped kernels with a similar name: {', '.join(close)}" if close else "give a C file or a shipped kernel's name"
    raise Refused(Diagnostic("error", "TRV081", f"no such file or kernel: '{text}'", hint=hint))
