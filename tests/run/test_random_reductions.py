"""Random loops that carry reductions and selections, and some that only look like it, against gcc -O0.

What is refused stays scalar and must be right as well; most of the functions must be brushed.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import toolchain

FUNCTIONS = 14
PLANS = ("8", "4x8", "3x5 tail=peel", "16 tail=mask", "2x4 tail=scalar", "5")
TYPES = ("int", "unsigned", "short", "long", "float", "double")


class Writer:
    """Writes one function: nested loops over an array, with statements that carry variables."""

    def __init__(self, source: random.Random, number: int) -> None:
        self.random = source
        self.number = number
        self.type = source.choice(TYPES)
        self.floating = self.type in ("float", "double")
        self.nested = source.random() < 0.4
        self.variables: list[str] = []
        self.order: list[str] = []

    def text(self) -> str:
        statements = " ".join(self.statement() for _ in range(self.random.randint(1, 3)))
        declared = "".join(f"    {v}\n" for v in self.variables)
        inner = "for (int i = 0; i < cols; ++i)"
        if self.random.random() < 0.15:
            inner = "for (int i = cols - 1; i >= 0; --i)"
        loops = f"for (int j = 0; j < rows; ++j) {inner}" if self.nested else inner
        result = " + ".join(f"(double){name}" for name in self.order)
        parameters = "int rows, int cols" if self.nested else "int cols"
        extents = "[rows][cols]" if self.nested else "[cols]"
        array, flags = (f"{type_} {name}{extents.replace('[', '[restrict ', 1)}" for type_, name in
                        ((f"const {self.type}", "A"), ("const int", "C")))  # fmt: skip
        return (
            f"double f{self.number}({parameters}, {array}, {flags}, double out[restrict 4])\n{{\n{declared}"
            f"    {loops} {{ {statements} }}\n{self.stores()}    return {result};\n}}\n"
        )

    def stores(self) -> str:
        """Everything that was carried, as it is: NaNs and zeros of both signs do not get lost in a sum."""
        return "".join(f"    out[{k}] = {name};\n" for k, name in enumerate(self.order[:4]))

    def element(self, name: str = "A") -> str:
        return f"{name}[j][i]" if self.nested else f"{name}[i]"

    def value(self) -> str:
        """Something to compare; few different values, so that there are ties."""
        x = self.element()
        if self.floating:
            return self.random.choice((x, x, f"{x} * 0", f"-{x}", f"(float)(int)({x} > 0 ? 1 : -1) * 0"))
        return self.random.choice((x, f"({x} & 7)", f"({x} % 5)"))

    def condition(self) -> str:
        flag = self.element("C")
        return self.random.choice((f"{flag} > 0", f"({flag} & 3) == 1", "i % 3", f"{flag} < {self.element('C')} + 1", "i != 4"))

    def fresh(self, kind: str, type_: str, start: str) -> str:
        name = f"{kind}{len(self.variables)}"
        self.variables.append(f"{type_} {name} = {start};")
        self.order.append(name)
        return name

    def guarded(self, statement: str) -> str:
        """The statement, under a condition or not."""
        pick = self.random.random()
        if pick < 0.3:
            return f"if ({self.condition()}) {{ {statement} }}"
        if pick < 0.4:
            return f"if ({self.condition()}) {{ if ({self.condition()}) {{ {statement} }} }}"
        return statement

    def place(self) -> str:
        return "j * 100 + i" if self.nested else self.random.choice(("i", "i", "2 * i - 1"))

    def start(self) -> str:
        return self.random.choice(("0", "-1", "3")) if self.type != "unsigned" else self.random.choice(("0", "3"))

    def statement(self) -> str:
        kinds = (self.extremum, self.chain, self.place_of, self.places_of, self.last, self.first, self.fold)
        return self.guarded(self.random.choice(kinds)())

    def extremum(self) -> str:
        m, x = self.fresh("m", self.type, self.start()), self.value()
        better = self.random.choice(("<", "<=", ">", ">="))
        if self.random.random() < 0.5:
            return f"{self.type} x{m} = {x}; {m} = x{m} {better} {m} ? x{m} : {m};"
        return f"if ({x} {better} {m}) {m} = {x};"

    def chain(self) -> str:
        """Several updates of one minimum or maximum, each under its own condition."""
        m, kind = self.fresh("m", self.type, self.start()), self.random.choice(("min", "max"))
        if self.floating and self.random.random() < 0.6:
            call = f"f{kind}{'f' * (self.type == 'float')}"
            updates = [f"{m} = {call}({self.random.choice((f'{m}, {x}', f'{x}, {m}'))});" for x in self.several()]
        else:
            better = ("<", "<=") if kind == "min" else (">", ">=")
            updates = [f"if ({x} {self.random.choice(better)} {m}) {m} = {x};" for x in self.several()]
        return " ".join(map(self.guarded, updates))

    def places_of(self) -> str:
        """The place of the smallest or largest of several things in each iteration."""
        m, k = self.fresh("m", self.type, self.start()), self.fresh("k", "int", "-1")
        better = self.random.choice((("<", "<="), (">", ">=")))
        return " ".join(
            self.guarded(f"if ({x} {self.random.choice(better)} {m}) {{ {m} = {x}; {k} = {self.place()} + {n}; }}")
            for n, x in enumerate(self.several())
        )

    def several(self) -> list[str]:
        return [self.value() for _ in range(self.random.randint(2, 3))]

    def place_of(self) -> str:
        m, k, x = self.fresh("m", self.type, self.start()), self.fresh("k", "int", "-1"), self.value()
        better = self.random.choice(("<", "<=", ">", ">="))
        extra = f" && {self.condition()}" if self.random.random() < 0.3 else ""
        if self.random.random() < 0.15:
            return f"if ({x} {better} {m}{extra}) {{ {m} = {x}; {k} = {k} + 1; }}"  # this is no selection
        return f"if ({x} {better} {m}{extra}) {{ {m} = {x}; {k} = {self.place()}; }}"

    def last(self) -> str:
        k = self.fresh("l", "int", "-1")
        return f"if ({self.condition()}) {k} = {self.random.choice((self.place(), '1', self.element('C')))};"

    def first(self) -> str:
        flag = self.element("C")
        if self.random.random() < 0.5:
            k = self.fresh("f", "int", self.random.choice(("-1", "-1", "4")))
            return f"if ({flag} > 3 && {k} < 0) {k} = i;"
        found, value = self.fresh("f", "int", "0"), self.fresh("v", self.type, "0")
        return f"if ({flag} % 4 == 1 && !{found}) {{ {found} = 1; {value} = {self.element()}; }}"

    def short_circuit(self) -> str:
        """A truth value that is only evaluated as long as needed; or a truth value."""
        flag, question = self.element("C"), self.condition()
        pick = self.random.randrange(5)
        if pick == 0:
            k = self.fresh("q", "int", self.random.choice(("-1", "2")))
            return f"if ({k} < 0 && {question}{self.random.choice((f' && {flag} < 9', ''))}) {k} = i;"
        if pick == 1:
            found, value = self.fresh("q", "int", self.random.choice(("0", "1"))), self.fresh("v", self.type, "0")
            return f"if (!{found} && {question}) {{ {found} = 1; {value} = {self.element()}; }}"
        r, op = self.fresh("q", self.random.choice(("int", "_Bool")), self.random.choice(("0", "1"))), self.random.choice("|&")
        if pick == 2:
            return f"{r} {op}= {question};"
        sides = (r, question) if self.random.random() < 0.7 else (question, r)
        return f"{r} = {sides[0]} {op * 2} {sides[1]};" if pick == 3 else f"if ({'!' * (op == '|')}{r}) {r} = {question};"

    def fold(self) -> str:
        s = self.fresh("s", "unsigned", "1")
        return f"{s} {self.random.choice(('+=', '^=', '|=', '*='))} {self.element('C')};"


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(s, marks=pytest.mark.long) for s in range(3, 60))])
def test_random_reductions(seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    file = tmp_path / "reductions.c"
    file.write_text("\n".join(["#include <math.h>", *(Writer(source, k).text() for k in range(FUNCTIONS))]))
    plans = [f"brush={plan}" for plan in source.sample(PLANS, 2)]
    outcome = run_plans(read_subject(file), parse_plans(plans), toolchain("native"), tmp_path)
    assert not outcome.failures, "\n".join([*outcome.failures[:8], file.read_text()])
    brushed = {e.function.name for e in outcome.entries if e.tensorized is not None and e.tensorized.brushed}
    assert len(brushed) > FUNCTIONS // 3
