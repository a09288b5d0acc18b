"""Memory that a function reaches without being given a pointer to it, while it is lowered (`tensorrv.unit.symbols`)."""

from __future__ import annotations

from dataclasses import dataclass

from tensorrv.frontend.c.types.c_types import CType
from tensorrv.unit.symbols import StackSymbol, TextSymbol


@dataclass(frozen=True, slots=True)
class GlobalVariable:
    """A variable outside functions, by its name for the linker; `defined`: in this file, and not `extern`."""

    name: str
    type: CType
    defined: bool


CSymbol = TextSymbol | StackSymbol | GlobalVariable
