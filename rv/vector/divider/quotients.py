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

That needs numbers of moderate size. All registers of an instruction go to the divider when an active lane of one has other
operands or results, behind one test that is rarely true. The sum of quotients and of divisors times a power of two shows when a
quotient is infinite or NaN or a divisor is large; small dividends, and zeros, whose sign would be lost, have no high bit in their
exponent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final, Literal

from rv.ir.types import F32, F64, FloatType, IntType
from rv.ir.values import encode_float
from rv.vector.function import Block, Function, Module, Parameter, Statement
from rv.vector.instructions import Call, Elementwise, Join, Native, Negate, Quotients, Roots, operands
from rv.vector.types import element_of, lanes_of, with_element
from rv.vector.values import Constant, Operand, Register, integers, number, word
from rv.vector.writer import BlockWriter, FunctionWriter

LEAST_DIVIDEND: Final = {32: -63, 64: -511}
"""Exponents: dividends are +0, or from 2^this on; divisors, roots included, go up to 2^-this."""
HIGH: Final = {32: 0x60000000, 64: 0x6000000000000000}
"""The bits of the exponent of which one is set from 2^LEAST_DIVIDEND on."""
TO_INFINITY: Final = {32: 2.0**66, 64: 2.0**514}
"""Takes divisors beyond 2^-LEAST_DIVIDEND to infinity, whatever finite number is added."""
LEAST_SQUARE: Final = {32: -100, 64: -960}
"""Exponents: remainders of numbers from 2^this on are exact."""


def without_divider(module: Module) -> Module:
    """The module with calls of functions of its own in place of `Quotients` and `Roots`."""
    found: dict[str, Function] = {}
    for function in module.functions:
        added: dict[str, Function] = {}
        blocks = tuple(_block(block, added) for block in function.blocks)
        found[function.name] = replace(function, blocks=blocks) if added else function
        found.update({name: own for name, own in added.items() if name not in found})
    return replace(module, functions=tuple(found.values())) if len(found) > len(module.functions) else module


def _block(block: Block, added: dict[str, Function]) -> Block:
    if not any(isinstance(statement.instruction, Quotients | Roots) for statement in block.body):
        return block
    return replace(block, body=tuple(_statement(statement, added) for statement in block.body))


def _statement(statement: Statement, added: dict[str, Function]) -> Statement:
    instruction = statement.instruction
    if not isinstance(instruction, Quotients | Roots):
        return statement
    bits = _float_type(instruction.groups[0][0]).bits
    match instruction:
        case Quotients(groups=groups, never_small=never_small):
            kinds = "".join("d" if len(group) == 3 else "r" for group in groups)
            called = f"rv.quotient.f{bits}.{kinds}{'.large' if never_small else ''}"
            if called not in added:
                added[called] = _quotients(_Steps(called, groups), never_small=never_small)
        case Roots(groups=groups):
            called = f"rv.root.f{bits}.{len(groups)}"
            if called not in added:
                added[called] = _roots(_Steps(called, groups))
    return replace(statement, instruction=Call(called, operands(instruction), instruction.type))


def _float_type(operand: Operand) -> FloatType:
    type_ = element_of(operand.type)
    assert isinstance(type_, FloatType)
    return type_


@dataclass(frozen=True, slots=True)
class _Group:
    """The operands of one register, and the lanes that count."""

    operands: tuple[Operand, ...]
    active: Operand

    @property
    def arguments(self) -> tuple[Operand, ...]:
        return (*self.operands, self.active)


