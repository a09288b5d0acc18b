"""A loop in machine code around a kernel: a call from Python costs as much as a small kernel."""

from __future__ import annotations

from typing import Final

from rv.emit.llvm import module_text
from rv.ir.types import I32, I64, PTR, VOID
from rv.target.machine import Target
from rv.vector.function import Module, Parameter
from rv.vector.instructions import Access, Call, CallAt, Load
from rv.vector.values import ZERO, Operand, Register, i32, i64
from rv.vector.writer import BlockWriter, FunctionWriter
from tensorrv.interface.signature import ArrayArgument, Signature

TIMER: Final = "tensorrv_time"
THREAD_CLOCK: Final = 3
"""Linux's CLOCK_THREAD_CPUTIME_ID: does not run while other processes have the core."""
WALL_CLOCK: Final = 1
"""Linux's CLOCK_MONOTONIC, for code that runs in several threads."""


def timing_module(signature: Signature, clock: int, target: Target) -> str:
    """LLVM IR of `i64 tensorrv_time(function, repetitions, arguments...)`, the time of all repetitions in nanoseconds."""
    function, repetitions = Register("function", PTR), Register("repetitions", I64)
    given = [Register(f"a{k}", PTR if isinstance(a, ArrayArgument) else a.type) for k, a in enumerate(signature.arguments)]
    writer = FunctionWriter(TIMER, [Parameter(register) for register in (function, repetitions, *given)], I64)
    entry, loop, end = (writer.block(label, fixed=True) for label in ("entry", "loop", "end"))
    start = _now(entry, clock)
    entry.jump(loop)
    done = loop.phi(I64)
    done.add(ZERO, entry.label)
    _call(loop, CallAt(function, tuple(given), signature.result))
    after = loop.integer("add", done.result, 1)
    done.add(after, loop.label)
    loop.branch(loop.compare("slt", after, repetitions), loop, end)
    end.give_back(end.integer("sub", _now(end, clock), start))
    return module_text(Module(writer.finish()), target)


def _call(block: BlockWriter, call: CallAt) -> None:
    if call.type == VOID:
        block.effect(call)
    else:
        block.run(call)


def _now(block: BlockWriter, clock: int) -> Operand:
    """Nanoseconds on a clock of Linux."""
    place = block.function.stack_object(I64, 2)
    block.run(Call("clock_gettime", (i32(clock), place), I32, pure=False))
    memory = Access(str(place), 8)
    seconds = block.add(Load(place, I64, memory))
    rest = block.add(Load(block.address(place, i64(1), I64), I64, memory))
    return block.integer("add", block.integer("mul", seconds, 1_000_000_000), rest)
