"""A loop in machine code around a kernel: a call from Python costs as much as a small kernel."""

from __future__ import annotations

from typing import Final

from rv.ir.types import Type
from tensorrv.interface.signature import Argument, ArrayArgument, Signature

TIMER: Final = "tensorrv_time"
THREAD_CLOCK: Final = 3
"""Linux's CLOCK_THREAD_CPUTIME_ID: does not run while other processes have the core."""
WALL_CLOCK: Final = 1
"""Linux's CLOCK_MONOTONIC, for code that runs in several threads."""


def timing_module(signature: Signature, clock: int) -> str:
    """LLVM IR of `i64 tensorrv_time(function, repetitions, arguments...)`, the time of all repetitions in nanoseconds."""
    types = [_spell(argument) for argument in signature.arguments]
    parameters = "".join(f", {type_} %a{index}" for index, type_ in enumerate(types))
    arguments = ", ".join(f"{type_} %a{index}" for index, type_ in enumerate(types))
    return f"""
declare i32 @clock_gettime(i32, ptr)
define i64 @{TIMER}(ptr %function, i64 %repetitions{parameters}) {{
entry:
  %clock = alloca {{ i64, i64 }}
  %start = call i64 @now(ptr %clock)
  br label %loop
loop:
  %done = phi i64 [ 0, %entry ], [ %next, %loop ]
  {_call(signature.result)} %function({arguments})
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, %repetitions
  br i1 %more, label %loop, label %end
end:
  %stop = call i64 @now(ptr %clock)
  %elapsed = sub i64 %stop, %start
  ret i64 %elapsed
}}
define internal i64 @now(ptr %clock) {{
  %status = call i32 @clock_gettime(i32 {clock}, ptr %clock)
  %seconds = load i64, ptr %clock
  %rest = getelementptr i64, ptr %clock, i64 1
  %nanoseconds = load i64, ptr %rest
  %scaled = mul i64 %seconds, 1000000000
  %total = add i64 %scaled, %nanoseconds
  ret i64 %total
}}
"""


def _spell(argument: Argument) -> str:
    if isinstance(argument, ArrayArgument):
        return "ptr"
    return str(argument.type)


def _call(result: Type) -> str:
    return "call void" if str(result) == "void" else f"%result = call {result}"
