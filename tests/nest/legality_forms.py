"""Random nests of the forms that are no plain affine ones, as C and as what they do in the scalar order and in a brush's.

Buffers chosen by remainders and masks, loops with several bounds, flat arrays with planes that are products of sizes, steps
that are only known at run time, scatters through index arrays, rows with unknown subscripts. Subscripts and bounds are texts
that mean the same in C and in Python, since nothing in them is negative. The simulator shares nothing with the analysis.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

Memory = dict[tuple[object, ...], object]
Environment = Mapping[str, Any]


@dataclass(frozen=True)
class Statement:
    """`target = f(sources);`: an array and its subscripts each."""

    number: int
    target: tuple[str, tuple[str, ...]]
    sources: tuple[tuple[str, tuple[str, ...]], ...]

    def __str__(self) -> str:
        return f"{_element(self.target)} = {' + '.join(['1.0', *map(_element, self.sources)])};"


@dataclass(frozen=True)
class Loop:
    """`for (int variable = start; variable < all bounds; variable += step) body`."""

    variable: str
    start: str
    bounds: tuple[str, ...]
    step: str
    body: tuple[Loop | Statement, ...]

    def __str__(self) -> str:
        v = self.variable
        head = f"for (int {v} = {self.start}; {' && '.join(f'{v} < {b}' for b in self.bounds)}; {v} += {self.step})"
        return f"{head} {{ {' '.join(map(str, self.body))} }}"


@dataclass(frozen=True)
class Program:
    """A nest, the declarations of its parameters, sizes to run it with, and the brushed variables with their sizes."""

    nest: Loop
    parameters: str
    sizes: tuple[dict[str, Any], ...]
    brush: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return f"void f({self.parameters}) {{ {self.nest} }}"


def run(program: Program, sizes: Mapping[str, Any], brush: Mapping[str, int]) -> Memory:
    """The memory after the nest under a brush; an empty one is the scalar order. Values are what they were computed from."""
    memory: Memory = {}
    _run(program.nest, [dict(sizes)], brush, memory)
    return memory


def _run(node: Loop | Statement, lanes: Sequence[dict[str, Any]], brush: Mapping[str, int], memory: Memory) -> None:
    if isinstance(node, Statement):
        _execute(node, lanes, memory)
        return
    each = [_values(node, lane) for lane in lanes]
    size = brush.get(node.variable, 1)
    for first in range(0, max(map(len, each), default=0), size):
        pairs = zip(lanes, each, strict=True)
        inside = [{**lane, node.variable: value} for lane, values in pairs for value in values[first : first + size]]
        for child in node.body:
            _run(child, inside, brush, memory)


def _values(loop: Loop, lane: Environment) -> range:
    high = min(_evaluate(bound, lane) for bound in loop.bounds)
    return range(_evaluate(loop.start, lane), high, _evaluate(loop.step, lane))


def _execute(statement: Statement, lanes: Sequence[Environment], memory: Memory) -> None:
    loaded = []
    for lane in lanes:
        places = [_place(source, lane) for source in statement.sources]
        loaded.append([memory.get(place, place) for place in places])
    for lane, values in zip(lanes, loaded, strict=True):
        variables = tuple(sorted((k, v) for k, v in lane.items() if isinstance(v, int)))
        memory[_place(statement.target, lane)] = hash((statement.number, variables, tuple(values)))


def _place(element: tuple[str, tuple[str, ...]], lane: Environment) -> tuple[object, ...]:
    return (element[0], *(_evaluate(subscript, lane) for subscript in element[1]))


def _evaluate(text: str, lane: Environment) -> int:
    return int(eval(_compiled(text), {"__builtins__": {}}, dict(lane)))


@cache
def _compiled(text: str) -> CodeType:
    return compile(text.replace("/", "//"), "<expression>", "eval")


def _element(element: tuple[str, tuple[str, ...]]) -> str:
    return element[0] + "".join(f"[{subscript}]" for subscript in element[1])


# -- programs


def generate(seed: int) -> Program:
    """The program of this seed."""
    rng = random.Random(seed)
    return rng.choice((_in_turn, _tiles, _planes, _steps, _scatters, _rows))(rng)


def _shifted(rng: random.Random, variable: str, most: int = 2) -> str:
    shift = rng.randint(0, most)
    return f"({variable} + {shift})" if shift else variable


def _sizes(rng: random.Random, *names: str, **others: Any) -> tuple[dict[str, Any], ...]:
    return tuple({**{name: rng.randint(low, 9) for name in names}, **others} for low in (0, 3, 5))


def _brush(rng: random.Random, *variables: str) -> tuple[tuple[str, int], ...]:
    chosen = [v for v in variables if rng.random() < 0.7] or [variables[-1]]
    return tuple((v, rng.choice((2, 3, 4, 8))) for v in chosen)


def _in_turn(rng: random.Random) -> Program:
    """`u[(t + a) % c][j][i] = u[(t + b) % c][j + d][i + e]`, and the like with masks, outside of the brush or inside."""
    count = rng.choice((2, 2, 3, 4))
    kinds = ["{0} % " + str(count), "({0} + 3) % " + str(count), *(["{0} & 1", "({0} & 1) ^ 1"] if count == 2 else [])]

    def element() -> tuple[str, tuple[str, ...]]:
        return "u", (rng.choice(kinds).format(_shifted(rng, "t", 3)), _shifted(rng, "j"), _shifted(rng, "i"))

    parameters = f"int n, int m, int l, double u[restrict {count}][40][40]"
    sizes, bounds = _sizes(rng, "n", "m", "l"), {"t": "l", "j": "m", "i": "n"}
    statement = Statement(0, element(), (element(), element()))
    inside = rng.random() < 0.3
    nest = _nest(("j", "i", "t") if inside else ("t", "j", "i"), bounds, statement)
    brushed = "tji" if rng.random() < 0.2 and not inside else "ji"
    return Program(nest, parameters, sizes, _brush(rng, *brushed))


def _nest(variables: Sequence[str], bounds: Mapping[str, str], *statements: Statement) -> Loop:
    """Plain loops from 0."""
    body: tuple[Loop | Statement, ...] = statements
    for variable in reversed(variables):
        body = (Loop(variable, "0", (bounds[variable],), "1", body),)
    (nest,) = body
    assert isinstance(nest, Loop)
    return nest


def _tiles(rng: random.Random) -> Program:
    """Tiles with two bounds, in place or from another array."""
    size = rng.choice((2, 3, 4, 8))

    def element(array: str) -> tuple[str, tuple[str, ...]]:
        return array, (_shifted(rng, "j"), _shifted(rng, "i"))

    statement = Statement(0, element("A"), (element(rng.choice("AB")), element(rng.choice("AB"))))
    inner = Loop("i", "ii", (f"ii + {size}", "n"), "1", (statement,))
    middle = Loop("j", "jj", rng.choice(((f"jj + {size}", "m"), ("m", f"jj + {size}", "n"))), "1", (inner,))
    nest = Loop("jj", "0", ("m",), str(size), (Loop("ii", "0", ("n",), str(size), (middle,)),))
    parameters = "int n, int m, double A[restrict 40][40], const double B[restrict 40][40]"
    return Program(nest, parameters, _sizes(rng, "n", "m"), _brush(rng, "j", "i"))


def _planes(rng: random.Random) -> Program:
    """Flat arrays of three dimensions with planes and lines in different forms."""
    forms = ("((k{0}) * (m + 2) + j{1}) * ld + i{2}", "(k{0}) * ps + (j{1}) * ld + i{2}", "i{2} + ld * (j{1} + (m + 2) * (k{0}))")
    form = rng.choice(forms)

    def element() -> tuple[str, tuple[str, ...]]:
        return "A", (form.format(*(f" + {rng.randint(0, 2)}" for _ in range(3))),)

    nest = _nest("kji", {"k": "l", "j": "m", "i": "n"}, Statement(0, element(), (element(), element())))
    more = [(s, s["n"] + line, rows) for s in _sizes(rng, "n", "m", "l") for line, rows in ((2, 2), (0, 1), (-3, 5))]
    sizes = tuple({**s, "ld": line, "ps": line * (s["m"] + rows)} for s, line, rows in more if line >= 0)
    return Program(nest, "int n, int m, int l, int ld, int ps, double *restrict A", sizes, _brush(rng, "k", "j", "i"))


def _steps(rng: random.Random) -> Program:
    """A loop with a step that is a parameter, in a flat array."""

    def element(array: str) -> tuple[str, tuple[str, ...]]:
        return array, (_shifted(rng, "i", 3),)

    statements = tuple(Statement(k, element(rng.choice("AAB")), (element("A"), element("B"))) for k in range(rng.randint(1, 2)))
    bounds = rng.choice((("n * 4",), ("n * 4", "m + 20")))
    nest = Loop("i", rng.choice(("0", "1", "m")), bounds, "step", statements)
    sizes = tuple({**s, "step": step} for s in _sizes(rng, "n", "m") for step in (1, 2, 3, 7))
    return Program(nest, "int n, int m, int step, double *restrict A, double *restrict B", sizes, _brush(rng, "i"))


def _scatters(rng: random.Random) -> Program:
    """Stores through loaded subscripts into an array that is only written, mostly once."""
    subscripts = ("x[i]", "x[i] + 1", "x[j]", "(i / 2)", "i * 0 + 3", "(i & 3)", "x[i] + j")
    read = (("B", (_shifted(rng, "i"),)),)
    statements = [Statement(k, ("T", (rng.choice(subscripts),)), read) for k in range(rng.choice((1, 1, 1, 2)))]
    variables = rng.choice(("ji", "ji", "ij"))
    parameters = "int n, int m, double *restrict T, const double *restrict B, const int *restrict x"
    sizes = _sizes(rng, "n", "m", x=[rng.randint(0, 6) for _ in range(20)])
    return Program(_nest(variables, {"j": "m", "i": "n"}, *statements), parameters, sizes, _brush(rng, *variables))


def _rows(rng: random.Random) -> Program:
    """Rows of their own for iterations of one loop, with any subscripts in them."""

    def element() -> tuple[str, tuple[str, ...]]:
        outer = rng.choice(("i", "i", "i", "i", "i + 1", "x[i]"))
        return "h", (outer, rng.choice(("x[k]", "x[i]", "x[k] & 3", "k", "0")))

    nest = _nest("ik", {"i": "n", "k": "m"}, Statement(0, element(), (element(),)))
    sizes = _sizes(rng, "n", "m", x=[rng.randint(0, 6) for _ in range(20)])
    brush = (("i", rng.choice((2, 4, 8))),) if rng.random() < 0.6 else _brush(rng, "i", "k")
    return Program(nest, "int n, int m, double h[restrict 40][16], const int *restrict x", sizes, brush)
