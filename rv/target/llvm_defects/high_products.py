"""The high part of a product of numbers of 16 bits, in 64 bits, shifted further than 16.

    (short)((long)a * b >> 29)      vpmulhw, then vpsrlw by 13    x86-64: zeros come in from the left instead of the sign

The product is hidden from the shift, which may be a division too.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.ir.instructions import Binary
from rv.ir.types import I64
from rv.ir.values import Const
from rv.target.llvm_defects.facts import Facts, Hidden


def hidden(facts: Facts) -> Iterator[Hidden]:
    if facts.architecture != "x86_64":
        return
    for shift in facts.known.values():
        match shift:
            case Binary(op="lshr" | "ashr" | "udiv" | "sdiv", left=product, right=Const()) if product.type == I64:
                factor = facts.definition(product)
                if isinstance(factor, Binary) and factor.op in ("mul", "shl"):
                    yield Hidden(shift.result.name, 0)
            case _:
                continue
