"""Loops of one or two vector operations, written in the vector IR: what is measured to know how many of them start in a cycle.

    %a1 = fadd %a, %x                              `rounds` times, each result hidden, so that nothing is folded
    %b1 = ...                                      for each chain

With one chain an iteration takes the latencies of its operations; with many the time that they need from their ports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from autotune.measure.core.timed import BUFFER, nanoseconds_of
from rv.ir.types import F32, F64, I32, I64, FloatType, IntType, Type, bits_of
from rv.target.machine import Target
from rv.vector.instructions import Access, Address, Convert, Elementwise, Gather, Hide, Load, Shuffle, Store
from rv.vector.types import vector_of
from rv.vector.values import Operand, Poison, Register, all_true, i64, integers, mask, word
from rv.vector.writer import BlockWriter, FunctionWriter

ROUNDS: Final = 4
"""Operations of each chain in an iteration, so that the loop itself does not count."""
LINE: Final = 64

Step = Callable[[BlockWriter, Operand, Operand, Register, int], Operand]
"""What a chain does with its value, a value that stays the same, the buffer, and the number of the operation."""


@dataclass(frozen=True, slots=True)
class Operations:
    """A kind of operation on vectors of these elements."""

    element: FloatType | IntType
    step: Step


def _binary(op: Any) -> Step:
    return lambda block, value, other, buffer, number: block.binary(op, value, other)


def _fma(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    return block.add(Elementwise("fma", (value, other, other)))


def _root(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    return block.add(Elementwise("sqrt", (value,)))


def _swap(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    """Neighbours change places: inside blocks of 128 bits."""
    lanes = _lanes(value)
    return block.add(Shuffle(value, other, tuple(lane ^ 1 if lane % 2 else lane + lanes for lane in range(lanes))))


def _reverse(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    lanes = _lanes(value)
    return block.add(Shuffle(value, Poison(value.type), tuple(reversed(range(lanes)))))


def _rounded(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    integers_ = block.add(Convert("bitcast", value, vector_of(I32, _lanes(value))))
    return block.add(Convert("sitofp", integers_, value.type))  # type: ignore[arg-type]


def _shifted(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    return block.binary("lshr", value, word(I64, 1, _lanes(value)))


def _loaded(offset: int, *, masked: bool = False) -> Step:
    """A load, and a bitwise operation that uses it."""

    def step(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
        place = offset + number * LINE * 2 % BUFFER
        at, access, active = _at(block, buffer, place), Access("buffer", 1), _alternate(value) if masked else None
        found = block.add(Load(at, value.type, access, active, masked))  # type: ignore[arg-type]
        return block.binary("xor", value, found)

    return step


def _stored(offset: int, *, masked: bool = False) -> Step:
    def step(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
        at = _at(block, buffer, offset + number * LINE * 2 % BUFFER)
        block.effect(Store(other, at, Access("buffer", 1), _alternate(value) if masked else None))
        return value

    return step


def _alternate(value: Operand) -> Operand:
    """A mask of every second lane."""
    return mask([lane % 2 == 0 for lane in range(_lanes(value))])


def _gathered(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    """A gather from places that depend on the value, in a line of their own for each lane."""
    lanes = _lanes(value)
    apart = integers(I64, [lane * LINE // 8 for lane in range(lanes)])
    places = block.binary("and", block.binary("xor", value, apart), word(I64, BUFFER // 8 - 1, lanes))
    return block.add(Gather(block.add(Address(buffer, places, I64)), all_true(lanes), I64, Access("buffer", 8)))


def _minimum(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    return block.select(block.compare("olt", value, other), value, other)


def _quotient(block: BlockWriter, value: Operand, other: Operand, buffer: Register, number: int) -> Operand:
    """Divided by the value, so that every second result is the same."""
    return block.binary("fdiv", other, value)


def _at(block: BlockWriter, buffer: Register, place: int) -> Operand:
    return block.address(buffer, i64(place), IntType(8))


def _lanes(value: Operand) -> int:
    return getattr(value.type, "lanes", 1)


KINDS: Final[dict[str, Operations]] = {
    "add": Operations(F64, _binary("fadd")),
    "multiply": Operations(F64, _binary("fmul")),
    "fused": Operations(F64, _fma),
    "shift": Operations(I64, _shifted),
    "logic": Operations(I64, _binary("xor")),
    "shuffle": Operations(F64, _swap),
    "across": Operations(F64, _reverse),
    "convert": Operations(F32, _rounded),
    "minimum": Operations(F64, _minimum),
    "product": Operations(IntType(16), _binary("mul")),
    "load": Operations(I64, _loaded(0)),
    "load across lines": Operations(I64, _loaded(LINE - 8)),
    "load under a mask": Operations(I64, _loaded(0, masked=True)),
    "store": Operations(I64, _stored(0)),
    "store under a mask": Operations(I64, _stored(0, masked=True)),
    "store across lines": Operations(I64, _stored(LINE - 8)),
    "gather": Operations(I64, _gathered),
    "quotient f32": Operations(F32, _quotient),
    "quotient f64": Operations(F64, _quotient),
    "root f32": Operations(F32, _root),
    "root f64": Operations(F64, _root),
}


def nanoseconds(target: Target, bits: int, kinds: Sequence[str], chains: int) -> float:
    """The time of one operation of each of these kinds on registers of so many bits, with so many chains of each."""
    types: list[Type] = [KINDS[kind].element for kind in kinds for _ in range(chains)]

    def first(block: BlockWriter, buffer: Register) -> list[Operand]:
        others = [block.add(Hide(first_vector(block, buffer, KINDS[kind].element, bits, 0))) for kind in kinds]
        return [*others, *(first_vector(block, buffer, element, bits, number) for number, element in enumerate(types))]

    def turn(
        function: FunctionWriter, block: BlockWriter, buffer: Register, carried: Sequence[Operand]
    ) -> tuple[BlockWriter, list[Operand]]:
        others, values = dict(zip(kinds, carried, strict=False)), list(carried[len(kinds) :])
        for number, (place, kind) in enumerate(_places(kinds, chains)):
            values[place] = block.add(Hide(KINDS[kind].step(block, values[place], others[kind], buffer, number)))
        return block, [*others.values(), *values]

    return nanoseconds_of(target, first, turn) / (ROUNDS * chains)


def first_vector(block: BlockWriter, buffer: Register, element: Type, bits: int, number: int) -> Operand:
    """The vector at the place of this number in the buffer."""
    return block.add(Load(_at(block, buffer, 8 * number), vector_of(element, bits // bits_of(element)), Access("buffer", 1)))


def _places(kinds: Sequence[str], chains: int) -> Iterator[tuple[int, str]]:
    """The chains of an iteration in turn, kinds mixed, each as often as there are rounds."""
    for _ in range(ROUNDS):
        for chain in range(chains):
            yield from ((number * chains + chain, kind) for number, kind in enumerate(kinds))
