"""Conversions that keep bits: between numbers of one width, and from addresses."""

from __future__ import annotations

import math
import struct

import pytest

from rv.analysis.verify import IllFormed, verify
from rv.ir.parser import parse_functions
from rv.ir.printer import print_functions
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.semantics.undefined import Undefined


def function(body: str, result: str, parameters: str) -> str:
    return f"define {result} @f({parameters}) {{\nentry:\n{body}\n}}\n"


def convert(text: str, source: str, result: str) -> str:
    return function(f"  %r = {text} {source} %x to {result}\n  return {result} %r", result, f"{source} %x")


@pytest.mark.parametrize(("code", "width", "type_"), [("f", 32, "float"), ("d", 64, "double")])
@pytest.mark.parametrize("number", [0.0, -0.0, 1.5, -math.inf, 5e-324, 1e-45, 3.0e38])
def test_bits_there_and_back(code: str, width: int, type_: str, number: float) -> None:
    pattern = int.from_bytes(struct.pack(f"<{code}", number), "little")
    number = struct.unpack(f"<{code}", pattern.to_bytes(width // 8, "little"))[0]
    (there,) = parse_functions(convert("bitcast", type_, f"i{width}"))
    (back,) = parse_functions(convert("bitcast", f"i{width}", type_))
    assert print_functions([there]) == print_functions(parse_functions(print_functions([there])))
    assert run(verify(there), [number], Memory()) == pattern
    result = run(verify(back), [pattern], Memory())
    assert isinstance(result, float) and result == number and math.copysign(1, result) == math.copysign(1, number)


def test_an_address_is_an_integer() -> None:
    memory = Memory()
    region = memory.allocate("a", 16)
    (found,) = parse_functions(convert("ptrtoint", "ptr", "i64"))
    assert run(verify(found), [region], memory) == region.base


@pytest.mark.parametrize(
    ("op", "source", "result"),
    [("bitcast", "i32", "double"), ("bitcast", "i32", "i32"), ("bitcast", "float", "float"), ("bitcast", "ptr", "i64"),
     ("ptrtoint", "ptr", "i32"), ("ptrtoint", "i64", "i64"), ("ptrtoint", "ptr", "double")],
)  # fmt: skip
def test_other_types_are_ill_formed(op: str, source: str, result: str) -> None:
    (found,) = parse_functions(convert(op, source, result))
    with pytest.raises(IllFormed, match=f"no {op}"):
        verify(found)


def test_the_bits_of_an_undefined_number_are_undefined() -> None:
    test = "  %r = bitcast double undef to i64\n  %t = icmp eq i64 %r, 0\n  branch %t, yes, no\n"
    body = test + "yes:\n  return i64 1\nno:\n  return i64 %x"
    (found,) = parse_functions(function(body, "i64", "i64 %x"))
    with pytest.raises(Undefined):
        run(verify(found), [1], Memory())
