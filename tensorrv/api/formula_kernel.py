"""What formulas are made into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorrv.api.compiled import CompiledKernel


def statement_at(c: str, line: int) -> str:
    """The statement in a line of the C text of formulas, with the loops around it, for messages."""
    lines = c.splitlines()
    statement, loops = lines[line - 1], list[str]()
    depth = len(statement) - len(statement.lstrip())
    for above in reversed(lines[: line - 1]):
        inside = len(above) - len(above.lstrip())
        if inside < depth:
            depth = inside
            loops = [above.strip(), *loops] if above.lstrip().startswith("for") else loops
    return f"in `{statement.strip()}` under {' '.join(loops)}" if loops else f"in `{statement.strip()}`"


@dataclass(frozen=True, slots=True, repr=False)
class FormulaKernel:
    """A kernel in C that was made from formulas. `trv.compile` takes it like a file; `c` is its text."""

    name: str
    c: str

    def compile(self, **options: Any) -> CompiledKernel:
        """The compiled kernel; the options are those of `trv.compile`."""
        from tensorrv.api.compiled import compile

        return compile(self, **options)

    def __repr__(self) -> str:
        return f"<formulas of {self.name}(), {len(self.c.splitlines())} lines of C>"

    def __str__(self) -> str:
        return self.c
