"""Random C functions whose loop bodies branch differently from iteration to iteration.

Bodies are trees of ifs, switches and loops with several exits; every loop ends after a few rounds by construction. Loads and
divisions stand under the conditions that make them defined: where a condition is false there may be no element, or a zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from tests.fuzz.generate import FLOATS, Drafted, Generator, Loop, NestWriter, Scope, Sort
from tests.fuzz.tree import Node, Program, block, expr, stmt

LARGEST: Final = {1: 70, 2: 40, 3: 12}
STEPS: Final = ("int", "int", "int", "unsigned", "long", "short", "unsigned char")


@dataclass(frozen=True, slots=True)
class Where:
    """Which jumps may stand here, and how much deeper the body may get."""

    jumps: tuple[str, ...]
    depth: int

    @property
    def gotos(self) -> tuple[str, ...]:
        return tuple(jump for jump in self.jumps if jump.startswith("goto"))

    def inside(self, *jumps: str) -> Where:
        return Where(jumps, self.depth - 1)


class DivergentGenerator(Generator):
    """One program from one random generator: a nest or two, all of whose control flow is inside the innermost loop."""

    def program(self) -> Program:
        depth = self.rng.choice((1, 1, 1, 2, 2, 2, 3))
        self.restrict = self.chance(0.85)
        for name in ("n", "m", "k")[: self.rng.choice((1, 2, 2, 3))]:
            self.sizes.append((name, self.rng.choice(("int", "int", "long", "unsigned")), self.rng.randint(3, LARGEST[depth])))
        self.numbers.append(("w", self.rng.choice(FLOATS), self.rng.choice((0.25, -1.5, 3.0, 0.1))))
        self.numbers.append(("p", self.rng.choice(("int", "int", "long", "unsigned char")), self.rng.randint(0, 5)))
        body: list[Node] = []
        scope = Scope([], [("w", "f"), ("p", "i")])
        results: list[tuple[str, str]] = []
        if self.chance(0.12):
            results.append(self.accumulator(body, scope))
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            target = self.draft(depth)
            target.written = True
            body += DivergentWriter(self, depth, depth, list(range(depth)), target, None, results).level(scope, 0)
        result = None
        if results:
            result = results[0][1]
            body.append(stmt(f"return {results[0][0]};"))
        arrays = tuple(self.finished(array) for array in self.arrays)
        scalars = (*((n, t, float(v)) for n, t, v in self.sizes), *self.numbers)
        return Program(self.name, scalars, arrays, block(body), result, self.other_calls(), self.overlaps(arrays)).trimmed()

    def other_calls(self) -> tuple[tuple[float, ...], ...]:
        """As usual, with other numbers too: conditions on them change their minds."""
        w, p = self.numbers[0][2], self.numbers[1][2]
        others = ((w, 0.0), (-w, p), (w, 3.0))
        count = len(self.sizes)
        return tuple((*values[:count], *numbers) for values, numbers in zip(super().other_calls(), others, strict=True))

    def lower_bound(self, scope: Scope) -> tuple[Node, int]:
        number = self.rng.choice((0, 0, 0, 1, 2))
        return expr(str(number)), number


class DivergentWriter(NestWriter):
    """A nest with control flow in the body of its innermost loop."""

    tables: list[str]

    def statements(self, scope: Scope) -> list[Node]:
        nodes = [self.local(scope) for _ in range(self.rng.choice((1, 2, 2, 3)))]
        if not any(sort == "i" and name.startswith("s") for name, sort in scope.scalars):
            nodes.append(self.integer_local(scope))
        self.tables = [self.g.fresh("t") for _ in range(self.rng.choice((0, 0, 1, 1, 2)))]
        nodes += [self.new_table(scope, name) for name in self.tables]
        nodes += self.several(scope, Where(("continue",), self.rng.choice((1, 2, 2, 3, 3, 4))), (1, 2, 3))
        nodes.append(self.store(scope))
        if self.results and self.g.chance(0.8):
            fold = self.fold(scope, *self.results[0])
            nodes.append(stmt("if ($0) {\n$1\n}", self.test(scope), block([fold])) if self.g.chance(0.7) else fold)
        return nodes

    def several(self, outer: Scope, where: Where, counts: tuple[int, ...] = (1, 1, 2, 2, 3)) -> list[Node]:
        """Statements of a block of their own."""
        scope = replace(outer, scalars=list(outer.scalars))
        return [node for _ in range(self.rng.choice(counts)) for node in self.statement(scope, where)]

    def braces(self, scope: Scope, where: Where) -> Node:
        return block(self.several(scope, where))

    def statement(self, scope: Scope, where: Where) -> list[Node]:
        simple = (self.assignment, self.assignment, self.stored, self.stored, self.guarded_load, self.guarded_division,
                  self.chosen_load, self.counted, self.new_local)  # fmt: skip
        simple += (self.table_store, self.table_store, self.table_load) if self.tables else ()
        if where.depth > 0:
            nested = (*[self.branch] * 3, *[self.loop] * 3, self.chain, self.search, self.switch, self.ahead, self.again)
            if self.g.chance(0.55):
                return self.rng.choice(nested)(scope, where)
        if where.jumps and self.g.chance(0.15):
            return [stmt(f"if ($0) {self.rng.choice(where.jumps)};", self.test(scope))]
        return self.rng.choice(simple)(scope)

    # -- without control flow, or with a single branch ----------------------------------------------------------------

    def integer_local(self, scope: Scope) -> Node:
        name = self.g.fresh("s")
        node = stmt(f"{self.rng.choice(('int', 'unsigned', 'long'))} {name} = $0;", self.leaf(scope, "i"))
        scope.scalars.append((name, "i"))
        return node

    def new_local(self, scope: Scope) -> list[Node]:
        return [self.local(scope)]

    # -- arrays of the iteration ---------------------------------------------------------------------------------------

    def new_table(self, scope: Scope, name: str) -> Node:
        """Of more elements than become variables; all of them are set."""
        value = self.leaf(scope, "i") if self.g.chance(0.3) else expr(str(self.rng.randint(-3, 9)))
        type_ = self.rng.choice(("int", "int", "short", "long"))
        others = ", ".join(str(self.rng.randint(-9, 99)) for _ in range(self.rng.choice((0, 3, 23))))
        return stmt(f"{type_} {name}[24] = {{{', '.join(filter(None, ('($0) & 255', others)))}}};", value)

    def table_element(self, scope: Scope) -> tuple[str, Node]:
        """An element by a number, or by something that may differ between iterations."""
        name = self.rng.choice(self.tables)
        place = expr(str(self.rng.randrange(24))) if self.g.chance(0.5) else self.value(scope, "i", 1)
        return name, place

    def table_store(self, scope: Scope) -> list[Node]:
        name, place = self.table_element(scope)
        change = self.rng.choice(("=", "=", "+=", "^="))
        return [stmt(f"{name}[($0) & 15] {change} ($1) & 1023;", place, self.value(scope, "i", 1))]

    def table_load(self, scope: Scope) -> list[Node]:
        variable, _ = self.variable(scope, "i")
        name, place = self.table_element(scope)
        return [stmt(f"{variable} {self.rng.choice(('=', '+=', '^='))} {name}[($0) & 15];", place)]

    def variable(self, scope: Scope, sort: Sort | None = None) -> tuple[str, Sort]:
        mine = [(n, s) for n, s in scope.scalars if n.startswith("s") and (sort is None or s == sort)]
        return self.rng.choice(mine)

    def assignment(self, scope: Scope) -> list[Node]:
        name, sort = self.variable(scope)
        value = self.value(scope, sort, self.rng.choice((1, 1, 2)))
        if self.g.chance(0.5):
            return [stmt(f"{name} = $0;", value)]
        if sort == "f":
            return [stmt(f"{name} {self.rng.choice(('+=', '-=', '*='))} $0;", value)]
        return [stmt(f"{name} {self.rng.choice(('+=', '-='))} $0 & 15;", value) if self.g.chance(0.6) else
                stmt(f"{name} {self.rng.choice(('^=', '|=', '&='))} $0;", value)]  # fmt: skip

    def counted(self, scope: Scope) -> list[Node]:
        name, _ = self.variable(scope, "i")
        return [stmt(f"if ($0) {self.rng.choice((f'{name}++', f'--{name}', f'{name} += 3'))};", self.test(scope))]

    def stored(self, scope: Scope) -> list[Node]:
        """A store to the iteration's own element of some array, or of an inner loop's."""
        if self.g.chance(0.04):
            mark = self.g.draft(1, "int")
            mark.written = True
            return [stmt("$0 = $1;", self.g.access(mark, [expr("p" if self.g.chance(0.5) else "0")], [8]), expr("3"))]
        loops = scope.loops if self.g.chance(0.4) else scope.loops[: self.parallel]
        if len(loops) > 3 or self.g.chance(0.5):
            return [self.store(scope)]
        array = self.g.draft(len(loops))
        array.written = True
        target = self.g.access(array, [expr(loop.variable) for loop in loops], [loop.high for loop in loops])
        sort: Sort = "f" if array.element in FLOATS else "i"
        return [stmt(f"$0 {self.rng.choice(('=', '=', '+='))} $1;", target, self.value(scope, sort, 1))]

    def guarded_load(self, scope: Scope) -> list[Node]:
        """A neighbour, where there is one."""
        name, sort = self.variable(scope)
        loops = scope.loops[-self.rng.choice((1, 2, 3)) :]
        array = self.g.draft(len(loops), self.element_for(sort))
        dimension, shift = self.rng.randrange(len(loops)), self.rng.choice((1, 1, 2, 3))
        loop = loops[dimension]
        subscripts, highs = [expr(x.variable) for x in loops], [x.high for x in loops]
        if self.g.chance(0.5):
            subscripts[dimension] = expr(f"{loop.variable} - {shift}")
            test = expr(f"{loop.variable} >= {shift}")
        else:
            subscripts[dimension] = expr(f"{loop.variable} + {shift}")
            test = expr(f"{loop.variable} + {shift} < $0", loop.upper)
        load = self.g.access(array, subscripts, highs)
        if self.g.chance(0.3):
            return [stmt(f"{name} = ($0 ? $1 : $2);", test, load, self.leaf(scope, sort))]
        return [stmt(f"if ($0) {name} = $1;", test, load)]

    def guarded_division(self, scope: Scope) -> list[Node]:
        name, _ = self.variable(scope, "i")
        divisors = self.g.draft(1, self.rng.choice(("int", "unsigned", "int", "long", "unsigned char", "short")))
        divisors.fill = self.rng.choice((2, 3, 5))
        loop = self.rng.choice(scope.loops)
        load = self.g.access(divisors, [expr(loop.variable)], [loop.high])
        operator = self.rng.choice("/%")
        if self.g.chance(0.4):
            return [stmt(f"{name} = $0 ? $1 {operator} $0 : $2;", load, self.leaf(scope, "i"), self.leaf(scope, "i"))]
        return [stmt(f"if ($0) {name} = $1 {operator} $0;", load, self.leaf(scope, "i"))]

    def chosen_load(self, scope: Scope) -> list[Node]:
        """Through an index that is good only where the condition holds, or at a place of its own for all."""
        name, sort = self.variable(scope)
        size = self.rng.randint(2, 9)
        table = self.g.draft(1, self.element_for(sort))
        if self.g.chance(0.3):
            load = self.g.access(table, [expr(self.rng.choice(("0", "3", "p")))], [size])
            return [stmt(f"if ($0) {name} = $1;", self.test(scope), load)]
        index, _ = self.variable(scope, "i")
        load = self.g.access(table, [expr(index)], [size])
        return [stmt(f"if ({index} >= 0 && {index} < {size}) {name} {self.rng.choice(('=', '+='))} $0;", load)]

    def element_for(self, sort: Sort) -> str:
        return self.rng.choice(FLOATS) if sort == "f" else self.rng.choice(("int", "int", "unsigned char", "short", "long"))

    # -- control flow -------------------------------------------------------------------------------------------------

    def test(self, scope: Scope) -> Node:
        choice = self.rng.random()
        if choice < 0.15:
            return expr(self.rng.choice(("p > 2", "p", "w < 1", "p == 3", "!p")))
        loop = self.rng.choice(scope.loops)
        if choice < 0.3:
            return expr(f"({loop.variable} > {self.rng.randint(0, 2)} && {loop.variable} + 1 < $0)", loop.upper)
        if choice < 0.5:
            k = self.rng.randint(2, 5)
            return expr(f"({loop.variable} + {self.variable(scope, 'i')[0]}) % {k} == {self.rng.randrange(k)}")
        return self.condition(scope, 1)

    def branch(self, scope: Scope, where: Where) -> list[Node]:
        """if, else if, else."""
        inner = where.inside(*where.jumps)
        text, children = "if ($0) {\n$1\n}", [self.test(scope), self.braces(scope, inner)]
        while len(children) < 6 and self.g.chance(0.3):
            text += f" else if (${len(children)}) {{\n${len(children) + 1}\n}}"
            children += [self.test(scope), self.braces(scope, inner)]
        if self.g.chance(0.5):
            text += f" else {{\n${len(children)}\n}}"
            children.append(self.braces(scope, inner))
        return [stmt(text, *children)]

    def switch(self, scope: Scope, where: Where) -> list[Node]:
        inner = where.inside(*(jump for jump in where.jumps if jump != "break"))
        name, _ = self.variable(scope, "i")
        text, children = f"switch ({name} & 3) {{", list[Node]()
        for label in self.rng.sample(("case 0:", "case 1:", "case 2:", "case 3:", "default:"), self.rng.randint(2, 4)):
            text += f"\n{label} {{\n${len(children)}\n}}" + ("\nbreak;" if self.g.chance(0.7) else "")
            children.append(self.braces(scope, inner))
        return [stmt(text + "\n}", *children)]

    def rounds(self, scope: Scope) -> tuple[Node, int]:
        """How often a loop runs at most, as a small number that may differ between iterations."""
        most = self.rng.choice((3, 3, 7))
        if self.g.chance(0.2):
            return expr("p"), 5
        if self.g.chance(0.2):
            return expr(str(most)), most
        if self.g.chance(0.3):
            return expr(f"({self.rng.choice(scope.loops).variable} & {most})"), most
        return expr(f"($0 & {most})", self.leaf(scope, "i")), most

    def loop(self, scope: Scope, where: Where) -> list[Node]:
        g, name = self.g, self.g.fresh("k")
        type_ = self.rng.choice(STEPS)
        bound, most = self.rounds(scope)
        inner = scope.inside(Loop(name, type_, 0, most, expr(str(most))))
        body = self.several(inner, where.inside("continue", "break", "break", *where.gotos))
        match self.rng.choice(("for", "for", "down", "while", "do", "endless", "test")):
            case "for":
                step = self.rng.choice((1, 1, 1, 2))
                return [stmt(f"for ({type_} {name} = 0; {name} < $0; {name} += {step}) {{\n$1\n}}", bound, block(body))]
            case "down":
                return [stmt(f"{type_} {name} = $0;", bound), stmt(f"while ({name}-- > 0) {{\n$0\n}}", block(body))]
            case "while":
                before = stmt(f"int {name} = 0;")
                return [before, stmt(f"while ($0 && {name}++ < {most - 1}) {{\n$1\n}}", self.test(scope), block(body))]
            case "do":
                before = stmt(f"int {name} = 0;")
                return [before, stmt(f"do {{\n$1\n}} while (++{name} < {most} && $0);", self.test(scope), block(body))]
            case "endless":
                before, end = stmt(f"int {name} = 0;"), stmt(f"if ({name}++ >= $0) break;", bound)
                inner.loops[-1].high += 1
                return [before, stmt("for (;;) {\n$0\n}", block([end, *body]))]
            case _:
                test = self.test(inner) if g.chance(0.5) else self.test(scope)
                head = f"for ({type_} {name} = 0; {name} < {most} && $0; {name}++)"
                return [stmt(f"{head} {{\n$1\n}}", test, block(body))]

    def ahead(self, scope: Scope, where: Where) -> list[Node]:
        """Jumps to a label behind, out of everything."""
        label = self.g.fresh("out")
        leave = stmt(f"if ($0) goto {label};", self.test(scope))
        return [leave, *self.several(scope, where.inside(*where.jumps, f"goto {label}")), stmt(f"{label}:;")]

    def again(self, scope: Scope, where: Where) -> list[Node]:
        """A jump back."""
        label, name = self.g.fresh("again"), self.g.fresh("k")
        body = self.several(scope, where.inside(*where.gotos))
        back = stmt(f"if ($0 && {name}++ < 3) goto {label};", self.test(scope))
        return [stmt(f"int {name} = 0;"), stmt(f"{label}:;"), stmt("{\n$0\n}", block(body)), back]

    def chain(self, scope: Scope, where: Where) -> list[Node]:
        """A walk along a list of indices, which ends at index 0 or after some steps."""
        g, at, steps = self.g, self.g.fresh("t"), self.g.fresh("k")
        following = g.draft(1, self.rng.choice(("int", "short", "unsigned char", "long")))
        following.fill = self.rng.randint(2, 12)
        start, _ = self.variable(scope, "i")
        inner = scope.inside(Loop(at, "int", 0, following.fill - 1, expr(str(following.fill))))
        body = self.several(inner, where.inside("break", *where.gotos), (1, 1, 2))
        step = stmt(f"{at} = $0;", g.access(following, [expr(at)], [following.fill - 1]))
        before = [stmt(f"int {at} = (unsigned){start} % {following.fill};"), stmt(f"int {steps} = 0;")]
        return [*before, stmt(f"while ({at} > 0 && {steps}++ < 6) {{\n$0\n}}", block([*body, step]))]

    def search(self, scope: Scope, where: Where) -> list[Node]:
        """Binary search in a table that is not even sorted."""
        g, low, high = self.g, self.g.fresh("lo"), self.g.fresh("hi")
        name, _ = self.variable(scope, "i")
        sort: Sort = "f" if g.floating else "i"
        size = self.rng.choice((3, 8, 13))
        table: Drafted = g.draft(1, self.element_for(sort))
        middle = g.fresh("mid")
        test = expr("$0 < $1", g.access(table, [expr(middle)], [size]), self.leaf(scope, sort))
        half = stmt(f"if ($0) {low} = {middle} + 1; else {high} = {middle};", test)
        body = [stmt(f"int {middle} = ({low} + {high}) / 2;"), half]
        if g.chance(0.4):
            body.insert(1, stmt(f"if ($0) {self.rng.choice(('break', 'break', f'{name} = {middle}'))};", self.test(scope)))
        found = stmt(f"{name} = {low};") if g.chance(0.8) else stmt(f"{name} ^= {high} - {low};")
        return [stmt(f"int {low} = 0, {high} = {size};"), stmt(f"while ({low} < {high}) {{\n$0\n}}", block(body)), found]


def generate_divergent(seed: int, name: str) -> Program:
    """The program of this seed."""
    return DivergentGenerator(seed, name).program()
