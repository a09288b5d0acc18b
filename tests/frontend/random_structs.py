"""Random functions that read, write and copy structs and their members in every way the subset has."""

from __future__ import annotations

import random

from tests.frontend.test_structs import TYPES

PARAMETERS = "int n, struct point *p, body *b, node *t, struct small *z, struct matrix *m, struct one *o"
INTEGERS = (
    "{t}.dim", "{t}.kind", "{t}.flags[{five}]", "{t}.left", "{t}.right", "{t}.count", "{b}.id", "{z}.c", "{z}.in.s", "{z}.in.t",
    "{z}.u", "{z}.v", "{z}.w", "lb.id", "lt.flags[3]", "lt.count", "lz.in.t", "lz.w", "(*tp).dim", "bp->id", "bp[1].id",
)  # fmt: skip
NUMBERS = (
    "{p}.x", "{p}.y", "{t}.split", "{b}.pos[{three}]", "{b}.q[{two}].x", "{b}.q[{two}].y", "{m}.m[{three}][{two}]",
    "{m}.rows[{two}][{two}].x", "{m}.m[2][{two}]", "{o}.value", "lp.x", "lp.y", "lb.pos[1]", "lb.q[1].x", "lt.split", "q->x",
    "q[1].y", "(*q).y", "d[0]", "(&{p})->x", "*({m}.m[{two}] + {two})", "bp->q[{two}].y", "bp->pos[{three}]",
)  # fmt: skip
POINTS = ("{p}", "{b}.q[{two}]", "{m}.rows[{two}][{two}]", "lp", "lb.q[0]", "*q", "bp->q[{two}]")
OTHERS = (("{b}", "lb", "*bp"), ("{t}", "lt", "*tp"), ("{z}", "lz"), ("{o}",), ("{z}.in", "lz.in"))
START = """    struct point lp = {1, 2}, *q = p + 1;
    body lb = b[0], *bp = b;
    node lt = {.split = 2, .flags = {1, [3] = 4}}, *tp = &t[2];
    struct small lz = z[1];
    double *d = &p[1].y;
"""


class Structs:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def function(self, name: str) -> str:
        body = "\n".join(self.statement(2) for _ in range(self.random.randrange(4, 10)))
        result = f"{self.number()} + {self.integer()}"
        return f"double {name}({PARAMETERS})\n{{\n    int i = n & 7;\n{START}{body}\n    return {result};\n}}\n"

    def pick(self, texts: tuple[str, ...]) -> str:
        index = self.random.choice(("i", "n & 7", "(i + 3) & 15", "2", "i + 1"))
        two, three, five = (self.random.choice((f"i % {k}", str(self.random.randrange(k)))) for k in (2, 3, 5))
        objects = {name: f"{name}[{index}]" for name in "pbtzmo"}
        return self.random.choice(texts).format(two=two, three=three, five=five, **objects)

    def integer(self) -> str:
        return f"(({self.pick(INTEGERS)} & 1023) {self.random.choice('+-*^|')} ({self.pick(INTEGERS)} & 63))"

    def number(self) -> str:
        left = f"({self.integer()} * 0.25)" if self.random.random() < 0.2 else self.pick(NUMBERS)
        return f"({left} {self.random.choice('+-')} {self.pick(NUMBERS)} * 0.5)"

    def statement(self, depth: int) -> str:
        match self.random.randrange(11 if depth else 8):
            case 0 | 1:
                return f"{self.pick(INTEGERS)} = {self.integer()};"
            case 2 | 3:
                return f"{self.pick(NUMBERS)} {self.random.choice(('=', '+=', '-='))} {self.number()};"
            case 4:
                return f"{self.pick(POINTS)} = {self.point()};"
            case 5:
                kind = self.random.choice(OTHERS)
                return f"{self.pick(kind)} = {self.pick(kind)};"
            case 6:
                return f"lb = {self.pick(('{b}', 'move({b}, 2)', 'lb'))}, {self.pick(INTEGERS)}++;"
            case 7:
                return self.random.choice((
                    "q = &{p};", "q = q == p ? p + 2 : p;", "d = &{p}.x;", "d = {m}.m[1];", "bp = &{b};", "tp = t + (i & 3);",
                    "q = {b}.q;", "d = &bp->q[0].x;", "q = &{p}, lp.x += q - (p + 1);", "q = &{m}.rows[0][0];",
                )).format(p="p[i]", m="m[n & 3]", b="b[i + 1]") if self.random.random() < 0.8 else "i = (i + 1) & 7;"  # fmt: skip
            case 8:
                return f"if ({self.number()} > {self.number()}) {{ {self.statement(depth - 1)} {self.statement(depth - 1)} }}"
            case 9:
                return f"for (i = 0; i < 5; i++) {{ {self.statement(depth - 1)} {self.statement(depth - 1)} }}"
            case _:
                return f"if ({self.integer()} & 1) {self.statement(depth - 1)} else {{ {self.statement(depth - 1)} }}"

    def point(self) -> str:
        value = self.pick(POINTS)
        match self.random.randrange(4):
            case 0:
                return f"add({value}, {self.pick(POINTS)})"
            case 1:
                return f"(struct point){{{self.number()}, {self.number()}}}"
            case 2:
                return f"(struct point){{.y = {self.number()}}}"
            case _:
                return value


PRELUDE = (
    TYPES
    + """
static struct point add(struct point a, struct point b) { a.x += b.y; return (struct point){a.x, a.y - b.x}; }
static body move(body a, float by) { a.pos[2] += by; if (a.id & 1) { a.q[0] = a.q[1]; return a; } a.id++; return a; }
"""
)
