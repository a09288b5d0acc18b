"""Loops of one or two vector operations, written in the vector IR: what is measured to know how many of them start in a cycle.

    loop:
      %a = phi [%a0, start], [%a2, loop]
      %b = phi ...                                 one for each chain
      %a1 = fadd %a, %x                            `rounds` times, each result hidden, so that nothing is folded
      ...

With one chain an iteration takes the latencies of its operations; with many the time that they need from their ports.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rv.emit.llvm import module_text
from rv.ir.types import F32, F64, I32, I64, PTR, FloatType, IntType, Type, bits_of
from rv.target.llvm import CompiledModule, Pipeline
from rv.target.machine import Target
from rv.vector.function import Module, Parameter
from rv.vector.instructions import Access, Address, Convert, Elementwise, Gather, Hide, Load, Shuffle, Store
from rv.vector.types import vector_of
from rv.vector.values import Operand, Poison, Register, all_true, i64, integers, mask, word
from rv.vector.writer import BlockWriter, FunctionWriter

AS_WRITTEN: Final = Pipeline(level=3, passes=False)
ROUNDS: Final = 4
"""Operations of each chain in an iteration, so that the loop itself does not count."""
LINE: Final = 64
BUFFER: Final = 16384
"""Bytes that loads and stores go to: they stay in the first cache."""
FEW: Final = 1000
SAMPLE: Final = 3e5
"""Nanoseconds: short enough that most samples are not interrupted."""
REPETITIONS: Final = 25

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
    text = module_text(Module(_function(bits, kinds, chains)), target)
    code = CompiledModule(text, target, AS_WRITTEN).jit()
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(code.address("measured"))
    # numbers between 1 and 2, as doubles and as floats
    buffer = np.full(2 * BUFFER // 8 + LINE, 0x3FF8_1234_3FA5_6789).view(np.float64)
    address = -(-buffer.ctypes.data // LINE) * LINE
    _timed(call, address, FEW)
    iterations = max(FEW, int(SAMPLE / max(_timed(call, address, FEW), 0.1)))
    return min(_timed(call, address, iterations) for _ in range(REPETITIONS)) / (ROUNDS * chains)


def _timed(call: Any, address: int, iterations: int) -> float:
    """Nanoseconds of processor time of one iteration."""
    start = time.thread_time_ns()
    call(iterations, address)
    return (time.thread_time_ns() - start) / iterations


def _function(bits: int, kinds: Sequence[str], chains: int) -> Any:
    count, buffer = Register("count", I64), Register("buffer", PTR)
    function = FunctionWriter("measured", (Parameter(count), Parameter(buffer)))
    start, loop, end = (function.block(label, fixed=True) for label in ("start", "loop", "end"))
    types: list[Type] = [KINDS[kind].element for kind in kinds for _ in range(chains)]
    firsts = [_first(start, buffer, element, bits, number) for number, element in enumerate(types)]
    others = {kind: start.add(Hide(_first(start, buffer, KINDS[kind].element, bits, 0))) for kind in kinds}
    start.jump(loop)
    counter = loop.phi(I64)
    phis = [loop.phi(first.type) for first in firsts]
    values: list[Operand] = [phi.result for phi in phis]
    for number, (place, kind) in enumerate(_places(kinds, chains)):
        values[place] = loop.add(Hide(KINDS[kind].step(loop, values[place], others[kind], buffer, number)))
    after = loop.integer("add", counter.result, 1)
    loop.branch(loop.compare("ult", after, count), loop, end)
    for phi, first, value in ((counter, i64(0), after), *zip(phis, firsts, values, strict=True)):
        phi.add(first, start.label)
        phi.add(value, loop.label)
    for value in values:
        end.effect(Store(value, buffer, Access("buffer", 1)))
    end.give_back()
    return function.finish()


def _first(block: BlockWriter, buffer: Register, element: Type, bits: int, number: int) -> Operand:
    return block.add(Load(_at(block, buffer, 8 * number), vector_of(element, bits // bits_of(element)), Access("buffer", 1)))


def _places(kinds: Sequence[str], chains: int) -> Iterator[tuple[int, str]]:
    """The chains of an iteration in turn, kinds mixed, each as often as there are rounds."""
    for _ in range(ROUNDS):
        for chain in range(chains):
            yield from ((number * chains + chain, kind) for number, kind in enumerate(kinds))
