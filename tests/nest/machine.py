"""A scalar interpreter for integers and addresses of P-LLVM that records what every variable was in every iteration.

Signed overflow of `nsw` operations is undefined: such runs raise Undefined and say nothing about an analysis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rv.analysis.cfg.loops import find_loops
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, ElementPointer, Instruction, Jump, Return, Store
from rv.ir.types import IntType, size_of
from rv.ir.values import Const, Value, Var


class Undefined(Exception):
    """The program does something that C does not define, or runs for too long."""


@dataclass(frozen=True)
class Moment:
    """The end of a block: all variables as bit patterns, and the counters of the loops around it."""

    block: str
    values: Mapping[str, int]
    counters: Mapping[str, int]


def signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


def moments(function: Function, arguments: Mapping[str, int], most: int) -> Iterator[Moment]:
    """What happens, block by block; Undefined after `most` blocks."""
    loops = find_loops(function).loops
    values = dict(arguments)
    counters: dict[str, int] = {}
    block, before = function.entry, ""
    for _ in range(most):
        if block.label in loops:
            counters[block.label] = counters.get(block.label, 0) + 1 if before in loops[block.label].blocks else 0
        values.update({phi.result.name: _read(values, phi.value_from(before)) for phi in block.phis})
        for instruction in block.body:
            _execute(values, instruction)
        yield Moment(block.label, dict(values), {h: t for h, t in counters.items() if block.label in loops[h].blocks})
        following = _next(values, block)
        if following is None:
            return
        block, before = function.block(following), block.label
    raise Undefined


def _read(values: Mapping[str, int], value: Value) -> int:
    match value:
        case Var(name):
            return values[name]
        case Const(bits=bits):
            return bits
        case _:
            raise Undefined


def _width(value: Value) -> int:
    assert isinstance(value.type, IntType)
    return value.type.bits


def _execute(values: dict[str, int], instruction: Instruction) -> None:
    match instruction:
        case Binary(result=result, op=op, left=left, right=right, nsw=nsw):
            width = _width(result)
            a, b = signed(_read(values, left), width), signed(_read(values, right), width)
            exact = {"add": a + b, "sub": a - b, "mul": a * b, "shl": a << (b % width)}[op]
            if nsw and not -(1 << (width - 1)) <= exact < 1 << (width - 1):
                raise Undefined
            values[result.name] = exact % (1 << width)
        case Convert(result=result, op=op, value=value):
            bits = _read(values, value)
            number = signed(bits, _width(value)) if op == "sext" else bits
            values[result.name] = number % (1 << _width(result))
        case CompareInt(result=result, predicate=predicate, left=left, right=right):
            a, b = _read(values, left), _read(values, right)
            if predicate[0] == "s":
                a, b = signed(a, _width(left)), signed(b, _width(left))
            tests = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
            values[result.name] = int(tests[predicate[-2:]])
        case ElementPointer(result=result, element=element, base=base):
            offset = 0
            for index, extent in zip(instruction.indices, (0, *instruction.extents), strict=True):
                offset = offset * (0 if isinstance(extent, int) else _read(values, extent)) + _read(values, index)
            values[result.name] = (_read(values, base) + size_of(element) * offset) % (1 << 64)
        case Store():
            pass
        case _:
            raise AssertionError(instruction)


def _next(values: Mapping[str, int], block: Block) -> str | None:
    match block.terminator:
        case Jump(target=target):
            return target
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return then if _read(values, condition) else otherwise
        case Return():
            return None
