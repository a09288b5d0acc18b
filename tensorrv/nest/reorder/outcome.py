"""What becomes of a function whose loops are to run in another order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.ir.function import Function
from tensorrv.nest.split.divided import Divided
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Reordered:
    """The function, the sizes of tiles by the headers of the loops over them, and why nests keep the order of the source.

    `changed`: the nests that do not keep it, by the header of the innermost loop of the schedule. `divided`: the loops in pieces;
    `unrolled`: what loops are called that are straight code.
    """

    function: Function
    tiles: Mapping[str, TileLoop] = field(default_factory=dict)
    refusals: tuple[Diagnostic, ...] = ()
    changed: Mapping[str, Schedule] = field(default_factory=dict)
    divided: tuple[Divided, ...] = ()
    unrolled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TileLoop:
    """The loop that is tiled, by its header and name, and how many of its iterations a tile has.

    `skew`: multiples of the counters of other loops, by header, along which tiles or, of size 1, wavefronts lie.
    """

    header: str
    name: str
    size: int
    skew: tuple[tuple[str, int], ...] = ()

    @property
    def what(self) -> str:
        """What one iteration of the loop is."""
        return f"tiles of {self.size} iterations of `{self.name}`" if self.size > 1 else f"wavefronts along `{self.name}`"
