"""Random loops that end early, before, between and behind stores and reductions, on all targets, against gcc -O0."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.run.random_c import check_random
from tests.run.toolchain import TARGETS

FUNCTIONS = 6
PLANS = ("16", "8 tail=mask", "5 tail=peel", "32 tail=scalar")
DIRECTIVES = "// size n: 0..150\n// values w: 0..60\n// values v: 0..60\n"


class Writer:
    """Writes functions of statements in a loop over `i`, some of which end it."""

    def __init__(self, source: random.Random, number: int) -> None:
        self.random = source
        self.number = number
        self.type = source.choice(("int", "short", "double", "unsigned char"))

    def text(self) -> str:
        first, step = self.random.choice((0, 0, 1, 3)), self.random.choice((1, 1, 1, 2))
        statements = [self.statement() for _ in range(self.random.randint(1, 3))]
        for _ in range(self.random.randint(1, 2)):
            statements.insert(self.random.randint(0, len(statements)), self.end())
        body = "\n        ".join(statements)
        if self.random.random() < 0.25:
            loop = "for (i = n - 1; i >= 0; i--)"
        else:
            loop = f"for (i = {first}; i < n; i += {step})"
        return (
            f"long f{self.number}(int n, const int w[restrict n], const int v[restrict n], {self.type} out[restrict n])\n"
            f"{{\n    int i, s = 0, m = -1, e = 0;\n    {loop} {{\n        {body}\n    }}\n"
            "    return (((long)s * 64 + m) * 8 + e) * 256 + i;\n}\n"
        )

    def condition(self) -> str:
        pick = self.random
        array = pick.choice(("w", "v"))
        return pick.choice((f"{array}[i] == {pick.randint(0, 60)}", f"{array}[i] > {pick.randint(50, 60)}", "w[i] + v[i] > 115"))

    def end(self) -> str:
        ways = ("break;", "{ e = 1; break; }", "return i * 3 + 1;", "{ s += 5; break; }", "{ e = w[i]; break; }")
        way = self.random.choice(ways)
        nested = self.random.random() < 0.25
        return f"if ({'v[i] & 1) if (' if nested else ''}{self.condition()}) {way}"

    def statement(self) -> str:
        pick = self.random
        value = pick.choice(("w[i] + v[i]", "w[i] * 3 - i", "v[i] ^ 5"))
        done = pick.choice((f"out[i] = {value};", f"out[i] = {value};", f"s += {value};", f"if ({value} > m) m = {value};"))
        return f"if (v[i] & 2) {{ {done} }}" if pick.random() < 0.3 else done


def check(seed: int, target: str, scratch: Path) -> None:
    source = random.Random(seed)
    check_random(seed, DIRECTIVES, [Writer(source, number).text() for number in range(FUNCTIONS)], PLANS, target, scratch)


@pytest.mark.parametrize("target", TARGETS)
def test_random_ends(target: str, tmp_path: Path) -> None:
    check(TARGETS.index(target), target, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(3, 120))
def test_many_random_ends(seed: int, target: str, tmp_path: Path) -> None:
    check(seed, target, tmp_path)
