"""Two comparisons with one number that LLVM makes one comparison of a minimum or maximum.

    x < z || y < z                  fminnm(x, y) < z              AArch64: of a signalling NaN and y comes a NaN

Comparisons meet in conditions, as truth values, where LLVM joins branches, and where it makes one select of two that choose
the same value; where loops are unrolled so do those of one statement (`found |= x[k] < z`), and those of several registers where
all lanes are tested (`reduced`). In all but the first that have an operand in common at the same side it is hidden, each time
behind one fence more. What is combined with a value of the iteration before is hidden itself. What arithmetic computes is no
signalling NaN, but LLVM compares floats where the source compares them as doubles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rv.ir.instructions import Binary, CompareFloat, Convert, Negate, Phi
from rv.ir.values import Value
from rv.target.llvm_defects.facts import Facts, Hidden, combined_in

_SWAPPED: Final = {"gt": "lt", "ge": "le"}


def hidden(facts: Facts) -> Iterator[Hidden]:
    if facts.architecture != "x86_64":
        yield from _in_one_iteration(facts)
        yield from _in_several(facts)


def _in_one_iteration(facts: Facts) -> Iterator[Hidden]:
    met: dict[tuple[str, int, Value], list[tuple[CompareFloat, int]]] = {}
    for comparison in facts.comparisons():
        order = comparison.predicate[1:]
        for position, value in enumerate((comparison.left, comparison.right)):
            source, negated = _compared(facts, value)
            side = position ^ (order in _SWAPPED) ^ negated
            key = (comparison.predicate[0] + _SWAPPED.get(order, order), side, source)
            met.setdefault(key, []).append((comparison, position))
    for group in met.values():
        if any(_may_signal(facts, (c.right, c.left)[position]) for c, position in group):
            yield from (Hidden(c.result.name, position, k) for k, (c, position) in enumerate(group) if k)


def _compared(facts: Facts, value: Value) -> tuple[Value, bool]:
    """What LLVM compares instead of a number that was widened or negated, and whether it turns the comparison around for that."""
    negated = False
    while True:
        match facts.definition(value):
            case Convert(op="fpext", value=source):
                value = source
            case Negate(value=source):
                value, negated = source, not negated
            case _:
                return value, negated


def _may_signal(facts: Facts, value: Value) -> bool:
    return facts.may_signal(_compared(facts, value)[0])


def _in_several(facts: Facts) -> Iterator[Hidden]:
    for instruction in facts.known.values():
        match instruction:
            case Binary(op="or" | "and", left=left, right=right):
                for position, (own, other) in enumerate(((left, right), (right, left))):
                    combined = isinstance(facts.definition(facts.source(own)), CompareFloat)
                    if combined and isinstance(facts.definition(facts.source(other)), Phi):
                        yield Hidden(instruction.result.name, position)
            case _:
                continue


def reduced(facts: Facts) -> frozenset[str]:
    """The truth values that such comparisons go into."""
    if facts.architecture == "x86_64":
        return frozenset()
    found = {c.result.name for c in facts.comparisons() if any(_may_signal(facts, value) for value in (c.left, c.right))}
    while True:
        more = {name for name, d in facts.known.items() if name not in found and any(v.name in found for v in combined_in(d))}
        if not more:
            return frozenset(found)
        found |= more
