"""The lines of the user's file behind those of the printed module: the n-th statement of a function is the n-th one in both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tensorrv.frontend.llvm_ir.module_text import RawModule, body_lines, is_label

_NAME: Final = re.compile(r'@("[^"]*"|[-\w.$]+)\s*\(')


def own_lines(given: str, printed: str, parts: RawModule) -> Mapping[int, tuple[int, int]] | None:
    """Line and indentation in `given` of the lines of heads and statements in `printed`; None when they do not correspond."""
    if given == printed:
        return {k + 1: (k + 1, len(line) - len(line.lstrip())) for k, line in enumerate(printed.split("\n"))}
    heads = {name: (start, statements) for name, start, statements in _functions(given)}
    found: dict[int, tuple[int, int]] = {}
    for raw in parts.functions:
        start, statements = heads.get(raw.name, (0, []))
        own = list(raw.statements)
        if len(own) != len(statements):
            return None
        found[raw.head.line] = start, 0
        found.update({statement.line: line for statement, line in zip(own, statements, strict=True)})
    return found


def _functions(text: str) -> Iterator[tuple[str, int, list[tuple[int, int]]]]:
    """Name, line of the head, and lines and indentations of the statements of each function."""
    lines = text.split("\n")
    position = 0
    while position < len(lines):
        if lines[position].startswith("define"):
            start = position
            while "{" not in lines[position].partition(")")[2] and position + 1 < len(lines):
                position += 1
            end = next((k for k in range(position + 1, len(lines)) if lines[k].startswith("}")), len(lines))
            name = _NAME.search("".join(lines[start : position + 1]))
            if name is not None:
                yield name[1].strip('"'), start + 1, list(_statements(lines, position + 1, end))
            position = end
        position += 1


def _statements(lines: list[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    for number, line in body_lines(lines, start, end):
        text = line.strip()
        if not is_label(line) and not text.startswith(("#dbg", "call void @llvm.dbg", "tail call void @llvm.dbg")):
            yield number + 1, len(line) - len(line.lstrip())
