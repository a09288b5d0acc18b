"""Operations across the lanes of a copy (thesis, figure 4.15; their meaning: `rv.ir.instructions.Horizontal`).

The lanes are those of the copy that is being written, numbered by the projection, in all of its registers: in a tail those of
the narrower brush. Inactive ones, outside the mask of the copy or under a false predicate, do not participate.

What asks about truth values works on masks: the registers' masks, put together, are one integer (a move from a mask register
or a `movmsk`), which is compared with zero, counted, or the ballot itself. Folds replace what inactive lanes hold by the
neutral element.
"""

from __future__ import annotations

from collections.abc import Sequence

from rv.internal_error import InternalError
from rv.ir.instructions import Horizontal
from rv.ir.types import I1, I32, FloatType, Type, bits_of
from rv.ir.values import TRUE, Const, Value, Var
from rv.widen.lanes import SCALAR, Pattern
from rv.widen.llvm_text import constant_text, int_vector, type_text
from rv.widen.math_calls import emit_call
from rv.widen.operations import FLOAT_FLAGS
from tensorrv.brush.masks import activation, any_lane, either, mask_of, under
from tensorrv.brush.memory_lines import mangled
from tensorrv.brush.reductions import combine, identity
from tensorrv.brush.site import Site

BALLOT_LANES = 64
"""The bits of a ballot."""


def horizontal(site: Site, instruction: Horizontal, pattern: Pattern) -> str:
    """The result in the lanes of `pattern`, which is scalar for what is the same in all of them."""
    lanes = _Lanes(site, instruction)
    common = site.context.common_test(site.copy, instruction)
    if common is not None:
        some, condition = lanes.some(common[0]), site.operand(common[1], SCALAR)
        constant = "false" if instruction.op == "any" else "true"
        return site.block.pure(f"select i1 {some}, i1 {condition}, i1 {constant}", [some, condition])
    match instruction.op:
        case "any":
            return lanes.some(instruction.operands[0])
        case "all":
            return site.block.pure(f"xor i1 {(found := lanes.some(instruction.operands[0], negated=True))}, true", [found])
        case "ballot":
            return lanes.ballot(instruction.operands[0])
        case "popcount":
            return lanes.count(instruction.operands[0])
        case "lane":
            return lanes.numbers(pattern)
        case "lanes":
            return str(lanes.count_all)
        case "first" | "last":
            return lanes.outermost(instruction.operands[0], last=instruction.op == "last")
        case "shuffle":
            value, lane = instruction.operands
            return lanes.shuffled(value, lane, pattern)
        case fold:
            return lanes.folded(fold.removeprefix("reduce_"), instruction.operands[0])


def decision(site: Site, condition: Value) -> str:
    """The condition of a branch that all lanes take together, as a truth value.

    Those that execute the branch agree. In linearized code a select may choose a uniform value for them alone: then lanes that
    left before hold anything, the first one too, and those that are active are asked.
    """
    if not site.context.varying(site.copy, condition):
        return site.operand(condition, SCALAR)
    return _Lanes(site, Horizontal(Var("decision", I1), "any", (condition,))).some(condition)


