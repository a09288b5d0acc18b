"""The lattice of lane evolution: bottom (None) < uniform, strided(s) < random; uniform is strided(0)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Evolution:
    """The difference between the values of neighbouring lanes, modulo 2 to the bits of the type; None: it is no constant."""

    stride: int | None

    @property
    def is_uniform(self) -> bool:
        return self.stride == 0

    def __str__(self) -> str:
        return "random" if self.stride is None else f"strided({self.stride})" if self.stride else "uniform"


UNIFORM: Final = Evolution(0)
RANDOM: Final = Evolution(None)


def joined(evolutions: Iterable[Evolution | None]) -> Evolution | None:
    """The least evolution above all of these."""
    found = {evolution for evolution in evolutions if evolution is not None}
    return next(iter(found)) if len(found) == 1 else RANDOM if found else None
