"""The innermost loops of a function in LLVM's assembly, found by the comments that it writes at the head of every block.

.LBB0_22:                               # %for.i.body.for.j.0.for.i.1.0
                                        #   Parent Loop BB0_14 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_LABEL: Final = re.compile(r"\.L(BB\d+_\d+):")
_FALLS: Final = re.compile(r"\s*(?:#|//) %bb\.\d+:")
_HEADER: Final = re.compile(r"(?:#|//) =>\s*This Inner Loop Header")
_MEMBER: Final = re.compile(r"(?:#|//)\s+in Loop: Header=(BB\d+_\d+)")


@dataclass(frozen=True, slots=True)
class Loop:
    """The lines of its blocks, header first."""

    blocks: tuple[list[str], ...]


def innermost_loops(assembly: str) -> tuple[Loop, ...]:
    """The loops without loops inside, in textual order of their headers."""
    found: dict[str, list[list[str]]] = {}
    members: dict[str, list[list[str]]] = {}
    for label, lines in _blocks(assembly):
        # the comments that follow the label name the loop of the block
        head = "\n".join(lines[:8])
        if label and _HEADER.search(head):
            found[label] = [lines]
        elif (inside := _MEMBER.search(head)) is not None:
            members.setdefault(inside[1], []).append(lines)
    return tuple(Loop((*blocks, *members.get(label, ()))) for label, blocks in found.items())


def _blocks(assembly: str) -> list[tuple[str, list[str]]]:
    """Blocks with their labels, "" where control falls in from above."""
    blocks: list[tuple[str, list[str]]] = [("", [])]
    for line in assembly.splitlines():
        label = _LABEL.match(line)
        if label is not None:
            blocks.append((label[1], [line]))
        elif _FALLS.match(line):
            blocks.append(("", [line]))
        else:
            blocks[-1][1].append(line)
    return blocks
