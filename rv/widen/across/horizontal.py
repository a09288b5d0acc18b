"""Operations across the lanes of a variant (thesis, figure 4.15; their meaning: `rv.ir.instructions.Horizontal`).

The lanes are those of the variant that is being written, numbered by the projection, in all of its registers: in a tail those of
the narrower brush. Inactive ones, outside the mask of the variant or under a false predicate, do not participate.

Operations on truth values work on masks: the registers' masks, put together, are one integer (a move from a mask register
or a `movmsk`), which is compared with zero, counted, or the ballot itself. Folds replace what inactive lanes hold by the
neutral element.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import cast

from rv.internal_error import InternalError
from rv.ir import values as ir
from rv.ir.instructions import BALLOT_LANES, BinaryOp, CompareFloat, Horizontal
from rv.ir.types import I1, I32, I64, FloatType, IntType, bits_of
from rv.ir.values import Const, Value, Var
from rv.vector.instructions import Binary, Elementwise, Extract, Hide, Reduce, ReduceOp
from rv.vector.types import lanes_of
from rv.vector.values import FALSE, TRUE, ZERO, Operand, Undefined, constant, i32, i64, integers, lane_type, word
from rv.widen.across.masks import activation, either, mask_of, under
from rv.widen.across.reductions import combine, identity
from rv.widen.arithmetic.math_calls import emit_min_max
from rv.widen.lanes import SCALAR, Lanes
from rv.widen.site import Site


def horizontal(site: Site, instruction: Horizontal, coordinates: Lanes) -> Operand:
    """The result in the lanes of `coordinates`, which is scalar for what is the same in all of them."""
    lanes = _Lanes(site, instruction)
    common = site.context.common_test(site.variant, instruction)
    if common is not None:
        some, condition = lanes.some(common[0]), site.operand(common[1], SCALAR)
        return site.block.select(some, condition, FALSE if instruction.op == "any" else TRUE)
    match instruction.op:
        case "any":
            return lanes.some(instruction.operands[0])
        case "all":
            return site.block.binary("xor", lanes.some(instruction.operands[0], negated=True), TRUE)
        case "ballot":
            return lanes.ballot(instruction.operands[0])
        case "popcount":
            return lanes.count(instruction.operands[0])
        case "lane":
            return lanes.numbers(coordinates)
        case "lanes":
            return i32(lanes.count_all)
        case "first" | "last":
            return lanes.outermost(instruction.operands[0], last=instruction.op == "last")
        case "shuffle":
            value, lane = instruction.operands
            return lanes.shuffled(value, lane, coordinates)
        case fold:
            return lanes.folded(fold.removeprefix("reduce_"), instruction.operands[0])


def decision(site: Site, condition: Value) -> Operand:
    """The condition of a branch that all lanes take together, as a truth value.

    Those that execute the branch agree. In linearized code a select may choose a uniform value for them alone: then lanes that
    left before are undefined, the first one too, and only the active ones count.
    """
    if not site.context.varying(site.variant, condition):
        return site.operand(condition, SCALAR)
    return _Lanes(site, Horizontal(Var("decision", I1), "any", (condition,))).some(condition)


class _Lanes:
    """The lanes of a variant and which of them participate in one operation."""

    def __init__(self, site: Site, instruction: Horizontal) -> None:
        self.site = site
        self.block = site.block
        self.total = instruction.total
        self.registers = tuple(dict.fromkeys(site.context.all_registers(site.variant)))

    @property
    def count_all(self) -> int:
        return sum(map(len, self.registers))

    def active(self, register: Lanes) -> Operand | None:
        """The participating lanes of a register; None for all."""
        return mask_of(self.site, register) if self.total else activation(self.site, register)

    def starts(self) -> list[tuple[int, Lanes]]:
        """The registers with the number of their first lane."""
        found, start = [], 0
        for register in self.registers:
            found.append((start, register))
            start += len(register)
        return found

    # -- truth values -------------------------------------------------------------------------------------------------

    def truths(self, operand: Value, register: Lanes, *, negated: bool = False) -> Operand:
        """Where the operand is true (or false) in participating lanes."""
        truths = self.site.operand(operand, register)
        if negated:
            truths = self.block.binary("xor", truths, word(I1, 1, len(register)))
        return under(self.site, self.active(register), truths)

    def some(self, operand: Value, *, negated: bool = False) -> Operand:
        """Whether the operand is true (or false) anywhere: registers of one length are combined before the test."""
        united: dict[int, Operand] = {}
        for register in self.registers:
            truths = self.truths(operand, register, negated=negated)
            lanes = len(register)
            if lanes in united and self.may_merge(operand):
                truths = self.block.add(Hide(truths))
            united[lanes] = either(self.site, united[lanes], truths) if lanes in united else truths
        found = [self.block.any_lane(truths) for truths in united.values()]
        return reduce(lambda left, right: either(self.site, left, right), found)

    def may_merge(self, operand: Value) -> bool:
        """Whether LLVM could make one comparison of those of several registers (`rv.target.llvm_defects`)."""
        if not isinstance(operand, Var) or operand.name not in self.site.context.fences.reduced:
            return False
        found = self.site.context.definitions[operand.name].instruction
        sides = (found.left, found.right) if isinstance(found, CompareFloat) else ()
        return not sides or not all(self.site.context.varying(self.site.variant, side) for side in sides)

    def bits(self, masks: Sequence[Operand]) -> Operand:
        """Truth values of registers as an i64, the first lane lowest; at most 64 lanes."""
        result: Operand = ZERO
        start = 0
        for mask in masks:
            packed = self.packed(mask)
            if start == 0:
                result = packed
            else:
                shifted = self.block.binary("shl", packed, i64(start))
                result = self.block.add(Binary("or", result, shifted, promise="disjoint"))
            start += lanes_of(mask.type)
        return result

    def packed(self, mask: Operand) -> Operand:
        """A vector of truth values as an i64."""
        lanes = lanes_of(mask.type)
        if lanes > 1:
            mask = self.block.convert("bitcast", mask, IntType(lanes))
        return mask if lanes == BALLOT_LANES else self.block.convert("zext", mask, I64)

    def ballot(self, operand: Value) -> Operand:
        if self.count_all > BALLOT_LANES:
            raise InternalError(f"a ballot of {self.count_all} lanes", "legality refuses these")
        return self.bits([self.truths(operand, register) for register in self.registers])

    def count(self, operand: Value) -> Operand:
        """How many bits are set, 64 lanes at a time."""
        total: Operand = ZERO
        pending: list[Lanes] = []
        for register in (*self.registers, None):
            if register is None or sum(map(len, pending)) + len(register) > BALLOT_LANES:
                bits = self.bits([self.truths(operand, own) for own in pending])
                total = self.block.integer("add", total, self.block.add(Elementwise("ctpop", (bits,))))
                pending = []
            if register is not None:
                pending.append(register)
        return self.site.truncate(total, I32)

    # -- values -------------------------------------------------------------------------------------------------------

    def numbers(self, coordinates: Lanes) -> Operand:
        """The numbers of the lanes of a register; a scalar's is that of the first lane."""
        order = [lane for register in self.registers for lane in register]
        return integers(I32, [0 if coordinates == SCALAR else order.index(lane) for lane in coordinates])

    def outermost(self, operand: Value, *, last: bool) -> Operand:
        """The operand of the first (or last) participating lane: of the first register that has one, by the number of its bit."""
        if not last and (self.total or self.site.predicate == ir.TRUE):
            return self._first_of_all(operand)
        result: Operand = Undefined(operand.type)
        for register in self.registers if last else reversed(self.registers):
            active = self.active(register)
            value = self.site.operand(operand, register)
            lanes = len(register)
            if active is None:
                result = value if lanes == 1 else self.block.extract(value, lanes - 1 if last else 0)
                continue
            if lanes > 1:
                value = self.block.add(Extract(value, self._edge(self.packed(active), last=last)))
            some = self.block.any_lane(active)
            result = value if isinstance(result, Undefined) else self.block.select(some, value, result)
        return result

    def _first_of_all(self, operand: Value) -> Operand:
        """The operand of lane 0, which is in every mask."""
        register = self.registers[0]
        value = self.site.operand(operand, register)
        return value if len(register) == 1 else self.block.extract(value, 0)

    def _edge(self, bits: Operand, *, last: bool) -> Operand:
        """The number of the lowest (or highest) bit; poison when there is none."""
        zeros = self.block.add(Elementwise("ctlz" if last else "cttz", (bits,)))
        return self.block.binary("xor", zeros, i64(BALLOT_LANES - 1)) if last else zeros

    def shuffled(self, value: Value, lane: Value, coordinates: Lanes) -> Operand:
        """For every lane of `coordinates` the value of the lane that it names, register by register."""
        result: Operand | None = None
        wanted = self.site.operand(lane, coordinates)
        lanes = len(coordinates)
        for start, register in self.starts():
            index = wanted
            first = word(I32, start, lanes)
            if start:
                index = self.block.binary("sub", wanted, first)
            taken = self._taken(self.site.operand(value, register), index)
            if result is None:
                result = taken
                continue
            result = self.block.select(self.block.compare("uge", wanted, first), taken, result)
        assert result is not None
        return result

    def _taken(self, source: Operand, index: Operand) -> Operand:
        """Elements of a register by number; LLVM makes one permutation of them where the machine has it."""
        lanes = lanes_of(index.type)
        if lanes_of(source.type) == 1:
            return source if lanes == 1 else self.block.broadcast(source, lanes)

        def element(k: int) -> Operand:
            return self.block.add(Extract(source, index if lanes == 1 else self.block.extract(index, k)))

        return element(0) if lanes == 1 else self.block.vector([element(k) for k in range(lanes)], lane_type(source))

    # -- folds --------------------------------------------------------------------------------------------------------

    def folded(self, operation: str, operand: Value) -> Operand:
        """All participating lanes as one number: in ascending order unless the result does not depend on the order."""
        type_ = operand.type
        if not isinstance(type_, FloatType) or (self.site.context.fp == "fast" and operation in ("fadd", "fmul")):
            return self._in_any_order(operation, operand)
        if operation in ("fadd", "fmul"):
            result: Operand = constant(identity(operation, type_))
            for register in self.registers:
                result = self._reduce(operation, self._neutralized(operation, operand, register), result)
            return result
        return self._extremum(operation, operand)

    def _in_any_order(self, operation: str, operand: Value) -> Operand:
        type_ = operand.type
        united: dict[int, Operand] = {}
        for register in self.registers:
            value, lanes = self._neutralized(operation, operand, register), len(register)
            united[lanes] = combine(self.site, operation, united[lanes], value) if lanes in united else value
        start = constant(identity(operation, type_)) if isinstance(type_, FloatType) else None
        parts = [value if lanes == 1 else self._reduce(operation, value, start) for lanes, value in united.items()]
        return reduce(lambda left, right: combine(self.site, operation, left, right), parts)

    def _neutralized(self, operation: str, operand: Value, register: Lanes) -> Operand:
        return self._replaced(operand, register, identity(operation, operand.type))

    def _replaced(self, operand: Value, register: Lanes, by: Const) -> Operand:
        """The operand, with a constant in lanes that do not participate."""
        active, value = self.active(register), self.site.operand(operand, register)
        return value if active is None else self.block.select(active, value, constant(by, len(register)))

    def _reduce(self, operation: str, value: Operand, start: Operand | None) -> Operand:
        """All lanes; floating-point sums and products go on from `start`, in order where that matters."""
        mode = self.site.context.fp if start is not None else "strict"
        if start is not None and lanes_of(value.type) == 1:
            return self.block.add(Binary(cast(BinaryOp, operation), start, value, mode))
        return self.block.add(Reduce(cast(ReduceOp, operation), value, start, mode))

    def _extremum(self, operation: str, operand: Value) -> Operand:
        """C's fmin and fmax as libm has them: neighbours are combined, which keeps the order that the sign of a zero depends on.

        What does not participate is a NaN.
        """
        type_ = operand.type
        missing = Const(type_, {32: 0x7FC00000, 64: 0x7FF8 << 48}[bits_of(type_)])
        result: Operand | None = None
        for register in self.registers:
            value, lanes = self._replaced(operand, register, missing), len(register)
            while lanes % 2 == 0:
                even, odd = (self._every_second(value, first) for first in (0, 1))
                lanes //= 2
                value = self._extreme(operation, even, odd)
            for lane in range(lanes):
                one = value if lanes == 1 else self.block.extract(value, lane)
                result = one if result is None else self._extreme(operation, result, one)
        assert result is not None
        return result

    def _every_second(self, value: Operand, first: int) -> Operand:
        lanes = lanes_of(value.type)
        return self.block.extract(value, first) if lanes == 2 else self.block.shuffle(value, None, range(first, lanes, 2))

    def _extreme(self, operation: str, left: Operand, right: Operand) -> Operand:
        x86 = self.site.context.target.architecture == "x86_64"
        return emit_min_max(self.block, "minnum" if operation == "fmin" else "maxnum", left, right, x86=x86)
