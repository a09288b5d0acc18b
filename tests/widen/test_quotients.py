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
from typing import Any

import numpy as np
import pytest

from rv.ir.types import F32, F64, FloatType
from rv.target.divider import divider_of
from rv.target.host import host
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target, runs_here
from rv.widen.lines import LlvmFunction
from rv.widen.quotients import emit_quotient, emit_root
from tensorrv.brush.module_text import module_text

TARGET = resolve_target("native" if divider_of(resolve_target("native")) else "skylake-avx512")
TYPES = {F32: (np.float32, np.uint32, 24), F64: (np.float64, np.uint64, 53)}
Array = np.ndarray[Any, Any]

pytestmark = [
    pytest.mark.skipif(
        not host().triple.startswith("x86_64") or runs_here(TARGET) is not None, reason=f"{TARGET.cpu} code does not run here"
    ),
    pytest.mark.parametrize("type_", TYPES, ids=str),
]


@cache
def loop(type_: FloatType, *, root: bool) -> tuple[CompiledModule, Callable[..., object]]:
    """A function of two arrays of operands, one of results, and their length, a multiple of the number of lanes."""
    lanes = 512 // type_.bits
    vector, mask = f"<{lanes} x {type_}>", f"<{', '.join(['i1 true'] * lanes)}>"
    llvm = LlvmFunction("define void @all(ptr %x, ptr %y, ptr %z, i64 %n) #0")
    start, turn, end = (llvm.block(label, ordered=True) for label in ("start", "turn", "end"))
    start.terminator = f"br label %{turn.label}"
    counter = turn.phi("i64")
    places = [turn.pure(f"getelementptr {type_}, ptr %{name}, i64 {counter.name}", []) for name in "xyz"]
    x, y = (turn.pure(f"load {vector}, ptr {place}, align 4", []) for place in places[:2])
    result = emit_root(turn, type_, x, mask, lanes) if root else emit_quotient(turn, type_, x, y, mask, lanes)
    turn.store(f"store {vector} {result}, ptr {places[2]}, align 4", [], "z", None)
    following = turn.pure(f"add i64 {counter.name}, {lanes}", [])
    more = turn.pure(f"icmp ult i64 {following}, %n", [])
    counter.incoming += [("0", start.label), (following, turn.label)]
    turn.terminator = f"br i1 {more}, label %{turn.label}, label %{end.label}"
    end.terminator = "ret void"
    module = CompiledModule(module_text(llvm, TARGET, ()), TARGET)
    pointers = [ctypes.c_void_p] * 3
    return module, ctypes.CFUNCTYPE(None, *pointers, ctypes.c_int64)(module.jit().address("all"))


def computed(type_: FloatType, x: Array, y: Array | None = None) -> Array:
    """The quotients of two arrays, or the roots of one."""
    lanes = 512 // type_.bits
    padded = -(-len(x) // lanes) * lanes
    given = [np.resize(a, padded) for a in (x, x if y is None else y)]
    result = np.empty_like(given[0])
    loop(type_, root=y is None)[1](*(a.ctypes.data for a in (*given, result)), padded)
    return result[: len(x)]


def check(type_: FloatType, x: Array, y: Array | None = None) -> None:
    """The same bits as the divider's; NaNs are all alike."""
    with np.errstate(all="ignore"):
        expected = np.sqrt(x) if y is None else x / y
    found = computed(type_, x, y)
    word = TYPES[type_][1]
    wrong = np.flatnonzero((found.view(word) != expected.view(word)) & ~(np.isnan(found) & np.isnan(expected)))
    if len(wrong):
        k = wrong[0]
        operands = float(x[k]).hex() if y is None else f"{float(x[k]).hex()} / {float(y[k]).hex()}"
        pytest.fail(f"{operands} is {float(expected[k]).hex()}, not {float(found[k]).hex()}; {len(wrong)} of {len(x)} are wrong")


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
    for seed in range(100):
        spread = 1 + seed % 60
        check(type_, moderate(type_, 1 << 22, 2 * seed, spread), moderate(type_, 1 << 22, 2 * seed + 1, spread))
        check(type_, np.abs(moderate(type_, 1 << 22, seed, spread)))


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


def test_the_divider_is_only_asked_in_rare_cases(type_: FloatType) -> None:
    for root, slow, estimate in ((False, "vdiv", "vrcp14"), (True, "vsqrt", "vrsqrt14")):
        assembly = loop(type_, root=root)[0].assembly
        assert assembly.count(estimate) == 1 and assembly.count(f"\t{slow}") == 1
        assert "call" not in assembly
