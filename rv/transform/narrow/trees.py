"""Integer arithmetic on narrow data in types as narrow as its results need.

    %x = zext i8 %a to i32                  %x = zext i8 %a to i16
    %y = zext i8 %b to i32                  %y = zext i8 %b to i16
    %s = add i32 %x, %y             ->      %s = add i16 %x, %y
    %t = add i32 %s, 1                      %t = add i16 %s, 1
    %h = ashr i32 %t, 1                     %h = lshr i16 %t, 1
    %r = trunc i32 %h to i8                 %r = trunc i16 %h to i8

C computes with ints, and a vector of ints holds a quarter of the bytes that a register does. The low bits of sums, differences,
products, logic and shifts to the left depend on the low bits of operands only. Shifts to the right and comparisons need all of
an operand: its interval (`rv.analysis.values.interval_arithmetic`) has to fit into the narrow type, with or without sign.

Narrowed are trees that end in a truncation, in a comparison that only selects, or in a sum, a store or a conversion to a
floating-point number, and that have a number from memory among their leaves. What counters, bounds and subscripts are computed
from stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, BinaryOp, CompareInt, Convert, Instruction, IntPredicate, Load, Select, Store, operands
from rv.ir.rewrite import FreshNames, map_operands
from rv.ir.types import I1, IntType
from rv.ir.values import Const, Value, Var, const_int
from rv.transform.narrow.conditional_sums import is_partial_sum
from rv.transform.narrow.forms import Average, average, clamped
from rv.transform.narrow.ranges import DEEP, Ranges, range_of, wraps

WIDTHS: Final = (8, 16, 32)
SHORT: Final = 16
_UNSIGNED: Final[dict[IntPredicate, IntPredicate]] = {"slt": "ult", "sle": "ule", "sgt": "ugt", "sge": "uge"}


def narrow(function: Function) -> Function:
    """The function with such trees in narrow types; what they replace is left to dead-code elimination."""
    return _Narrowing(function).run()


@dataclass(slots=True)
class _Narrowing:
    function: Function
    known: Mapping[str, Definition] = field(init=False)
    ranges: Ranges = field(init=False)
    users: dict[str, list[object]] = field(default_factory=dict)
    cheap: dict[tuple[str, int], bool] = field(default_factory=dict)
    data: dict[str, bool] = field(default_factory=dict)
    done: dict[tuple[str, int], Var] = field(default_factory=dict)
    before: dict[str, list[Instruction]] = field(default_factory=dict)
    """New instructions by the variable whose definition they stand in front of; "" for the function's start."""
    names: FreshNames = field(init=False)

    def __post_init__(self) -> None:
        self.known = definitions(self.function)
        self.ranges = Ranges(self.known)
        self.names = FreshNames.of(self.function)
        for block in self.function.blocks:
            for statement in (*block.phis, *block.body, block.terminator):
                for value in operands(statement):
                    if isinstance(value, Var):
                        self.users.setdefault(value.name, []).append(statement)

    def run(self) -> Function:
        blocks = [replace(block, body=tuple(map(self.changed, block.body))) for block in self.function.blocks]
        if not self.before:
            return self.function
        first, *others = (self.with_new(block) for block in blocks)
        start = tuple(self.before.get("", ()))
        return replace(self.function, blocks=(replace(first, body=(*start, *first.body)), *others))

    def with_new(self, block: Block) -> Block:
        body: list[Instruction] = []
        for instruction in block.body:
            body += self.before.get(instruction.result.name, ()) if instruction.result is not None else ()
            body.append(instruction)
        return replace(block, body=tuple(body))

    # -- roots --------------------------------------------------------------------------------------------------------

    def changed(self, instruction: Instruction) -> Instruction:
        """The instruction with a narrow tree in place of a wide one."""
        match instruction:
            case Convert(op="trunc", result=result, value=Var() as value):
                return self.truncation(instruction, result, value)
            case CompareInt() if self.only_selects(instruction.result):
                return self.comparison(instruction)
            case Binary(op="add", left=left, right=right) if any(is_partial_sum(side, self.known) for side in (left, right)):
                return map_operands(instruction, self.added)
            case Binary(op="add" | "sub") | Store() | Convert(op="sitofp" | "uitofp"):
                return map_operands(instruction, self.extended)
            case _:
                return instruction

    def truncation(self, root: Convert, result: Var, value: Var) -> Instruction:
        assert isinstance(result.type, IntType)
        for bits in WIDTHS:
            if result.type.bits <= bits < _bits(value) and self.is_worth(value, bits):
                found = self.low(value, bits)
                if bits == result.type.bits:
                    # a copy: the value numbering that follows takes it away
                    return Binary(result, "or", found, const_int(result.type, 0), span=root.span)
                return replace(root, value=found)
        return root

    def comparison(self, root: CompareInt) -> Instruction:
        values = (root.left, root.right)
        for bits in WIDTHS if isinstance(root.left.type, IntType) else ():
            trees = [value for value in values if not isinstance(value, Const)]
            if bits >= _bits(root.left) or not trees or not any(self.has_data(value) for value in trees):
                continue
            signs = [self.ranges.sign(value, bits) for value in values]
            if all(self.is_cheap(value, bits) for value in values) and signs[0] is not None and signs[0] == signs[1]:
                signed = root.predicate in _UNSIGNED
                if signs[0] == "signed" and not signed and root.predicate not in ("eq", "ne"):
                    continue
                predicate = _UNSIGNED.get(root.predicate, root.predicate) if signs[0] == "unsigned" else root.predicate
                left, right = (self.low(value, bits) for value in values)
                return replace(root, predicate=predicate, left=left, right=right)
        return root

    def added(self, value: Value) -> Value:
        """What is added to a partial sum: a product has factors of 16 bits with sign rather than more bits itself."""
        product = self.ranges.definition(value)
        if isinstance(product, Binary) and product.op == "mul" and isinstance(value, Var):
            factors = (product.left, product.right)
            if any(isinstance(self.ranges.definition(f), Binary | Select) for f in factors):
                if all(self.has_data(f) for f in factors) and self.all_fit(factors, SHORT, signed=True):
                    return self.product(value, product)
        return self.extended(value, operations=1)

    def product(self, value: Var, product: Binary) -> Var:
        key = (value.name, -SHORT)
        if key not in self.done:
            wide = self.done[key] = Var(self.names.name(value.name), value.type)
            left, right = (Var(self.names.name("factor"), value.type) for _ in range(2))
            narrow = [self.low(factor, SHORT) for factor in (product.left, product.right)]
            code = self.before.setdefault(value.name, [])
            code += (Convert(left, "sext", narrow[0]), Convert(right, "sext", narrow[1]))
            code.append(Binary(wide, "mul", left, right, product.nsw, product.span))
        return self.done[key]

    def extended(self, value: Value, operations: int = 2) -> Value:
        """The value, computed in a narrow type and widened, if that is so many operations at least."""
        if not isinstance(value, Var) or not isinstance(value.type, IntType):
            return value
        for bits in WIDTHS:
            sign = self.ranges.sign(value, bits) if bits < value.type.bits else None
            if sign is not None and self.is_worth(value, bits) and self.operations(value) >= operations:
                key = (value.name, -bits)
                if key not in self.done:
                    wide = self.done[key] = Var(self.names.name(value.name), value.type)
                    op = Convert(wide, "sext" if sign == "signed" else "zext", self.low(value, bits))
                    self.before.setdefault(value.name, []).append(op)
                return self.done[key]
        return value

    def only_selects(self, condition: Var) -> bool:
        users = self.users.get(condition.name, ())
        return bool(users) and all(_takes_truth(user, condition) for user in users)

    # -- what a tree needs --------------------------------------------------------------------------------------------

    def is_worth(self, value: Var, bits: int) -> bool:
        """Whether a tree with arithmetic and data in it can be computed in so many bits."""
        arithmetic = isinstance(self.known.get(value.name), Binary | Select)
        return arithmetic and self.has_data(value) and self.is_cheap(value, bits)

    def is_cheap(self, value: Value, bits: int, depth: int = DEEP) -> bool:
        """Whether the low bits of a value need nothing wider."""
        if not isinstance(value, Var):
            return isinstance(value, Const)
        key = (value.name, bits)
        if key not in self.cheap:
            self.cheap[key] = self.needs_no_more(value, bits, depth)
        return self.cheap[key]

    def needs_no_more(self, value: Var, bits: int, depth: int) -> bool:
        if depth and (self.average(value, bits) is not None or self.saturation(value, bits) is not None):
            return True
        match self.known.get(value.name):
            case None:
                return True  # a parameter is truncated once
            case Convert(op="zext" | "sext", value=narrow):
                return _bits(narrow) <= bits
            case Binary(op="add" | "sub" | "mul" | "and" | "or" | "xor", left=left, right=right) if depth:
                return self.is_cheap(left, bits, depth - 1) and self.is_cheap(right, bits, depth - 1)
            case Binary(op="shl", left=left, right=Const() as by) if depth and by.bits < bits:
                return self.is_cheap(left, bits, depth - 1)
            case Binary(op="lshr" | "ashr" as op, left=left, right=Const() as by) if depth and by.bits < bits:
                sign = self.ranges.sign(left, bits)
                return (sign == "unsigned" or (sign == "signed" and op == "ashr")) and self.is_cheap(left, bits, depth - 1)
            case Binary(op="sdiv" | "udiv", left=left, right=Const() as by) if depth and 0 < by.signed < 1 << bits:
                return self.ranges.sign(left, bits) == "unsigned" and self.is_cheap(left, bits, depth - 1)
            case Select(then=then, otherwise=otherwise) if depth:
                return self.is_cheap(then, bits, depth - 1) and self.is_cheap(otherwise, bits, depth - 1)
            case _:
                return False

    def average(self, value: Value, bits: int) -> Average | None:
        """The numbers that have so many bits, and that an average of as many bits is of."""
        found = average(value, self.ranges.definition)
        if found is None:
            return None
        operands, signs = (found.left, found.right), (False, True) if found.negative else (False,)
        return found if any(self.all_fit(operands, bits, signed=signed) for signed in signs) else None

    def saturation(self, value: Value, bits: int) -> tuple[Binary, bool] | None:
        """The sum or difference of numbers of so many bits that is kept within them, and whether they have a sign."""
        found = clamped(value, self.ranges.definition)
        total = None if found is None else self.ranges.definition(found.value)
        if found is None or not isinstance(total, Binary) or total.op not in ("add", "sub"):
            return None
        reached = self.ranges.interval(found.value)
        kept = self.ranges.clipped(found.value, found.low, found.high)
        for signed in (False, True):
            low, high = range_of(bits, signed=signed)
            fit = not wraps(reached, value) and self.all_fit((total.left, total.right), bits, signed=signed)
            if fit and kept == (max(low, reached[0]), min(high, reached[1])):
                return total, signed
        return None

    def all_fit(self, values: tuple[Value, ...], bits: int, *, signed: bool) -> bool:
        """Whether all of these are numbers of so many bits, with or without sign, and need nothing wider."""
        low, high = range_of(bits, signed=signed)
        intervals = [self.ranges.interval(value) for value in values]
        fit = bool(values) and all(low <= own[0] and own[1] <= high for own in intervals)
        return fit and all(self.is_cheap(value, bits) for value in values)

    def has_data(self, value: Value, depth: int = DEEP) -> bool:
        """Whether a number from memory is among the leaves."""
        if not isinstance(value, Var):
            return False
        if value.name not in self.data:
            self.data[value.name] = self.leads_to_data(value, depth)
        return self.data[value.name]

    def leads_to_data(self, value: Var, depth: int) -> bool:
        match self.known.get(value.name):
            case Convert(op="zext" | "sext", value=Var() as narrow):
                return isinstance(self.known.get(narrow.name), Load)
            case Binary(left=left, right=right) if depth:
                return self.has_data(left, depth - 1) or self.has_data(right, depth - 1)
            case Select(then=left, otherwise=right) if depth:
                return self.has_data(left, depth - 1) or self.has_data(right, depth - 1)
            case _:
                return False

    def operations(self, value: Value, depth: int = 3) -> int:
        """How many operations a tree has, as far as a few levels show."""
        definition = self.known.get(value.name) if isinstance(value, Var) else None
        match definition:
            case Binary(left=left, right=right) | Select(then=left, otherwise=right) if depth:
                return 1 + self.operations(left, depth - 1) + self.operations(right, depth - 1)
            case _:
                return 0

    # -- narrow trees -------------------------------------------------------------------------------------------------

    def low(self, value: Value, bits: int) -> Value:
        """The low bits of a value that is cheap to narrow."""
        type_ = IntType(bits)
        if isinstance(value, Const):
            return const_int(type_, value.signed)
        assert isinstance(value, Var)
        key = (value.name, bits)
        if key not in self.done:
            definition = self.known.get(value.name)
            if isinstance(definition, Convert) and definition.value.type == type_:
                return definition.value
            result = Var(self.names.name(value.name), type_)
            place = value.name if definition is not None else ""
            new = self.narrowed(value, definition, result, bits)
            self.before.setdefault(place, []).extend(new)
            self.done[key] = result
        return self.done[key]

    def narrowed(self, value: Var, definition: Definition | None, result: Var, bits: int) -> tuple[Instruction, ...]:
        """What computes the low bits."""
        half, kept = self.average(value, bits), self.saturation(value, bits)
        if half is not None:
            return self.half_of_sum(half, result)
        if kept is not None:
            return self.within_type(*kept, result)
        return (self.same(value, definition, result, bits),)

    def half_of_sum(self, of: Average, result: Var) -> tuple[Instruction, ...]:
        """(x | y) - ((x ^ y) >> 1), or (x & y) + ((x ^ y) >> 1) rounded down."""
        type_ = result.type
        assert isinstance(type_, IntType)
        left, right = self.low(of.left, type_.bits), self.low(of.right, type_.bits)
        unsigned = all(self.ranges.interval(value)[0] >= 0 for value in (of.left, of.right))
        joint, apart, half = (self.names.variable(name, type_) for name in ("joint", "apart", "half"))
        return (
            Binary(joint, "or" if of.up else "and", left, right),
            Binary(apart, "xor", left, right),
            Binary(half, "lshr" if unsigned else "ashr", apart, const_int(type_, 1)),
            Binary(result, "sub" if of.up else "add", joint, half),
        )

    def within_type(self, total: Binary, signed: bool, result: Var) -> tuple[Instruction, ...]:
        """A sum or difference that is kept within the type: without sign as LLVM recognizes it."""
        type_ = result.type
        assert isinstance(type_, IntType)
        left, right = self.low(total.left, type_.bits), self.low(total.right, type_.bits)
        if signed:
            return (Binary(result, "sadd_sat" if total.op == "add" else "ssub_sat", left, right, span=total.span),)
        wrapped, condition = self.names.variable("wrapped", type_), self.names.variable("beyond", I1)
        beyond = (wrapped, left) if total.op == "add" else (left, right)
        return (
            Binary(wrapped, total.op, left, right, span=total.span),
            CompareInt(condition, "ult", *beyond, span=total.span),
            Select(result, condition, const_int(type_, -1 if total.op == "add" else 0), wrapped, total.span),
        )

    def same(self, value: Var, definition: Definition | None, result: Var, bits: int) -> Instruction:
        """The same operation on low bits."""
        match definition:
            case Convert():
                return replace(definition, result=result)
            case Binary(op="lshr" | "ashr", left=left, right=right):
                op: BinaryOp = "lshr" if self.ranges.sign(left, bits) == "unsigned" else "ashr"
                return Binary(result, op, self.low(left, bits), self.low(right, bits), span=definition.span)
            case Binary(op="sdiv", left=left, right=right):
                return Binary(result, "udiv", self.low(left, bits), self.low(right, bits), span=definition.span)
            case Binary(op=same, left=left, right=right):
                return Binary(result, same, self.low(left, bits), self.low(right, bits), span=definition.span)
            case Select(then=then, otherwise=otherwise):
                return replace(definition, result=result, then=self.low(then, bits), otherwise=self.low(otherwise, bits))
            case _:
                return Convert(result, "trunc", value)


def _takes_truth(user: object, condition: Var) -> bool:
    """Whether an instruction selects by a condition, or makes a number of it."""
    match user:
        case Select(condition=own):
            return own == condition
        case Convert(op="zext"):
            return True
        case _:
            return False


def _bits(value: Value) -> int:
    return value.type.bits if isinstance(value.type, IntType) else 64
