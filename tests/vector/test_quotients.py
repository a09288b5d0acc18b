"""Quotients and roots by multiplications have the divider's bits, for all operands.

Random bit patterns seldom come near the middle of two numbers, where a wrong last step shows; such operands are constructed. A
quotient lies near the middle m of two numbers when A 2^s = B m + k for the operands' significands and a small k, so m is -k/B
modulo 2^s; a root lies near m when D 2^s = m^2 + k, so m is a root of -k modulo 2^s.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal

import numpy as np
import pytest

from rv.emit.llvm import module_text
from rv.ir.types import F32, F64, I64, PTR, FloatType
from rv.target.description import machine_of
from rv.target.host import host
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target, runs_here
from rv.vector.divider.quotients import without_divider
from rv.vector.function import Module, Parameter
from rv.vector.instructions import Access, Load, Quotients, Roots, Store
from rv.vector.types import VectorType
from rv.vector.values import ZERO, Operand, Register, mask
from rv.vector.writer import FunctionWriter

NATIVE = resolve_target("native")
TARGET = NATIVE if machine_of(NATIVE).divider(NATIVE.register_bits).offloaded else resolve_target("skylake-avx512")
TYPES = {F32: (np.float32, np.uint32, 24), F64: (np.float64, np.uint64, 53)}
Array = np.ndarray[Any, Any]

pytestmark = [
    pytest.mark.skipif(
        not host().triple.startswith("x86_64") or runs_here(TARGET) is not None, reason=f"{TARGET.cpu} code does not run here"
    ),
    pytest.mark.parametrize("type_", TYPES, ids=str),
]


Kind = Literal["quotient", "large", "root", "by root", "large by root"]
"""Quotients, of dividends that need no test, roots, and quotients by roots."""


@cache
def loop(
    type_: FloatType, kind: Kind, registers: int, *, every: int = 1, broken: bool = False
) -> tuple[CompiledModule, Callable[..., object]]:
    """A function of two arrays of operands, one of results, and their length, a multiple of the lanes of all registers.

    `every` so many lanes one counts. When the divider is `broken`, its results are wrong.
    """
    lanes = 512 // type_.bits
    counted = mask([lane % every == 0 for lane in range(lanes)])
    pointers = {name: Register(name, PTR) for name in "xyz"}
    length = Register("n", I64)
    function = FunctionWriter("all", map(Parameter, (*pointers.values(), length)))
    start, turn, end = (function.block(label, fixed=True) for label in ("start", "turn", "end"))
    start.jump(turn)
    counter = turn.phi(I64)
    indices = [turn.integer("add", counter.result, k * lanes) for k in range(registers)]
    places = {name: [turn.address(pointer, i, type_) for i in indices] for name, pointer in pointers.items()}
    vector = VectorType(type_, lanes)
    x, y = ([turn.add(Load(place, vector, Access(name, 4))) for place in places[name]] for name in "xy")
    operands = x if kind == "root" else y
    roots = turn.members(turn.add(Roots(tuple((d, counted) for d in operands)))) if "root" in kind else []
    results: list[Operand]
    if kind == "root":
        results = roots[::2]
    else:
        divisors = [*zip(roots[1::2], roots[::2], strict=True)] or [(divisor,) for divisor in y]
        groups = tuple((*half, a, b, counted) for a, (*half, b) in zip(x, divisors, strict=True))
        results = turn.members(turn.add(Quotients(groups, "large" in kind)))
    for result, place in zip(results, places["z"], strict=True):
        turn.effect(Store(result, place, Access("z", 4)))
    following = turn.integer("add", counter.result, registers * lanes)
    counter.add(ZERO, start.label)
    counter.add(following, turn.label)
    turn.branch(turn.compare("ult", following, length), turn, end)
    end.give_back()
    text = module_text(without_divider(Module(function.finish())), TARGET)
    if broken:
        text = text.replace(" fdiv ", " fsub ").replace("@llvm.sqrt.", "@llvm.fabs.")
    module = CompiledModule(text, TARGET)
    return module, ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(module.jit().address("all"))


def computed(type_: FloatType, kind: Kind, registers: int, x: Array, y: Array, *, every: int = 1, broken: bool = False) -> Array:
    step = registers * 512 // type_.bits
    padded = -(-len(x) // step) * step
    given = [np.resize(a, padded) for a in (x, y)]
    result = np.empty_like(given[0])
    loop(type_, kind, registers, every=every, broken=broken)[1](*(a.ctypes.data for a in (*given, result)), padded)
    return result[: len(x)]


def check(type_: FloatType, x: Array, y: Array | None = None) -> None:
    """The divider's bits for the quotients of two arrays, or for the roots of one and the quotients by them."""
    if y is not None:
        check_kind(type_, "quotient", x, y)
        large = is_large(x)
        check_kind(type_, "large", x[large], y[large])
    else:
        check_kind(type_, "root", x, x)
        check_kind(type_, "by root", x[::-1].copy(), x)
        check_kind(type_, "large by root", np.ones_like(x), x)


