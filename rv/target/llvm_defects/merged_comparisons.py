"""Two comparisons with one number that LLVM makes one comparison of a minimum or maximum.

    x < z || y < z                  fminnm(x, y) < z              AArch64: of a signalling NaN and y comes a NaN

Where `or` and `and` meet them is left open: comparisons meet in conditions, in sums of truth values, and when loops are unrolled.
In all but the first of those that have an operand in common at the same side it is hidden, each time behind one fence more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from rv.ir.values import Value
from rv.target.llvm_defects.facts import Facts, Hidden

_SWAPPED: Final = {"gt": "lt", "ge": "le"}


def hidden(facts: Facts) -> Iterator[Hidden]:
    if facts.architecture == "x86_64":
        return
    met: Counter[tuple[str, int, Value]] = Counter()
    for comparison in facts.comparisons():
        order = comparison.predicate[1:]
        for position, value in enumerate((comparison.left, comparison.right)):
            side = 1 - position if order in _SWAPPED else position
            key = (comparison.predicate[0] + _SWAPPED.get(order, order), side, value)
            if met[key]:
                yield Hidden(comparison.result.name, position, met[key])
            met[key] += 1
