"""Memory that a function reaches without being given a pointer to it.

To analyses such memory is like an array parameter: P-LLVM functions have one more parameter for each, behind those of C. What
callers call is an entry that passes the addresses (`tensorrv.interface.entry`).
"""

from __future__ import annotations

from dataclasses import dataclass

from tensorrv.frontend.c.types.c_types import CType


@dataclass(frozen=True, slots=True)
class TextSymbol:
    """A string literal, with its terminating zero."""

    data: bytes


@dataclass(frozen=True, slots=True)
class StackSymbol:
    """A local variable whose address a call of another function gets: so many bytes in every activation."""

    size: int
    alignment: int


@dataclass(frozen=True, slots=True)
class GlobalSymbol:
    """A variable outside functions, by its linker name; `defined`: in this file, and not `extern`."""

    name: str
    type: CType
    defined: bool


Symbol = TextSymbol | StackSymbol | GlobalSymbol
