"""Masked stores of a single lane, known when compiling, become plain stores.

    call void @llvm.masked.store.v2i32.p0(<2 x i32> %v, ptr align 4 %p, <2 x i1> <i1 false, i1 true>)
    -->
    %single.0 = extractelement <2 x i32> %v, i64 1
    %single.0.to = getelementptr i32, ptr %p, i64 1
    store i32 %single.0, ptr %single.0.to, align 4

On AVX-512, LLVM 22 makes one store of such a call by itself, but when the value has just been truncated it stores the wide
element, beyond the lane. This runs on optimized IR, where masks that are constant have become so.
"""

from __future__ import annotations

import re
from typing import Final

_STORE: Final = re.compile(
    r"^ *(?:tail |musttail |notail )?call void @llvm\.masked\.store\.[\w.]+"
    r"\((?P<vector><(?P<lanes>\d+) x (?P<element>\w+)>) (?P<value>%[^ ,]+), "
    r"ptr (?:[a-z]+ )*?align (?P<align>\d+) (?P<pointer>%[^ ,]+), <\d+ x i1> <(?P<mask>[^>]+)>\)(?: #\d+)?(?P<rest>.*)$",
    re.MULTILINE,
)


def single_lane_stores(text: str) -> str:
    """The module with plain stores in place of those calls."""
    number = -1

    def plain(match: re.Match[str]) -> str:
        nonlocal number
        mask = [lane.split()[-1] for lane in match["mask"].split(",")]
        if mask.count("true") != 1:
            return match[0]
        number += 1
        lane, element = mask.index("true"), match["element"]
        stored, place = f"%single.{number}", f"%single.{number}.to"
        return (
            f"  {stored} = extractelement {match['vector']} {match['value']}, i64 {lane}\n"
            f"  {place} = getelementptr {element}, ptr {match['pointer']}, i64 {lane}\n"
            f"  store {element} {stored}, ptr {place}, align {match['align']}{match['rest']}"
        )

    return _STORE.sub(plain, text)
