"""Operations across lanes in the blocks of any function: what threads see of each other becomes visible, and decides.

    %b = horizontal i64 ballot(1)        a census of the threads that come to a block, in an array
    %y = horizontal i32 reduce_add(%x)   mixed into a variable, which the block and its successors use from then on
    branch any(%c)                       the threads that come decide together
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from rv.analysis.verify import verify
from rv.ir.function import Block, Function
from rv.ir.instructions import (
    HORIZONTAL_OPS,
    Binary,
    Branch,
    CompareFloat,
    Convert,
    ElementPointer,
    Horizontal,
    Instruction,
    Load,
    Select,
    Store,
)
from rv.ir.rewrite import FreshNames, map_operands
from rv.ir.types import F32, F64, I1, I32, I64, PTR, FloatType, Type
from rv.ir.values import TRUE, Value, Var, const_float, const_i32, const_i64

INTEGER_FOLDS = tuple(op for op in HORIZONTAL_OPS if op.startswith("reduce_") and not op.startswith("reduce_f"))
FLOAT_FOLDS = tuple(op for op in HORIZONTAL_OPS if op.startswith("reduce_f"))


def with_horizontals(function: Function, census: Var, count: int, chosen: random.Random) -> Function:
    """The function with a few operations across lanes; `census` is an array of `count` i32."""
    names = FreshNames.of(function)
    share = chosen.choice((0.15, 0.4, 0.8))
    for block in function.blocks:
        if chosen.random() < share:
            function = _Writer(function, names, chosen).changed(block.label, census, count)
    return verify(function)


class _Writer:
    def __init__(self, function: Function, names: FreshNames, chosen: random.Random) -> None:
        self.function, self.names, self.chosen = function, names, chosen
        self.code: list[Instruction] = []

    def new(self, name: str, type_: Type) -> Var:
        return self.names.variable(name, type_)

    def emit(self, instruction: Instruction) -> Var:
        self.code.append(instruction)
        assert instruction.result is not None
        return instruction.result

    def changed(self, label: str, census: Var, count: int) -> Function:
        block = self.function.block(label)
        kind = self.chosen.random()
        if kind < 0.25 and isinstance(block.terminator, Branch):
            op = self.chosen.choice(("any", "all"))
            tested = self.emit(Horizontal(self.new("tested", I1), op, (block.terminator.condition,)))  # type: ignore[arg-type]
            block = replace(block, body=(*block.body, *self.code), terminator=replace(block.terminator, condition=tested))
            return self.with_blocks({label: block})
        known = [v for v in _defined(block) if v.type in (I1, I32, I64, F32, F64)]
        seen = self.across(self.chosen.choice(known) if known else TRUE)
        if kind < 0.6 or not known:
            self.count(seen, census, const_i64(self.chosen.randrange(count)))
            return self.with_blocks({label: replace(block, body=(*block.body, *self.code))})
        return self.mixed(block, self.chosen.choice(known), seen)

    def mixed(self, block: Block, old: Var, seen: Var) -> Function:
        """`old` with something of `seen`, in its place from the end of the block on."""
        match old.type:
            case FloatType():
                op, like = "fadd", self.emit(Convert(self.new("f", old.type), "sitofp", self.to_i32(seen)))
            case _ if old.type == I1:
                op, like = "xor", self.emit(Convert(self.new("b", I1), "trunc", self.to_i32(seen)))
            case _:
                op, like = self.chosen.choice(("xor", "add", "and")), self.to_i32(seen)
                like = like if old.type == I32 else self.emit(Convert(self.new("w", I64), "sext", like))
        new = self.emit(Binary(self.new("mixed", old.type), op, old, like))  # type: ignore[arg-type]

        def change(value: Value) -> Value:
            return new if value == old else value

        changed = {block.label: replace(block, body=(*block.body, *self.code), terminator=map_operands(block.terminator, change))}
        for label in block.successors:
            target = changed.get(label, self.function.block(label))
            phis = (
                replace(p, incoming=tuple((s, change(v) if s == block.label else v) for s, v in p.incoming)) for p in target.phis
            )
            changed[label] = replace(target, phis=tuple(phis))
        return self.with_blocks(changed)

    def with_blocks(self, changed: dict[str, Block]) -> Function:
        return replace(self.function, blocks=tuple(changed.get(b.label, b) for b in self.function.blocks))

    def across(self, value: Value) -> Var:
        """Some operation on a value; the result is defined whoever takes part."""
        type_ = value.type
        if type_ == I1 or self.chosen.random() < 0.15:
            op = self.chosen.choice(("any", "all", "ballot", "popcount"))
            of: Value = value if type_ == I1 else TRUE
            result = self.new("seen", {"ballot": I64, "popcount": I32}.get(op, I1))
            return self.emit(Horizontal(result, op, (of,)))  # type: ignore[arg-type]
        folds = FLOAT_FOLDS if isinstance(type_, FloatType) else INTEGER_FOLDS
        kind = self.chosen.choice(("lane", "lanes", "first", "last", "shuffle", "shuffle", *folds))
        match kind:
            case "lane" | "lanes":
                return self.emit(Horizontal(self.new("seen", I32), kind, ()))  # type: ignore[arg-type]
            case "shuffle":
                return self.emit(Horizontal(self.new("seen", type_), "shuffle", (value, self.participant())))
            case _:
                return self.emit(Horizontal(self.new("seen", type_), kind, (value,)))  # type: ignore[arg-type]

    def participant(self) -> Var:
        """A lane that takes part: a certain other one if it does, else one's own."""
        lane = self.emit(Horizontal(self.new("lane", I32), "lane", ()))
        lanes = self.emit(Horizontal(self.new("lanes", I32), "lanes", ()))
        change = const_i32(self.chosen.choice((1, 1, 2, 3, 5)))
        moved = self.emit(Binary(self.new("moved", I32), self.chosen.choice(("xor", "add")), lane, change))  # type: ignore[arg-type]
        other = self.emit(Binary(self.new("other", I32), "urem", moved, lanes))
        ballot = self.emit(Horizontal(self.new("ballot", I64), "ballot", (TRUE,)))
        wide = self.emit(Convert(self.new("wide", I64), "zext", other))
        bits = self.emit(Binary(self.new("bits", I64), "lshr", ballot, wide))
        there = self.emit(Convert(self.new("there", I1), "trunc", bits))
        return self.emit(Select(self.new("lane", I32), there, other, lane))

    def count(self, seen: Var, census: Var, index: Value) -> None:
        """Adds what was seen to 31 times what the place holds."""
        pointer = self.emit(ElementPointer(self.new("place", PTR), I32, census, (index,), ()))
        old = self.emit(Load(self.new("old", I32), pointer))
        scaled = self.emit(Binary(self.new("scaled", I32), "mul", old, const_i32(31)))
        total = self.emit(Binary(self.new("total", I32), "add", scaled, self.to_i32(seen)))
        self.code.append(Store(total, pointer))

    def to_i32(self, value: Var) -> Var:
        """Something of a value as an integer."""
        match value.type:
            case FloatType() as type_:
                number = self.emit(CompareFloat(self.new("number", I1), "ord", value, value))
                kept = self.emit(Select(self.new("kept", type_), number, value, const_float(type_, 1.0)))
                if type_ == F32:
                    return self.emit(Convert(self.new("bits", I32), "bitcast", kept))
                bits = self.emit(Convert(self.new("bits", I64), "bitcast", kept))
                high = self.emit(Binary(self.new("high", I64), "lshr", bits, const_i64(32)))
                return self.to_i32(high)
            case _ if value.type == I64:
                return self.emit(Convert(self.new("low", I32), "trunc", value))
            case _ if value.type == I1:
                return self.emit(Convert(self.new("one", I32), "zext", value))
            case _:
                return value


def _defined(block: Block) -> Iterator[Var]:
    """What the block itself defines."""
    for statement in (*block.phis, *block.body):
        if statement.result is not None:
            yield statement.result
