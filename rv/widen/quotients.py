"""Correctly rounded quotients and square roots of whole AVX-512 registers by fused multiplications, off the divider.

An estimate, right to 14 bits, is refined; the last step adds the exact remainder times the reciprocal (Markstein, IBM J. Res.
Dev. 34, 1990; Cornea, Harrison, Tang, "Scientific computing on Itanium-based systems", 2002; Muller et al., "Handbook of
Floating-Point Arithmetic", chapter 4). With p bits, u half a unit in the last place, divisors b from 1 up to 2:

  reciprocal  y (1 + e + e^2) with e = 1 - b y, an error of -e^3/b; e and the bracket are rounded up. For doubles a Newton step
              goes before, with 1 + 2^-28 in place of 1, which makes e negative. Before it is rounded, the result is off by 2^-37
              (doubles: 2^-79), and not less than 1/b for b near 2, whose estimates are 1/2 and more. Then y is 1/b to nearest for
              b within 2^-13 (2^-26) of 2: there 1/b, b = 2 - 2 j u, is in units of u about j/2 + j^2 u/2, which is not just below
              the middle of two numbers. For other b it may be off by half a unit and as little as that.
  quotient    q0 = a y is within one unit of a/b, or 1.5 when a < b; then q0 + (a - b q0) y is a/b to nearest, since it is on the
              same side as a/b of each middle m of two numbers. For m = q0 + u/2 (a < b) the remainder is a multiple of 2 u^2, and
              not b u/2, so that m is left by 2 u^2/b at least; the error of y changes that by b u^2/2, which is less except for
              b near 2, where y is nearest. For q0 + 3u/2 the error of y has the other sign than the remainder.
  root        h is 1/(2 s) for s the root of d, to about two units; g1 is within one unit of s, so that d - g1^2 is exact. Then
              g1 + (d - g1^2) h is s to nearest, unless d is one of few numbers for which d 2^2p is so close to the square of an
              odd number that the difference is -1, 7 or -9. `tests/widen/test_quotients.py` finds all of these and tries them.
  by a root   2 h takes the place of the estimate for quotients by s.

All reciprocals of floats and all quotients for which the remainder is off b u/2 (a >= b: b u) by nine such multiples or less, 52
million, were tried once.

That needs numbers of moderate size. All registers of a group go to the divider when an active lane of one has other operands or
results, behind one test that is rarely true. The sum of quotients and of divisors times a power of two tells when a quotient is
infinite or NaN or a divisor is large; small dividends, and zeros, whose sign would be lost, have no high bit in their exponent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from rv.ir.types import F32, F64, I1, FloatType, IntType
from rv.ir.values import Const, const_float, encode_float
from rv.widen.avx512 import emit_unary
from rv.widen.lines import LlvmBlock, LlvmFunction
from rv.widen.llvm_text import constant_text, type_text

LEAST_DIVIDEND: Final = {32: -63, 64: -511}
"""Exponents: dividends are +0, or from 2^this on; divisors, roots included, go up to 2^-this."""
HIGH: Final = {32: 0x60000000, 64: 0x6000000000000000}
"""The bits of the exponent of which one is set from 2^LEAST_DIVIDEND on."""
TO_INFINITY: Final = {32: 2.0**66, 64: 2.0**514}
"""Takes divisors beyond 2^-LEAST_DIVIDEND to infinity, whatever finite number is added."""
LEAST_SQUARE: Final = {32: -100, 64: -960}
"""Exponents: remainders of numbers from 2^this on are exact."""
NOT_FINITE: Final = 0x99  # what vfpclass calls NaNs and infinities
UP: Final = 0xA  # rounding of one operation

ESTIMATE: Final = 3
"""Operations that an estimate takes."""
RECIPROCAL: Final = {32: 3, 64: 5}
BY_ROOT: Final = 5
FINISH: Final = 3
ROOT: Final = {32: 8, 64: 11}
"""Multiplications and additions for reciprocals from estimates and from roots, quotients from reciprocals, and roots."""
TEST: Final = {False: 2, True: 3}
LATENCY: Final = {(False, 32): 28, (False, 64): 40, (True, 32): 30, (True, 64): 38}
FROM_DIVIDEND: Final = 12
"""Cycles from the dividend to the quotient."""


def operations(bits: int, *, root: bool, by_root: bool = False, never_small: bool = True) -> int:
    """How many operations one register takes on the ports of the multipliers."""
    if root:
        return ESTIMATE + ROOT[bits] + TEST[root]
    return (BY_ROOT if by_root else ESTIMATE + RECIPROCAL[bits]) + FINISH + TEST[root] + (0 if never_small else 2)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A register of quotients, of which the `active` ones count; `half` goes with a divisor that is a root (`emit_roots`)."""

    dividend: str
    divisor: str
    active: str
    half: str | None = None


