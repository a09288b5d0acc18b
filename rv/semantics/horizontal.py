"""Horizontal operations: functions of the values of several threads (`rv.ir.instructions.Horizontal`; thesis, figure 4.15)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

from rv.ir.instructions import HorizontalOp
from rv.ir.libm import library_function
from rv.ir.types import FloatType, IntType, Type
from rv.semantics.arithmetic import to_binary32
from rv.semantics.expressions import binary_text, compare_int_text
from rv.semantics.undefined import UNDEFINED, UndefinedValue

Columns = Sequence[Sequence[Any]]
"""For each operand its values in the participating threads, in their order."""


def horizontal(op: HorizontalOp, type_: Type, threads: Sequence[int], columns: Columns, width: int) -> list[Any]:
    """The results of the participating `threads` (ascending) out of `width`; `type_` is that of the result."""
    match op:
        case "lane":
            return list(threads)
        case "shuffle":
            values = dict(zip(threads, columns[0], strict=True))
            return [UNDEFINED if isinstance(lane, UndefinedValue) else values.get(lane, UNDEFINED) for lane in columns[1]]
        case _:
            return [_common(op, type_, threads, columns, width)] * len(threads)


def _common(op: HorizontalOp, type_: Type, threads: Sequence[int], columns: Columns, width: int) -> Any:
    """The one value that all participants get."""
    if op == "lanes":
        return width
    (values,) = columns
    if not values:
        return UNDEFINED
    match op:
        case "first":
            return values[0]
        case "last":
            return values[-1]
        case _ if any(value is UNDEFINED for value in values):
            return UNDEFINED
        case "any":
            return any(values)
        case "all":
            return all(values)
        case "ballot":
            return sum(1 << thread for thread, value in zip(threads, values, strict=True) if value)
        case "popcount":
            return sum(map(bool, values))
        case _:
            return reduce(_fold(op, type_), values)


@cache
def _fold(op: HorizontalOp, type_: Type) -> Callable[[Any, Any], Any]:
    """What a reduction does with two values."""
    name = op.removeprefix("reduce_")
    match type_:
        case FloatType(bits) if name in ("fmin", "fmax"):
            return library_function(name if bits == 64 else name + "f")
        case FloatType(bits):
            folded = _function(binary_text(name, "a", "b", bits))
            return folded if bits == 64 else lambda a, b: to_binary32(folded(a, b))
        case IntType(bits) if name in ("smin", "smax", "umin", "umax"):
            return _function(f"a if {compare_int_text(name[0] + ('lt' if 'min' in name else 'gt'), 'a', 'b', bits)} else b")
        case IntType(bits):
            return _function(binary_text(name, "a", "b", bits))
        case _:
            raise AssertionError(f"no {op} of {type_}")


def _function(text: str) -> Callable[[Any, Any], Any]:
    function: Callable[[Any, Any], Any] = eval(f"lambda a, b: {text}")
    return function
