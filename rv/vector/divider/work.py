"""What the instructions of a loop take of the divider and of the units for other vector operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.cost import divider as cost
from rv.cost.accesses import apart, gather_slots
from rv.cost.instructions import ACROSS_LANES, CALL
from rv.ir.types import bits_of
from rv.target.description import Machine
from rv.vector.dependences import kind_of
from rv.vector.divider.chains import Place
from rv.vector.function import Statement
from rv.vector.instructions import (
    Address,
    Binary,
    Broadcast,
    Call,
    CallAt,
    Convert,
    Elementwise,
    Freeze,
    Gather,
    Hide,
    Insert,
    Instruction,
    Join,
    Member,
    Quotients,
    Reduce,
    Roots,
    Scatter,
    Shuffle,
    operands,
)
from rv.vector.types import TupleType, ValueType, VectorType, element_of, lanes_of
from rv.vector.values import Operand, Register


def places_of(statement: Statement) -> list[Place]:
    """The registers of a statement that may be taken off the divider."""
    if statement.result is None or not isinstance(statement.instruction, Quotients | Roots):
        return []
    return [(statement.result.name, number) for number in range(len(statement.instruction.groups))]


@dataclass(frozen=True, slots=True)
class Work:
    """The instructions of one function, by result, on registers of `bits` bits."""

    machine: Machine
    bits: int
    definitions: Mapping[str, Instruction]

    @staticmethod
    def is_division(instruction: Instruction) -> bool:
        """Whether a vector of quotients or roots is left to the divider."""
        match instruction:
            case Binary(op="fdiv") | Elementwise(name="sqrt"):
                return isinstance(instruction.type, VectorType)
            case _:
                return False

    def cycles(self, statement: Statement) -> float:
        """How long a statement takes the divider."""
        match statement.instruction:
            case Quotients() | Roots():
                return sum(self.cycles_of(place) for place in places_of(statement))
            case Binary(op="fdiv", type=type_):
                return self._divided(type_, root=False)
            case Elementwise(name="sqrt", type=type_):
                return self._divided(type_, root=True)
            case _:
                return 0

    def cycles_of(self, place: Place) -> float:
        whole = self.definitions[place[0]]
        assert isinstance(whole, Quotients | Roots)
        return self._divided(whole.groups[place[1]][-2].type, root=isinstance(whole, Roots))

    def _divided(self, type_: ValueType, *, root: bool) -> float:
        assert not isinstance(type_, TupleType)
        bits = bits_of(element_of(type_))
        registers = bits * lanes_of(type_) / self.bits
        return self.machine.divider(self.bits).of[root, bits].cycles * max(registers, cost.PIECE)

    def multiplications(self, place: Place, *, by_root: bool) -> int:
        """How many operations more take the place of one of the divider."""
        whole = self.definitions[place[0]]
        assert isinstance(whole, Quotients | Roots)
        root = isinstance(whole, Roots)
        type_ = whole.groups[place[1]][-2].type
        never_small = isinstance(whole, Roots) or whole.never_small
        return cost.operations(bits_of(element_of(type_)), root=root, by_root=by_root, never_small=never_small) - cost.BESIDE

    def operations(self, statement: Statement) -> float:
        """What a statement takes of the units for vector operations."""
        instruction = statement.instruction
        match instruction:
            case Quotients(groups=groups) | Roots(groups=groups):
                return cost.BESIDE * len(groups)
            case Gather() | Scatter():
                pointers = instruction.pointers
                slots = apart(gather_slots(self.machine, self.bits), stored=isinstance(instruction, Scatter))
                return lanes_of(pointers.type) * slots
            case Call(type=type_) | CallAt(type=type_):
                return CALL * (lanes_of(type_) if isinstance(type_, VectorType) else 1)
            case Reduce():
                return ACROSS_LANES
            case _ if not isinstance(instruction.type, VectorType) or kind_of(instruction) != "pure":
                return 0
            case Address() | Broadcast() | Convert(op="bitcast") | Freeze() | Hide() | Insert() | Join() | Member() | Shuffle():
                return 0
            case _ if self.is_division(instruction):
                return cost.BESIDE
            case Binary(op="fadd" | "fsub", mode="contract" | "fast") if any(map(self._is_product, operands(instruction))):
                return 0
            case Binary(op="mul"):
                return 2
            case _:
                return 1

    def _is_product(self, operand: Operand) -> bool:
        found = self.definitions.get(operand.name) if isinstance(operand, Register) else None
        return isinstance(found, Binary) and found.op == "fmul"