def emit_quotients(
    block: LlvmBlock, type_: FloatType, quotients: Sequence[Quotient], lanes: int, *, never_small: bool = False
) -> list[str]:
    """The quotients; `never_small` dividends need no test (`rv.analysis.magnitudes`)."""
    kinds = "".join("d" if quotient.half is None else "r" for quotient in quotients)
    called = f"@tensorrv.quotient.f{type_.bits}.{kinds}{'.large' if never_small else ''}"
    arguments = [[q.dividend, q.divisor, *([q.half] if q.half is not None else [])] for q in quotients]
    return _call(
        block,
        called,
        type_,
        [(texts, q.active) for texts, q in zip(arguments, quotients, strict=True)],
        lanes,
        lambda steps: _quotients(steps, never_small=never_small),
    )


def emit_roots(block: LlvmBlock, type_: FloatType, operands: Sequence[tuple[str, str]], lanes: int) -> list[tuple[str, str]]:
    """For each register and its mask of lanes that count: its square roots, and halves of their reciprocals for quotients."""
    called = f"@tensorrv.root.f{type_.bits}.{len(operands)}"
    results = _call(block, called, type_, [([operand], active) for operand, active in operands], lanes, _roots)
    return list(zip(results[::2], results[1::2], strict=True))


Registers = Sequence[tuple[list[str], str]]
"""The operands of each register, and the lanes that count."""


def _call(
    block: LlvmBlock, called: str, type_: FloatType, registers: Registers, lanes: int, write: Callable[[_Steps], LlvmFunction]
) -> list[str]:
    """The results of a function that is part of the same module, written when it is called for the first time."""
    caller = block.function
    parts = [part for part in caller.parts if f" {called}(" in part.header]
    if not parts:
        parts = [write(_Steps(called, type_, lanes, [len(operands) for operands, _ in registers]))]
        caller.parts += parts
    vector, mask = type_text(type_, lanes), type_text(I1, lanes)
    arguments = ", ".join(
        text for operands, active in registers for text in (*(f"{vector} {operand}" for operand in operands), f"{mask} {active}")
    )
    uses = [text for operands, active in registers for text in (*operands, active)]
    struct = parts[0].header.removeprefix("define internal ").partition(" @")[0]
    result = block.pure(f"call {struct} {called}({arguments})", uses)
    count = struct.count(vector)
    return [block.pure(f"extractvalue {struct} {result}, {k}", [result], weight=1) for k in range(count)]


