"""Correctly rounded quotients and square roots of whole AVX-512 registers by fused multiplications, off the divider.

An estimate of the reciprocal, right to 14 bits, is refined by Newton steps; the last step adds the exact remainder times the
reciprocal (Markstein, IBM J. Res. Dev. 34, 1990; Cornea, Harrison, Tang, "Scientific computing on Itanium-based systems", 2002;
Muller et al., "Handbook of Floating-Point Arithmetic", chapter 4). With p bits, u half a unit in the last place:

  quotient  y is 1/b to nearest, because its predecessor is within one unit. That fails only for b = 2 - 2u times a power of two,
            and then the remainder of the predecessor, 1 - b y, is u: such lanes are told apart. q1 is within one unit of a/b,
            because q0 has 14 bits and more, so that a - b q1 is exact. Then q1 + (a - b q1) y is a/b to nearest: a/b is at least
            2^(1-2p)/b, or half of that when a < b, away from the middle of two numbers, and y is right to half a unit. With one
            Newton step less 48 quotients of floats are wrong.
  root      h is 1/(2 s) for s the root of d, to about two units; g1 is within one unit of s, so that d - g1^2 is exact. Then
            g1 + (d - g1^2) h is s to nearest, unless d is one of few numbers for which d 2^2p is so close to the square of an
            odd number that the difference is -1, 7 or -9. `tests/widen/test_quotients.py` finds all of these and tries them.

All of that needs numbers of moderate size. When a lane has other operands or results (zeros, infinities, NaNs, numbers that are
subnormal or nearly so), all go to the divider, behind a test that is rarely true; `active` masks lanes that do not count. For
quotients the test is: |a| or the estimate of |1/b| is small, or the result is not a normal number, or 1 - b y is u.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from rv.ir.types import F32, F64, I1, FloatType, IntType
from rv.ir.values import Const, const_float, encode_float
from rv.widen.lines import LlvmBlock, LlvmFunction
from rv.widen.llvm_text import constant_text, type_text

SMALL: Final = {32: -100, 64: -960}
"""Exponents: remainders of numbers from 2^SMALL on are exact."""
HALF_UNIT: Final = {32: 2.0**-24, 64: 2.0**-53}
NOT_NORMAL: Final = 0xBF  # what vfpclass calls NaNs, zeros, infinities and subnormal numbers
LEAST_MAGNITUDE: Final = 0b1010  # vrange: the smaller magnitude, without sign
CURRENT_ROUNDING: Final = 4

FMAS: Final = {(False, 32): 9, (False, 64): 11, (True, 32): 8, (True, 64): 11}
"""Multiplications, fused or not, by (square root?, bits)."""
ESTIMATE: Final = 3
"""Operations that an estimate takes."""
TEST: Final = {False: 6, True: 3}
LATENCY: Final = {(False, 32): 26, (False, 64): 34, (True, 32): 30, (True, 64): 38}
FROM_DIVIDEND: Final = 20
"""Cycles from the dividend to the quotient."""


def operations(bits: int, *, root: bool) -> int:
    """How many operations one register takes on the ports of the multipliers."""
    return FMAS[root, bits] + ESTIMATE + TEST[root]


def emit_quotient(block: LlvmBlock, type_: FloatType, left: str, right: str, active: str, lanes: int) -> str:
    """`left / right` in all lanes of a register, of which only the `active` ones count."""
    return _call(block, "quotient", type_, [left, right], active, lanes)


def emit_root(block: LlvmBlock, type_: FloatType, operand: str, active: str, lanes: int) -> str:
    """The square root of `operand` in all lanes of a register, of which only the `active` ones count."""
    return _call(block, "root", type_, [operand], active, lanes)


def _call(block: LlvmBlock, name: str, type_: FloatType, operands: list[str], active: str, lanes: int) -> str:
    vector, mask = type_text(type_, lanes), type_text(I1, lanes)
    called = f"@tensorrv.{name}.f{type_.bits}"
    caller = block.function
    if all(f" {called}(" not in part.header for part in caller.parts):
        steps = _Steps(called, type_, lanes, ["%a", "%b"] if name == "quotient" else ["%d"])
        caller.parts.append(_quotient(steps) if name == "quotient" else _root(steps))
    arguments = ", ".join([*(f"{vector} {operand}" for operand in operands), f"{mask} {active}"])
    return block.pure(f"call {vector} {called}({arguments})", [*operands, active], weight=1)


class _Steps:
    """A function on vectors of one type, in which one line follows the other."""

    def __init__(self, called: str, type_: FloatType, lanes: int, parameters: list[str]) -> None:
        self.type = type_
        self.lanes = lanes
        self.vector = type_text(type_, lanes)
        self.mask = type_text(I1, lanes)
        self.every = (str(IntType(lanes)), "-1")
        self.suffix = f"{'pd' if type_ == F64 else 'ps'}.512"
        texts = ", ".join([*(f"{self.vector} {name}" for name in parameters), f"{self.mask} %active"])
        self.llvm = LlvmFunction(f"define internal {self.vector} {called}({texts}) alwaysinline #0")
        self.block = self.llvm.block("fast", ordered=True)

    def number(self, value: float) -> str:
        return constant_text(const_float(self.type, value), self.lanes)

    def line(self, text: str) -> str:
        return self.block.pure(text, [])

    def times(self, x: str, y: str) -> str:
        return self.line(f"fmul {self.vector} {x}, {y}")

    def plus(self, x: str, y: str, z: str) -> str:
        """x y + z, rounded once."""
        name = f"llvm.fma.v{self.lanes}f{self.type.bits}"
        return self.call(name, self.vector, [(self.vector, operand) for operand in (x, y, z)])

    def minus(self, z: str, x: str, y: str) -> str:
        """z - x y, rounded once."""
        return self.plus(self.line(f"fneg {self.vector} {x}"), y, z)

    def estimate(self, name: str, x: str) -> str:
        """What `vrcp14` or `vrsqrt14` say."""
        arguments = [(self.vector, x), (self.vector, "zeroinitializer"), self.every]
        return self.call(f"llvm.x86.avx512.{name}.{self.suffix}", self.vector, arguments)

    def least_magnitude(self, x: str, y: str) -> str:
        arguments = [(self.vector, x), (self.vector, y), ("i32", str(LEAST_MAGNITUDE)), (self.vector, "zeroinitializer")]
        arguments += [self.every, ("i32", str(CURRENT_ROUNDING))]
        return self.call(f"llvm.x86.avx512.mask.range.{self.suffix}", self.vector, arguments)

    def not_normal(self, x: str) -> str:
        arguments = [(self.vector, x), ("i32", str(NOT_NORMAL))]
        return self.call(f"llvm.x86.avx512.fpclass.{self.suffix}", self.mask, arguments)

    def call(self, name: str, result: str, arguments: Sequence[tuple[str, str]]) -> str:
        self.llvm.declare(name, f"declare {result} @{name}({', '.join(type_ for type_, _ in arguments)})")
        return self.line(f"call {result} @{name}({', '.join(f'{type_} {operand}' for type_, operand in arguments)})")

    def finish(self, result: str, suspect: str, divider: Callable[[LlvmBlock], str]) -> LlvmFunction:
        """Returns `result`, or what the divider says when an active lane is `suspect`."""
        word = str(IntType(self.lanes))
        counted = self.line(f"and {self.mask} {suspect}, %active")
        number = self.line(f"bitcast {self.mask} {counted} to {word}")
        usual = self.line(f"icmp eq {word} {number}, 0")
        slow, done = self.llvm.block("slow", ordered=True), self.llvm.block("done", ordered=True)
        weights = '!prof !{!"branch_weights", i32 2000, i32 1}'
        self.block.terminator = f"br i1 {usual}, label %{done.label}, label %{slow.label}, {weights}"
        divided = divider(slow)
        slow.terminator = f"br label %{done.label}"
        phi = done.phi(self.vector)
        phi.incoming += [(result, self.block.label), (divided, slow.label)]
        done.terminator = f"ret {self.vector} {phi.name}"
        return self.llvm


def _quotient(s: _Steps) -> LlvmFunction:
    a, b, one = "%a", "%b", s.number(1.0)
    y = [s.estimate("rcp14", b)]
    lack = ""
    for _ in range(2 if s.type == F32 else 3):
        lack = s.minus(one, b, y[-1])
        y.append(s.plus(lack, y[-1], y[-1]))
    q = s.times(a, y[-3])
    for reciprocal in y[-2:]:
        q = s.plus(s.minus(a, b, q), reciprocal, q)
    least = s.number(2.0 ** SMALL[s.type.bits])
    small = s.line(f"fcmp olt {s.vector} {s.least_magnitude(a, y[0])}, {least}")
    other = s.line(f"fcmp oeq {s.vector} {lack}, {s.number(HALF_UNIT[s.type.bits])}")
    odd = s.line(f"or {s.mask} {small}, {other}")
    suspect = s.line(f"or {s.mask} {odd}, {s.not_normal(q)}")
    return s.finish(q, suspect, lambda block: block.pure(f"fdiv {s.vector} {a}, {b}", []))


def _root(s: _Steps) -> LlvmFunction:
    d, half = "%d", s.number(0.5)
    y = s.estimate("rsqrt14", d)
    g, h = s.times(d, y), s.times(y, half)
    for _ in range(0 if s.type == F32 else 1):
        e = s.minus(half, g, h)
        g, h = s.plus(g, e, g), s.plus(h, e, h)
    h = s.plus(h, s.minus(half, g, h), h)
    for _ in range(2):
        g = s.plus(s.minus(d, g, g), h, g)
    # from 2^SMALL up to infinity, by their bits
    word = IntType(s.type.bits)
    least, infinity = (encode_float(s.type, value) for value in (2.0 ** SMALL[s.type.bits], math.inf))
    integers = type_text(word, s.lanes)
    bits = s.line(f"bitcast {s.vector} {d} to {integers}")
    above = s.line(f"sub {integers} {bits}, {constant_text(Const(word, least), s.lanes)}")
    suspect = s.line(f"icmp uge {integers} {above}, {constant_text(Const(word, infinity - least), s.lanes)}")
    root = f"llvm.sqrt.v{s.lanes}f{s.type.bits}"
    s.llvm.declare(root, f"declare {s.vector} @{root}({s.vector})")
    return s.finish(g, suspect, lambda block: block.pure(f"call {s.vector} @{root}({s.vector} {d})", []))
