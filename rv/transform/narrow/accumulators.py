"""Accumulators are computed in their own type, not in the wider one that C's promotions give them.

    %w = zext i8 %acc to i32                  %t.1 = trunc i32 %x to i8
    %s = or i32 %w, %x                 ->     %acc.1 = or i8 %acc, %t.1
    %acc.1 = trunc i32 %s to i8

The low bits of sums, differences, products and of `&`, `|`, `^` depend on the low bits of the operands only, those of a choice on
the choice. A comparison of wide numbers is one of narrow numbers where all that is compared fits the narrow type.
Only what leads from a header's phi back to it is changed, so that `unsigned char acc |= x` is the reduction that it is in
`unsigned acc |= x`. Needs one latch and one preheader for each loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Instruction, IntPredicate, Phi, Select, operands
from rv.ir.rewrite import FreshNames, with_result
from rv.ir.types import IntType
from rv.ir.values import Const, Value, Var, const_int

_LOW_BITS: Final = frozenset({"add", "sub", "mul", "and", "or", "xor"})
_DEEPEST: Final = 24


def narrow_accumulators(function: Function) -> Function:
    """The function with such arithmetic in all of its loops; the same function when there is none."""
    for loop in find_loops(function).loops.values():
        if len(loop.latches) != 1 or len(loop.entering) != 1:
            continue
        for phi in function.block(loop.header).phis:
            if isinstance(phi.result.type, IntType) and 1 < phi.result.type.bits < 64:
                function = _Narrowing(function, loop, phi, phi.result.type).result()
    return function


@dataclass(slots=True)
class _Narrowing:
    """The change for one phi. `code` are the new instructions to stand before one that is replaced, by its result."""

    function: Function
    loop: NaturalLoop
    phi: Phi
    type: IntType
    known: Mapping[str, Definition] = field(init=False)
    partial: frozenset[str] = field(init=False)
    names: FreshNames = field(init=False)

    def __post_init__(self) -> None:
        self.known = definitions(self.function)
        self.partial = self._depending()
        self.names = FreshNames.of(self.function)

    def result(self) -> Function:
        back = self.phi.value_from(self.loop.latches[0])
        if not isinstance(back, Var) or back.name not in self.partial or self._counts(back):
            return self.function
        changed: dict[str, list[Instruction]] = {}
        for name, definition in self.known.items():
            if name not in self.partial:
                continue
            code = self._replacement(definition) if isinstance(definition, Convert | CompareInt) else None
            if code is not None:
                changed[name] = code
        if not changed:
            return self.function
        blocks = tuple(
            replace(block, body=tuple(new for old in block.body for new in changed.get(_name(old), [old])))
            for block in self.function.blocks
        )
        return replace(self.function, blocks=blocks)

    def _depending(self) -> frozenset[str]:
        """What is computed in the loop from the phi: in straight lines, choices and phis."""
        inside = [s for b in self.function.blocks if b.label in self.loop.blocks for s in (*b.phis, *b.body)]
        nodes = [s for s in inside if isinstance(s, Binary | Convert | CompareInt | Select | Phi)]
        found, before = {self.phi.result.name}, 0
        while before < len(found):
            before = len(found)
            found |= {s.result.name for s in nodes if any(isinstance(v, Var) and v.name in found for v in operands(s))}
        return frozenset(found)

    def _counts(self, back: Var) -> bool:
        """Whether only what is fixed in the loop is added in an iteration: then nothing is accumulated."""
        leaves, pending = set[str](), [back.name]
        while pending:
            name = pending.pop()
            definition = self.known.get(name)
            if definition is not None and name in self.partial and name != self.phi.result.name:
                pending += [value.name for value in operands(definition) if isinstance(value, Var) and value.name not in leaves]
            leaves.add(name)
        inside = [i.result for b in self.function.blocks if b.label in self.loop.blocks for i in b.body]
        return not any(result is not None and result.name in leaves - self.partial for result in inside)

    def _replacement(self, definition: Convert | CompareInt) -> list[Instruction] | None:
        code: list[Instruction] = []
        match definition:
            case Convert(result=result, op="trunc", value=value) if result.type == self.type and self._is_folded(value):
                return self._ending(definition, self._low(value, code, 0), code)
            case CompareInt():
                return self._comparison(definition, code)
            case _:
                return None

    @staticmethod
    def _ending(replaced: Convert, value: Value | None, code: list[Instruction]) -> list[Instruction] | None:
        """The code with the replaced variable as its last result."""
        if value is None or not code or code[-1].result != value:
            return None
        return [*code[:-1], with_result(code[-1], replaced.result)]

    # -- low bits

    def _is_folded(self, value: Value, depth: int = 0) -> bool:
        """Whether a wide value is computed by operations on low bits from a partial result of the narrow type."""
        definition = self.known.get(value.name) if isinstance(value, Var) and value.name in self.partial else None
        match definition:
            case Convert(op="zext" | "sext", value=source):
                return source.type == self.type
            case Binary(op=op, left=left, right=right) if op in _LOW_BITS and depth < _DEEPEST:
                return self._is_folded(left, depth + 1) or self._is_folded(right, depth + 1)
            case Select(then=then, otherwise=otherwise) if depth < _DEEPEST:
                return self._is_folded(then, depth + 1) or self._is_folded(otherwise, depth + 1)
            case _:
                return False

    def _low(self, value: Value, code: list[Instruction], depth: int) -> Value:
        """The low bits of a wide value."""
        definition = self.known.get(value.name) if isinstance(value, Var) else None
        if isinstance(value, Const):
            return const_int(self.type, value.signed)
        new = self.names.variable("low", self.type)
        match definition:
            case Convert(op="zext" | "sext", value=source) if source.type == self.type:
                return source
            case Convert(op="zext" | "sext" as op, value=source) if _bits(source) < self.type.bits:
                code.append(Convert(new, op, source, definition.span))
            case Binary(op=op, left=left, right=right) if op in _LOW_BITS and self._is_folded(value):
                a, b = self._low(left, code, depth + 1), self._low(right, code, depth + 1)
                code.append(Binary(new, op, a, b, span=definition.span))
            case Select(condition=condition, then=then, otherwise=otherwise) if self._is_folded(value):
                a, b = self._low(then, code, depth + 1), self._low(otherwise, code, depth + 1)
                code.append(Select(new, condition, a, b, definition.span))
            case _:
                code.append(Convert(new, "trunc", value, None if definition is None else definition.span))
        return new

    # -- comparisons

    def _comparison(self, compare: CompareInt, code: list[Instruction]) -> list[Instruction] | None:
        """The comparison in the narrow type, where both sides fit it as signed or both as unsigned numbers."""
        if _bits(compare.left) <= self.type.bits or not any(map(self._is_extended, (compare.left, compare.right))):
            return None
        predicate: IntPredicate = compare.predicate
        sides = (compare.left, compare.right)
        if all(self._fits(side, signed=True) for side in sides) and predicate[0] != "u":
            pass
        elif all(self._fits(side, signed=False) for side in sides):
            predicate = predicate if predicate in ("eq", "ne") else "u" + predicate[1:]  # type: ignore[assignment]
        else:
            return None
        left, right = (self._low(side, code, 0) for side in sides)
        return [*code, CompareInt(compare.result, predicate, left, right, compare.span)]

    def _is_extended(self, value: Value) -> bool:
        definition = self.known.get(value.name) if isinstance(value, Var) and value.name in self.partial else None
        return isinstance(definition, Convert) and definition.op in ("zext", "sext") and definition.value.type == self.type

    def _fits(self, value: Value, *, signed: bool) -> bool:
        """Whether a wide value is a number of the narrow type, read as signed or as unsigned."""
        low, high = (-(1 << self.type.bits - 1), 1 << self.type.bits - 1) if signed else (0, 1 << self.type.bits)
        if isinstance(value, Const):
            return low <= value.signed < high
        match self.known.get(value.name) if isinstance(value, Var) else None:
            case Convert(op="zext", value=source):
                return (1 << _bits(source)) <= high
            case Convert(op="sext", value=source):
                return signed and _bits(source) <= self.type.bits
            case Binary(op="and", right=Const() as mask):
                return 0 <= mask.signed < high
            case _:
                return False


def _bits(value: Value) -> int:
    assert isinstance(value.type, IntType)
    return value.type.bits


def _name(instruction: Instruction) -> str:
    return "" if instruction.result is None else instruction.result.name
