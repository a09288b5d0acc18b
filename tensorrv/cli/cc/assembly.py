"""Machine code of nests as assembly inside of the file that calls it.

The compiler puts it where it puts its own, whatever it writes: an object, assembly, or code for a shared library. Symbols are
those of this file alone, so nothing has to be unique in the program.
"""

from __future__ import annotations

import re
from typing import Final

_DROPPED: Final = re.compile(r'\s*\.(?:(?:file|globl|ident|addrsig|addrsig_sym|hidden)\b|section\s+"?\.note\.GNU-stack)')
_LOCAL: Final = re.compile(r"\.L(?=[A-Za-z_])")
_LABEL: Final = re.compile(r"^([A-Za-z_.$][\w.$]*):", re.MULTILINE)


def embedded(assembly: str, name: str) -> str:
    """The assembly of one nest's function, so that several can stand in a file: only `name` keeps its name."""
    lines = [line for line in assembly.splitlines() if not _DROPPED.match(line)]
    text = _LOCAL.sub(f".L.{name}.", "\n".join(lines))
    own = {label for label in _LABEL.findall(text) if label != name and not label.startswith(".L")}
    for label in sorted(own, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.$]){re.escape(label)}(?![\w.$])", f"{label}.{name}", text)
    return text


def as_c(assembly: list[str], *, intel: bool) -> str:
    """Top-level assembly in C; `intel`: the compiler writes assembly in Intel's syntax, which ours is not in."""
    if not assembly:
        return ""
    lines = [".pushsection .text", *(["\t.att_syntax prefix"] if intel else [])]
    lines += [line for text in assembly for line in text.splitlines()]
    lines += [*(["\t.intel_syntax noprefix"] if intel else []), ".popsection"]
    return "\n__asm__(\n" + "\n".join(f'"{_quoted(line)}\\n"' for line in lines) + "\n);\n"


def _quoted(line: str) -> str:
    return line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
