"""Patterns of integer arithmetic: what threads are apart after an operation, from what they were before it.

    i % 8       of 16k + t:        t % 8, known in every thread
    i / 3       of 48k + t:        16k + t / 3
    (i + 1) / 4 of 8k + t:         2k + (t + 1) / 4
    i % 2 == 0  of 8k + t:         1, 0, 1, 0, ...

The operations are those with constants that `rv.analysis.strides.shape_arithmetic` has for strides, sums, and comparisons of what
is known. As there, what divides needs a reading of the words in which the formula holds.
"""

from __future__ import annotations

from rv.analysis.strides.patterns import (
    Pattern,
    added,
    in_reading,
    known_words,
    pattern,
    quotient,
    remainder,
    scaled,
    with_bits,
)
from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_lattice import Shape, pattern_of, signed_residue
from rv.ir.instructions import Binary, CompareInt, Convert, Instruction, IntPredicate
from rv.ir.types import bits_of
from rv.ir.values import Const, Undef, Value


def transferred(instruction: Instruction, operands: tuple[Shape, ...], result: Shape, lanes: int) -> Pattern | None:
    """The pattern of what an instruction yields, whose shape is otherwise `result`; None where nothing more is known."""
    if not any(of.pattern is not None or of.stride for of in operands):
        return None
    match instruction:
        case Binary(left=left, right=right) if result.bits > 1:
            return _binary(instruction, _of(left, operands[0], lanes), _of(right, operands[1], lanes), operands[0].facts)
        case Convert(op="trunc" | "sext" | "zext") if result.bits > 1 and operands[0].bits > 1:
            return _converted(instruction, pattern_of(operands[0], lanes), operands[0])
        case CompareInt(left=left, right=right):
            return _compared(
                instruction.predicate, _of(left, operands[0], lanes), _of(right, operands[1], lanes), operands[0].bits
            )
        case _:
            return None


def _of(value: Value, of: Shape, lanes: int) -> Pattern | None:
    """The pattern of an operand; of a constant its value."""
    if isinstance(value, Undef):
        return None
    if isinstance(value, Const) and of.bits > 1:
        number = signed_residue(value.bits, of.bits)
        return pattern(of.bits, 0, (number,) * lanes, Facts.NATURAL if number >= 0 else Facts.SIGNED)
    return pattern_of(of, lanes)


def _binary(instruction: Binary, left: Pattern | None, right: Pattern | None, sign: Facts) -> Pattern | None:
    bits = bits_of(instruction.result.type)
    if left is None or right is None:
        return None
    if instruction.op in ("add", "sub"):
        exact = Facts.SIGNED if instruction.nsw else Facts.NONE
        if exact:
            readings = in_reading(left, bits, exact), in_reading(right, bits, exact)
            left, right = readings[0] or left, readings[1] or right
            exact &= left.facts & right.facts
        return added(bits, left, right, 1 if instruction.op == "add" else -1, exact)
    if isinstance(instruction.left, Const) and instruction.op in ("mul", "and", "or", "xor"):
        return _with_constant(instruction, right, instruction.left, Facts.NONE)
    if isinstance(instruction.right, Const):
        return _with_constant(instruction, left, instruction.right, sign)
    return None


def _with_constant(instruction: Binary, of: Pattern, value: Const, sign: Facts) -> Pattern | None:
    """The operation with a constant on the right; `sign` has the fact NONNEGATIVE where it is known of the left operand."""
    bits = bits_of(instruction.result.type)
    match instruction.op:
        case "mul":
            return _scaled(instruction, of, value.signed)
        case "and":
            return with_bits(bits, of, value.bits, int.__and__)
        case "or":
            return with_bits(bits, of, value.bits, int.__or__)
        case "xor":
            return with_bits(bits, of, value.bits, int.__xor__)
        case "shl" | "lshr" | "ashr" if value.bits >= bits:
            return None
        case "shl" if value.bits < bits - 1:
            return _scaled(instruction, of, 1 << value.bits)
        case "sdiv" | "srem" if Facts.NONNEGATIVE in sign and value.signed > 0:
            return _divided(instruction, in_reading(of, bits, Facts.SIGNED), value.signed, Facts.NATURAL)
        case "udiv" if value.bits > 1:
            return _divided(instruction, in_reading(of, bits, Facts.UNSIGNED), value.bits, Facts.NATURAL)
        case "lshr" if value.bits:
            return _divided(instruction, in_reading(of, bits, Facts.UNSIGNED), 1 << value.bits, Facts.NATURAL)
        case "urem" if 0 < value.bits <= 1 << (bits - 1):
            return _divided(instruction, in_reading(of, bits, Facts.UNSIGNED), value.bits, Facts.NATURAL)
        case "ashr" if value.bits < bits - 1:
            return _divided(instruction, in_reading(of, bits, Facts.SIGNED), 1 << value.bits, Facts.SIGNED)
        case _:
            return None


def _scaled(instruction: Binary, of: Pattern, factor: int) -> Pattern:
    bits = bits_of(instruction.result.type)
    exact = in_reading(of, bits, Facts.SIGNED) if instruction.nsw else None
    return scaled(bits, exact or of, factor, Facts.NONE if exact is None else Facts.SIGNED)


def _divided(instruction: Binary, of: Pattern | None, divisor: int, facts: Facts) -> Pattern | None:
    bits = bits_of(instruction.result.type)
    if of is None:
        return None
    if instruction.op in ("srem", "urem"):
        return remainder(bits, of, divisor, facts)
    return quotient(bits, of, divisor, facts)


def _converted(instruction: Convert, of: Pattern | None, source: Shape) -> Pattern | None:
    if of is None:
        return None
    bits = bits_of(instruction.result.type)
    if instruction.op == "trunc":
        return pattern(bits, of.alignment, of.offsets)
    fact = Facts.SIGNED if instruction.op == "sext" else Facts.UNSIGNED
    read = in_reading(of, source.bits, fact)
    if read is None:
        return None
    natural = fact is Facts.UNSIGNED or Facts.NONNEGATIVE in source.facts
    return pattern(bits, read.alignment, read.offsets, Facts.NATURAL if natural else Facts.SIGNED)


def _compared(predicate: IntPredicate, left: Pattern | None, right: Pattern | None, bits: int) -> Pattern | None:
    """Which threads find a comparison of known words true."""
    words = [None if of is None else known_words(of, bits) for of in (left, right)]
    if words[0] is None or words[1] is None:
        return None
    signed = predicate.startswith("s")
    sides = [[signed_residue(word, bits) if signed else word for word in own] for own in words if own is not None]
    return pattern(1, 0, tuple(int(_holds(predicate, a, b)) for a, b in zip(*sides, strict=True)))


def _holds(predicate: IntPredicate, left: int, right: int) -> bool:
    match predicate:
        case "eq":
            return left == right
        case "ne":
            return left != right
        case "slt" | "ult":
            return left < right
        case "sle" | "ule":
            return left <= right
        case "sgt" | "ugt":
            return left > right
        case "sge" | "uge":
            return left >= right
