"""What formulas are made into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorrv.api import CompiledKernel


@dataclass(frozen=True, slots=True)
class FormulaKernel:
    """A kernel in C that was made from formulas. `trv.compile` takes it like a file; `c` is its text."""

    name: str
    c: str

    def compile(self, **options: Any) -> CompiledKernel:
        """The compiled kernel; the options are those of `trv.compile`."""
        from tensorrv.api import compile

        return compile(self, **options)

    def __str__(self) -> str:
        return self.c
