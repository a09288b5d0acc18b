"""What comes with the package: kernels, reachable by name, and the header `rv.h`, which other compilers may include as well."""

from __future__ import annotations

from pathlib import Path
from typing import Final

INCLUDE: Final = Path(__file__).parent / "include"
"""The directory of `rv.h`; `#include "rv.h"` finds it without an option."""


def kernels_directory() -> Path:
    """Where the shipped kernels are: in the installed package, or beside it in a source tree."""
    package = Path(__file__).parents[1]
    installed = package / "kernels"
    return installed if installed.is_dir() else package.parent / "kernels"


def shipped_kernels() -> tuple[str, ...]:
    """The names of the shipped kernels."""
    return tuple(sorted(path.stem for path in kernels_directory().glob("*.c")))


def find_kernel(text: str) -> Path:
    """The file that `text` means: a path, or the name of a shipped kernel. Raises Refused."""
    path = Path(text)
    if text and (path.is_file() or path.is_fifo()):
        return path
    if text in shipped_kernels():
        return kernels_directory() / f"{text}.c"
    from tensorrv.frontend.not_found import refusal

    raise refusal(text, shipped_kernels())
