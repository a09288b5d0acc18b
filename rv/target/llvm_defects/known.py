"""The list: names, and what has to be hidden from LLVM because of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from rv.ir.function import Function
from rv.target.llvm_defects import extrema, high_products, merged_comparisons, negated_fma
from rv.target.llvm_defects.facts import RESULT, Facts, Hidden

__all__ = ["HIDDEN", "RESULT", "TEXTS", "Fences", "fences"]

HIDDEN: Final[dict[str, Callable[[Facts], Iterator[Hidden]]]] = {
    "extrema": extrema.hidden,
    "merged_comparisons": merged_comparisons.hidden,
    "negated_fma": negated_fma.hidden,
    "high_products": high_products.hidden,
}
"""All of them were found in LLVM 22.1."""
TEXTS: Final = ("single_lane_stores",)
"""What is corrected in LLVM's optimized text, because only there it is known where it happens."""

Fences = Mapping[str, Mapping[int, int]]
"""By name of an instruction's result: how many fences stand before an operand, or behind the result."""


def fences(function: Function, architecture: str) -> Fences:
    facts = Facts.of(function, architecture)
    found: dict[str, dict[int, int]] = {}
    for find in HIDDEN.values():
        for operand in find(facts):
            own = found.setdefault(operand.name, {})
            own[operand.position] = own.get(operand.position, 0) + operand.fences
    return found
