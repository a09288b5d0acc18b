"""A function of which nothing is kept: for finding out what writing it reads."""

from __future__ import annotations

from rv.ir.instructions import BinaryOp
from rv.ir.types import I64
from rv.vector.instructions import Call, CallAt, Instruction
from rv.vector.values import Operand, Register
from rv.vector.writer import BlockWriter, FunctionWriter


class DraftBlock(BlockWriter):
    """Results have a type, but no name and no definition."""

    def add(self, instruction: Instruction) -> Register:
        return Register("", instruction.type)

    def integer(self, op: BinaryOp, left: Operand | int, right: Operand | int) -> Operand:
        return Register("", I64)

    def effect(self, instruction: Instruction) -> None:
        """Nothing is kept."""

    def run(self, call: Call | CallAt) -> Register:
        return Register("", call.type)


class DraftFunction(FunctionWriter):
    block_class = DraftBlock
