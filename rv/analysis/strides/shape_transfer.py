"""The shape of a definition from those of its operands: one transformer for every instruction (thesis, section 10.4)."""

from __future__ import annotations

from rv.analysis.strides import shape_arithmetic as arithmetic
from rv.analysis.strides import shape_bits as words
from rv.analysis.strides.pattern_transfer import transferred
from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_lattice import (
    BOTTOM,
    Shape,
    constant,
    join,
    scattered,
    shape,
    signed_residue,
    uniform,
    varying,
    with_pattern,
)
from rv.analysis.values.effects import is_pure_call
from rv.analysis.values.uses import Definition
from rv.ir.instructions import (
    Binary,
    Call,
    CompareInt,
    Convert,
    ElementPointer,
    Horizontal,
    Mask,
    Phi,
    Select,
    Store,
)
from rv.ir.types import IntType, bits_of, size_of
from rv.ir.values import Const, Undef, Value


def shape_of_constant(value: Const | Undef) -> Shape:
    """The shape of what is written as a constant. Undefined is any value, so all threads may be taken to have the same."""
    bits = bits_of(value.type)
    if isinstance(value, Undef):
        return shape(bits, 0, 0, Facts.NATURAL)
    return constant(bits, signed_residue(value.bits, bits)) if isinstance(value.type, IntType) else uniform(bits)


def transfer(definition: Definition, operands: tuple[Shape, ...], *, active_together: bool, lanes: int) -> Shape:
    """The shape of what a definition yields in `lanes` threads. `active_together`: either all threads run the block or none.

    `operands` are the shapes of the operands in order. Loads read memory that no thread writes; the caller guarantees that.
    """
    assert definition.result is not None
    bits = bits_of(definition.result.type)
    if isinstance(definition, Phi):
        return _phi(definition, operands, active_together=active_together)
    if BOTTOM in operands:
        return BOTTOM
    found = _line(definition, operands, bits, active_together=active_together, lanes=lanes)
    return with_pattern(found, transferred(definition, operands, found, lanes))


def _line(definition: Definition, operands: tuple[Shape, ...], bits: int, *, active_together: bool, lanes: int) -> Shape:
    """The stride and the alignment."""
    match definition:
        case Binary(result=result) if isinstance(result.type, IntType) and bits > 1:
            return _binary(definition, operands[0], operands[1], lanes)
        case CompareInt(predicate=predicate):
            return words.compare(predicate, operands[0], operands[1], lanes)
        case Select(then=then, otherwise=otherwise):
            return operands[1] if then == otherwise else words.select(*operands)
        case Convert():
            return _convert(definition, operands[0], lanes)
        case ElementPointer():
            return _address(definition, operands, lanes)
        case Mask():
            return uniform(1) if active_together else varying(1)
        case Horizontal():
            return _horizontal(definition, operands, bits)
        case Call() if not is_pure_call(definition):
            return varying(bits)
        case Store():
            raise AssertionError("a store yields nothing")
        case _:
            return arithmetic.generic(bits, *operands)


def _phi(phi: Phi, operands: tuple[Shape, ...], *, active_together: bool) -> Shape:
    found = BOTTOM
    for operand in operands:
        found = join(found, operand)
    return found if phi.shadow is None or active_together else scattered(found)


def _binary(instruction: Binary, left: Shape, right: Shape, lanes: int) -> Shape:
    if isinstance(instruction.right, Const):
        return _with_constant(instruction, left, instruction.right, lanes)
    if isinstance(instruction.left, Const) and instruction.op in ("add", "mul", "and", "or", "xor"):
        return _with_constant(instruction, right, instruction.left, lanes)
    match instruction.op:
        case "add":
            return arithmetic.add(left, right, lanes, exact=instruction.nsw)
        case "sub":
            return arithmetic.subtract(left, right, lanes, exact=instruction.nsw)
        case "mul":
            return arithmetic.multiply(left, right, lanes, exact=instruction.nsw)
        case "shl":
            return words.shift_left(left, right)
        case "and":
            return words.and_bits(left, right)
        case "or" | "xor":
            return words.or_bits(left, right)
        case _:
            return arithmetic.generic(left.bits, left, right)