def check_kind(type_: FloatType, kind: Kind, x: Array, y: Array) -> None:
    """NaNs are all alike."""
    with np.errstate(all="ignore"):
        expected = np.sqrt(x) if kind == "root" else x / (np.sqrt(y) if "root" in kind else y)
    word = TYPES[type_][1]
    for registers in (1, 2):
        found = computed(type_, kind, registers, x, y)
        wrong = np.flatnonzero((found.view(word) != expected.view(word)) & ~(np.isnan(found) & np.isnan(expected)))
        if len(wrong):
            k = wrong[0]
            operands = f"{float(x[k]).hex()}, {float(y[k]).hex()}: {float(expected[k]).hex()}, not {float(found[k]).hex()}"
            pytest.fail(f"{kind}, {registers} registers: {operands}; {len(wrong)} of {len(x)} are wrong")


def is_large(x: Array) -> Array:
    """+0, infinities, NaNs, and what is not small."""
    least = 2.0**-63 if x.dtype == np.float32 else 2.0**-511
    return ~(np.abs(x) < least) | ((x == 0) & ~np.signbit(x))


def patterns(type_: FloatType, count: int, seed: int) -> Array:
    """Numbers of any kind."""
    real, word, _ = TYPES[type_]
    return np.random.default_rng(seed).integers(0, np.iinfo(word).max, count, word, endpoint=True).view(real)


def moderate(type_: FloatType, count: int, seed: int, spread: int = 40) -> Array:
    """Numbers that multiplications are used for."""
    rng = np.random.default_rng(seed)
    real, _, bits = TYPES[type_]
    significands = np.ldexp(rng.integers(1 << (bits - 1), 1 << bits, count).astype(real), 1 - bits)
    return np.ldexp(significands, rng.integers(-spread, spread, count)) * rng.choice(np.array([-1, 1], real), count)


def special(type_: FloatType) -> Array:
    """Numbers where something begins or ends, with their neighbours."""
    real, _, bits = TYPES[type_]
    info = np.finfo(real)
    exponents = (info.minexp, info.minexp + bits, -960, -101, -100, -99, -1, 0, 1, 99, 100, 125, 126, info.maxexp - 1)
    powers = [2.0**e for e in exponents]
    numbers = np.array([0.0, info.smallest_subnormal, info.max, np.inf, np.nan, 3.0, *powers], real)
    with np.errstate(all="ignore"):
        near = [np.nextafter(numbers, real(0)), numbers, np.nextafter(numbers, real(np.inf))]
    both = np.concatenate([sign * part for sign in (real(1), real(-1)) for part in near])
    return np.unique(both.view(TYPES[type_][1])).view(real)


def test_special_numbers(type_: FloatType) -> None:
    numbers = special(type_)
    check(type_, *(a.ravel() for a in np.meshgrid(numbers, numbers)))
    check(type_, numbers)


@pytest.mark.parametrize("seed", range(2))
def test_random_numbers(type_: FloatType, seed: int) -> None:
    check(type_, patterns(type_, 1 << 20, seed), patterns(type_, 1 << 20, seed + 100))
    check(type_, patterns(type_, 1 << 20, seed))
    check(type_, moderate(type_, 1 << 20, seed), moderate(type_, 1 << 20, seed + 100))
    check(type_, np.abs(moderate(type_, 1 << 20, seed)))