class _Steps:
    """A function on registers of one type, in which one line follows the other."""

    def __init__(self, called: str, type_: FloatType, lanes: int, operands: Sequence[int]) -> None:
        self.called = called
        self.type = type_
        self.lanes = lanes
        self.vector = type_text(type_, lanes)
        self.mask = type_text(I1, lanes)
        self.word = IntType(type_.bits)
        self.words = type_text(self.word, lanes)
        self.suffix = f"{'pd' if type_ == F64 else 'ps'}.512"
        self.registers: Registers = [([f"%x{i}.{k}" for k in range(count)], f"%active{i}") for i, count in enumerate(operands)]
        self.llvm = LlvmFunction("")
        self.block = self.llvm.block("fast", ordered=True)

    def number(self, value: float) -> str:
        return constant_text(const_float(self.type, value), self.lanes)

    def integer(self, value: int) -> str:
        return constant_text(Const(self.word, value), self.lanes)

    def line(self, text: str) -> str:
        return self.block.pure(text, [])

    def times(self, x: str, y: str) -> str:
        return self.line(f"fmul {self.vector} {x}, {y}")

    def sum(self, x: str, y: str) -> str:
        return self.line(f"fadd {self.vector} {x}, {y}")

    def plus(self, x: str, y: str, z: str) -> str:
        """x y + z, rounded once."""
        name = f"llvm.fma.v{self.lanes}f{self.type.bits}"
        return self.call(name, self.vector, [(self.vector, operand) for operand in (x, y, z)])

    def plus_up(self, x: str, y: str, z: str) -> str:
        """x y + z, rounded up."""
        arguments = [*((self.vector, operand) for operand in (x, y, z)), ("i32", str(UP))]
        return self.call(f"llvm.x86.avx512.vfmadd.{self.suffix}", self.vector, arguments)

    def minus(self, z: str, x: str, y: str) -> str:
        """z - x y, rounded once."""
        return self.plus(self.line(f"fneg {self.vector} {x}"), y, z)

    def minus_up(self, z: str, x: str, y: str) -> str:
        """z - x y, rounded up."""
        return self.plus_up(self.line(f"fneg {self.vector} {x}"), y, z)

    def where(self, active: str, x: str, y: str) -> str:
        return self.line(f"select {self.mask} {active}, {self.vector} {x}, {self.vector} {y}")

    def estimate(self, name: str, x: str) -> str:
        """What `vrcp14` or `vrsqrt14` say."""
        return emit_unary(self.block, name, self.type, x, self.lanes, self.lanes * self.type.bits)

    def not_finite(self, x: str) -> str:
        return self.call(f"llvm.x86.avx512.fpclass.{self.suffix}", self.mask, [(self.vector, x), ("i32", str(NOT_FINITE))])

    def bits(self, x: str) -> str:
        return self.line(f"bitcast {self.vector} {x} to {self.words}")

    def both(self, x: str, y: str) -> str:
        return self.line(f"and {self.mask} {x}, {y}")

    def any_of(self, masks: Sequence[str]) -> str:
        result = masks[0]
        for mask in masks[1:]:
            result = self.line(f"or {self.mask} {result}, {mask}")
        return result

    def call(self, name: str, result: str, arguments: Sequence[tuple[str, str]]) -> str:
        self.llvm.declare(name, f"declare {result} @{name}({', '.join(type_ for type_, _ in arguments)})")
        return self.line(f"call {result} @{name}({', '.join(f'{type_} {operand}' for type_, operand in arguments)})")

    def finish(self, results: list[str], suspect: str, divider: Callable[[LlvmBlock], list[str]]) -> LlvmFunction:
        """Returns `results`, or what the divider says when a lane is `suspect`."""
        word = str(IntType(self.lanes))
        number = self.line(f"bitcast {self.mask} {suspect} to {word}")
        usual = self.line(f"icmp eq {word} {number}, 0")
        slow, done = self.llvm.block("slow", ordered=True), self.llvm.block("done", ordered=True)
        weights = '!prof !{!"branch_weights", i32 2000, i32 1}'
        self.block.terminator = f"br i1 {usual}, label %{done.label}, label %{slow.label}, {weights}"
        divided = divider(slow)
        slow.terminator = f"br label %{done.label}"
        struct = f"{{ {', '.join([self.vector] * len(results))} }}"
        value = "poison"
        for k, (fast, other) in enumerate(zip(results, divided, strict=True)):
            phi = done.phi(self.vector)
            phi.incoming += [(fast, self.block.label), (other, slow.label)]
            value = done.pure(f"insertvalue {struct} {value}, {self.vector} {phi.name}, {k}", [])
        done.terminator = f"ret {struct} {value}"
        parameters = ", ".join(
            text for names, active in self.registers for text in (*(f"{self.vector} {n}" for n in names), f"{self.mask} {active}")
        )
        self.llvm.header = f"define internal {struct} {self.called}({parameters}) alwaysinline #0"
        return self.llvm


