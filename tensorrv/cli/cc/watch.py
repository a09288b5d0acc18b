"""Verification and profiles at run time: what is put around calls of nests, and the C code that does the work (`watch.c`).

    verify     at the first calls another process, a copy of this one, runs the original; then all memory is compared
    profile    the first calls run the outlined code and the original alternately, and are timed; then the faster one runs
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rv.ir.types import FloatMode
from tensorrv.cli.cc.options import Watch
from tensorrv.frontend.outline.calls import Insertion, call_of, insertions
from tensorrv.frontend.outline.program import Lowered, OutlinedFile, Site

_CODE: Final = Path(__file__).with_name("watch.c")


@dataclass(frozen=True, slots=True)
class Watched:
    """A nest whose runs are watched; `place` is what reports call it."""

    site: Site
    lowered: Lowered
    place: str

    @property
    def state(self) -> str:
        assert self.site.made is not None
        return f"{self.site.made.name}_state"


def code_of(watched: list[Watched], architecture: str) -> str:
    """What stands in front of the file, which is preprocessed already."""
    states = [f"static struct trv_nest {one.state} = {{{_quoted(one.place)}}};\n" for one in watched]
    other = {"x86_64": "AArch64", "aarch64": "x86-64"}[architecture]
    code = re.sub(rf"/\* {other}: \*/.*?/\* end \*/", "", _CODE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL) + "".join(states)


def watched_insertions(file: OutlinedFile, one: Watched, watch: Watch, fp: FloatMode) -> tuple[Insertion, ...]:
    """What is put around a nest."""
    call = call_of(one.site, one.lowered)
    if watch == "profile":
        first, last = insertions(file, one.site, "trv_ours", call)
        begin = f"{{ double trv_start; int trv_ours = trv_choose(&{one.state}, &trv_start); "
        end = f" trv_took(&{one.state}, trv_ours, trv_start); }}"
    else:
        first, last = insertions(file, one.site, "trv_who != 2", call)
        begin = f"{{ int trv_who = trv_begin(&{one.state}); "
        end = f" if (trv_who) {{ {_comparison(one, fp)} }} }}"
    return Insertion(first.offset, begin + first.text), Insertion(last.offset, last.text + end)


def _comparison(one: Watched, fp: FloatMode) -> str:
    """What is compared besides the memory that has addresses everywhere: variables of the function."""
    assert one.site.made is not None
    results = [a.name for a in one.site.made.arguments if a.is_result]
    copies = [f"__typeof__({name}) {name}_trv_copy = {name};" for name in results]
    pieces = [f"{{&{name}_trv_copy, sizeof {name}_trv_copy}}" for name in results]
    pieces += [f"{{(const void *)&{name}, sizeof {name}}}" for name in one.lowered.addresses]
    nearly = 0 if fp == "strict" else 1
    listed = f"struct trv_piece trv_pieces[] = {{{', '.join(pieces)}}};" if pieces else "struct trv_piece *trv_pieces = 0;"
    above = "(char *)__builtin_frame_address(0) + 256"
    ending = f"trv_end(&{one.state}, trv_who, trv_pieces, {len(pieces)}, {above}, {nearly});"
    return " ".join([*copies, listed, ending])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
