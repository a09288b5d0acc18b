"""The order in which the iterations of loops run, as a value.

A schedule is an ordered list of dimensions. The time of an iteration is the vector of its values in them, compared
lexicographically; iterations with the same time run in lock step, one instruction after the other in textual order. With `t` for
the counter of a dimension's loop, which counts iterations from 0, and `m` for its size:

    sequential      t                    one iteration after the other
    inside          t                    the same, by all lanes of a brush in lock step
    tile m          t / m                blocks of m iterations, whose loops are further in
    skewed m by f*u (t + f*u) / m        the same along a slope; u is the counter of another loop
    brush m         t / m                m iterations at once (thesis, definition 24)
    parallel        t                    iterations in any order, or at the same time
    apart           0, or 1 in the loops everything in these loops after the rest: the loops around them are distributed

One loop can have several dimensions (tiles around a brush); a dimension has several loops where sibling nests run fused, one for
each nest. An access has the dimensions of the loops around it, and all those of kind apart; where two accesses share no further
dimension the text decides.

The text form lists the dimensions, outermost first: `j tile 64; i tile 512; j brush 4; i brush 8; k inside`. Loops are
called by the labels of their headers, or by the user's names (`Schedule.named`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

Kind = Literal["sequential", "inside", "tile", "skewed", "brush", "parallel", "apart"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SIZED: Final[frozenset[Kind]] = frozenset({"tile", "skewed", "brush"})
"""Kinds that take several iterations as one step of time."""
MORE: Final[frozenset[Kind]] = frozenset({"tile", "skewed", "parallel", "apart"})
"""Kinds of dimensions that a loop has besides its own."""


class ScheduleError(ValueError):
    """A schedule that makes no sense whatever the loops are."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One coordinate of time. `skew`: multiples of the counters of other loops that are added to that of this one."""

    loops: tuple[str, ...]
    kind: Kind = "sequential"
    size: int = 1
    skew: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if not self.loops:
            raise ScheduleError("a dimension has no loop")
        if self.size < 1 or (self.size > 1 and self.kind not in SIZED):
            raise ScheduleError(f"'{self}': a {self.kind} dimension has no size {self.size}")
        if bool(self.skew) != (self.kind == "skewed"):
            raise ScheduleError(f"'{self}': a dimension of kind skewed names the loops that skew it; other kinds do not")

    def __str__(self) -> str:
        size = f" {self.size}" if self.kind in SIZED else ""
        skew = f" by {'+'.join(f'{factor}*{loop}' for loop, factor in self.skew)}" if self.skew else ""
        return f"{'+'.join(self.loops)} {self.kind}{size}{skew}"

    def named(self, name: Callable[[str], str]) -> Dimension:
        """The dimension with its loops called by other names."""
        return replace(self, loops=tuple(map(name, self.loops)), skew=tuple((name(loop), factor) for loop, factor in self.skew))


@dataclass(frozen=True, slots=True)
class Schedule:
    """Dimensions, outermost first."""

    dimensions: tuple[Dimension, ...]

    def __post_init__(self) -> None:
        once = [loop for d in self.dimensions if d.kind not in MORE for loop in d.loops]
        if len(once) != len(set(once)):
            raise ScheduleError(f"'{self}': a loop has two dimensions of its own")

    def __str__(self) -> str:
        return "; ".join(map(str, self.dimensions))

    def size(self, loop: str) -> int:
        """How many iterations of a loop a brush takes at once."""
        return next((d.size for d in self.dimensions if d.kind == "brush" and loop in d.loops), 1)

    def with_brush(self, sizes: Mapping[str, int]) -> Schedule:
        """The schedule with other sizes of its brush, by loop."""
        changed = (replace(d, size=sizes.get(d.loops[0], d.size)) if d.kind == "brush" else d for d in self.dimensions)
        return Schedule(tuple(changed))

    def named(self, name: Callable[[str], str]) -> Schedule:
        """The schedule with its loops called by other names, which are as different as theirs."""
        return Schedule(tuple(d.named(name) for d in self.dimensions))

    def spelled(self, name: Callable[[str], str]) -> str:
        """The text with the names that the user gave to the loops, two of which may have one name."""
        return "; ".join(str(d.named(name)) for d in self.dimensions)


def in_order(loops: Iterable[str]) -> Schedule:
    """The schedule of the source: one iteration after the other."""
    return Schedule(tuple(Dimension((loop,)) for loop in loops))
