"""Our own options, which stand among those of the compiler: `--tensorrv-...`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from rv.ir.types import FloatMode
from tensorrv.schedule.plan import FLOAT_MODES, Brush, PlanError, parse_brush

PREFIX: Final = "--tensorrv-"
Watch = Literal["", "verify", "profile"]

HELP: Final = """\
tensorrv-cc [options of gcc or clang] FILE.c...

Compiles like the compiler in TENSORRV_CC (default gcc), with loop nests replaced by faster code. Own options:
  --tensorrv-brush=B      auto (default), none, or a brush such as 4x8 for every nest that can take it
  --tensorrv-target=T     native, avx512, avx2, neon, or a processor; default: that of -march
  --tensorrv-fp=MODE      strict, contract or fast; default: strict, with -ffp-contract=fast contract, with -ffast-math fast
  --tensorrv-explain      what becomes of every nest, and why, to standard error
  --tensorrv-report=FILE  the same, appended to FILE
  --tensorrv-verify       the program compares nests with the originals at their first calls
  --tensorrv-profile      the program measures nests and the originals, takes the faster ones, and reports when it ends
  --tensorrv-use=LOG      what such a program has reported (TENSORRV_LOG=LOG): nests that were slower are not replaced
  --tensorrv-all          also nests that are not expected to be faster than the compiler's code
  --tensorrv-help         this text
"""


@dataclass(frozen=True, slots=True)
class CcOptions:
    """`brush` is None for auto. `use` is a profile's file. `every`: nests that are expected to be slower, too."""

    brush: Brush | None = None
    target: str | None = None
    fp: FloatMode | None = None
    explain: bool = False
    report: str | None = None
    use: str | None = None
    watch: Watch = ""
    every: bool = False
    help: bool = False


class BadOption(Exception):
    """An option of ours that makes no sense."""


def split_options(arguments: Sequence[str]) -> tuple[CcOptions, list[str]]:
    """Our options, and the compiler's. Raises BadOption."""
    options = CcOptions()
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith(PREFIX):
            rest.append(word)
            continue
        name, equals, value = word.removeprefix(PREFIX).partition("=")
        if name in ("brush", "target", "fp", "report", "use") and not equals:
            if not waiting:
                raise BadOption(f"'{word}' needs a value")
            value = waiting.pop(0)
        options = _with(options, name, value)
    return options, rest


def _with(options: CcOptions, name: str, value: str) -> CcOptions:
    match name:
        case "brush":
            try:
                return replace(options, brush=parse_brush(value), every=options.every or value != "auto")
            except PlanError as error:
                raise BadOption(str(error)) from error
        case "target":
            return replace(options, target=value)
        case "fp" if value in FLOAT_MODES:
            return replace(options, fp=value)
        case "fp":
            raise BadOption(f"'{value}' is not a floating-point mode: {', '.join(FLOAT_MODES)}")
        case "explain":
            return replace(options, explain=True)
        case "report":
            return replace(options, report=value)
        case "use":
            return replace(options, use=value)
        case "verify":
            return replace(options, watch="verify")
        case "profile":
            return replace(options, watch="profile")
        case "all":
            return replace(options, every=True)
        case "help":
            return replace(options, help=True)
        case _:
            raise BadOption(f"there is no option '{PREFIX}{name}'; {PREFIX}help lists them")
