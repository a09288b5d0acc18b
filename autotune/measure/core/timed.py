"""The time of an iteration of a loop that is written in the vector IR.

    loop:
      %a = phi [%a0, start], [%a2, loop]           one for each value that the loop carries
      ...
      %a2 = ...
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from rv.emit.llvm import module_text
from rv.ir.types import I64, PTR
from rv.target.llvm import CompiledModule, Pipeline
from rv.target.machine import Target
from rv.vector.function import Function, Module, Parameter
from rv.vector.instructions import Access, Store
from rv.vector.values import Operand, Register, i64
from rv.vector.writer import BlockWriter, FunctionWriter

AS_WRITTEN: Final = Pipeline(level=3, passes=False)
ALIGNMENT: Final = 64
BUFFER: Final = 16384
"""Bytes that loads and stores go to: they stay in the first cache."""
FEW: Final = 1000
SAMPLE: Final = 3e5
"""Nanoseconds: short enough that most samples are not interrupted."""
REPETITIONS: Final = 25

First = Callable[[BlockWriter, Register], Sequence[Operand]]
"""The values that a loop carries, in front of it. The register points to a buffer of numbers between 1 and 2."""
Turn = Callable[[FunctionWriter, BlockWriter, Register, Sequence[Operand]], tuple[BlockWriter, Sequence[Operand]]]
"""An iteration: the values afterwards, and the block in which it ends."""


def nanoseconds_of(target: Target, first: First, turn: Turn) -> float:
    """The time of one iteration, the least of some samples."""
    text = module_text(Module(_function(first, turn)), target)
    code = CompiledModule(text, target, AS_WRITTEN).jit()
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(code.address("measured"))
    # numbers between 1 and 2, as doubles and as floats
    buffer = np.full(2 * BUFFER // 8 + ALIGNMENT, 0x3FF8_1234_3FA5_6789).view(np.float64)
    address = -(-buffer.ctypes.data // ALIGNMENT) * ALIGNMENT
    _timed(call, address, FEW)
    iterations = max(FEW, int(SAMPLE / max(_timed(call, address, FEW), 0.1)))
    return min(_timed(call, address, iterations) for _ in range(REPETITIONS))


def _timed(call: Any, address: int, iterations: int) -> float:
    """Nanoseconds of processor time of one iteration."""
    start = time.thread_time_ns()
    call(iterations, address)
    return (time.thread_time_ns() - start) / iterations


def _function(first: First, turn: Turn) -> tuple[Function, ...]:
    count, buffer = Register("count", I64), Register("buffer", PTR)
    function = FunctionWriter("measured", (Parameter(count), Parameter(buffer)))
    start, loop = (function.block(label, fixed=True) for label in ("start", "loop"))
    firsts = first(start, buffer)
    start.jump(loop)
    counter = loop.phi(I64)
    phis = [loop.phi(value.type) for value in firsts]
    last, values = turn(function, loop, buffer, [phi.result for phi in phis])
    end = function.block("end", fixed=True)
    after = last.integer("add", counter.result, 1)
    last.branch(last.compare("ult", after, count), loop, end)
    for phi, before, value in ((counter, i64(0), after), *zip(phis, firsts, values, strict=True)):
        phi.add(before, start.label)
        phi.add(value, last.label)
    for value in values:
        end.effect(Store(value, buffer, Access("buffer", 1)))
    end.give_back()
    return function.finish()