class _Lanes:
    """The lanes of a copy and which of them participate in one operation."""

    def __init__(self, site: Site, instruction: Horizontal) -> None:
        self.site = site
        self.block = site.block
        self.total = instruction.total
        self.registers = tuple(dict.fromkeys(site.context.all_registers(site.copy)))

    @property
    def count_all(self) -> int:
        return sum(map(len, self.registers))

    def active(self, register: Pattern) -> str | None:
        """The participating lanes of a register; None for all."""
        return mask_of(self.site, register) if self.total else activation(self.site, register)

    def starts(self) -> list[tuple[int, Pattern]]:
        """The registers with the number of their first lane."""
        found, start = [], 0
        for register in self.registers:
            found.append((start, register))
            start += len(register)
        return found

    # -- truth values -------------------------------------------------------------------------------------------------

    def truths(self, operand: Value, register: Pattern, *, negated: bool = False) -> str:
        """Where the operand is true (or false) in participating lanes."""
        lanes = len(register)
        text = self.site.operand(operand, register)
        if negated:
            text = self.block.pure(f"xor {type_text(I1, lanes)} {text}, {constant_text(TRUE, lanes)}", [text])
        return under(self.site, self.active(register), text, lanes)

    def some(self, operand: Value, *, negated: bool = False) -> str:
        """Whether the operand is true (or false) anywhere: registers of one length are united before they are asked."""
        united: dict[int, tuple[str, Pattern]] = {}
        for register in self.registers:
            truths = self.truths(operand, register, negated=negated)
            if len(register) in united:
                truths = either(self.site, united[len(register)][0], truths, len(register))
            united[len(register)] = truths, register
        found = [any_lane(self.site, truths, register) for truths, register in united.values()]
        result = found[0]
        for other in found[1:]:
            result = either(self.site, result, other, 1)
        return result

    def bits(self, masks: Sequence[str], registers: Sequence[Pattern]) -> str:
        """Truth values of registers as an i64, the first lane lowest; at most 64 lanes."""
        result, start = "0", 0
        for mask, register in zip(masks, registers, strict=True):
            packed = self.packed(mask, len(register))
            shifted = packed if start == 0 else self.block.pure(f"shl i64 {packed}, {start}", [packed])
            result = shifted if start == 0 else self.block.pure(f"or disjoint i64 {result}, {shifted}", [result, shifted])
            start += len(register)
        return result

    def packed(self, mask: str, lanes: int) -> str:
        """A vector of truth values as an i64."""
        if lanes > 1:
            mask = self.block.pure(f"bitcast {type_text(I1, lanes)} {mask} to i{lanes}", [mask])
        return mask if lanes == 64 else self.block.pure(f"zext i{lanes} {mask} to i64", [mask])

    def ballot(self, operand: Value) -> str:
        if self.count_all > BALLOT_LANES:
            raise InternalError(f"a ballot of {self.count_all} lanes", "legality refuses these")
        return self.bits([self.truths(operand, register) for register in self.registers], self.registers)

    def count(self, operand: Value) -> str:
        """How many bits are set, 64 lanes at a time."""
        total = "0"
        pending: list[Pattern] = []
        for register in (*self.registers, None):
            if register is None or sum(map(len, pending)) + len(register) > BALLOT_LANES:
                bits = self.bits([self.truths(operand, own) for own in pending], pending)
                self.site.llvm.declare("llvm.ctpop.i64", "declare i64 @llvm.ctpop.i64(i64)")
                counted = self.block.pure(f"call i64 @llvm.ctpop.i64(i64 {bits})", [bits])
                total = self.block.integer("add", total, counted)
                pending = []
            if register is not None:
                pending.append(register)
        return self.site.truncate(total, I32)

    # -- values -------------------------------------------------------------------------------------------------------

    def numbers(self, pattern: Pattern) -> str:
        """The numbers of the lanes of a register; a scalar's is that of the first lane."""
        order = [lane for register in self.registers for lane in register]
        return int_vector(I32, [0 if pattern == SCALAR else order.index(lane) for lane in pattern])

    def outermost(self, operand: Value, *, last: bool) -> str:
        """The operand of the first (or last) participating lane: of the first register that has one, by the number of its bit."""
        if not last and (self.total or self.site.predicate == TRUE):
            return self._first_of_all(operand)
        result = "undef"
        for register in self.registers if last else reversed(self.registers):
            active = self.active(register)
            value = self.site.operand(operand, register)
            lanes, type_ = len(register), operand.type
            if active is None:
                result = value if lanes == 1 else self.block.extract(value, type_, lanes, lanes - 1 if last else 0)
                continue
            if lanes > 1:
                lane = self._edge(self.packed(active, lanes), last=last)
                value = self.block.pure(f"extractelement {type_text(type_, lanes)} {value}, i64 {lane}", [value, lane])
            some = any_lane(self.site, active, register)
            line = f"select i1 {some}, {type_} {value}, {type_} {result}"
            result = value if result == "undef" else self.block.pure(line, [some, value, result])
        return result

    def _first_of_all(self, operand: Value) -> str:
        """The operand of lane 0, which is in every mask."""
        register = self.registers[0]
        value = self.site.operand(operand, register)
        return value if len(register) == 1 else self.block.extract(value, operand.type, len(register), 0)

    def _edge(self, bits: str, *, last: bool) -> str:
        """The number of the lowest (or highest) bit; poison when there is none."""
        name = f"llvm.{'ctlz' if last else 'cttz'}.i64"
        self.site.llvm.declare(name, f"declare i64 @{name}(i64, i1)")
        zeros = self.block.pure(f"call i64 @{name}(i64 {bits}, i1 true)", [bits])
        return self.block.pure(f"xor i64 {zeros}, 63", [zeros]) if last else zeros

    def shuffled(self, value: Value, lane: Value, pattern: Pattern) -> str:
        """For every lane of `pattern` the value of the lane that it names, register by register."""
        result = ""
        wanted = self.site.operand(lane, pattern)
        lanes, type_ = len(pattern), value.type
        for start, register in self.starts():
            index = wanted
            if start:
                by = int_vector(I32, [start] * lanes)
                index = self.block.pure(f"sub {type_text(I32, lanes)} {wanted}, {by}", [wanted], weight=lanes > 1)
            taken = self._taken(self.site.operand(value, register), type_, len(register), index, lanes)
            if not result:
                result = taken
                continue
            first = int_vector(I32, [start] * lanes)
            behind = self.block.pure(f"icmp uge {type_text(I32, lanes)} {wanted}, {first}", [wanted], weight=lanes > 1)
            text, truth = type_text(type_, lanes), type_text(I1, lanes)
            result = self.block.pure(
                f"select {truth} {behind}, {text} {taken}, {text} {result}", [behind, taken, result],
                weight=self.site.weight(bits_of(type_), lanes),
            )  # fmt: skip
        return result

    def _taken(self, source: str, type_: Type, length: int, index: str, lanes: int) -> str:
        """Elements of a register by number; LLVM makes one permutation of them where the machine has it."""
        if length == 1:
            return source if lanes == 1 else self.block.splat(source, type_, lanes)

        def element(k: int) -> str:
            number = index if lanes == 1 else self.block.extract(index, I32, lanes, k)
            return self.block.pure(f"extractelement {type_text(type_, length)} {source}, i32 {number}", [source, number])

        return element(0) if lanes == 1 else self.block.build_vector([element(k) for k in range(lanes)], type_)

    # -- folds --------------------------------------------------------------------------------------------------------

    def folded(self, operation: str, operand: Value) -> str:
        """All participating lanes as one number: in ascending order unless the order cannot be told from the result."""
        type_ = operand.type
        if not isinstance(type_, FloatType) or (self.site.context.plan.fp == "fast" and operation in ("fadd", "fmul")):
            return self._in_any_order(operation, operand)
        if operation in ("fadd", "fmul"):
            result = constant_text(identity(operation, type_))
            for register in self.registers:
                result = self._reduce(operation, type_, self._neutralized(operation, operand, register), len(register), result)
            return result
        return self._extremum(operation, operand)

    def _in_any_order(self, operation: str, operand: Value) -> str:
        type_ = operand.type
        united: dict[int, str] = {}
        for register in self.registers:
            value, lanes = self._neutralized(operation, operand, register), len(register)
            united[lanes] = combine(self.site, operation, type_, united[lanes], value, lanes) if lanes in united else value
        result = ""
        for lanes, value in united.items():
            start = constant_text(identity(operation, type_)) if isinstance(type_, FloatType) else ""
            part = value if lanes == 1 else self._reduce(operation, type_, value, lanes, start)
            result = combine(self.site, operation, type_, result, part, 1) if result else part
        return result

    def _neutralized(self, operation: str, operand: Value, register: Pattern) -> str:
        return self._replaced(operand, register, identity(operation, operand.type))

    def _replaced(self, operand: Value, register: Pattern, by: Const) -> str:
        """The operand, with a constant in lanes that do not participate."""
        active, value, lanes = self.active(register), self.site.operand(operand, register), len(register)
        if active is None:
            return value
        text = type_text(operand.type, lanes)
        line = f"select {type_text(I1, lanes)} {active}, {text} {value}, {text} {constant_text(by, lanes)}"
        return self.block.pure(line, [active, value], weight=self.site.weight(bits_of(operand.type), lanes))

    def _reduce(self, operation: str, type_: Type, value: str, lanes: int, start: str) -> str:
        """LLVM's reduction of a vector; floating-point sums and products go on from `start`, in order where that matters."""
        flags = FLOAT_FLAGS[self.site.context.plan.fp] if start else ""
        if lanes == 1:
            return self.block.pure(f"{operation}{flags} {type_} {start}, {value}", [start, value])
        text = type_text(type_, lanes)
        name = f"llvm.vector.reduce.{operation}.v{lanes}{mangled(type_)}"
        first = f"{type_} {start}, " if start else ""
        self.site.llvm.declare(name, f"declare {type_} @{name}({f'{type_}, ' if start else ''}{text})")
        return self.block.pure(f"call{flags} {type_} @{name}({first}{text} {value})", [value, start])

    def _extremum(self, operation: str, operand: Value) -> str:
        """C's fmin and fmax as libm has them: neighbours are combined, which keeps the order that the sign of a zero depends on.

        What does not participate is a NaN.
        """
        type_ = operand.type
        missing = Const(type_, {32: 0x7FC00000, 64: 0x7FF8 << 48}[bits_of(type_)])
        result = ""
        for register in self.registers:
            value, lanes = self._replaced(operand, register, missing), len(register)
            while lanes % 2 == 0:
                even, odd = (self._every_second(value, type_, lanes, first) for first in (0, 1))
                lanes //= 2
                value = self._extreme(operation, type_, even, odd, lanes)
            for lane in range(lanes):
                one = value if lanes == 1 else self.block.extract(value, type_, lanes, lane)
                result = self._extreme(operation, type_, result, one, 1) if result else one
        return result

    def _every_second(self, value: str, type_: Type, lanes: int, first: int) -> str:
        if lanes == 2:
            return self.block.extract(value, type_, lanes, first)
        return self.block.shuffle(value, "poison", type_, lanes, list(range(first, lanes, 2)))

    def _extreme(self, operation: str, type_: Type, left: str, right: str, lanes: int) -> str:
        name = operation if bits_of(type_) == 64 else f"{operation}f"
        x86 = self.site.context.target.architecture == "x86_64"
        return emit_call(self.block, name, type_, [left, right], [type_, type_], lanes, self.site.context.plan.fp, x86=x86)
