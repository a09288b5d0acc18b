"""Reading a kernel, in whatever language it is written: C, LLVM IR, or P-LLVM."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tensorrv.unit.unit import Module

Language = Literal["c", "llvm", "pllvm"]


def is_c(path: Path, text: str | None) -> bool:
    """Whether a file, or a text, is read as C."""
    return language(path, text) == "c"


def language(path: Path, text: str | None) -> Language:
    """What a file is read as, by its suffix, or a text, by its beginning."""
    from tensorrv.frontend.llvm_ir.suffixes import LLVM_SUFFIXES, is_llvm
    from tensorrv.frontend.pllvm.module import SUFFIXES, is_pllvm

    if text is not None:
        return "llvm" if is_llvm(text) else "pllvm" if is_pllvm(text) else "c"
    return "llvm" if path.suffix in LLVM_SUFFIXES else "pllvm" if path.suffix in SUFFIXES else "c"


def text_of(path: Path) -> str:
    """The text of a file that is not C; that of bitcode is LLVM IR. Raises Refused."""
    if language(path, None) == "llvm":
        from tensorrv.frontend.llvm_ir.module import module_text

        return module_text(path)
    return path.read_text(encoding="utf-8", errors="replace")


def read_module(
    source: Path | str,
    *,
    text: str | None = None,
    defines: Sequence[tuple[str, str]] = (),
    include_dirs: Sequence[Path] = (),
    cpp: str | None = None,
) -> Module:
    """The functions of a file, or of `text` as if it were in a file called `source`; macros and directories are for C only.

    P-LLVM is in files called `.pllvm` or `.pll`, LLVM IR in `.ll` and `.bc`; a text without a file is known by its beginning.
    Raises Refused.
    """
    match language(Path(source), text):
        case "c":
            from tensorrv.frontend.c.module import parse_c

            return parse_c(source, text=text, defines=defines, include_dirs=include_dirs, cpp=cpp)
        case "llvm":
            from tensorrv.frontend.llvm_ir.module import parse_llvm

            return parse_llvm(source, text=text)
        case "pllvm":
            from tensorrv.frontend.pllvm.module import parse_pllvm

            return parse_pllvm(source, text=text)
