"""What operations make of the evolutions of their operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rv.analysis.lane_evolution.instruction_graph import Move, Node, Variable
from rv.analysis.lane_evolution.lattice import RANDOM, UNIFORM, Evolution, joined
from rv.analysis.memory.stack_objects import stack_objects
from rv.analysis.values.effects import is_pure_call
from rv.ir.function import Function
from rv.ir.instructions import Binary, Call, Convert, ElementPointer, Horizontal, Load, Mask, Phi, Select, operands
from rv.ir.types import IntType, size_of
from rv.ir.values import Const, Value, Var

Read = Callable[[Value], Evolution]


def evolve(
    node: Node, reads: Mapping[Variable, Evolution | None], function: Function | None, influenced: bool
) -> Evolution | None:
    """The evolution of what an instruction defines; None while one of its operands has none.

    `influenced`: not all lanes execute it together. Without an operation (`what` is None) it is uniform when all operands are.
    """
    what = node.what
    if isinstance(what, Phi):
        return RANDOM if what.shadow is not None and influenced else joined(reads.values())
    if None in reads.values():
        return None

    def read(value: Value) -> Evolution:
        found = reads[value.name] if isinstance(value, Var) else UNIFORM
        return RANDOM if found is None else found

    match what:
        case Move(value=value):
            return read(value)
        case Mask():
            return RANDOM if influenced else UNIFORM
        case Horizontal():
            return _horizontal(what, read)
        case Call() if not is_pure_call(what):
            return RANDOM
        case Load(pointer=pointer):
            own = function is not None and bool(stack_objects(function).of(pointer).objects)
            return RANDOM if own else _all_uniform([read(pointer)])
        case Binary(result=result) if isinstance(result.type, IntType):
            return _binary(what, read, result.type.bits)
        case Convert(op="trunc", value=value, result=result) if isinstance(result.type, IntType):
            return _strided(read(value).stride, result.type.bits)
        case Select(condition=condition, then=then, otherwise=otherwise) if read(condition).is_uniform:
            return joined([read(then), read(otherwise)])
        case ElementPointer():
            return _element(what, read)
        case None:
            return _all_uniform([found for found in reads.values() if found is not None])
        case _:
            return _all_uniform([read(value) for value in operands(what)])


def _all_uniform(found: list[Evolution]) -> Evolution:
    return UNIFORM if all(evolution.is_uniform for evolution in found) else RANDOM


def _strided(stride: int | None, bits: int) -> Evolution:
    """A stride as the signed number that it is in a type."""
    half = 1 << bits - 1
    return RANDOM if stride is None else Evolution((stride + half) % (2 * half) - half)


def _binary(what: Binary, read: Read, bits: int) -> Evolution:
    left, right = read(what.left), read(what.right)
    if left.stride is None or right.stride is None:
        return RANDOM
    match what:
        case Binary(op="add"):
            return _strided(left.stride + right.stride, bits)
        case Binary(op="sub"):
            return _strided(left.stride - right.stride, bits)
        case Binary(op="mul", right=Const() as factor):
            return _strided(left.stride * factor.signed, bits)
        case Binary(op="mul", left=Const() as factor):
            return _strided(right.stride * factor.signed, bits)
        case Binary(op="shl", right=Const() as distance) if distance.bits < bits:
            return _strided(left.stride << distance.bits, bits)
        case _:
            return _all_uniform([left, right])


def _element(what: ElementPointer, read: Read) -> Evolution:
    """An address moves with its base and its last subscript."""
    base, last = read(what.base).stride, read(what.indices[-1]).stride
    others = _all_uniform([read(value) for value in (*what.indices[:-1], *what.extents)])
    if base is None or last is None or not others.is_uniform:
        return RANDOM
    return _strided(base + size_of(what.element) * last, 64)


def _horizontal(what: Horizontal, read: Read) -> Evolution:
    """All participating lanes get one result, but for their own numbers, and what each chooses from another lane."""
    match what.op:
        case "lane":
            return Evolution(1)
        case "shuffle":
            source, lane = (read(value) for value in what.operands)
            return UNIFORM if source.is_uniform or lane.is_uniform else RANDOM
        case _:
            return UNIFORM
