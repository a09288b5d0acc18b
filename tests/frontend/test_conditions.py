"""Conditions of #if mean to us what they mean to gcc."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from tensorrv.frontend.c.preprocess.preprocessor import preprocess
from tensorrv.report.diagnostics import Refused

CONDITIONS = """
-1 > 0u
-7 / 2 == -3
-7 % 3 == -1
'\\377' < 0
0x8000000000000000 < 0
0x7fffffffffffffff + 1 < 0
1ull << 40
0b11 == 3
010 == 8 && 'a' == 97
-1 >> 1 == -1
~0u == 0xffffffffffffffff
(2 || 1 / 0) && !(0 && 1 % 0)
1 ? 2 : 1 / 0
(0 ? 1u : -1) > 0
defined X && defined(Y) || defined ( Z )
defined X + 1 > 1
A(2) == 4 && X == 3 && !unknown
5 & 3
- -1 == 1 && !0 + !1 == 1
1 /* comment */ << 2 == 4
"""


def outputs(text: str) -> tuple[list[str], list[str]]:
    """What gcc leaves of a text, and what we do, by lines."""
    wanted = subprocess.run(["gcc", "-E", "-P", "-std=gnu11", "-w", "-"], input=text, capture_output=True, text=True, check=True)
    return wanted.stdout.split(), preprocess("c.c", text, [], [], Path(), {}).text.split()


def chosen(conditions: list[str]) -> str:
    return "".join(f"#if {condition}\nyes{k}\n#else\nno{k}\n#endif\n" for k, condition in enumerate(conditions))


def test_conditions() -> None:
    macros = "#define X 3\n#define A(x) ((x) * 2)\n#define Z\n"
    wanted, found = outputs(macros + chosen(CONDITIONS.strip().split("\n")))
    assert found == wanted


def test_random_conditions() -> None:
    random_ = random.Random(4)

    leaves = ["0", "1", "7u", "-3", "0xffffffffffffffff", "2147483648", "'~'", "X", "unknown", "9223372036854775807"]

    def expression(depth: int) -> str:
        if depth == 0:
            return random_.choice(leaves)
        op = random_.choice("+ - * / % & | ^ << >> < > <= >= == != && || ?: ~ ! -".split())
        a, b = expression(depth - 1), expression(random_.randrange(depth))
        match op:
            case "?:":
                return f"({a} ? {b} : {expression(depth - 1)})"
            case "~" | "!":
                return f"{op}({a})"
            case "/" | "%":
                return f"({a} {op} {random_.choice(['3', '-5', '11u'])})"
            case "<<" | ">>":
                return f"({a} {op} {random_.randrange(63)})"
            case _:
                return f"{a} {op} {b}" if random_.random() < 0.4 else f"({a} {op} {b})"

    wanted, found = outputs("#define X (-2)\n" + chosen([expression(random_.randrange(5)) for _ in range(400)]))
    assert found == wanted


@pytest.mark.parametrize("text", ["1 / 0", "(1", "1 +", "f(2)", "1.5", '"a"', "'ab'", "3 4", "defined", "L'a'", "x = 1"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(Refused) as refused:
        preprocess("c.c", f"int x;\n#if {text}\n#endif\n", [], [], Path(), {})
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "TRV002" and diagnostic.span is not None and diagnostic.span.line == 2
