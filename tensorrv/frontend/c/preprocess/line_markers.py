"""Line markers: where the lines of a preprocessed text come from.

    # 12 "kernel.c" 2          line 12 of kernel.c follows, after an included file
    # 1 "/usr/include/math.h" 1 3 4      3: the file is a system header
    #line 12 "kernel.c"

Flags besides 3 do not affect places. In other files, 3 marks what comes out of a macro of a system header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_MARKER: Final = re.compile(r'[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"((?:[^"\\]|\\.)*)"([ \t\d]*))?[ \t]*$')


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text without its markers, its file and number there, and whether that is a system header."""

    text: str
    file: str
    number: int
    system: bool = False


def system_headers(lines: Iterable[Line]) -> frozenset[str]:
    """The files of which all lines are marked as those of system headers."""
    lines = list(lines)
    return frozenset({line.file for line in lines if line.system}) - {line.file for line in lines if not line.system}


def marked_lines(lines: Sequence[str], file: str) -> Iterator[Line]:
    """Every line with its place; a marker itself becomes an empty line."""
    number, system = 1, False
    for text in lines:
        match = _MARKER.match(text) if "#" in text else None
        if match is None:
            yield Line(text, file, number, system)
            number += 1
            continue
        yield Line("", file, number, system)
        number = int(match[1])
        if match[2] is not None:
            file, system = re.sub(r"\\(.)", r"\1", match[2]), "3" in match[3].split()
