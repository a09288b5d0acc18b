"""Functions of the C library with a meaning to the front end beyond their prototypes.

Calls of libm stay calls of the C name in P-LLVM; which of them become instructions is code generation's business. `abs` and
the classification macros are lowered to instructions right away.
"""

from __future__ import annotations

from typing import Final

from rv.ir.libm import SIGNATURES
from tensorrv.frontend.c.analyse.across_lanes import NAMES as ACROSS_LANES

ABSOLUTE: Final = frozenset({"abs", "labs", "llabs"})
CLASSIFY: Final = frozenset(
    "isnan isinf isfinite isnormal signbit fpclassify "
    "isgreater isgreaterequal isless islessequal islessgreater isunordered".split()
)
MEMORY: Final = frozenset({"memcpy", "memset", "memmove", "memcmp"})

_HEADERS: Final = {
    "stdlib.h": ABSOLUTE | {"malloc", "free", "calloc", "exit", "rand"},
    "math.h": CLASSIFY | frozenset(name for name in SIGNATURES if not name.startswith("__")),
    "stdio.h": frozenset({"printf", "fprintf", "puts"}),
    "string.h": MEMORY | {"strlen"},
    "assert.h": frozenset({"assert"}),
    "rv.h": ACROSS_LANES,
}


def header_of(name: str) -> str | None:
    """The header that declares `name`, if it is one that is often missing."""
    return next((header for header, names in _HEADERS.items() if name in names), None)
