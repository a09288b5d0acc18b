"""The list: names, and what has to be hidden from LLVM because of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rv.ir.function import Function
from rv.target.llvm_defects import extrema, high_products, merged_comparisons, negated_fma, nested_extrema
from rv.target.llvm_defects.facts import RESULT, Facts, Hidden

__all__ = ["HIDDEN", "RESULT", "STORED", "Fences", "fences"]

HIDDEN: Final[dict[str, Callable[[Facts], Iterator[Hidden]]]] = {
    "extrema": extrema.hidden,
    "merged_comparisons": merged_comparisons.hidden,
    "negated_fma": negated_fma.hidden,
    "nested_extrema": nested_extrema.hidden,
    "high_products": high_products.hidden,
}
"""All of them were found in LLVM 22.1."""
STORED: Final = ("single_lane_stores", "extended_masks")
"""What is hidden where memory is accessed.

single_lane_stores: a masked store of a single lane, known when compiling, becomes a plain store. When the value has just been
truncated, LLVM 22 stores the wide element on AVX-512, beyond the lane. Which masks become constant is only known after LLVM's
passes; so the numbers of all masked stores are hidden in functions with vectors of wider numbers (`rv.emit.llvm`).

extended_masks: bytes and shorts that do not fill a register are accessed on AVX-512 under a mask whose upper bits are cleared by
`kmovb`. Register allocation takes that for a plain copy: where its result is spilled at once, the uncleared mask is stored, and
memory behind the last lane is accessed later. Such masks become numbers and then a mask of all lanes, behind a fence.
"""


@dataclass(frozen=True, slots=True)
class Fences:
    """How many fences stand before an operand of an instruction, or behind its result, by the result's name and position.

    `reduced` are truth values that are hidden where those of several registers become one.
    """

    before: Mapping[str, Mapping[int, int]]
    reduced: frozenset[str]


def fences(function: Function, architecture: str) -> Fences:
    facts = Facts.of(function, architecture)
    found: dict[str, dict[int, int]] = {}
    for find in HIDDEN.values():
        for operand in find(facts):
            own = found.setdefault(operand.name, {})
            own[operand.position] = own.get(operand.position, 0) + operand.fences
    return Fences(found, merged_comparisons.reduced(facts))