def test_subnormal_results(type_: FloatType) -> None:
    least = np.finfo(TYPES[type_][0]).minexp
    for to in (-24, -1, 0, 1):
        x, y = moderate(type_, 1 << 18, 7, 3), moderate(type_, 1 << 18, 8, 3)
        check(type_, np.ldexp(x, least // 2), np.ldexp(y, least // 2 - least - to))


@pytest.mark.long
def test_many_random_numbers(type_: FloatType) -> None:
    for seed in range(0, 120, 4):
        spread = 1 + seed % 60
        check(type_, moderate(type_, 1 << 21, 2 * seed, spread), moderate(type_, 1 << 21, 2 * seed + 1, spread))
        check(type_, np.abs(moderate(type_, 1 << 21, seed, spread)))


def hard_quotients(bits: int, divisors: Array) -> Iterator[tuple[int, int]]:
    """Significands A and B of numbers whose quotient is as close to the middle of two numbers as quotients by B can be."""
    for divisor, k, more in itertools.product(map(int, divisors), (-3, -2, -1, 1, 2, 3), (0, 1)):
        odd, twos = divisor, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        scale = bits + more
        if k % (1 << twos) or twos >= scale:
            continue
        modulus = 1 << (scale - twos)
        for m in range(-(k >> twos) * pow(odd, -1, modulus) % modulus, 1 << (bits + 1), modulus):
            dividend, rest = divmod(divisor * m + k, 1 << scale)
            if m >> bits == 1 and m % 2 and rest == 0 and dividend >> (bits - 1) == 1:
                yield dividend, divisor


def check_quotients(type_: FloatType, divisors: Array) -> int:
    real, _, bits = TYPES[type_]
    pairs = np.array(list(hard_quotients(bits, divisors)), np.float64 if bits == 53 else real)
    check(type_, pairs[:, 0].astype(real), pairs[:, 1].astype(real))
    return len(pairs)


def test_hard_quotients(type_: FloatType) -> None:
    _, _, bits = TYPES[type_]
    rng = np.random.default_rng(3)
    assert check_quotients(type_, rng.integers(1 << (bits - 1), 1 << bits, 10_000)) > 1000
    # divisors just below a power of two, whose reciprocals are near the middle of two numbers themselves
    assert check_quotients(type_, (1 << bits) - np.arange(1, 3000)) > 1000
    # 2 - 2 j u with j^2 u about 1, where reciprocals come near the middle of two numbers again
    assert check_quotients(type_, (1 << bits) - math.isqrt(1 << bits) + np.arange(-1500, 1500)) > 1000


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_many_hard_quotients(type_: FloatType, seed: int) -> None:
    _, _, bits = TYPES[type_]
    check_quotients(type_, np.random.default_rng(seed).integers(1 << (bits - 1), 1 << bits, 200_000))


def roots_modulo(number: int, exponent: int) -> tuple[int, ...]:
    """All roots of `number`, which is 1 modulo 8, modulo 2**exponent."""
    root = 1
    for j in range(3, exponent):
        if (root * root - number) >> j & 1:
            root += 1 << (j - 1)
    modulus = 1 << exponent
    return tuple(sorted({sign * (root + half) % modulus for sign in (1, -1) for half in (0, modulus >> 1)}))


def hard_roots(bits: int) -> Iterator[tuple[int, int]]:
    """Significands D and exponents of numbers whose roots are close to the middle of two numbers."""
    for k, odd in itertools.product(range(-801, 800, 8), (0, 1)):
        exponent = bits + 1 + odd
        for m in roots_modulo(-k, exponent):
            for middle in (m, m + (1 << exponent)):
                square = middle * middle + k
                number = square >> exponent
                if middle >> bits == 1 and square % (1 << exponent) == 0 and number >> (bits - 1) == 1:
                    assert abs(math.isqrt(number << exponent) - middle) <= 1
                    yield number, odd


def test_hard_roots(type_: FloatType) -> None:
    real, _, bits = TYPES[type_]
    found = list(hard_roots(bits))
    assert len(found) > 200
    assert {(1 << (bits - 1)) + 1, (1 << bits) - 1} <= {number for number, _ in found}
    for exponent in (-20, 0, 30):
        check(type_, np.array([math.ldexp(number, 1 - bits + odd + exponent) for number, odd in found], real))


def test_all_roots_of_floats(type_: FloatType) -> None:
    """All significands, for even and odd exponents."""
    if type_ == F32:
        for first in (0x3F800000, 0x40000000):
            check(type_, np.arange(first, first + (1 << 23), dtype=np.uint32).view(np.float32))


@pytest.mark.parametrize("kind", ["quotient", "large", "root", "by root"])
def test_the_divider_is_only_asked_in_rare_cases(type_: FloatType, kind: Kind) -> None:
    for registers in (1, 2):
        assembly = loop(type_, kind, registers)[0].assembly
        counts = {name: assembly.count(f"\t{name}") for name in ("vdiv", "vsqrt", "vrcp14", "vrsqrt14", "kortest")}
        quotient, root = registers * (kind != "root"), registers * ("root" in kind)
        assert counts["vdiv"] == quotient and counts["vsqrt"] == root
        assert counts["vrcp14"] == quotient * (not root) and counts["vrsqrt14"] == root
        assert counts["kortest"] == (quotient > 0) + (root > 0)
        assert "call" not in assembly


@pytest.mark.parametrize("registers", [1, 2])
def test_lanes_that_do_not_count(type_: FloatType, registers: int) -> None:
    """They may hold anything, and do not send the others to the divider."""
    x, y = np.abs(moderate(type_, 1 << 12, 5, 20)), np.abs(moderate(type_, 1 << 12, 6, 20))
    expected: dict[Kind, Array] = {
        "quotient": x / y, "large": x / y, "root": np.sqrt(y), "by root": x / np.sqrt(y), "large by root": x / np.sqrt(y)
    }  # fmt: skip
    for kind, results in expected.items():
        assert (computed(type_, kind, registers, y if kind == "root" else x, y, broken=True) == results).all(), kind
    idle = np.arange(1 << 12) % 4 != 0
    x[idle] = np.resize(np.array([0, np.inf, np.nan, -0.0, 1], x.dtype), idle.sum())
    y[idle] = np.resize(np.array([0, 0, np.inf, -1, np.nan, 2.0**126], x.dtype), idle.sum())
    for kind, results in expected.items():
        found = computed(type_, kind, registers, y if kind == "root" else x, y, every=4, broken=True)
        assert (found == results)[~idle].all(), kind
