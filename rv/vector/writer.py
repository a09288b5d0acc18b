"""Functions of the vector IR under construction.

Instructions without effects that are equal are written once in a block; loads are equal while nothing is stored to their memory
in between. `FunctionWriter.finish` gives the frozen function.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import ClassVar

from rv.ir.instructions import BinaryOp, ConvertOp, FloatPredicate, IntPredicate
from rv.ir.source import Span
from rv.ir.types import PTR, VOID, IntType, Type
from rv.vector.function import Block, Extension, Function, OpaqueConstant, Parameter, Phi, StackObject, Statement
from rv.vector.instructions import (
    Access,
    Address,
    Binary,
    Branch,
    Broadcast,
    Call,
    CallAt,
    Compare,
    Convert,
    Extract,
    Freeze,
    Insert,
    Instruction,
    Jump,
    Member,
    Return,
    Select,
    Shuffle,
    Terminator,
    Unreachable,
    access_of,
    writes,
)
from rv.vector.types import DataType, TupleType, ValueType, VectorType, element_of, natural_alignment
from rv.vector.values import ZERO, Constant, Operand, Poison, Register, i64, integers, known_integer


@dataclass(slots=True)
class PhiWriter:
    """A phi whose operands arrive while the rest of the function is written."""

    result: Register
    incoming: list[tuple[Operand, str]] = field(default_factory=list)

    def add(self, operand: Operand, label: str) -> None:
        """The value when control comes from the block with this label."""
        self.incoming.append((operand, label))

    def finish(self) -> Phi:
        return Phi(self.result, tuple(self.incoming))


class BlockWriter:
    """A block: phis, statements in order of creation, a terminator. `fixed` and `origin`: see `Block`."""

    def __init__(self, function: FunctionWriter, label: str, *, fixed: bool, origin: object = None) -> None:
        self.function = function
        self.label = label
        self.fixed = fixed
        self.origin = origin
        self.phis: list[PhiWriter] = []
        self.body: list[Statement] = []
        self.terminator: Terminator = Unreachable()
        self.span: Span | None = None
        """What of the source is being written."""
        self.known: dict[object, Operand] = {}
        """Results of larger computations in this block, by what was computed."""
        self._written: dict[tuple[Instruction, int], Register] = {}
        self._stores: dict[str, int] = {}
        self._calls = 0

    def finish(self) -> Block:
        phis = tuple(phi.finish() for phi in self.phis)
        return Block(self.label, phis, tuple(self.body), self.terminator, self.fixed, self.origin)

    # -- any instruction ----------------------------------------------------------------------------------------------

    def phi(self, type_: ValueType) -> PhiWriter:
        phi = PhiWriter(self.function.fresh(type_))
        self.phis.append(phi)
        return phi

    def stores(self, memory: str) -> int:
        """How many stores to a memory this block holds so far: loads between two of them read the same contents."""
        return self._stores.get(memory, 0) + self._calls

    def add(self, instruction: Instruction) -> Register:
        """The result of an instruction that has no effect; an equal one that was written before serves again."""
        access = access_of(instruction)
        key = (instruction, self.stores(access.memory) if access is not None else 0)
        found = self._written.get(key)
        if found is None:
            found = self._written[key] = self.function.fresh(instruction.type)
            self.body.append(Statement(found, instruction, self.span))
        return found

    def effect(self, instruction: Instruction) -> None:
        """An instruction that is executed for its effect."""
        self._append(None, instruction)

    def run(self, call: Call | CallAt) -> Register:
        """The result of a call that has effects."""
        result = self.function.fresh(call.type)
        self._append(result, call)
        return result

    def _append(self, result: Register | None, instruction: Instruction) -> None:
        self.body.append(Statement(result, instruction, self.span))
        access = access_of(instruction)
        if isinstance(instruction, Call | CallAt):
            self._calls += 1  # it may store to any memory
        elif access is not None and writes(instruction):
            self._stores[access.memory] = self._stores.get(access.memory, 0) + 1

    def jump(self, target: BlockWriter, *, vectorized: bool = False) -> None:
        self.terminator = Jump(target.label, vectorized)

    def branch(self, condition: Operand, then: BlockWriter, otherwise: BlockWriter, *, likely: bool = False) -> None:
        self.terminator = Branch(condition, then.label, otherwise.label, likely)

    def give_back(self, value: Operand | None = None) -> None:
        """Leave the function."""
        self.terminator = Return(value)

    # -- common instructions ------------------------------------------------------------------------------------------

    def binary(self, op: BinaryOp, left: Operand, right: Operand) -> Operand:
        return self.add(Binary(op, left, right))

    def compare(self, predicate: IntPredicate | FloatPredicate, left: Operand, right: Operand) -> Operand:
        return self.add(Compare(predicate, left, right))

    def select(self, condition: Operand, then: Operand, otherwise: Operand) -> Operand:
        return self.add(Select(condition, then, otherwise))

    def convert(self, op: ConvertOp, value: Operand, type_: DataType) -> Operand:
        return self.add(Convert(op, value, type_))

    def freeze(self, value: Operand) -> Operand:
        return self.add(Freeze(value))

    def broadcast(self, value: Operand, lanes: int) -> Operand:
        """A scalar in every lane of a vector."""
        return self.add(Broadcast(value, lanes))

    def shuffle(self, left: Operand, right: Operand | None, mask: Sequence[int]) -> Operand:
        """`mask` picks from the concatenation of two vectors of one length; without a second one from the first."""
        return self.add(Shuffle(left, right if right is not None else Poison(left.type), tuple(mask)))

    def extract(self, vector: Operand, lane: int) -> Operand:
        return self.add(Extract(vector, i64(lane)))

    def first_lane(self, value: Operand, lanes: int) -> Operand:
        """A vector of `lanes` lanes that holds a scalar in its first one, and anything in the others."""
        return self.add(Insert(Poison(VectorType(element_of(value.type), lanes)), value, 0))

    def vector(self, scalars: Sequence[Operand], type_: Type) -> Operand:
        """A vector from one scalar for each lane."""
        empty: Operand = Poison(VectorType(type_, len(scalars)))
        return reduce(lambda built, lane: self.add(Insert(built, lane[1], lane[0])), enumerate(scalars), empty)

    def address(self, base: Operand, index: Operand, element: Type, count: int = 1) -> Operand:
        """`base` moved by `index` units of `count` elements."""
        return base if index == ZERO else self.add(Address(base, index, element, count))

    def members(self, whole: Operand) -> list[Operand]:
        """The members of a tuple."""
        assert isinstance(whole.type, TupleType)
        return [self.add(Member(whole, k)) for k in range(len(whole.type.members))]

    def integer(self, op: BinaryOp, left: Operand | int, right: Operand | int) -> Operand:
        """An operation on i64; folds additions of 0, multiplications by 1 and 0, and constants."""
        left, right = (i64(operand) if isinstance(operand, int) else operand for operand in (left, right))
        a, b = known_integer(left), known_integer(right)
        match op, a, b:
            case ("add", int(), int()):
                return i64(a + b)
            case ("sub", int(), int()):
                return i64(a - b)
            case ("mul", int(), int()):
                return i64(a * b)
            case ("add" | "sub", _, 0) | ("mul", _, 1):
                return left
            case ("add", 0, _) | ("mul", 1, _):
                return right
            case ("mul", 0, _) | ("mul", _, 0):
                return ZERO
            case _:
                return self.binary(op, left, right)

    def any_lane(self, mask: Operand) -> Operand:
        """Whether a lane of a mask is set, as a scalar truth value."""
        if not isinstance(mask.type, VectorType):
            return mask
        bits = IntType(mask.type.lanes)
        return self.compare("ne", self.convert("bitcast", mask, bits), integers(bits, [0]))


class FunctionWriter:
    """A function being written: hands out names and labels that are unique in it.

    LLVM keeps both in one table with the parameters, whose names are C identifiers; so names begin with a dot, and labels end
    with a dot and a number.
    """

    block_class: ClassVar[type[BlockWriter]] = BlockWriter

    def __init__(
        self,
        name: str,
        parameters: Iterable[Parameter] = (),
        result: ValueType = VOID,
        *,
        internal: bool = False,
        inlined: bool = False,
        extension: Extension = "",
        convention: str = "",
    ) -> None:
        self.name = name
        self.parameters = tuple(parameters)
        self.result = result
        self.internal = internal
        self.inlined = inlined
        self.extension: Extension = extension
        self.convention = convention
        self.blocks: list[BlockWriter] = []
        self.parts: dict[str, FunctionWriter] = {}
        """Other functions of the module that this one calls, by name."""
        self._prologue: list[StackObject | OpaqueConstant] = []
        self._opaque: dict[Constant, Register] = {}
        self._names = 0
        self._labels: dict[str, int] = {}

    def fresh(self, type_: ValueType) -> Register:
        self._names += 1
        return Register(f".{self._names}", type_)

    def block(self, label: str, *, fixed: bool, origin: object = None) -> BlockWriter:
        """A new block whose label is `label` with a number."""
        count = self._labels.get(label, 0)
        self._labels[label] = count + 1
        block = self.block_class(self, f"{label}.{count}", fixed=fixed, origin=origin)
        self.blocks.append(block)
        return block

    def part(self, name: str) -> FunctionWriter:
        """An internal function of the same module, without blocks and parameters yet."""
        return type(self)(name, internal=True)

    def stack_object(self, type_: ValueType, count: int, align: int = 16) -> Register:
        """The address of a new object of `count` values in the function's frame, which loops do not make grow."""
        result = self.fresh(PTR)
        self._prologue.append(StackObject(result, type_, count, align))
        return result

    def opaque(self, value: Constant) -> Register:
        """A constant whose value is hidden from the optimizer."""
        if value not in self._opaque:
            result = self._opaque[value] = self.fresh(value.type)
            self._prologue.append(OpaqueConstant(result, value))
        return self._opaque[value]

    def finish(self) -> tuple[Function, ...]:
        """The function, and after it its parts."""
        own = Function(
            self.name,
            self.parameters,
            tuple(block.finish() for block in self.blocks),
            self.result,
            tuple(self._prologue),
            self.internal,
            self.inlined,
            self.extension,
            self.convention,
        )
        parts = {function.name: function for part in self.parts.values() for function in part.finish()}
        return (own, *parts.values())


def natural_access(memory: str, type_: DataType, array: str = "") -> Access:
    """An access with the alignment that the platform gives to the type."""
    return Access(memory, natural_alignment(type_), array)
