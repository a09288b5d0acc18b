"""One pure P-LLVM instruction as one instruction of the vector IR, on scalars or on vectors of any length.

Precise operations are strict in every floating-point mode; comparisons are never loosened.
"""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.instructions import Binary, CompareFloat, CompareInt, Convert, Freeze, Negate, Select
from rv.ir.types import FloatMode, IntType
from rv.vector import instructions as vector
from rv.vector.types import with_element
from rv.vector.values import Operand

PureInstruction = Binary | Negate | Freeze | CompareInt | CompareFloat | Select | Convert


def operation(instruction: PureInstruction, operands: Sequence[Operand], mode: FloatMode) -> vector.Pure:
    """What computes `instruction` from `operands`, which all have as many lanes as the result."""
    match instruction:
        case Binary(result=result, op=op, precise=precise):
            strict = precise or isinstance(result.type, IntType)
            return vector.Binary(op, operands[0], operands[1], "strict" if strict else mode)
        case Negate(precise=precise):
            return vector.Negate(operands[0], "strict" if precise else mode)
        case Freeze():
            return vector.Freeze(operands[0])
        case CompareInt(predicate=predicate) | CompareFloat(predicate=predicate):
            return vector.Compare(predicate, operands[0], operands[1])
        case Select():
            return vector.Select(operands[0], operands[1], operands[2])
        case Convert(result=result, op=op):
            return vector.Convert(op, operands[0], with_element(operands[0].type, result.type))