def _quotients(s: _Steps, *, never_small: bool) -> LlvmFunction:
    bits = s.type.bits
    results: list[str] = []
    suspects: list[str] = []
    total = ""
    for (a, b, *half), active in s.registers:
        y = _reciprocal_of_root(s, b, half[0]) if half else _reciprocal(s, b)
        q = s.times(a, y)
        q = s.where(active, s.plus(s.minus(a, b, q), y, q), s.number(0.0))
        total = s.sum(total, q) if total else q
        if not half:
            total = s.where(active, s.plus(b, s.number(TO_INFINITY[bits]), total), total)
        if not never_small:
            high = s.line(f"and {s.words} {s.bits(a)}, {s.integer(HIGH[bits])}")
            suspects.append(s.both(s.line(f"icmp eq {s.words} {high}, zeroinitializer"), active))
        results.append(q)
    suspect = s.any_of([*suspects, s.not_finite(total)])
    return s.finish(
        results,
        suspect,
        lambda block: [block.pure(f"fdiv {s.vector} {a}, {b}", []) for (a, b, *_), _ in s.registers],
    )


def _reciprocal(s: _Steps, b: str) -> str:
    one = s.number(1.0)
    y = s.estimate("rcp14", b)
    if s.type == F64:
        y = s.plus(s.minus(s.number(1 + 2.0**-28), b, y), y, y)
    lack = s.minus_up(one, b, y)
    return s.plus(s.plus_up(lack, lack, lack), y, y)


def _reciprocal_of_root(s: _Steps, b: str, half: str) -> str:
    one = s.number(1.0)
    y = s.sum(half, half)
    y = s.plus_up(s.minus(one, b, y), y, y)
    return s.plus(s.minus(one, b, y), y, y)


def _roots(s: _Steps) -> LlvmFunction:
    # moderate operands, by their bits
    least, limit = (
        encode_float(s.type, 2.0**exponent) for exponent in (LEAST_SQUARE[s.type.bits], -2 * LEAST_DIVIDEND[s.type.bits])
    )
    results: list[str] = []
    suspects: list[str] = []
    for (d,), active in s.registers:
        results += _root(s, d)
        above = s.line(f"sub {s.words} {s.bits(d)}, {s.integer(least)}")
        suspects.append(s.both(s.line(f"icmp ugt {s.words} {above}, {s.integer(limit - least)}"), active))
    root = f"llvm.sqrt.v{s.lanes}f{s.type.bits}"
    s.llvm.declare(root, f"declare {s.vector} @{root}({s.vector})")

    def divider(block: LlvmBlock) -> list[str]:
        """With NaN for halves of reciprocals, so that quotients go to the divider as well."""
        roots = [block.pure(f"call {s.vector} @{root}({s.vector} {d})", []) for (d,), _ in s.registers]
        return [text for name in roots for text in (name, s.number(float("nan")))]

    return s.finish(results, s.any_of(suspects), divider)


def _root(s: _Steps, d: str) -> tuple[str, str]:
    half = s.number(0.5)
    y = s.estimate("rsqrt14", d)
    g, h = s.times(d, y), s.times(y, half)
    for _ in range(0 if s.type == F32 else 1):
        e = s.minus(half, g, h)
        g, h = s.plus(g, e, g), s.plus(h, e, h)
    h = s.plus(h, s.minus(half, g, h), h)
    for _ in range(2):
        g = s.plus(s.minus(d, g, g), h, g)
    return g, h
