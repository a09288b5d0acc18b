"""Intervals of integers, as the signed values of P-LLVM's variables, and what its operations make of them.

An interval is (least, greatest) of unbounded integers; a result that may leave the type's range is the whole range. Soundness:
the result of an operation on members lies in the result of the operation on their intervals. Operations on single values are
exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rv.ir.instructions import Binary, IntPredicate
from rv.ir.types import IntType

Interval = tuple[int, int]

TRUTHS: Final[Interval] = (0, 1)


def whole(type_: IntType) -> Interval:
    """Every value of the type; a truth value is 0 or 1."""
    return TRUTHS if type_.bits == 1 else (-1 << type_.bits - 1, (1 << type_.bits - 1) - 1)


def join(left: Interval, right: Interval) -> Interval:
    return min(left[0], right[0]), max(left[1], right[1])


def meet(left: Interval, right: Interval) -> Interval | None:
    """What is in both; None when nothing is."""
    low, high = max(left[0], right[0]), min(left[1], right[1])
    return (low, high) if low <= high else None


def saturated(interval: Interval, type_: IntType) -> Interval:
    """The interval of the numbers of the type that are nearest to these."""
    low, high = whole(type_)
    return min(max(interval[0], low), high), min(max(interval[1], low), high)


def fitting(interval: Interval, type_: IntType) -> Interval:
    """The interval where the type has all of it, else the whole type: what does not fit wraps."""
    low, high = whole(type_)
    return interval if low <= interval[0] and interval[1] <= high else (low, high)


def binary(instruction: Binary, left: Interval, right: Interval) -> Interval:
    """The result of an integer operation."""
    type_ = instruction.result.type
    assert isinstance(type_, IntType)
    found = _exact(instruction.op, left, right, type_)
    if found is None:
        return whole(type_)
    if instruction.nsw:
        return meet(found, whole(type_)) or whole(type_)
    return fitting(found, type_)


def _exact(op: str, left: Interval, right: Interval, type_: IntType) -> Interval | None:
    """The interval of results before they wrap; None where nothing is known."""
    (a, b), (c, d) = left, right
    nonnegative = a >= 0 and c >= 0
    match op:
        case "add":
            return a + c, b + d
        case "sub":
            return a - d, b - c
        case "mul":
            return _corners(lambda x, y: x * y, left, right)
        case "sdiv":
            return _quotients(left, right)
        case "udiv" if nonnegative:
            return _quotients(left, right)
        case "srem" | "urem" if nonnegative and c > 0 and a // d == b // c == a // c == b // d:
            # one quotient: the remainder moves as the operands do
            quotient = a // d
            return a - quotient * d, b - quotient * c
        case "srem" if (c > 0 or d < 0) and type_.bits > 1:
            most = max(abs(c), abs(d)) - 1
            return (0 if a >= 0 else max(a, -most)), (0 if b <= 0 else min(b, most))
        case "urem" if nonnegative and c > 0:
            return (a, b) if b < c else (0, min(b, d - 1))
        case "shl" if c >= 0 and d < type_.bits:
            return _corners(lambda x, y: x << y, left, right)
        case "ashr" if c >= 0 and d < type_.bits:
            return _corners(lambda x, y: x >> y, left, right)
        case "lshr" if nonnegative and d < type_.bits:
            return _corners(lambda x, y: x >> y, left, right)
        case "and" | "or" | "xor":
            return _bits(op, left, right)
        case "sadd_sat":
            return saturated((a + c, b + d), type_)
        case "ssub_sat":
            return saturated((a - d, b - c), type_)
        case _:
            return None


def _corners(operation: Callable[[int, int], int], left: Interval, right: Interval) -> Interval:
    """For operations that are monotonic in each operand."""
    results = [operation(x, y) for x in left for y in right]
    return min(results), max(results)


def _quotients(left: Interval, right: Interval) -> Interval | None:
    divisors = [part for part in (meet(right, (right[0], -1)), meet(right, (1, max(1, right[1])))) if part is not None]
    parts = [_corners(lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), left, part) for part in divisors]
    if left[0] < 0 < left[1]:
        parts.append((0, 0))
    return (min(p[0] for p in parts), max(p[1] for p in parts)) if parts else None


def _bits(op: str, left: Interval, right: Interval) -> Interval | None:
    (a, b), (c, d) = left, right
    if a == b and c == d:
        value = {"and": a & c, "or": a | c, "xor": a ^ c}[op]
        return value, value
    if op == "and" and (a >= 0 or c >= 0):
        return 0, min(high for low, high in (left, right) if low >= 0)
    if a >= 0 and c >= 0:
        return (max(a, c) if op == "or" else 0), (1 << max(b, d).bit_length()) - 1
    return None


NEGATED: Final[dict[IntPredicate, IntPredicate]] = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
    "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip
_SWAPPED: Final[dict[IntPredicate, IntPredicate]] = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip


def limited(predicate: IntPredicate, left: Interval, right: Interval) -> tuple[Interval, Interval] | None:
    """The operands where the comparison is true; None when it never is."""
    first = _limited(predicate, left, right)
    second = _limited(_SWAPPED[predicate], right, left)
    return None if first is None or second is None else (first, second)


def _limited(predicate: IntPredicate, value: Interval, other: Interval) -> Interval | None:
    low, high = value
    match predicate:
        case "slt":
            return meet(value, (low, other[1] - 1))
        case "sle":
            return meet(value, (low, other[1]))
        case "sgt":
            return meet(value, (other[0] + 1, high))
        case "sge":
            return meet(value, (other[0], high))
        case "eq":
            return meet(value, other)
        case "ne" if other[0] == other[1]:
            return meet(value, (low + (low == other[0]), high - (high == other[0])))
        # as an unsigned number a negative one is greater than all others
        case "ult" if other[0] >= 0:
            return meet(value, (0, other[1] - 1))
        case "ule" if other[0] >= 0:
            return meet(value, (0, other[1]))
        case "ugt" if low >= 0 and other[0] >= 0:
            return meet(value, (other[0] + 1, high))
        case "uge" if low >= 0 and other[0] >= 0:
            return meet(value, (other[0], high))
        case _:
            return value
