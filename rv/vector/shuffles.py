"""Shuffles of shuffles that are stored: each register that is stored is made of what was loaded, by one shuffle.

    %3 = shuffle %0, %1 [0, 4, 8, 12]                     %6 = shuffle %0, %1 [0, 1, 2, 4]
    %4 = shuffle %0, %1 [1, 5, 9, 13]           ->        store %6, %o
    %5 = shuffle %3, %4 [0, 4, 1, 5]
    store %5, %o

Copies of pixels take channels out of registers and put them together again in another order. LLVM chooses good instructions for
one shuffle of two vectors, but does not find it behind a tree of them. A store of several registers becomes one for each. A block
keeps its shuffles where a register has lanes of more than two vectors, or where there would not be fewer shuffles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rv.ir.types import bits_of, size_of
from rv.vector.function import Block, Function, Module, Statement
from rv.vector.instructions import Address, Shuffle, Store, operands, terminator_operands
from rv.vector.types import ValueType, VectorType, element_of
from rv.vector.values import Operand, Poison, Register, i64

Lane = tuple[Operand, int] | None
"""A vector that is no shuffle, and which of its lanes; None where the lane may hold anything."""


def with_composed_shuffles(module: Module, register_bits: int) -> Module:
    """The module with shuffles of loaded registers only in front of stores, where these are fewer."""
    functions = tuple(_Function(function, register_bits).run() for function in module.functions)
    unchanged = all(new is old for new, old in zip(functions, module.functions, strict=True))
    return module if unchanged else replace(module, functions=functions)


class _Function:
    """The stores of one function."""

    def __init__(self, function: Function, register_bits: int) -> None:
        self.function = function
        self.register_bits = register_bits
        self.uses = Counter(_used(function))
        self.fresh = 0

    def run(self) -> Function:
        if not any(isinstance(s.instruction, Shuffle) for block in self.function.blocks for s in block.body):
            return self.function
        blocks = tuple(map(self.block, self.function.blocks))
        unchanged = all(new is old for new, old in zip(blocks, self.function.blocks, strict=True))
        return self.function if unchanged else replace(self.function, blocks=blocks)

    def block(self, block: Block) -> Block:
        shuffles = {s.result: s.instruction for s in block.body if isinstance(s.instruction, Shuffle) and s.result is not None}
        found: dict[int, tuple[Shuffle, ...]] = {}
        for number, statement in enumerate(block.body):
            if isinstance(statement.instruction, Store) and statement.instruction.mask is None:
                composed = self.composed(statement.instruction, shuffles)
                if composed is not None:
                    found[number] = composed
        roots = Counter(s.instruction.value for k, s in enumerate(block.body) if k in found and isinstance(s.instruction, Store))
        made = sum(len(composed) for composed in found.values())
        if not found or made >= self.removed(shuffles, roots):
            return block
        body = (new for k, s in enumerate(block.body) for new in (self.stores(s, found[k]) if k in found else (s,)))
        return replace(block, body=tuple(body))

    def composed(self, store: Store, shuffles: Mapping[Register, Shuffle]) -> tuple[Shuffle, ...] | None:
        """The shuffles for the registers of a store; None if its value is no shuffle of shuffles, or one register needs more."""
        root = shuffles.get(store.value) if isinstance(store.value, Register) else None
        if root is None or not any(operand in shuffles for operand in (root.left, root.right)):
            return None
        assert isinstance(root.type, VectorType)
        width = self.register_bits // bits_of(root.type.element)
        if len(root.mask) > width and len(root.mask) % width:
            return None
        lanes = [_source(root, lane, shuffles) for lane in range(len(root.mask))]
        pieces = [_shuffle(lanes[start : start + width]) for start in range(0, len(lanes), width)]
        whole = [piece for piece in pieces if piece is not None]
        return tuple(whole) if len(whole) == len(pieces) else None

    def removed(self, shuffles: Mapping[Register, Shuffle], roots: Counter[Operand]) -> int:
        """How many shuffles of registers nothing reads once stores read other vectors than `roots`."""
        gone, count, pending = Counter(roots), 0, list(roots)
        while pending:
            vector = pending.pop()
            shuffle = shuffles.get(vector) if isinstance(vector, Register) else None
            if shuffle is None or gone[vector] < self.uses[vector]:
                continue
            assert isinstance(shuffle.type, VectorType)
            count += -(-bits_of(shuffle.type.element) * shuffle.type.lanes // self.register_bits)
            for operand in operands(shuffle):
                gone[operand] += 1
                pending.append(operand)
        return count

    def stores(self, statement: Statement, composed: tuple[Shuffle, ...]) -> Iterator[Statement]:
        store = statement.instruction
        assert isinstance(store, Store)
        element, start = element_of(store.value.type), 0
        for piece in composed:
            value, pointer = self.register(piece.type), store.pointer
            yield replace(statement, result=value, instruction=piece)
            if start:
                address = Address(store.pointer, i64(start), element)
                pointer = self.register(address.type)
                yield replace(statement, result=pointer, instruction=address)
            access = store.access.part(start, len(piece.mask), size_of(element))
            yield replace(statement, instruction=replace(store, value=value, pointer=pointer, access=access))
            start += len(piece.mask)

    def register(self, type_: ValueType) -> Register:
        self.fresh += 1
        return Register(f".composed.{self.fresh}", type_)


def _used(function: Function) -> Iterator[Operand]:
    for block in function.blocks:
        yield from (operand for phi in block.phis for operand, _ in phi.incoming)
        yield from (operand for statement in block.body for operand in operands(statement.instruction))
        yield from terminator_operands(block.terminator)


def _source(shuffle: Shuffle, lane: int, shuffles: Mapping[Register, Shuffle]) -> Lane:
    """Where a lane of a shuffle comes from, through the shuffles that it reads."""
    while True:
        assert isinstance(shuffle.left.type, VectorType)
        number, lanes = shuffle.mask[lane], shuffle.left.type.lanes
        vector, lane = (shuffle.left, number) if number < lanes else (shuffle.right, number - lanes)
        if number < 0 or isinstance(vector, Poison):
            return None
        inner = shuffles.get(vector) if isinstance(vector, Register) else None
        if inner is None:
            return vector, lane
        shuffle = inner


def _shuffle(lanes: Sequence[Lane]) -> Shuffle | None:
    """One shuffle that gives these lanes; None where they are of more than two vectors, or of vectors of different types."""
    vectors = list(dict.fromkeys(lane[0] for lane in lanes if lane is not None))
    if not 1 <= len(vectors) <= 2 or vectors[0].type != vectors[-1].type:
        return None
    assert isinstance(vectors[0].type, VectorType)
    start = {vector: k * vectors[0].type.lanes for k, vector in enumerate(vectors)}
    mask = tuple(-1 if lane is None else start[lane[0]] + lane[1] for lane in lanes)
    return Shuffle(vectors[0], vectors[1] if len(vectors) == 2 else Poison(vectors[0].type), mask)
