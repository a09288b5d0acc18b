"""Every rule of the verifier finds the module that breaks it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rv.ir.types import I64
from rv.vector.instructions import Binary
from rv.vector.parser import parse_module
from rv.vector.values import Constant, Register
from rv.vector.verify import IllFormed, verify

HEAD = "module arrays(A)\n\n"


def function(body: str, result: str = "void", parameters: str = "ptr %A, i64 %n, i1 %c, <4 x double> %v") -> str:
    return f"define {result} @f({parameters}) {{\n{body}\n}}"


PHI = "%x: i64 = phi [i64 1, start.0], [i64 2, a.0]"
GOOD = function(f"start.0:\n  branch %c, a.0, b.0\na.0:\n  jump b.0\nb.0:\n  {PHI}\n  return")


def line(text: str) -> str:
    """A function of this instruction."""
    return function(f"b.0:\n  {text}\n  return")


def test_what_is_well_formed() -> None:
    verify(parse_module(HEAD + GOOD))


BAD = {
    "rule 1: two functions": GOOD + "\n" + GOOD,
    "rule 1: %n is defined twice": line("%n: i64 = add %n, i64 1"),
    "rule 1: two blocks": function("b.0:\n  jump c.0\nc.0:\n  return\nc.0:\n  return"),
    "rule 2: .* gives a i64": line("%x: i32 = add %n, i64 1"),
    "rule 3": function("b.0:\n  jump c.0"),
    "rule 4": function("b.0:\n  jump c.0\nc.0:\n  %x: i64 = phi [i64 1, b.0], [i64 2, d.0]\n  return\nd.0:\n  return"),
    "rule 5: .*%x: i64": line("%x: i64 = add %y, i64 1\n  %y: i64 = add %n, i64 1"),
    "rule 5: .*%z: i64": function(
        "b.0:\n  branch %c, a.0, d.0\na.0:\n  %y: i64 = add %n, i64 1\n  jump d.0\nd.0:\n  %z: i64 = add %y, i64 1\n  return"
    ),
    "rule 6: .*i64, i32": line("%x: i64 = add %n, i32 1"),
    "rule 6: .*fadd": line("%x: i64 = fadd %n, i64 1"),
    "rule 6: .*select": line("%x: <4 x double> = select <2 x i1> 1, %v, %v"),
    "rule 6: .*shuffle": line("%x: <2 x double> = shuffle %v, %v [0, 8]"),
    "rule 6: .*neighbours differences": line("%x: <2 x i64> = neighbours differences <16 x i8> 1, <16 x i16> 1"),
    "rule 6: .*neighbours products": line("%x: <3 x i32> = neighbours products <6 x i16> 1, <6 x i16> 1"),
    "rule 6: .*neighbours signed": line("%x: <4 x i32> = neighbours signed <8 x i16> 1, <8 x i16> 1"),
    "rule 6: .*dots": line("%x: <4 x i32> = dots unsigned signed <4 x i32> 1, <32 x i8> 1, <32 x i8> 1"),
    "rule 6: .*insert": line("%x: <4 x double> = insert %v, double 0x1p+0 at 4"),
    "rule 6: .*load": line('%x: double = load %n in "A" align 8'),
    "rule 6: .*store": line('store %v, %A mask <2 x i1> 1 in "A" align 8'),
    "rule 6: b.0 branches": function("b.0:\n  branch %n, c.0, c.0\nc.0:\n  return"),
    "rule 8: b.0 returns a i64": function("b.0:\n  return %n"),
    "rule 9: .* is no alignment": line('%x: double = load %A in "A" align 3'),
    "rule 9: .* is no array": line('%x: double = load %A in "A" align 8 array B'),
    "rule 10": line("call effect void @f(%A)"),
}


@pytest.mark.parametrize("rule", BAD)
def test_rule(rule: str) -> None:
    with pytest.raises(IllFormed, match=rule):
        verify(parse_module(HEAD + BAD[rule]))


def test_constants_are_in_the_range_of_their_types() -> None:
    good = parse_module(HEAD + line("%x: i64 = add %n, i64 1"))
    block = good.functions[0].blocks[0]
    wrong = replace(block.body[0], instruction=Binary("add", Register("n", I64), Constant(I64, (1 << 64,))))
    with pytest.raises(IllFormed, match="rule 7"):
        verify(replace(good, functions=(replace(good.functions[0], blocks=(replace(block, body=(wrong,)),)),)))
