"""One pure P-LLVM instruction as one line of LLVM IR, on a scalar or on vectors of any length.

Floating-point modes: "strict" allows nothing, "contract" fuses a multiplication into an addition, "fast" also
reassociates; none of them assumes that there are no NaNs or infinities. Precise operations are strict in every mode. Integer
operations carry no no-wrap flags: signed overflow is undefined in C, but it must not become a wild access here.
"""

from __future__ import annotations

from typing import Final, Literal

from rv.ir.instructions import Binary, CompareFloat, CompareInt, Convert, Negate, Select
from rv.ir.types import IntType
from rv.widen.llvm_text import type_text

FloatMode = Literal["strict", "contract", "fast"]
PureInstruction = Binary | Negate | CompareInt | CompareFloat | Select | Convert

FLOAT_FLAGS: Final[dict[FloatMode, str]] = {
    "strict": "",
    "contract": " contract",
    "fast": " reassoc nsz arcp contract afn",
}


def operation_text(instruction: PureInstruction, operands: list[str], lanes: int, mode: FloatMode) -> str:
    """The right-hand side of the line that computes `instruction` from `operands`, all of `lanes` lanes."""
    match instruction:
        case Binary(result=result, op=op, precise=precise):
            flags = "" if isinstance(result.type, IntType) or precise else FLOAT_FLAGS[mode]
            return f"{op}{flags} {type_text(result.type, lanes)} {operands[0]}, {operands[1]}"
        case Negate(result=result, precise=precise):
            flags = "" if precise else FLOAT_FLAGS[mode]
            return f"fneg{flags} {type_text(result.type, lanes)} {operands[0]}"
        case CompareInt(predicate=predicate, left=left):
            return f"icmp {predicate} {type_text(left.type, lanes)} {operands[0]}, {operands[1]}"
        case CompareFloat(predicate=predicate, left=left):
            # comparisons are never loosened: which way a branch goes is part of the meaning
            return f"fcmp {predicate} {type_text(left.type, lanes)} {operands[0]}, {operands[1]}"
        case Select(result=result):
            value = type_text(result.type, lanes)
            return f"select {type_text(IntType(1), lanes)} {operands[0]}, {value} {operands[1]}, {value} {operands[2]}"
        case Convert(result=result, op=op, value=value_):
            return f"{op} {type_text(value_.type, lanes)} {operands[0]} to {type_text(result.type, lanes)}"
