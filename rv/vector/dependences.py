"""The dependences between the statements of a block, and the cost of each: the input for choosing an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from rv.ir.types import I1, bits_of
from rv.vector.function import Statement
from rv.vector.instructions import (
    Access,
    AddDots,
    Address,
    Begin,
    Binary,
    Broadcast,
    Call,
    CallAt,
    Compare,
    Convert,
    Elementwise,
    Extract,
    Fence,
    Field,
    Freeze,
    Gather,
    Hide,
    Insert,
    Instruction,
    Join,
    Load,
    LoadApart,
    Member,
    Native,
    Negate,
    Place,
    Prefetch,
    Quotients,
    Reduce,
    Roots,
    Scatter,
    Select,
    Shuffle,
    Store,
    StoreTogether,
    SumNeighbours,
    access_of,
    is_division,
    operands,
    writes,
)
from rv.vector.types import TupleType, ValueType, VectorType
from rv.vector.values import Operand

Kind = Literal["pure", "load", "store", "hint"]


@dataclass(frozen=True, slots=True)
class Node:
    """A statement by what matters for its place: the earlier ones that it depends on, and the vector registers of its result."""

    before: tuple[int, ...]
    weight: float
    place: Place | None
    kind: Kind
    division: bool = False


def dependences(body: Sequence[Statement], register_bits: int) -> list[Node]:
    """A node for each statement, in order."""
    number: dict[Operand, int] = {}
    last_store: dict[str, int] = {}
    since: dict[str, list[int]] = {}
    called: int | None = None  # the last call that may access all memory
    nodes: list[Node] = []
    for k, statement in enumerate(body):
        instruction = statement.instruction
        before = [number[operand] for operand in operands(instruction) if operand in number]
        access = access_of(instruction)
        if isinstance(instruction, CallAt) or (isinstance(instruction, Call) and not instruction.pure):
            before += {earlier for accesses in since.values() for earlier in accesses}
            last_store = dict.fromkeys([*since, ""], k)
            since = {memory: [k] for memory in last_store}
            called = k
        elif access is not None:
            if called is not None and access.memory not in since:
                last_store[access.memory], since[access.memory] = called, [called]
            before += _in_memory(k, access, writes(instruction), last_store, since)
        if statement.result is not None:
            number[statement.result] = k
        place = access.place if access is not None else None
        weight = 0.0 if isinstance(instruction, Freeze | Hide) else register_weight(instruction.type, register_bits)
        nodes.append(Node(tuple(before), weight, place, kind_of(instruction), is_division(instruction)))
    return nodes


def _in_memory(
    k: int, access: Access, writing: bool, last_store: dict[str, int], since: dict[str, list[int]]
) -> list[int]:
    """The earlier accesses of the same memory that statement `k` must follow; later ones only need to wait for a store."""
    memory = access.memory
    if writing:
        before = since.get(memory, [])
        last_store[memory], since[memory] = k, [k]
        return before
    since.setdefault(memory, []).append(k)
    return [last_store[memory]] if memory in last_store else []


def register_weight(type_: ValueType, register_bits: int) -> float:
    """Vector registers that a value takes; scalars are free, and so are tuples, whose members count by themselves."""
    match type_:
        case VectorType(element, lanes):
            return 0.0 if lanes == 1 else 1.0 if element == I1 else max(bits_of(element) * lanes / register_bits, 1.0)
        case TupleType():
            return 0.0
        case _:
            return 0.0


def kind_of(instruction: Instruction) -> Kind:
    """What an instruction does to memory."""
    match instruction:
        case Load() | LoadApart() | Gather():
            return "load"
        case Store() | StoreTogether() | Scatter() | Begin() | Fence() | Call(pure=False) | CallAt():
            return "store"
        case Prefetch():
            return "hint"
        case (
            Binary() | Negate() | Compare() | Select() | Convert() | Freeze() | Hide() | Elementwise() | Native()
            | SumNeighbours() | AddDots() | Broadcast() | Shuffle() | Insert() | Extract() | Reduce() | Address() | Field()
            | Member() | Join() | Call() | Quotients() | Roots()
        ):  # fmt: skip
            return "pure"
        case _:
            assert_never(instruction)


