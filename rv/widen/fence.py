"""Values that LLVM does not recognize: `llvm.arithmetic.fence`, which becomes no instruction and which nothing looks through.

It takes floating-point numbers only; integers go through them as bits.
"""

from __future__ import annotations

from rv.ir.types import FloatType, Type, bits_of
from rv.widen.lines import LlvmBlock
from rv.widen.llvm_text import type_text


def fenced(block: LlvmBlock, value: str, type_: Type, lanes: int, fences: int = 1) -> str:
    """The same value in every lane, as one that is not known."""
    number = FloatType(bits_of(type_))
    name = f"llvm.arithmetic.fence.{'' if lanes == 1 else f'v{lanes}'}f{number.bits}"
    text, own = type_text(number, lanes), type_text(type_, lanes)
    block.function.declare(name, f"declare {text} @{name}({text})")
    if type_ != number:
        value = block.pure(f"bitcast {own} {value} to {text}", [value])
    for _ in range(fences):
        value = block.pure(f"call {text} @{name}({text} {value})", [value])
    return value if type_ == number else block.pure(f"bitcast {text} {value} to {own}", [value])