def _with_constant(instruction: Binary, of: Shape, value: Const, lanes: int) -> Shape:
    """The operation of a value and a constant, which stands on the right unless the operation is commutative."""
    number, full = value.signed, (1 << of.bits) - 1
    match instruction.op:
        case "add":
            return arithmetic.add(of, constant(of.bits, number), lanes, exact=instruction.nsw)
        case "sub":
            return arithmetic.subtract(of, constant(of.bits, number), lanes, exact=instruction.nsw)
        case "mul":
            return arithmetic.scale(of, number, lanes, exact=instruction.nsw)
        case "and":
            return words.and_constant(of, value.bits, lanes)
        case "or":
            return words.or_constant(of, value.bits)
        case "xor":
            return words.complement(of) if value.bits == full else words.or_constant(of, value.bits)
        case "shl" | "lshr" | "ashr" if value.bits >= of.bits:
            return arithmetic.generic(of.bits, of)  # undefined
        case "shl":
            return arithmetic.scale(of, 1 << value.bits, lanes, exact=instruction.nsw)
        case "lshr":
            return arithmetic.divide_unsigned(of, 1 << value.bits, lanes)
        case "ashr":
            return arithmetic.shift_right_signed(of, value.bits, lanes)
        case "sadd_sat" | "ssub_sat":
            return arithmetic.generic(of.bits, of)
        case _ if value.bits == 0:
            return arithmetic.generic(of.bits, of)  # undefined
        case "sdiv":
            return arithmetic.divide_signed(of, number, lanes)
        case "udiv":
            return arithmetic.divide_unsigned(of, value.bits, lanes)
        case "srem":
            return arithmetic.remainder_signed(of, number, lanes)
        case "urem":
            return arithmetic.remainder_unsigned(of, value.bits, lanes)
        case _:
            return arithmetic.generic(of.bits, of)


def _convert(instruction: Convert, of: Shape, lanes: int) -> Shape:
    bits = bits_of(instruction.result.type)
    match instruction.op:
        case "trunc":
            return arithmetic.truncate(of, bits)
        case "sext":
            return arithmetic.extend_signed(of, bits, lanes)
        case "zext":
            return arithmetic.extend_unsigned(of, bits, lanes)
        case "ptrtoint":
            return of
        case _:
            return arithmetic.generic(bits, of)


def _address(pointer: ElementPointer, operands: tuple[Shape, ...], lanes: int) -> Shape:
    """base + size * ((i0*e1 + i1)*e2 + ...) in bytes, modulo 2**64 (section 10.4.6)."""
    count = len(pointer.indices)
    base, indices, extents = operands[0], operands[1 : 1 + count], operands[1 + count :]
    total = indices[0]
    for index, extent, value in zip(indices[1:], extents, pointer.extents, strict=True):
        total = arithmetic.add(_product(total, extent, value, lanes), index, lanes, exact=False)
    offset = arithmetic.scale(total, size_of(pointer.element), lanes, exact=False)
    return arithmetic.add(base, offset, lanes, exact=False)


def _product(of: Shape, extent: Shape, value: Value, lanes: int) -> Shape:
    if isinstance(value, Const):
        return arithmetic.scale(of, value.signed, lanes, exact=False)
    return arithmetic.multiply(of, extent, lanes, exact=False)


def _horizontal(instruction: Horizontal, operands: tuple[Shape, ...], bits: int) -> Shape:
    match instruction.op:
        case "lane":
            return shape(bits, 1, 0, Facts.NATURAL)
        case "lanes":
            return shape(bits, 0, 1, Facts.NATURAL)
        case "shuffle" if not operands[1].is_uniform:
            return scattered(operands[0]) if not operands[0].is_uniform else operands[0]
        case "shuffle" | "first" | "last":
            of = operands[0]
            return shape(bits, 0, of.thread_alignment, of.facts)
        case _:
            return uniform(bits)
