"""What is given for the runs of one function. Whatever is not given is invented (`tensorrv.check.buffers`).

Lengths and the ends of ranges are expressions of the function's integer parameters: `--length idx=nnz`, `--range idx=0:n`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rv.evolution.polynomial import Polynomial, declared
from tensorrv.check.sizes import Sizes
from tensorrv.schedule.plan import PlanError

if TYPE_CHECKING:
    from tensorrv.run.call import Array

Range = tuple[Polynomial, Polynomial]
"""The first number, and the one behind the last."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """Lengths of invented arrays, in elements, and ranges of invented numbers: of arrays, members (`tree.left`) and scalars."""

    lengths: Mapping[str, Polynomial] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=dict)

    def range_of(self, name: str, sizes: Sizes) -> tuple[int, int] | None:
        """The least and the greatest number, where a range is given."""
        if name not in self.ranges:
            return None
        low, high = (end.valued(sizes) for end in self.ranges[name])
        return low, max(low, high - 1)

    def length_of(self, name: str, sizes: Sizes) -> int | None:
        """How many elements the array is to have, where a length is given."""
        return self.lengths[name].valued(sizes) if name in self.lengths else None


@dataclass(frozen=True, slots=True)
class Given:
    """The user's `arrays` and `numbers`, which are checked against the signature, and constraints for what is not among them."""

    arrays: Mapping[str, Array] = field(default_factory=dict)
    numbers: Mapping[str, int | float] = field(default_factory=dict)
    constraints: Constraints = Constraints()

    @property
    def data(self) -> str:
        """What code runs on, for messages."""
        return "the given data" if self.arrays else RANDOM

    @property
    def digest(self) -> int | None:
        """The same number for the same data; None where everything is invented without constraints."""
        if not (self.arrays or self.numbers or self.constraints.lengths or self.constraints.ranges):
            return None
        found = hashlib.sha256(repr((sorted(self.numbers.items()), self._described())).encode())
        for name in sorted(self.arrays):
            found.update(f"{name}{self.arrays[name].dtype}{self.arrays[name].shape}".encode())
            found.update(self.arrays[name].tobytes())
        return int.from_bytes(found.digest()[:4], "little")

    def _described(self) -> Any:
        return sorted(self.constraints.lengths.items(), key=str), sorted(self.constraints.ranges.items(), key=str)


RANDOM: Final = "random data"
NOTHING: Final = Given()
_SUMS: Final = "write sums and products of integers and integer parameters, as in 2*n+1"
_ITEM: Final = re.compile(r"\s*([A-Za-z_]\w*(?:\.[A-Za-z_][\w.]*)?)\s*=(.+)\Z")
_TERM: Final = re.compile(r"([+-]?)((?:\w+)(?:\*\w+)*)")


def parse_lengths(texts: Sequence[str]) -> dict[str, Polynomial]:
    """The lengths in texts such as `idx=nnz,ptr=n+1`. Raises PlanError."""
    return {name: _expression(text) for name, text in _items(texts, "length", "idx=nnz")}


def parse_ranges(texts: Sequence[str]) -> dict[str, Range]:
    """The ranges in texts such as `idx=0:n`; the second number is excluded. Raises PlanError."""
    found: dict[str, Range] = {}
    for name, text in _items(texts, "range", "idx=0:n"):
        low, colon, high = text.partition(":")
        if not colon:
            raise PlanError(f"'{name}={text}' is not a range", "write the first number and the one behind the last: idx=0:n")
        found[name] = _expression(low), _expression(high)
    return found


def _items(texts: Sequence[str], what: str, example: str) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for part in ",".join(texts).split(",") if texts else ():
        item = _ITEM.match(part)
        if item is None:
            raise PlanError(f"'{part}' is not a {what}", f"write parameters and values, such as {example}")
        if item[1] in found:
            raise PlanError(f"the {what} of '{item[1]}' is given twice")
        found[item[1]] = item[2]
    return list(found.items())


def _expression(text: str) -> Polynomial:
    """A sum of products of integers and names. Raises PlanError."""
    found, rest = Polynomial.constant(0), text.replace(" ", "")
    while True:
        term = _TERM.match(rest)
        factors = [] if term is None else term[2].split("*")
        if term is None or not all(factor.isdigit() or factor.isidentifier() for factor in factors):
            raise PlanError(f"'{text}' is not an integer", _SUMS)
        product = Polynomial.constant(-1 if term[1] == "-" else 1)
        for factor in factors:
            product *= Polynomial.constant(int(factor)) if factor.isdigit() else Polynomial.symbol(declared(factor))
        found, rest = found + product, rest[term.end() :]
        if not rest:
            return found
        if rest[0] not in "+-":
            raise PlanError(f"'{text}' is not an integer", _SUMS)
