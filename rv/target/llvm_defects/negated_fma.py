"""A negated fused multiply-add that becomes another instruction.

    -fma(x, y, z)                   fnmadd: -x * y - z            AArch64, scalars: 0.0 for -0.0 where x * y == -z

The negation may be a product with -1 or a difference from -0.0, and may come together with the call later; so results are hidden.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.ir.instructions import Call
from rv.target.llvm_defects.facts import RESULT, Facts, Hidden


def hidden(facts: Facts) -> Iterator[Hidden]:
    if facts.architecture == "x86_64":
        return
    for call in facts.known.values():
        if isinstance(call, Call) and call.result is not None and call.callee in ("fma", "fmaf"):
            yield Hidden(call.result.name, RESULT)
