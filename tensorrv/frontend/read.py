"""Reading a kernel, in whatever language it is written: C, or P-LLVM."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tensorrv.unit.unit import Module


def is_c(path: Path, text: str | None) -> bool:
    """Whether a file, or a text, is read as C."""
    from tensorrv.frontend.pllvm.module import SUFFIXES, is_pllvm

    return path.suffix not in SUFFIXES if text is None else not is_pllvm(text)


def read_module(
    source: Path | str,
    *,
    text: str | None = None,
    defines: Sequence[tuple[str, str]] = (),
    include_dirs: Sequence[Path] = (),
    cpp: str | None = None,
) -> Module:
    """The functions of a file, or of `text` as if it were in a file called `source`; macros and directories are for C only.

    P-LLVM is in files called `.pllvm` or `.pll`, and is known by its beginning where there is only a text. Raises Refused.
    """
    if is_c(Path(source), text):
        from tensorrv.frontend.c.module import parse_c

        return parse_c(source, text=text, defines=defines, include_dirs=include_dirs, cpp=cpp)
    from tensorrv.frontend.pllvm.module import parse_pllvm

    return parse_pllvm(source, text=text)
