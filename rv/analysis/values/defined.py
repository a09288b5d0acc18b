"""Values that may be undefined although nothing that the program does depends on them.

Passes execute pure instructions where the source does not (`rv.analysis.values.effects.is_speculatable`): then a conversion to an
integer may not fit, a shift may be too wide, a phi or a stack object may never have got a value, and whatever is computed from
that is undefined as well. That is harmless until a branch that the source does not have reads it: a run-time check. LLVM takes a
branch on such a value for one that is never reached.

Not counted: `nsw`, which is not passed on to LLVM; parameters and their arrays, which callers define.
"""

from __future__ import annotations

from collections.abc import Callable

from rv.analysis.values.uses import Definition
from rv.ir.instructions import Alloca, Binary, Call, Convert, Freeze, operands
from rv.ir.types import bits_of
from rv.ir.values import Const, Undef, Value, Var


def may_be_undefined(value: Value, definition: Callable[[str], Definition | None]) -> bool:
    """Whether the value, or something that it is computed from, has an outcome that is undefined; None defines parameters."""
    pending, seen = [value], set[Value]()
    while pending:
        one = pending.pop()
        if isinstance(one, Undef):
            return True
        found = definition(one.name) if isinstance(one, Var) and one not in seen else None
        seen.add(one)
        if found is not None and not isinstance(found, Freeze):
            if _undefines(found):
                return True
            pending += operands(found)
    return False


def _undefines(found: Definition) -> bool:
    """Whether the result may be undefined where all operands are defined."""
    match found:
        case Convert(op="fptosi" | "fptoui") | Call():
            return True
        case Alloca():  # what is loaded from it may not have been stored
            return True
        case Binary(op="shl" | "lshr" | "ashr", right=Const() as amount):
            return amount.bits >= bits_of(amount.type)
        case Binary(op="shl" | "lshr" | "ashr"):
            return True
        case _:
            return False
