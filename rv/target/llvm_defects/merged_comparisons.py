"""Two comparisons with one number that LLVM makes one comparison of a minimum or maximum.

    x < z || y < z                  fminnm(x, y) < z              AArch64: of a signalling NaN and y comes a NaN

Where `or` and `and` meet them is left open: they meet in conditions, as truth values, and when loops are unrolled. In all but the
first of a block that have an operand in common at the same side it is hidden, each time behind one fence more; but what selects
choose by, and nothing else, does not meet anything.
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
    met: Counter[tuple[str, str, int, Value]] = Counter()
    for comparison in facts.comparisons():
        if comparison.result.name not in facts.combined | facts.tested:
            continue
        block = facts.blocks[comparison.result.name]
        order = comparison.predicate[1:]
        for position, value in enumerate((comparison.left, comparison.right)):
            side = 1 - position if order in _SWAPPED else position
            key = (block, comparison.predicate[0] + _SWAPPED.get(order, order), side, value)
            if met[key]:
                yield Hidden(comparison.result.name, position, met[key])
            met[key] += 1
