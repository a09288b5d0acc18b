"""What instructions do besides computing their results.

Pure: reads no memory, has no effect, gives the same result for the same operands in every block (the activation of a block,
which `mask()` and horizontal operations depend on, is no operand, and neither is the number of a lane). Speculatable: pure and
without a trap or an undefined outcome that the source would not have met, and cheap enough to be executed in vain. `nsw` on a
result of a speculated operation is unspecified where the source would not have executed it: then it is not used.
"""

from __future__ import annotations

from rv.ir.instructions import Alloca, Binary, Call, Horizontal, Instruction, Load, Mask, Phi, Store
from rv.ir.libm import EXACT, SIGNATURES
from rv.ir.values import Const

DIVISIONS = frozenset({"sdiv", "udiv", "srem", "urem"})


def is_pure_call(call: Call) -> bool:
    """Whether the callee is a function of the C library that only computes."""
    return call.callee in SIGNATURES


def is_pure(instruction: Instruction | Phi) -> bool:
    """No memory access, no effect (an alloca has one on its object), no dependence on which threads are active; may trap."""
    match instruction:
        case Alloca() | Load() | Store() | Mask():
            return False
        case Call():
            return is_pure_call(instruction)
        case Horizontal():
            return False  # not even the number of a lane is the same inside and outside a loop that is brushed
        case _:
            return True


def may_write(instruction: Instruction) -> bool:
    """Stores, and calls of functions that are not known to be pure."""
    return isinstance(instruction, Store) or (isinstance(instruction, Call) and not is_pure_call(instruction))


def may_trap(instruction: Instruction) -> bool:
    """Integer division, unless by a constant that is neither 0 nor -1."""
    match instruction:
        case Binary(op=op, right=Const() as divisor) if op in DIVISIONS:
            return divisor.bits == 0 or (op in ("sdiv", "srem") and divisor.signed == -1)
        case Binary(op=op):
            return op in DIVISIONS
        case _:
            return False


def is_speculatable(instruction: Instruction) -> bool:
    """Whether executing the instruction where the source would not is harmless and cheap. Loads are not judged here: False."""
    if isinstance(instruction, Call):
        return instruction.callee in EXACT
    return is_pure(instruction) and not may_trap(instruction)
