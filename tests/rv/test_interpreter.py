"""The scalar interpreter against NumPy (which is the machine's arithmetic) and the C library, and its errors."""

from __future__ import annotations

import ctypes
import math
import operator
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rv.ir import libm
from rv.ir.parser import parse_function
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import Exhausted, Program, run
from rv.semantics.undefined import UNDEFINED, Undefined

WIDTHS = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
FLOATS = st.floats(width=32) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45, 1.1754942e-38, 3.4028235e38])
DOUBLES = st.floats() | st.sampled_from([0.0, -0.0, 5e-324, 1.7976931348623157e308])
_programs: dict[str, Program] = {}


def calculate(line: str, result: str, parameters: str, *arguments: object) -> object:
    """The value of `%r = line` for a function with these parameters."""
    text = f"define {result} @f({parameters}) {{\nentry:\n  %r = {line}\n  return {result} %r\n}}\n"
    if text not in _programs:
        _programs[text] = Program(parse_function(text))
    return _programs[text].run(arguments, Memory())  # type: ignore[arg-type]


def same(found: object, expected: float) -> bool:
    assert isinstance(found, float)
    return (math.isnan(found) and math.isnan(expected)) or struct.pack("<d", found) == struct.pack("<d", expected)


@given(st.sampled_from(sorted(WIDTHS)), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_integer_arithmetic_wraps(bits: int, left: int, right: int) -> None:
    mask = (1 << bits) - 1
    a, b = UNSIGNED[bits](left & mask), UNSIGNED[bits](right & mask)
    types = f"i{bits} %a, i{bits} %b"
    with np.errstate(all="ignore"):
        expected = {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b}
        if b:
            expected |= {"udiv": a // b, "urem": a % b}
    signed_a, signed_b = int(a.astype(WIDTHS[bits])), int(b.astype(WIDTHS[bits]))
    if signed_b and not (signed_b == -1 and signed_a == -(1 << (bits - 1))):
        quotient = math.trunc(abs(signed_a) // abs(signed_b)) * (1 if (signed_a < 0) == (signed_b < 0) else -1)
        expected |= {"sdiv": quotient & mask, "srem": (signed_a - quotient * signed_b) & mask}
    amount = int(b) % bits
    for op, value in expected.items():
        assert calculate(f"{op} i{bits} %a, %b", f"i{bits}", types, left, right) == int(value), op
    shifts = {"shl": (int(a) << amount) & mask, "lshr": int(a) >> amount, "ashr": (signed_a >> amount) & mask}
    for op, value in shifts.items():
        assert calculate(f"{op} i{bits} %a, %b", f"i{bits}", types, left, amount) == value, op


@given(st.sampled_from(sorted(WIDTHS)), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1) | st.none())
def test_integer_comparisons(bits: int, left: int, other: int | None) -> None:
    right = left if other is None else other
    a, b = UNSIGNED[bits](left & ((1 << bits) - 1)), UNSIGNED[bits](right & ((1 << bits) - 1))
    signed = a.astype(WIDTHS[bits]), b.astype(WIDTHS[bits])
    for name, relation in (("lt", operator.lt), ("le", operator.le), ("gt", operator.gt), ("ge", operator.ge)):
        for prefix, (x, y) in (("u", (a, b)), ("s", signed)):
            line = f"icmp {prefix}{name} i{bits} %a, %b"
            assert calculate(line, "i1", f"i{bits} %a, i{bits} %b", left, right) == int(relation(x, y)), line
    assert calculate(f"icmp eq i{bits} %a, %b", "i1", f"i{bits} %a, i{bits} %b", left, right) == int(a == b)
    assert calculate(f"icmp ne i{bits} %a, %b", "i1", f"i{bits} %a, i{bits} %b", left, right) == int(a != b)


@given(FLOATS, FLOATS)
def test_binary32_arithmetic(left: float, right: float) -> None:
    a, b = np.float32(left), np.float32(right)
    with np.errstate(all="ignore"):
        expected = {"fadd": a + b, "fsub": a - b, "fmul": a * b, "fdiv": a / b}
        root = np.sqrt(a)
    for op, value in expected.items():
        assert same(calculate(f"{op} float %a, %b", "float", "float %a, float %b", left, right), float(value)), op
    assert same(calculate("call float @sqrtf(float %a)", "float", "float %a", left), float(root))


@given(DOUBLES, DOUBLES)
def test_binary64_arithmetic(left: float, right: float) -> None:
    a, b = np.float64(left), np.float64(right)
    with np.errstate(all="ignore"):
        expected = {"fadd": a + b, "fsub": a - b, "fmul": a * b, "fdiv": a / b}
        narrow = float(np.float32(a))
    for op, value in expected.items():
        assert same(calculate(f"{op} double %a, %b", "double", "double %a, double %b", left, right), float(value)), op
    assert same(calculate("fptrunc double %a to float", "float", "double %a", left), narrow)
    assert same(calculate("fneg double %a", "double", "double %a", left), -left)


@given(DOUBLES, DOUBLES | st.none())
def test_float_comparisons(left: float, other: float | None) -> None:
    right = left if other is None else other
    unordered = math.isnan(left) or math.isnan(right)
    expected = {"eq": left == right, "ne": left < right or left > right, "lt": left < right, "le": left <= right}
    expected |= {"gt": left > right, "ge": left >= right}
    for name, value in expected.items():
        for prefix, truth in (("o", value), ("u", value or unordered)):
            line = f"fcmp {prefix}{name} double %a, %b"
            assert calculate(line, "i1", "double %a, double %b", left, right) == int(truth), line
    assert calculate("fcmp ord double %a, %b", "i1", "double %a, double %b", left, right) == int(not unordered)
    assert calculate("fcmp uno double %a, %b", "i1", "double %a, double %b", left, right) == int(unordered)


NEAR_TIES = st.builds(lambda high, low: (high << 39) + (1 << 38) + low, st.integers(0, 2**25 - 1), st.integers(-1, 1))


@given(st.integers(0, 2**64 - 1) | NEAR_TIES)
def test_conversions_from_integers(bits: int) -> None:
    signed, unsigned = np.uint64(bits).astype(np.int64), np.uint64(bits)
    for result, kind in (("float", np.float32), ("double", np.float64)):
        assert same(calculate(f"sitofp i64 %a to {result}", result, "i64 %a", bits), float(signed.astype(kind)))
        assert same(calculate(f"uitofp i64 %a to {result}", result, "i64 %a", bits), float(unsigned.astype(kind)))
    assert calculate("trunc i64 %a to i8", "i8", "i64 %a", bits) == bits & 255
    assert calculate("sext i8 %a to i32", "i32", "i8 %a", bits) == int(np.uint8(bits & 255).astype(np.int8)) % 2**32
    assert calculate("zext i8 %a to i32", "i32", "i8 %a", bits) == bits & 255
    assert calculate("sext i1 %a to i32", "i32", "i1 %a", bits) == (2**32 - 1) * (bits & 1)


@given(DOUBLES)
def test_conversions_to_integers(value: float) -> None:
    found = calculate("fptosi double %a to i32", "i32", "double %a", value)
    if math.isfinite(value) and -(2**31) - 1 < value < 2**31:
        assert found == math.trunc(value) % 2**32
    else:
        assert found is UNDEFINED
    found = calculate("fptoui double %a to i8", "i8", "double %a", value)
    assert found == math.trunc(value) if math.isfinite(value) and -1 < value < 256 else found is UNDEFINED


@pytest.mark.parametrize("name", sorted(libm.SIGNATURES))
def test_every_library_function_exists(name: str) -> None:
    _, parameters = libm.signature(name) or (None, ())
    given_values = [0.75 if str(t) in ("double", "float") else 3 for t in parameters]
    assert libm.library_function(name)(*given_values) is not None


def test_library_calls_are_the_library() -> None:
    library = ctypes.CDLL("libm.so.6")
    library.sinf.restype, library.sinf.argtypes = ctypes.c_float, [ctypes.c_float]
    value = calculate("call float @sinf(float %a)", "float", "float %a", 0.7)
    assert value == library.sinf(0.7)
    tiny = 2.0**-30
    fused = "call double @fma(double %a, double %b, double %c)"
    assert calculate(fused, "double", "double %a, double %b, double %c", 1 + tiny, 1 - tiny, -1.0) == -(tiny**2)
    assert calculate("call i32 @abs(i32 %a)", "i32", "i32 %a", -7) == 7


SUM = """\
define double @sum(ptr %A, i32 %n) {
entry:
  jump loop
loop:
  %i = phi i32 [0, entry], [%i.next, body]
  %s = phi double [0x0p+0, entry], [%s.next, body]
  %more = icmp slt i32 %i, %n
  branch %more, body, done
body:
  %w = sext i32 %i to i64
  %p = elemptr double, %A [%w, 1] extents [2]
  %x = load double, %p
  %s.next = fadd double %s, %x
  store double %s.next, %p
  %i.next = add nsw i32 %i, 1
  jump loop
done:
  return double %s
}
"""


@pytest.mark.parametrize(
    ("indices", "element"), [("[%k]", 2), ("[%k, 0] extents [1]", 2), ("[%wide]", None), ("[%wide, %k] extents [4]", None)]
)
def test_subscripts_are_signed_and_do_not_wrap(indices: str, element: int | None) -> None:
    """-2^63 + 2 of an array of doubles would be its element 2 if addresses wrapped, which analyses take for another one."""
    text = f"""
define double @f(ptr %A, i64 %k, i64 %wide) {{
entry:
  %p = elemptr double, %A {indices}
  %x = load double, %p
  return double %x
}}
"""
    memory = Memory()
    region = memory.map("A", np.arange(5.0))
    if element is None:
        with pytest.raises(Fault, match="access out of bounds at 0x"):
            run(parse_function(text), (region, 2, 2 + (1 << 63)), memory)
    else:
        assert run(parse_function(text), (region, element, 0), memory) == element
        assert run(parse_function(text), (region.base + 32, (1 << 64) - 1, 0), memory) == 3.0


def test_memory_is_shared_and_bounded() -> None:
    array = np.arange(10.0).reshape(5, 2)
    memory = Memory()
    region = memory.map("A", array)
    assert run(parse_function(SUM), (region, 5), memory) == 25.0
    assert array[:, 1].tolist() == [1, 4, 9, 16, 25]
    assert array[:, 0].tolist() == [0, 2, 4, 6, 8]
    with pytest.raises(Fault, match=r"access out of bounds at byte 88 of A \(80 bytes\): `%x = load double, %p` in block body"):
        run(parse_function(SUM), (region, 6), memory)
    with pytest.raises(Fault, match="out of bounds at byte -8 of A"):
        run(parse_function(SUM), (region.base - 16, 1), memory)
    with pytest.raises(Fault, match="misaligned access"):
        run(parse_function(SUM), (region.base + 4, 1), memory)
    with pytest.raises(Fault, match="out of bounds at 0x8|byte 8 of null"):
        run(parse_function(SUM), (0, 1), memory)
    with pytest.raises(Exhausted):
        run(parse_function(SUM), (region, 5), memory, fuel=3)
    array.flags.writeable = False
    with pytest.raises(Fault, match="read-only"):
        run(parse_function(SUM), (memory.map("constant", array), 1), memory)


def test_types_in_memory() -> None:
    memory = Memory()
    region = memory.allocate("m", 16)
    for type_, value in (("i8", 200), ("i16", 65000), ("i32", 2**32 - 5), ("i64", 2**63), ("float", 0.5), ("double", -0.1)):
        text = f"define {type_} @f(ptr %p, {type_} %v) {{\ne:\n  store {type_} %v, %p\n  %r = load {type_}, %p\n"
        assert run(parse_function(text + f"  return {type_} %r\n}}"), (region, value), memory) == value
        size = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8}[type_]
        packed = {"float": struct.pack("<f", value), "double": struct.pack("<d", value)}
        assert bytes(region.data[:size]) == packed.get(type_) or bytes(region.data[:size]) == int(value).to_bytes(size, "little")


UNDEFINED_USES = {
    "branch %b, yes, no\nyes:\n  jump no\nno:": "branch %b, yes, no",
    "store i32 %x, %A": "store i32 %x",
    "%q = sdiv i32 1, %x": "sdiv",
    "%q = sdiv i32 1, 0": "sdiv",
    "%q = srem i32 -2147483648, -1": "srem",
    "%q = elemptr i32, %A [%w]\n  store i32 0, %q": "store i32 0",
}


@pytest.mark.parametrize("code", UNDEFINED_USES)
def test_undefined_values_must_not_decide(code: str) -> None:
    text = f"""define void @f(ptr %A, i32 %u) {{
entry:
  %x = add i32 undef, %u
  %w = sext i32 %x to i64
  %b = icmp slt i32 %x, 3
  {code}
  return void
}}"""
    memory = Memory()
    with pytest.raises(Undefined, match=UNDEFINED_USES[code]):
        run(parse_function(text), (memory.allocate("A", 4), 1), memory)


@pytest.mark.parametrize(
    ("line", "undefined"),
    [
        ("select i1 1, i32 %u, undef", False),
        ("select i1 0, i32 %u, undef", True),
        ("mul i32 undef, 0", True),
        ("shl i32 %u, 32", True),
        ("shl i32 %u, 31", False),
    ],
)
def test_undefined_values_spread(line: str, undefined: bool) -> None:
    line = line.replace("select i1 ", "select ")
    assert (calculate(line, "i32", "i32 %u", 1) is UNDEFINED) == undefined
    assert calculate("fadd float undef, %u", "float", "float %u", 1.0) is UNDEFINED
    assert calculate("call double @sin(double undef)", "double", "float %u", 1.0) is UNDEFINED
    assert calculate("select undef, i32 1, 2", "i32", "float %u", 1.0) is UNDEFINED


def test_externals() -> None:
    text = "define i32 @f(i32 %n) {\ne:\n  %r = call i32 @mine(i32 %n)\n  return i32 %r\n}"
    assert run(parse_function(text), (5,), Memory(), {"mine": lambda n: n + 1}) == 6
    with pytest.raises(KeyError, match="mine"):
        run(parse_function(text), (5,), Memory())
