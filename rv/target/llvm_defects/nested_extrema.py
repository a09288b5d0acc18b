"""Minima of minima that become one, which is wrong for signalling NaNs.

    fmin(fmin(x, 2), 1)             fminnm(x, 1)                  AArch64: fmin(x, 2) is a quiet NaN, which the other fmin ignores
    fmin(fmin(x, y), y)             fminnm(x, y)
    fmin(x, NAN), fmin(x, x)        x

InstCombine ignores that a step makes a NaN quiet. Results of fmin and fmax are hidden, and
NaNs and what is twice among their operands.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.ir.instructions import Call
from rv.target.llvm_defects.facts import RESULT, Facts, Hidden, number_of


def hidden(facts: Facts) -> Iterator[Hidden]:
    if facts.architecture == "x86_64":
        return
    for call in facts.known.values():
        if isinstance(call, Call) and call.result is not None and call.callee.removesuffix("f") in ("fmin", "fmax"):
            yield Hidden(call.result.name, RESULT)
            for position, argument in enumerate(call.arguments):
                number = number_of(argument)
                if (number is not None and number != number) or argument in call.arguments[:position]:
                    yield Hidden(call.result.name, position)
