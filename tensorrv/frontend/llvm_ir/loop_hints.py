"""What metadata says about loops, as hints on their headers.

    llvm.loop.vectorize.enable true     simd                      llvm.loop.vectorize.enable false, width 1    novector
    llvm.loop.vectorize.width 8         simdlen 8                 llvm.loop.parallel_accesses                  lanes

Parallel accesses are a fact only when they are all of the loop's accesses. Unrolling and interleaving are our own choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from rv.ir.hints import NO_HINTS, LoopHints, with_hint

_LOOP: Final = re.compile(r"!llvm\.loop (!\d+)")
_GROUP: Final = re.compile(r"!llvm\.access\.group (!\d+)")
_NODE: Final = re.compile(r"!\d+")
_SAYS: Final = re.compile(r'!\{!"(llvm\.loop[\w.]*)"(?:, (?:i\d+ )?(\w+|![\d, !]+))?\}')


def loop_of(text: str) -> str:
    """The node of a loop that an instruction, the branch back, has attached; "" without one."""
    found = _LOOP.search(text)
    return "" if found is None else found[1]


def hints_of(metadata: Mapping[str, str], node: str, accesses: Iterable[str]) -> LoopHints:
    """The hints of a loop in which these instructions access memory."""
    hints = NO_HINTS
    for name, value in _said(metadata, node):
        match name.removeprefix("llvm.loop."), value:
            case "vectorize.enable", "true":
                hints = with_hint(hints, "simd")
            case ("vectorize.enable", "false") | ("vectorize.width", "1"):
                hints = with_hint(hints, "novector")
            case "vectorize.width", width if width.isdecimal() and int(width):
                hints = with_hint(hints, f"simdlen {width}")
            case "parallel_accesses", groups if _are_all(metadata, groups, accesses):
                hints = with_hint(hints, "lanes")
            case _:
                pass
    return hints


def _said(metadata: Mapping[str, str], node: str) -> list[tuple[str, str]]:
    found = (_SAYS.search(metadata.get(part, "")) for part in _NODE.findall(metadata.get(node, ""))[1:])
    return [(match[1], match[2] or "") for match in found if match is not None]


def _are_all(metadata: Mapping[str, str], groups: str, accesses: Iterable[str]) -> bool:
    parallel = set(_NODE.findall(groups))
    for text in accesses:
        group = _GROUP.search(text)
        if group is None:
            return False
        inside = _NODE.findall(metadata.get(group[1], "")) or [group[1]]
        if not parallel & {group[1], *inside}:
            return False
    return True
