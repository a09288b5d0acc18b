"""How the parameters of a function differ between the lanes of its vector version (thesis, section 3.2: argument shapes)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Uniform:
    """The same in all lanes: passed once."""


@dataclass(frozen=True, slots=True)
class Varying:
    """One value per lane: passed as a vector."""


@dataclass(frozen=True, slots=True)
class Linear:
    """`p + step * unit * lane`, where p, the value in lane 0, is what is passed. Pointers move by bytes.

    `step` is a number or the name of a uniform integer parameter. `wraps`: the sum may leave the range of the parameter's type
    as a signed number; C's signed integers do not.
    """

    step: int | str = 1
    unit: int = 1
    wraps: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.step, (int, str)):
            raise TypeError(f"a step is an integer or the name of a parameter, not {self.step!r}")


ParameterShape = Uniform | Varying | Linear
