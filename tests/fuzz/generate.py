"""Random C functions with loop nests.

The generator aims at programs that are well defined and that a brush accepts; it has the concrete values of one call and
keeps an interval for every induction variable, from which the extents of the arrays follow.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tests.fuzz.tree import Array, Node, Program, block, expr, stmt

Sort = Literal["f", "i"]
Form = Literal["vla", "const", "flat", "star", "rows"]
SORTS: Final[tuple[Sort, ...]] = ("f", "i")
FORMS: Final[tuple[Form, ...]] = ("vla", "vla", "vla", "const", "flat", "flat", "flat", "star", "rows")
FLOATS: Final = ("double", "float")
INTS: Final = (
    "int",
    "unsigned",
    "char",
    "short",
    "long",
    "unsigned char",
    "unsigned short",
    "unsigned long",
    "signed char",
    "_Bool",
)
INDEX_TYPES: Final = ("int", "int", "int", "int", "long", "size_t", "unsigned", "short", "unsigned char")

PARTED = 0.12  # the chance that only some iterations enter an inner loop

@dataclass(slots=True)
class Loop:
    """A loop being written: its variable has values low..high in the reference call."""

    variable: str
    type: str
    low: int
    high: int
    upper: Node


@dataclass(slots=True)
class Drafted:
    """An array under construction; `reach` collects the largest subscript of each dimension."""

    name: str
    element: str
    rank: int
    form: Form
    restrict: bool
    reach: list[int]
    written: bool = False
    fill: int = 0


@dataclass(slots=True)
class Scope:
    loops: list[Loop]
    scalars: list[tuple[str, Sort]] = field(default_factory=list)
    target: tuple[Drafted, tuple[Node, ...]] | None = None
    counters: list[tuple[str, int, int]] = field(default_factory=list)
    rows: list[tuple[Drafted, str, Sort]] = field(default_factory=list)

    def copy(self) -> Scope:
        """The names of a block inside, to which its own can be added."""
        return Scope(list(self.loops), list(self.scalars), self.target, list(self.counters), list(self.rows))

    def inside(self, loop: Loop) -> Scope:
        return Scope([*self.loops, loop], list(self.scalars), self.target, list(self.counters), list(self.rows))


class Generator:
    """One program from one random generator."""

    def __init__(self, seed: int, name: str) -> None:
        self.rng = random.Random(seed)
        self.name = name
        self.names = 0
        self.sizes: list[tuple[str, str, int]] = []
        self.numbers: list[tuple[str, str, float]] = []
        self.arrays: list[Drafted] = []
        self.floating = self.rng.random() < 0.65
        self.restrict = self.rng.random() < 0.55
        self.element = self.rng.choice(FLOATS) if self.floating else self.rng.choice(INTS)

    # -- choices ------------------------------------------------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    # -- programs -----------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        depth = self.rng.choice((1, 2, 2, 2, 3, 3, 4))
        largest = {1: 70, 2: 40, 3: 14, 4: 7}[depth]
        for name in ("n", "m", "k")[: self.rng.choice((1, 2, 2, 3))]:
            self.sizes.append((name, self.rng.choice(INDEX_TYPES[:-2]), self.rng.randint(3, largest)))
        if self.chance(0.5):
            self.numbers.append(("w", self.rng.choice(FLOATS), self.rng.choice((0.25, -1.5, 3.0, 0.1))))
        if self.chance(0.4):
            self.numbers.append(("p", self.rng.choice(("int", "long", "unsigned", "unsigned char")), self.rng.randint(1, 5)))
        body: list[Node] = []
        scope = Scope([], [(n, "f" if t in FLOATS else "i") for n, t, _ in self.numbers])
        results: list[tuple[str, str]] = []
        if self.chance(0.15):
            results.append(self.accumulator(body, scope))
        if self.chance(0.12):
            body.append(self.time_loop(scope, depth))
        else:
            for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
                body += self.nest(scope, depth if self.chance(0.7) else self.rng.randint(1, depth), results)
        result = None
        for variable, type_ in results:
            if self.chance(0.5):
                out = self.draft(1, element=type_)
                out.written = True
                body.append(stmt("$0 = $1;", self.access(out, [expr("0")], [0]), expr(variable)))
            else:
                result = type_
                body.append(stmt(f"return {variable};"))
                break
        arrays = tuple(self.finished(array) for array in self.arrays)
        scalars = (*((n, t, float(v)) for n, t, v in self.sizes), *self.numbers)
        program = Program(self.name, scalars, arrays, block(body), result, self.other_calls(), self.overlaps(arrays))
        return program.trimmed()

    def other_calls(self) -> tuple[tuple[float, ...], ...]:
        fixed = [v for _, _, v in self.numbers]
        smaller = [float(self.rng.randint(1, v)) for _, _, v in self.sizes]
        tiny = [float(self.rng.choice((0, 1, 2, v))) for _, _, v in self.sizes]
        odd = [float(v - self.rng.randint(0, 3)) for _, _, v in self.sizes]
        return tuple((*sizes, *fixed) for sizes in (smaller, tiny, odd))

    def overlaps(self, arrays: Sequence[Array]) -> tuple[tuple[str, str, int], ...]:
        free = [a for a in arrays if not a.restrict and not a.fill]
        written = {a.name for a in self.arrays if a.written}
        pairs = [(a, b) for a in free for b in free if a.name != b.name and a.element == b.element and a.name in written]
        if not pairs or self.chance(0.1):
            return ()
        a, b = self.rng.choice(pairs)
        return ((b.name, a.name, self.rng.choice((0, 1, -1, -1, -2, 2, 3, -5, 16, -17, 40, 200))),)

    def accumulator(self, body: list[Node], scope: Scope) -> tuple[str, str]:
        name = self.fresh("acc")
        type_ = self.rng.choice(("int", "unsigned", "long", "int", "double"))
        body.append(stmt(f"{type_} {name} = {self.rng.choice((0, 1, 7))};"))
        return name, type_

    def time_loop(self, scope: Scope, depth: int) -> Node:
        one, two = self.draft(max(1, depth - 1)), self.draft(max(1, depth - 1))
        nests: list[Node] = []
        for source, target in ((one, two), (two, one)):
            nests += self.nest(scope, max(1, depth - 1), [], target=target, source=source)
        return stmt(f"for (int t = 0; t < {self.rng.randint(1, 3)}; ++t) {{\n$0\n}}", block(nests))

    # -- nests --------------------------------------------------------------------------------------------------------

    def nest(
        self,
        scope: Scope,
        depth: int,
        results: list[tuple[str, str]],
        target: Drafted | None = None,
        source: Drafted | None = None,
    ) -> list[Node]:
        parallel = depth if depth == 1 or self.chance(0.7) else self.rng.randint(1, depth)
        if target is not None:
            parallel = target.rank
        wanted = list(range(parallel))
        if self.chance(0.12):
            self.rng.shuffle(wanted)
        if target is None:
            reusable = [a for a in self.arrays if a.rank == parallel and a.written and not a.fill]
            target = self.rng.choice(reusable) if reusable and self.chance(0.2) else self.draft(parallel)
        target.written = True
        writer = NestWriter(self, depth, parallel, wanted, target, source, results)
        return writer.level(scope, 0)

    def loop(self, scope: Scope) -> tuple[list[Node], str, tuple[Node, ...], Loop]:
        """Statements before, the loop's head with $-holes for `children`, and the loop."""
        variable, type_ = self.fresh("i"), self.rng.choice(INDEX_TYPES)
        low, low_value = self.lower_bound(scope)
        upper, value = self.upper_bound(scope)
        if type_ not in ("int", "long", "short") and self.chance(0.5):
            type_ = "int"
        step = self.rng.choice((1, 1, 1, 1, 1, 1, 2, 3))
        unsigned = type_ in ("size_t", "unsigned", "unsigned char")
        shape = self.rng.choice(("<", "<", "<", "<", "<", "<=", "!=", ">=", ">", "while", "predecrement"))
        if unsigned and shape == ">=":
            shape = ">"
        increment = (
            f"{variable} += {step}" if step > 1 else self.rng.choice((f"{variable}++", f"++{variable}", f"{variable} += 1"))
        )
        decrement = f"{variable} -= {step}" if step > 1 else self.rng.choice((f"{variable}--", f"--{variable}"))
        last = max(low_value, value - 1)
        if shape == "<" and type_ in ("int", "long") and self.chance(0.12):
            return self.unusual(variable, type_, low, low_value, upper, value)
        match shape:
            case "<" | "<=" | "!=":
                if shape == "!=":
                    increment = f"{variable}++"
                head = f"for ({type_} {variable} = $0; {variable} {shape} $1; {increment})"
                high = max(low_value, value) if shape == "<=" else last
                return [], head, (low, upper), Loop(variable, type_, low_value, high, upper)
            case ">=":
                head = f"for ({type_} {variable} = $1 - 1; {variable} >= $0; {decrement})"
                return [], head, (low, upper), Loop(variable, type_, low_value, last, upper)
            case ">":
                decrement = f"{variable}--" if unsigned else decrement
                head = f"for ({type_} {variable} = $1; {variable} > $0; {decrement})"
                return [], head, (low, upper), Loop(variable, type_, low_value + 1, max(low_value + 1, value), upper)
            case "while":
                before = stmt(f"{type_} {variable} = $0;", upper)
                return [before], f"while ({variable}-- > 0)", (), Loop(variable, type_, 0, max(0, value - 1), upper)
            case _:
                head = f"for ({type_} {variable} = $1; {variable}-- > $0;)"
                return [], head, (low, upper), Loop(variable, type_, low_value, last, upper)

    def unusual(
        self, variable: str, type_: str, low: Node, low_value: int, upper: Node, value: int
    ) -> tuple[list[Node], str, tuple[Node, ...], Loop]:
        """A loop with a second bound, or with a step that is a parameter."""
        loop = Loop(variable, type_, low_value, max(low_value, value - 1), upper)
        steps = [name for name, kind, _ in self.numbers if name == "p" and kind in ("int", "long")]
        if steps and self.chance(0.5):
            return [], f"for ({type_} {variable} = $0; {variable} < $1; {variable} += {steps[0]})", (low, upper), loop
        name, kind, _ = self.rng.choice(self.sizes)
        if kind not in ("int", "long"):
            name = f"(int){name}"
        second = self.rng.choice((f"{variable} < {name}", f"{variable} + 2 <= {name}", f"{variable} < $0 + 9"))
        return [], f"for ({type_} {variable} = $0; {variable} < $1 && {second}; {variable}++)", (low, upper), loop

    def lower_bound(self, scope: Scope) -> tuple[Node, int]:
        if scope.loops and self.chance(0.04):
            outer = self.rng.choice(scope.loops)
            return expr(outer.variable), outer.low
        number = self.rng.choice((0, 0, 0, 1, 1, 2, 3))
        return expr(str(number)), number

    def upper_bound(self, scope: Scope) -> tuple[Node, int]:
        if self.chance(0.12):
            number = self.rng.randint(4, 17)
            return expr(str(number)), number
        if scope.loops and self.chance(0.04):
            outer = self.rng.choice(scope.loops)
            return expr(f"({outer.variable} + 1)"), outer.high + 1
        name, _, value = self.rng.choice(self.sizes)
        other, _, second = self.rng.choice(self.sizes)
        forms = [(name, value)] * 6 + [
            (f"({name} - 1)", value - 1), (f"({name} - 2)", value - 2), (f"({name} + 1)", value + 1), (f"{name} / 2", value // 2),
            (f"MIN({name}, {other})", min(value, second)), (f"(int){name}", value),
            (f"{name} / 3 * 2", value // 3 * 2), (f"({name} >> 1) + 1", value // 2 + 1), (f"{name} % 7", value % 7),
            (f"({name} + {other}) / 2", (value + second) // 2),
        ]  # fmt: skip
        text, number = self.rng.choice(forms)
        return expr(text), number

    # -- arrays -------------------------------------------------------------------------------------------------------

    def draft(self, rank: int, element: str | None = None) -> Drafted:
        if element is None:
            element = self.element if self.chance(0.75) else self.rng.choice((*FLOATS, *INTS))
        form: Form = self.rng.choice(FORMS)
        if rank == 1 and form == "rows":
            form = "flat"
        array = Drafted(self.fresh("A"), element, rank, form, self.restrict or self.chance(0.1), [0] * rank)
        self.arrays.append(array)
        return array

    def access(self, array: Drafted, subscripts: Sequence[Node], highs: Sequence[int]) -> Node:
        array.reach = [max(a, b) for a, b in zip(array.reach, highs, strict=True)]
        return Node("access", array.name, tuple(subscripts))

    def finished(self, array: Drafted) -> Array:
        extents = tuple(self.extent(reach + 1, array.form) for reach in array.reach)
        return Array(
            array.name, array.element, array.form, extents, array.restrict, not array.written and self.chance(0.8), array.fill
        )

    def extent(self, needed: int, form: str) -> str:
        if form == "const" or self.chance(0.1):
            return str(needed + self.rng.choice((0, 0, 1, 3)))
        if form in ("flat", "star") and self.chance(0.04):
            needed -= 1
        fits = [(n, v) for n, _, v in self.sizes if v * 3 >= needed]
        if not fits:
            return str(needed)
        name, value = min(fits, key=lambda f: (abs(f[1] - needed), f[0])) if self.chance(0.8) else self.rng.choice(fits)
        if needed > 1.6 * value:
            factor = -(-needed // value)
            return f"{factor} * {name}"
        difference = needed - value
        if difference <= 0:
            return name
        return f"{name} + {difference + self.rng.choice((0, 0, 0, 2))}"


class NestWriter:
    """One nest: `parallel` loops whose variables subscript the target, then loops that only accumulate."""

    def __init__(
        self, generator: Generator, depth: int, parallel: int, wanted: list[int], target: Drafted, source: Drafted | None,
        results: list[tuple[str, str]],
    ) -> None:  # fmt: skip
        self.g = generator
        self.rng = generator.rng
        self.depth = depth
        self.parallel = parallel
        self.wanted = wanted
        self.target = target
        self.source = source
        self.results = results

    def level(self, scope: Scope, level: int) -> list[Node]:
        g = self.g
        before, head, children, loop = g.loop(scope)
        inner = scope.inside(loop)
        counter, advance = self.counter(inner, loop, level)
        readable = [counter[0].template.split()[1]] if counter else []
        if head.startswith(f"for ({loop.type} ") and g.chance(0.1):
            before, head = [stmt(f"{loop.type} {loop.variable};")], head.replace(f"({loop.type} ", "(", 1)
            readable.append(loop.variable)
        body: list[Node] = []
        if level + 1 == self.parallel:
            inner.target = self.place(inner)
        if level + 1 == self.depth:
            body += self.statements(inner)
        else:
            if g.chance(0.1):
                body.append(self.row_pointer(inner))
            if g.chance(0.15):
                body += self.side_statement(inner)
            if level + 1 == self.parallel and g.chance(0.6):
                body += self.accumulating(inner, level)
            elif g.chance(PARTED):
                body += self.some_enter(inner, level + 1)
            else:
                body += self.level(inner, level + 1)
                if g.chance(0.05):
                    body += self.level(inner, level + 1)
            if g.chance(0.15):
                body += self.side_statement(inner)
        if advance is not None:
            body.append(advance)
        holes = len(children)
        after = self.live_out(scope, self.rng.choice(readable)) if readable and g.chance(0.6) else []
        return [*before, *counter, stmt(f"{head} {{\n${holes}\n}}", *children, block(body)), *after]

    def some_enter(self, scope: Scope, level: int) -> list[Node]:
        """A loop that some iterations of the loop around it enter, with what else they do and what the others do."""
        own, others = scope.copy(), scope.copy()
        nodes = [*(self.side_statement(own) if self.g.chance(0.3) else ()), *self.level(own, level)]
        nodes += self.side_statement(own) if self.g.chance(0.3) else ()
        test = self.condition(scope, 1)
        if self.g.chance(0.3):
            return [stmt("if ($0) {\n$1\n} else {\n$2\n}", test, block(nodes), block(self.side_statement(others)))]
        if self.g.chance(0.2):
            return [stmt("if (!($0)) {\n$1\n} else {\n}", test, block(nodes))]
        return [stmt("if ($0) {\n$1\n}", test, block(nodes))]

    def row_pointer(self, scope: Scope) -> Node:
        """A pointer to a row of a matrix."""
        sort: Sort = "f" if self.g.floating else "i"
        array = self.g.draft(2, self.rng.choice(FLOATS) if sort == "f" else self.rng.choice(("int", "unsigned char")))
        name, loop, shift = self.g.fresh("row"), scope.loops[-1], self.rng.choice((0, 0, 1, 2))
        array.reach[0] = max(array.reach[0], loop.high + shift)
        scope.rows.append((array, name, sort))
        row = Node("row", array.name, (expr(f"{loop.variable} + {shift}" if shift else loop.variable),))
        return stmt(f"const {array.element} *{name} = $0;", row)

    def live_out(self, scope: Scope, name: str) -> list[Node]:
        """The store of a value that a loop has left."""
        array = self.g.draft(max(1, min(3, len(scope.loops))), self.rng.choice(("int", "long", "double", "unsigned")))
        array.written = True
        loops = scope.loops[-array.rank :]
        subscripts = [expr(loop.variable) for loop in loops] or [expr("0")]
        target = self.g.access(array, subscripts, [loop.high for loop in loops] or [0])
        return [stmt(f"$0 = {name};", target)]

    def counter(self, inner: Scope, loop: Loop, level: int) -> tuple[list[Node], Node | None]:
        """A second induction variable."""
        if level + 1 == self.depth and self.g.chance(0.04):
            name, sort = self.g.fresh("last"), self.rng.choice(SORTS)
            return [stmt(f"{'double' if sort == 'f' else 'int'} {name} = 3;")], stmt(f"{name} = $0;", self.value(inner, sort, 1))
        if level + 1 != self.depth or not self.g.chance(0.1):
            return [], None
        name, start, step = self.g.fresh("q"), self.rng.randint(0, 4), self.rng.choice((1, 1, 2, 3))
        inner.counters.append((name, start, start + step * (loop.high - loop.low + 1)))
        type_ = self.rng.choice(("int", "long", "unsigned"))
        return [stmt(f"{type_} {name} = {start};")], stmt(f"{name} += {step};")

    def place(self, scope: Scope) -> tuple[Drafted, tuple[Node, ...]]:
        """The element of the target that belongs to an iteration; records how far it reaches."""
        subscripts, highs = [], []
        base = len(scope.loops) - self.parallel
        for dimension in self.wanted:
            text, high = self.own_subscript(scope.loops[base + dimension])
            subscripts.append(expr(text))
            highs.append(high)
        self.g.access(self.target, subscripts, highs)
        return self.target, tuple(subscripts)

    def own_subscript(self, loop: Loop) -> tuple[str, int]:
        v = loop.variable
        choice = self.rng.random()
        if choice < 0.7:
            return v, loop.high
        if choice < 0.85:
            shift = self.rng.randint(1, 3)
            if loop.low >= shift and self.g.chance(0.5):
                return f"{v} - {shift}", loop.high - shift
            return f"{v} + {shift}", loop.high + shift
        if choice < 0.93:
            factor = self.rng.choice((2, 2, 3))
            return f"{factor} * {v}", factor * loop.high
        return f"{loop.high} - {v}", loop.high - loop.low

    # -- statements ---------------------------------------------------------------------------------------------------

    def statements(self, scope: Scope) -> list[Node]:
        nodes: list[Node] = []
        if self.g.chance(0.015):
            nodes.append(stmt(f"if ($0) {self.rng.choice(('continue', 'break', 'return'))};", self.condition(scope, 1)))
        for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))):
            nodes.append(self.local(scope))
        if self.g.chance(0.15):
            nodes.append(self.conditional(scope))
        nodes.append(self.store(scope))
        if self.g.chance(0.06):
            nodes.append(self.scatter(scope))
        if self.results and self.g.chance(0.8):
            nodes.append(self.fold(scope, *self.results[0]))
        if self.g.chance(0.12):
            other = self.g.draft(self.parallel)
            other.written = True
            kept, (self.target, scope.target) = (self.target, scope.target), (other, None)
            scope.target = self.place(scope)
            nodes.append(self.store(scope))
            self.target, scope.target = kept
        return nodes

    def scatter(self, scope: Scope) -> Node:
        """A store through a subscript that is not affine, into an array that nothing else of the nest accesses."""
        array, loop = self.g.draft(1), scope.loops[-1]
        array.written = True
        index = self.g.draft(1, self.rng.choice(("int", "long", "unsigned char")))
        index.fill = self.rng.randint(1, 12)
        loaded = self.g.access(index, [expr(loop.variable)], [loop.high])
        v = loop.variable
        choices = ((loaded, index.fill), (expr(f"{v} / 2"), loop.high // 2), (expr(f"({v} & 7)"), 7))
        subscript, high = self.rng.choice(choices)
        sort: Sort = "f" if array.element in FLOATS else "i"
        return stmt("$0 = $1;", self.g.access(array, [subscript], [high]), self.value(scope, sort, 1))

    def local(self, scope: Scope) -> Node:
        sort: Sort = "f" if self.g.floating and self.g.chance(0.7) else "i"
        type_ = self.rng.choice(FLOATS) if sort == "f" else self.rng.choice(INTS)
        name = self.g.fresh("s")
        node = stmt(f"{type_} {name} = $0;", self.value(scope, sort, 2))
        scope.scalars.append((name, sort))
        return node

    def conditional(self, scope: Scope) -> Node:
        mine = [(n, s) for n, s in scope.scalars if n.startswith("s")]
        if not mine:
            return self.local(scope)
        name, sort = self.rng.choice(mine)
        test = self.condition(scope, 1)
        if self.g.chance(0.7):
            return stmt(f"if ($0) {name} = $1;", test, self.arm(scope, sort))
        return stmt(f"if ($0) {name} = $1; else {name} = $2;", test, self.arm(scope, sort), self.arm(scope, sort))

    def store(self, scope: Scope) -> Node:
        assert scope.target is not None
        array, subscripts = scope.target
        sort: Sort = "f" if array.element in FLOATS else "i"
        if self.g.chance(0.15):
            sort = "f" if sort == "i" else "i"
        value = self.value(scope, sort, self.rng.randint(1, 3))
        if sort == "f" and array.element not in FLOATS:
            value = self.to_integer(value)
        accumulates = self.parallel < self.depth and self.g.chance(0.8)
        operator = "="
        if accumulates or self.g.chance(0.15):
            operator = self.rng.choice(
                ("+=", "-=", "+=") if array.element in FLOATS or sort == "f" else ("+=", "^=", "|=", "-=", "&=")
            )
        node = stmt(f"$0 {operator} $1;", Node("access", array.name, subscripts), value)
        if self.g.chance(0.02):
            return stmt("if ($0) $1", self.condition(scope, 1), node)
        return node

    def side_statement(self, scope: Scope) -> list[Node]:
        """A statement before or after an inner loop: a row of its own, or a local scalar."""
        if self.g.chance(0.4):
            return [self.local(scope)]
        rank = min(len(scope.loops), 3)
        array = self.g.draft(rank)
        array.written = True
        loops = scope.loops[-rank:]
        target = self.g.access(array, [expr(loop.variable) for loop in loops], [loop.high for loop in loops])
        sort: Sort = "f" if array.element in FLOATS else "i"
        return [stmt("$0 = $1;", target, self.value(Scope(scope.loops, scope.scalars), sort, 1))]

    def accumulating(self, scope: Scope, level: int) -> list[Node]:
        """A local accumulator around the inner loops, and the store of its value."""
        assert scope.target is not None
        array, subscripts = scope.target
        sort: Sort = "f" if array.element in FLOATS else "i"
        type_ = self.rng.choice(FLOATS) if sort == "f" else self.rng.choice(("int", "long", "unsigned", "unsigned char", "short"))
        name = self.g.fresh("sum")
        nodes = [stmt(f"{type_} {name} = $0;", self.simple(scope, sort))]
        loops: list[Node] = []
        inner, holders = scope, []
        for _ in range(level + 1, self.depth):
            before, head, children, loop = self.g.loop(inner)
            inner = inner.inside(loop)
            holders.append((before, head, children))
        body = [self.local(inner)] if self.g.chance(0.2) else []
        body.append(self.fold(inner, name, type_))
        for before, head, children in reversed(holders):
            loops = [*before, stmt(f"{head} {{\n${len(children)}\n}}", *children, block(body))]
            body = loops
        nodes += loops
        scope.scalars.append((name, sort))
        operator = self.rng.choice(("=", "=", "+="))
        nodes.append(stmt(f"$0 {operator} $1;", Node("access", array.name, subscripts), expr(name)))
        return nodes

    def fold(self, scope: Scope, name: str, type_: str) -> Node:
        sort: Sort = "f" if type_ in FLOATS else "i"
        value = self.value(scope, sort, 1)
        forms = ["+=", "+=", "-=", "max", "min", "if"] + ([] if sort == "f" else ["^=", "|=", "&="])
        form = self.rng.choice(forms)
        if form.endswith("="):
            return stmt(f"{name} {form} $0;", value)
        if form == "if":
            return stmt(f"if ($0 > {name}) {name} = $0;", value)
        if sort == "f":
            return stmt(f"{name} = {'fmax' if form == 'max' else 'fmin'}({name}, $0);", value)
        less = "<" if form == "min" else ">"
        return stmt(f"{name} = {name} {less} $0 ? {name} : $0;", value)

    # -- expressions --------------------------------------------------------------------------------------------------

    def to_integer(self, value: Node) -> Node:
        return expr("(int)fmin(fmax($0, -100.0), 100.0)", value)

    def simple(self, scope: Scope, sort: Sort) -> Node:
        return self.leaf(scope, sort)

    def value(self, scope: Scope, sort: Sort, depth: int) -> Node:
        if depth <= 0 or self.g.chance(0.1):
            return self.leaf(scope, sort)
        return self.floating(scope, depth) if sort == "f" else self.integer(scope, depth)

    def floating(self, scope: Scope, depth: int) -> Node:
        def sub() -> Node:
            return self.value(scope, "f", depth - 1)

        choice = self.rng.random()
        if choice < 0.6:
            return expr(f"($0 {self.rng.choice('+-*+-*/')} $1)", sub(), sub())
        if choice < 0.66:
            return expr("-($0)", self.leaf(scope, "f"))
        if choice < 0.76:
            call = self.rng.choice(
                ("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "fabsf", "sqrtf", "SQR", "round", "exp", "sin")
            )
            return expr(f"{call}($0)", sub() if call != "SQR" else self.leaf(scope, "f"))
        if choice < 0.82:
            call = self.rng.choice(("fmin", "fmax", "MIN", "MAX", "fminf", "fmaxf", "pow", "hypot"))
            return expr(f"{call}($0, $1)", self.leaf(scope, "f"), self.leaf(scope, "f"))
        if choice < 0.86:
            return expr(f"{self.rng.choice(('fma', 'blend'))}($0, $1, $2)", sub(), self.leaf(scope, "f"), self.leaf(scope, "f"))
        if choice < 0.9:
            return expr("pick($0, $1, $2)", self.condition(scope, depth - 1), sub(), sub())
        if choice < 0.95:
            return expr("($0 ? $1 : $2)", self.condition(scope, depth - 1), self.arm(scope, "f"), self.arm(scope, "f"))
        return expr(f"({self.rng.choice(FLOATS)})$0", self.leaf(scope, self.rng.choice(("i", "f"))))

    def integer(self, scope: Scope, depth: int) -> Node:
        def sub() -> Node:
            return self.value(scope, "i", depth - 1)

        choice = self.rng.random()
        if choice < 0.4:
            return expr(f"($0 {self.rng.choice('+-+-&|^')} $1)", sub(), sub())
        if choice < 0.48:
            return self.rng.choice(
                (expr("(($0 & 63) * ($1 & 31))", sub(), sub()), expr("((unsigned)$0 * (unsigned)$1)", sub(), sub()))
            )
        if choice < 0.6:
            return expr(f"($0 {self.rng.choice('/%')} $1)", sub(), self.nonzero(scope))
        if choice < 0.68:
            amount = self.rng.choice(("1", "3", "7", "($1 & 7)"))
            if self.g.chance(0.5):
                return expr(f"((unsigned)$0 << {amount})", sub(), self.leaf(scope, "i"))
            return expr(f"($0 >> {amount})", sub(), self.leaf(scope, "i"))
        if choice < 0.74:
            return expr("($0 ? $1 : $2)", self.condition(scope, depth - 1), self.arm(scope, "i"), self.arm(scope, "i"))
        if choice < 0.8:
            return self.condition(scope, depth - 1)
        if choice < 0.85:
            return expr(f"({self.rng.choice(INTS)})$0", sub())
        if choice < 0.9:
            return expr(f"{self.rng.choice(('MIN', 'MAX'))}($0, $1)", self.leaf(scope, "i"), self.leaf(scope, "i"))
        if choice < 0.93:
            return expr("clampi($0, -20, 100)", sub())
        if choice < 0.96:
            return expr(self.rng.choice(("~$0", "!$0", "abs((short)$0)")), self.leaf(scope, "i"))
        return self.to_integer(self.leaf(scope, "f"))

    def nonzero(self, scope: Scope) -> Node:
        choice = self.rng.random()
        if choice < 0.3:
            return expr(str(self.rng.choice((2, 3, 7, 8, 10, -3))))
        if choice < 0.4:
            return expr("(($0 & 15) + 1)", self.leaf(scope, "i"))
        if choice < 0.5:
            return expr("($0 | 1)", self.leaf(scope, "i"))
        loop = scope.loops[-1] if self.g.chance(0.7) else self.rng.choice(scope.loops)
        if choice < 0.7:
            divisors = self.g.draft(1, self.rng.choice(("int", "long", "unsigned char", "unsigned")))
            divisors.fill = -self.rng.randint(1, 50)
            return self.g.access(divisors, [expr(loop.variable)], [loop.high])
        if choice < 0.82:
            # zero only just outside the loop
            return expr(f"({loop.variable} + {1 if loop.low == 0 else 1 - loop.low})")
        return expr(f"($0 - {loop.variable} {'+ 1' if loop.high >= 0 else ''})", loop.upper)

    def condition(self, scope: Scope, depth: int, *, loads: bool = True) -> Node:
        choice = self.rng.random()
        if choice < 0.7 or depth <= 0:
            sort: Sort = "f" if self.g.floating and self.g.chance(0.5) else "i"
            operator = self.rng.choice(("<", ">", "<=", ">=", "==", "!="))
            return expr(f"($0 {operator} $1)", self.leaf(scope, sort, loads=loads), self.leaf(scope, sort, loads=loads))
        if choice < 0.9:
            second = self.condition(scope, depth - 1, loads=self.g.chance(0.1))
            return expr(f"($0 {self.rng.choice(('&&', '||'))} $1)", self.condition(scope, depth - 1, loads=loads), second)
        return expr("!$0", self.condition(scope, depth - 1, loads=loads))

    def arm(self, scope: Scope, sort: Sort) -> Node:
        """What is evaluated under a condition; mostly without loads, which would make control flow of it."""
        return self.leaf(scope, sort, loads=self.g.chance(0.1))

    def leaf(self, scope: Scope, sort: Sort, *, loads: bool = True) -> Node:
        choice = self.rng.uniform(0 if loads else 0.55, 1)
        named = [n for n, s in scope.scalars if s == sort]
        if choice < 0.55:
            return self.read(scope, sort)
        if choice < 0.75 and named:
            return expr(self.rng.choice(named))
        if choice < 0.85 and scope.loops:
            variable = self.rng.choice([loop.variable for loop in scope.loops] + [c[0] for c in scope.counters])
            return expr(f"(double){variable}" if sort == "f" else self.rng.choice((variable, f"(int){variable}")))
        if sort == "f":
            return expr(self.rng.choice(("0.5", "2.0", "-1.0f", "0.2", "1e-3", "0.0", "3.0f")))
        return expr(str(self.rng.choice((0, 1, 2, 3, 5, 100, "7u", "1L"))))

    def read(self, scope: Scope, sort: Sort) -> Node:
        g = self.g
        if scope.target is not None and g.chance(0.08) and (scope.target[0].element in FLOATS) == (sort == "f"):
            array, subscripts = scope.target
            if g.chance(0.9):
                return Node("access", array.name, subscripts)
        rows = [row for row in scope.rows if row[2] == sort]
        if rows and scope.loops and g.chance(0.5):
            matrix, name, _ = self.rng.choice(rows)
            subscript, high = self.subscript(scope, scope.loops[-1])
            matrix.reach[1] = max(matrix.reach[1], high)
            return Node("access", f"{matrix.name}>{name}", (subscript,))
        candidates = [a for a in g.arrays if not a.written and not a.fill and (a.element in FLOATS) == (sort == "f")]
        if self.source is not None and (self.source.element in FLOATS) == (sort == "f") and g.chance(0.7):
            array = self.source
        elif candidates and g.chance(0.7):
            array = self.rng.choice(candidates)
        else:
            ints = self.rng.choice(INTS)
            element = (g.element if g.chance(0.7) else self.rng.choice(FLOATS)) if sort == "f" else ints
            if sort == "f" and element not in FLOATS:
                element = "double"
            if sort == "i" and g.element not in FLOATS and g.chance(0.6):
                element = g.element
            array = g.draft(max(1, min(3, len(scope.loops) - (1 if g.chance(0.15) else 0))), element)
        subscripts_, highs = [], []
        order = list(range(len(scope.loops)))
        if g.chance(0.12):
            self.rng.shuffle(order)
        for dimension in range(array.rank):
            position = len(order) - array.rank + dimension
            loop = scope.loops[order[max(0, position)]] if order else None
            subscript, high = self.subscript(scope, loop)
            subscripts_.append(subscript)
            highs.append(high)
        return g.access(array, subscripts_, highs)

    def subscript(self, scope: Scope, loop: Loop | None) -> tuple[Node, int]:
        g, choice = self.g, self.rng.random()
        if loop is None or choice < 0.04:
            number = self.rng.randint(0, 3)
            return expr(str(number)), number
        v = loop.variable
        if scope.counters and choice < 0.15:
            name, _, high = scope.counters[-1]
            return expr(name), high
        if choice < 0.55:
            return expr(v), loop.high
        if choice < 0.8:
            shift = self.rng.randint(1, 3)
            if loop.low >= shift and g.chance(0.6):
                return expr(f"{v} - {shift}"), loop.high - shift
            return expr(f"{v} + {shift}"), loop.high + shift
        if choice < 0.86:
            factor = self.rng.choice((2, 2, 3))
            shift = self.rng.choice((0, 0, 1))
            return expr(f"{factor} * {v}{f' + {shift}' if shift else ''}"), factor * loop.high + shift
        if choice < 0.89:
            return expr(f"{loop.high} - {v}"), loop.high - loop.low
        if choice < 0.92 and len(scope.loops) > 1:
            other = self.rng.choice(scope.loops)
            return expr(f"{v} + {other.variable}"), loop.high + other.high
        if choice < 0.94:
            name, _, value = self.rng.choice(g.sizes)
            return expr(f"{v} + {name}"), loop.high + value
        if choice < 0.97:
            index = g.draft(1, self.rng.choice(("int", "long", "unsigned char", "unsigned")))
            index.fill = self.rng.randint(1, 12)
            return g.access(index, [expr(v)], [loop.high]), index.fill - 1
        return self.rng.choice(((expr(f"{v} / 2"), loop.high // 2), (expr(f"{v} % 3"), 2), (expr(f"({v} & 7)"), 7)))


def generate(seed: int, name: str) -> Program:
    """The program of this seed."""
    return Generator(seed, name).program()
