"""The arguments of `trv.compile`: a value that can be compared, pickled and stored, made without compiling."""

from __future__ import annotations

from dataclasses import dataclass

from tensorrv.schedule.plan import Brush, Plan


@dataclass(frozen=True, slots=True)
class Order:
    """One function of a C text. `path` is its file, or a name in angle brackets; `text` is None where the file has it.

    `brush` is None for `auto`; the plan's own brush is then not used. `function` is None for the only one there is.
    `cpp` is a compiler that preprocesses.
    `check`: calls check that accesses stay inside their arrays.
    """

    path: str
    text: str | None
    function: str | None
    brush: Brush | None
    plan: Plan
    target: str
    defines: tuple[tuple[str, str], ...] = ()
    include_dirs: tuple[str, ...] = ()
    cpp: str | None = None
    check: bool = True
