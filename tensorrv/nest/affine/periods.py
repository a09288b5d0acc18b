"""After how many iterations index arithmetic begins anew, beyond powers of two.

    t[i / 3], u[i % 5]      15

Brushes whose sizes are multiples of that have lanes at known distances (`tensorrv.brush.aligned_shapes`).
"""

from __future__ import annotations

from math import lcm
from typing import Final

from rv.evolution.facts import Loop
from rv.evolution.polynomial import counter
from rv.ir.instructions import Binary
from rv.ir.values import Const, Var
from tensorrv.nest.model import Nests

LONGEST: Final = 15
"""Longer periods are not looked for: they take as many registers for each value."""
DIVISIONS: Final = ("sdiv", "udiv", "srem", "urem")


def odd_period(nests: Nests, loop: Loop) -> int:
    """The least common multiple of the odd parts of divisors of functions of a loop's counter; 1 where that is too long."""
    found = 1
    for _, instruction in nests.function.instructions_in(loop.blocks):
        match instruction:
            case Binary(op=op, left=Var() as left, right=Const() as right) if op in DIVISIONS and right.signed > 0:
                form = nests.closed_forms.get(left.name)
                if form is not None and counter(loop.header) in form.symbols:
                    found = lcm(found, right.signed // (right.signed & -right.signed))
            case _:
                pass
    return found if found <= LONGEST else 1
