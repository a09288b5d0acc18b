"""One function with its threads and the plan for machine code, as a value and as a text file.

A pointer parameter is, for each thread, an array of bytes of its own; a thread without arrays gets null pointers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Literal

from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.printer import print_function
from rv.ir.types import PTR

Number = int | float
Shape = Literal["uniform", "linear", "varying"]
WIDTHS: Final = (1, 2, 4, 8, 16)
SHAPES: Final[tuple[Shape, ...]] = ("uniform", "linear", "varying")


@dataclass(frozen=True, slots=True)
class Thread:
    """What one thread is given: the contents of its arrays (None: null pointers), and its numbers, in order of parameters."""

    arrays: tuple[bytes, ...] | None
    numbers: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """`shapes` has one entry for each parameter; a linear pointer steps from array to array, a varying one goes anywhere.

    `elements` are the NumPy types in the arrays. `width` threads run in lock step, and are the lanes of the brush; `plan` is
    what else the plan says. More threads than that are more tiles for machine code, and a tail. `seed` decides about places
    in memory and about one of the schedules.
    """

    function: Function
    shapes: tuple[Shape, ...]
    elements: tuple[str, ...]
    threads: tuple[Thread, ...]
    width: int
    plan: str
    target: str
    skip_from: int | None
    seed: int

    @property
    def varying(self) -> tuple[str, ...]:
        """The parameters that differ between threads."""
        return tuple(p.var.name for p, shape in zip(self.function.parameters, self.shapes, strict=True) if shape != "uniform")

    @property
    def pointers(self) -> tuple[int, ...]:
        """The places of the pointers among the parameters."""
        return tuple(k for k, p in enumerate(self.function.parameters) if p.var.type == PTR)

    @property
    def lanes(self) -> tuple[Thread, ...]:
        """Those that run in lock step."""
        return self.threads[: self.width]

    def file(self) -> str:
        """The text form of the function with everything else in a comment before it; `read_case` reads it back."""
        facts = {
            "shapes": self.shapes,
            "elements": self.elements,
            "threads": [[None if t.arrays is None else [a.hex() for a in t.arrays], t.numbers] for t in self.threads],
            "width": self.width,
            "plan": self.plan,
            "target": self.target,
            "skip_from": self.skip_from,
            "seed": self.seed,
        }
        return f"; {json.dumps(facts)}\n{print_function(self.function)}\n"


def read_case(file: str) -> Case:
    """The case in a file written by `Case.file`."""
    facts = json.loads(file.partition("\n")[0].removeprefix("; "))
    threads = tuple(
        Thread(None if arrays is None else tuple(map(bytes.fromhex, arrays)), tuple(numbers))
        for arrays, numbers in facts["threads"]
    )
    return Case(
        parse_function(file), tuple(facts["shapes"]), tuple(facts["elements"]), threads, facts["width"], facts["plan"],
        facts["target"], facts["skip_from"], facts["seed"],
    )  # fmt: skip