class _Steps:
    """A function on registers of one type, in which one instruction follows the other."""

    def __init__(self, called: str, groups: Sequence[tuple[Operand, ...]]) -> None:
        first = groups[0][0]
        self.type = _float_type(first)
        self.lanes = lanes_of(first.type)
        self.word = IntType(self.type.bits)
        self.groups = [
            _Group(
                tuple(Register(f"x{i}.{k}", operand.type) for k, operand in enumerate(group[:-1])),
                Register(f"active{i}", group[-1].type),
            )
            for i, group in enumerate(groups)
        ]
        parameters = [Parameter(o) for group in self.groups for o in group.arguments if isinstance(o, Register)]
        self.function = FunctionWriter(called, parameters, internal=True, inlined=True)
        self.block = self.function.block("fast", fixed=True)

    def number(self, value: float) -> Constant:
        return number(self.type, value, self.lanes)

    def integer(self, value: int) -> Constant:
        return word(self.word, value, self.lanes)

    def times(self, x: Operand, y: Operand) -> Operand:
        return self.block.binary("fmul", x, y)

    def sum(self, x: Operand, y: Operand) -> Operand:
        return self.block.binary("fadd", x, y)

    def plus(self, x: Operand, y: Operand, z: Operand) -> Operand:
        """x y + z, rounded once."""
        return self.block.add(Elementwise("fma", (x, y, z)))

    def plus_up(self, x: Operand, y: Operand, z: Operand) -> Operand:
        """x y + z, rounded up."""
        return self.block.add(Native("fma_up", (x, y, z)))

    def minus(self, z: Operand, x: Operand, y: Operand) -> Operand:
        """z - x y, rounded once."""
        return self.plus(self.block.add(Negate(x)), y, z)

    def minus_up(self, z: Operand, x: Operand, y: Operand) -> Operand:
        """z - x y, rounded up."""
        return self.plus_up(self.block.add(Negate(x)), y, z)

    def estimate(self, name: Literal["rcp14", "rsqrt14"], x: Operand) -> Operand:
        """1/x or 1/sqrt(x) to 14 bits."""
        return self.block.add(Native(name, (x,)))

    def not_finite(self, x: Operand) -> Operand:
        return self.block.add(Native("not_finite", (x,)))

    def bits(self, x: Operand) -> Operand:
        return self.block.convert("bitcast", x, with_element(x.type, self.word))

    def any_of(self, masks: Sequence[Operand]) -> Operand:
        return reduce(lambda x, y: self.block.binary("or", x, y), masks)

    def finish(
        self, results: Sequence[Operand], suspect: Operand, divider: Callable[[BlockWriter], list[Operand]]
    ) -> Function:
        """Returns `results`, or what the divider gives when a lane is `suspect`."""
        lanes = IntType(self.lanes)
        usual = self.block.compare("eq", self.block.convert("bitcast", suspect, lanes), integers(lanes, [0]))
        slow, done = self.function.block("slow", fixed=True), self.function.block("done", fixed=True)
        self.block.branch(usual, done, slow, likely=True)
        divided = divider(slow)
        slow.jump(done)
        members: list[Operand] = []
        for fast, other in zip(results, divided, strict=True):
            phi = done.phi(fast.type)
            phi.add(fast, self.block.label)
            phi.add(other, slow.label)
            members.append(phi.result)
        whole = done.add(Join(tuple(members)))
        done.give_back(whole)
        self.function.result = whole.type
        (found,) = self.function.finish()
        return found


def _quotients(s: _Steps, *, never_small: bool) -> Function:
    bits = s.type.bits
    results: list[Operand] = []
    suspects: list[Operand] = []
    total: Operand | None = None
    for group in s.groups:
        (*half, a, b), active = group.operands, group.active
        y = _reciprocal_of_root(s, b, half[0]) if half else _reciprocal(s, b)
        q = s.times(a, y)
        q = s.block.select(active, s.plus(s.minus(a, b, q), y, q), s.number(0.0))
        total = q if total is None else s.sum(total, q)
        if not half:
            total = s.block.select(active, s.plus(b, s.number(TO_INFINITY[bits]), total), total)
        if not never_small:
            high = s.block.binary("and", s.bits(a), s.integer(HIGH[bits]))
            suspects.append(s.block.binary("and", s.block.compare("eq", high, s.integer(0)), active))
        results.append(q)
    assert total is not None
    suspect = s.any_of([*suspects, s.not_finite(total)])

    def divider(block: BlockWriter) -> list[Operand]:
        return [block.binary("fdiv", *group.operands[-2:]) for group in s.groups]

    return s.finish(results, suspect, divider)


def _reciprocal(s: _Steps, b: Operand) -> Operand:
    one = s.number(1.0)
    y = s.estimate("rcp14", b)
    if s.type == F64:
        y = s.plus(s.minus(s.number(1 + 2.0**-28), b, y), y, y)
    lack = s.minus_up(one, b, y)
    return s.plus(s.plus_up(lack, lack, lack), y, y)


def _reciprocal_of_root(s: _Steps, b: Operand, half: Operand) -> Operand:
    one = s.number(1.0)
    y = s.sum(half, half)
    y = s.plus_up(s.minus(one, b, y), y, y)
    return s.plus(s.minus(one, b, y), y, y)


def _roots(s: _Steps) -> Function:
    # moderate operands, by their bits
    least, limit = (
        encode_float(s.type, 2.0**exponent) for exponent in (LEAST_SQUARE[s.type.bits], -2 * LEAST_DIVIDEND[s.type.bits])
    )
    results: list[Operand] = []
    suspects: list[Operand] = []
    for group in s.groups:
        (d,) = group.operands
        results += _root(s, d)
        above = s.block.binary("sub", s.bits(d), s.integer(least))
        suspects.append(s.block.binary("and", s.block.compare("ugt", above, s.integer(limit - least)), group.active))

    def divider(block: BlockWriter) -> list[Operand]:
        """With NaN for halves of reciprocals, so that quotients go to the divider as well."""
        roots = [block.add(Elementwise("sqrt", group.operands)) for group in s.groups]
        return [operand for root in roots for operand in (root, s.number(float("nan")))]

    return s.finish(results, s.any_of(suspects), divider)


def _root(s: _Steps, d: Operand) -> tuple[Operand, Operand]:
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
