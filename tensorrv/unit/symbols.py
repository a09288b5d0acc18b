"""Memory that a function reaches without being given a pointer to it.

To analyses such memory is like an array parameter: functions of P-LLVM have one more parameter for each, behind those of the
source. What callers see is an entry that passes the addresses (`tensorrv.interface.entry`).
"""

from __future__ import annotations

from dataclasses import dataclass

from tensorrv.unit.parameter import Parameter


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
    """A variable outside functions, by its name for the linker; `defined`: in this file, and not elsewhere.

    `described` is the variable as a parameter, an array of its lengths, and `size` its bytes where they are known.
    """

    name: str
    defined: bool
    described: Parameter
    size: int | None


Symbol = TextSymbol | StackSymbol | GlobalSymbol
