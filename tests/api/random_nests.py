"""Random loop nests in C, and a plain interpreter of them that records which elements they touch.

Bounds and subscripts are expressions of all kinds over parameters and counters of all integer types; loops count up, down and
by steps, double their variable, stop at a break; accesses stand under conditions, some on loaded data, which count as true.
The interpreter has C's conversions; what C leaves undefined ends it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TYPES = {"int": (32, True), "unsigned": (32, False), "short": (16, True), "unsigned char": (8, False), "long": (64, True),
         "unsigned long": (64, False), "signed char": (8, True)}  # fmt: skip
MOST_STEPS = 4_000


class Undefined(Exception):
    """C does not define the program, or it runs too long."""


class Left(Exception):
    """A break."""


def wrap(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def promoted(kind):
    return (32, True) if kind[0] < 32 else kind


def common(a, b):
    a, b = promoted(a), promoted(b)
    return (max(a[0], b[0]), all(k[1] for k in (a, b) if k[0] == max(a[0], b[0])))


@dataclass
class Expression:
    """C text, and what gives a value and its kind (bits, signed) in an environment of such."""

    text: str
    value: object


def number(n):
    return Expression(str(n) if n >= 0 else f"({n})", lambda e: (n, (32, True)))


def variable(name):
    return Expression(name, lambda e: e[name])


def checked(value, kind):
    bits, signed = kind
    if signed and not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise Undefined
    return wrap(value, bits, signed), kind


def divided(a, b):
    if b == 0:
        raise Undefined
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divided,
    "%": lambda a, b: a - b * divided(a, b),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
COMPARISONS = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


def binary(op, left, right):
    def value(e):
        (a, ka), (b, kb) = left.value(e), right.value(e)
        kind = common(ka, kb)
        return checked(ARITHMETIC[op](wrap(a, *kind), wrap(b, *kind)), kind)

    return Expression(f"({left.text} {op} {right.text})", value)


def shifted(op, left, amount):
    def value(e):
        a, kind = left.value(e)
        kind = promoted(kind)
        (count, _) = amount.value(e)
        if not 0 <= count < kind[0] or (op == "<<" and a < 0):
            raise Undefined
        return checked(a << count if op == "<<" else a >> count, kind)

    return Expression(f"({left.text} {op} {amount.text})", value)


def compared(op, left, right):
    def value(e):
        (a, ka), (b, kb) = left.value(e), right.value(e)
        kind = common(ka, kb)
        return int(COMPARISONS[op](wrap(a, *kind), wrap(b, *kind))), (32, True)

    return Expression(f"({left.text} {op} {right.text})", value)


def both(op, left, right):
    def value(e):
        a = left.value(e)[0]
        decided = (not a) if op == "&&" else bool(a)
        return (int(bool(a)) if decided else int(bool(right.value(e)[0]))), (32, True)

    return Expression(f"({left.text} {op} {right.text})", value)


def chosen(condition, then, otherwise):
    def value(e):
        kind = None
        # the kinds of both arms decide, and only one of them is computed
        found = (then if condition.value(e)[0] else otherwise).value(e)
        kind = common(then.kind(e), otherwise.kind(e))
        return wrap(found[0], *kind), kind

    result = Expression(f"({condition.text} ? {then.text} : {otherwise.text})", value)
    return result


def cast(name, operand):
    return Expression(f"(({name})({operand.text}))", lambda e: (wrap(operand.value(e)[0], *TYPES[name]), TYPES[name]))


def kind_of(expression, e):
    try:
        return expression.value(e)[1]
    except Undefined:
        raise


Expression.kind = kind_of


@dataclass
class Machine:
    """The run of a program: variables by name, elements that were touched by array, steps so far."""

    values: dict
    touched: dict = field(default_factory=dict)
    outside_row: bool = False
    steps: int = 0

    def step(self):
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Undefined


@dataclass
class Statement:
    lines: list
    run: object


class Generator:
    """Programs for one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.scope = []
        self.counters = 0
        self.parameters = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def program(self):
        """The C text, the parameters with their values, the arrays with ranks, and the body."""
        r = self.random
        kinds = self.pick("int", "unsigned", "long", "short", "unsigned long"), self.pick("int", "int", "unsigned")
        self.parameters = list(zip("nm", kinds, strict=True))
        self.scope = ["n", "m"]
        body = self.block(0, in_loop=False, count=r.randint(1, 2))
        arguments = ", ".join(f"{t} {name}" for name, t in self.parameters)
        arrays = "double *A, double *restrict B, double C[m], double D[n][m]"
        text = "\n".join([f"void f({arguments}, {arrays})", "{", *("  " + line for line in body.lines), "}"])
        return text, body

    def values(self):
        found = {}
        for name, t in self.parameters:
            bits, signed = TYPES[t]
            found[name] = (self.random.randint(-3 if signed and name == "n" else 0, 14), (bits, signed))
        return found

    # -- expressions

    def leaf(self):
        if self.random.random() < 0.3:
            return number(self.random.randint(-2, 9))
        return variable(self.random.choice(self.scope))

    def affine(self):
        e = self.leaf()
        for _ in range(self.random.randint(0, 2)):
            multiple = binary("*", number(self.random.randint(1, 3)), self.leaf())
            e = binary(self.pick("+", "-", "+"), e, self.pick(self.leaf(), multiple))
        return e

    def expression(self, depth=0):
        kind = self.random.random()
        if depth > 1 or kind < 0.45:
            return self.affine()
        a = self.expression(depth + 1)
        if kind < 0.55:
            return binary(self.pick("*", "+", "-"), a, self.expression(depth + 1))
        if kind < 0.68:
            return binary(self.pick("/", "%"), a, number(self.pick(2, 3, 4, 5, 8)))
        if kind < 0.74:
            return binary(self.pick("&", "&", "|", "^"), a, number(self.pick(1, 3, 7, 6, -8, -4, 5)))
        if kind < 0.8:
            return shifted(">>", a, number(self.random.randint(0, 3)))
        if kind < 0.83:
            return shifted("<<", number(1), binary("&", self.leaf(), number(3)))
        if kind < 0.93:
            b = self.expression(depth + 1)
            return chosen(compared(self.pick("<", ">", "<=", ">="), a, b), *self.pick((a, b), (b, a), (a, self.affine())))
        return cast(self.pick(*TYPES), a)

    def condition(self):
        first = compared(self.pick(*COMPARISONS), self.affine(), self.affine())
        if self.random.random() < 0.3:
            return both(self.pick("&&", "||"), first, compared(self.pick(*COMPARISONS), self.affine(), self.affine()))
        return first

    # -- statements

    def block(self, depth, *, in_loop, count):
        statements = [self.statement(depth, in_loop=in_loop) for _ in range(count)]

        def run(machine):
            for statement in statements:
                statement.run(machine)

        return Statement([line for s in statements for line in s.lines], run)

    def statement(self, depth, *, in_loop):
        kind = self.random.random()
        if depth < 3 and (kind < 0.45 or (depth == 0 and kind < 0.9)):
            return self.loop(depth)
        if kind < 0.6 and 0 < depth < 5:
            return self.guarded(depth, in_loop=in_loop)
        if kind < 0.65 and in_loop:
            return self.leaving()
        if kind < 0.75:
            return self.local(depth, in_loop=in_loop)
        return self.access()

    def scoped(self, names, make):
        before = [*self.scope]
        self.scope += names
        result = make()
        self.scope = before
        return result

    def fresh(self):
        self.counters += 1
        return f"i{self.counters}"

    def loop(self, depth):
        kind = self.random.random()
        name, type_ = self.fresh(), self.pick("int", "int", "int", "unsigned", "long", "short", "unsigned char", "unsigned long")
        if kind < 0.6:
            start = self.pick(number(self.random.randint(0, 2)), self.affine(), self.expression())
            bound = self.pick(self.leaf(), self.expression())
            step, relation = self.pick(1, 1, 1, 2, 3), self.pick("<", "<", "<=", "<", "!=")
        elif kind < 0.8:
            start, bound = self.pick(binary("-", self.leaf(), number(1)), self.expression()), self.pick(number(0), self.leaf())
            step, relation = self.pick(-1, -1, -2), self.pick(">=", ">", ">=")
        elif kind < 0.9:
            return self.tiled(depth)
        else:
            start, bound = number(1), self.affine()
            step, relation = None, "<"
        inner = lambda: self.block(depth + 1, in_loop=True, count=self.random.randint(1, 2))  # noqa: E731
        body = self.scoped([name], inner)
        test = compared(relation, variable(name), bound)
        advance = binary("*", variable(name), number(2)) if step is None else binary("+", variable(name), number(step))
        head = f"for ({type_} {name} = {start.text}; {test.text}; {name} = {advance.text}) {{"
        lines = [head, *("  " + line for line in body.lines), "}"]
        kind_of_counter = TYPES[type_]

        def run(machine):
            v = machine.values
            v[name] = (wrap(start.value(v)[0], *kind_of_counter), kind_of_counter)
            while test.value(v)[0]:
                machine.step()
                try:
                    body.run(machine)
                except Left:
                    break
                v[name] = (wrap(advance.value(v)[0], *kind_of_counter), kind_of_counter)

        return Statement(lines, run)

    def tiled(self, depth):
        outer, inner, tile = self.fresh(), self.fresh(), self.pick(2, 3, 4)
        end = self.leaf()
        body = self.scoped([outer, inner], lambda: self.block(depth + 2, in_loop=True, count=1))
        both_tests = self.random.random() < 0.5
        limit = f"{inner} < {outer} + {tile} && {inner} < {end.text}" if both_tests else (
            f"{inner} < ({outer} + {tile} < {end.text} ? {outer} + {tile} : {end.text})")  # fmt: skip
        lines = [f"for (int {outer} = 0; {outer} < {end.text}; {outer} += {tile})"]
        lines += [f"  for (int {inner} = {outer}; {limit}; ++{inner}) {{", *("    " + line for line in body.lines), "  }"]
        signed = (32, True)

        def less(a, b, machine):
            return compared("<", a, b).value(machine.values)[0]

        def run(machine):
            v = machine.values
            v[outer] = (0, signed)
            while less(variable(outer), end, machine):
                v[inner] = v[outer]
                ahead = binary("+", variable(outer), number(tile))
                while less(variable(inner), ahead, machine) and less(variable(inner), end, machine):
                    machine.step()
                    try:
                        body.run(machine)
                    except Left:
                        break
                    v[inner] = checked(v[inner][0] + 1, signed)
                v[outer] = checked(v[outer][0] + tile, signed)

        return Statement(lines, run)

    def guarded(self, depth, *, in_loop):
        on_data = self.random.random() < 0.2
        body = self.access() if on_data else self.block(depth + 1, in_loop=in_loop, count=1)
        condition = self.condition()
        text = f"(A[0] > 0.5 && {condition.text})" if on_data else condition.text

        def run(machine):
            if condition.value(machine.values)[0]:
                body.run(machine)

        return Statement([f"if {text} {{", *("  " + line for line in body.lines), "}"], run)

    def leaving(self):
        condition = self.condition()

        def run(machine):
            if condition.value(machine.values)[0]:
                raise Left

        return Statement([f"if {condition.text} break;"], run)

    def local(self, depth, *, in_loop):
        name, type_, value = self.fresh(), self.pick("int", "int", "short", "unsigned"), self.expression()
        body = self.scoped([name], lambda: self.block(depth + 1, in_loop=in_loop, count=1))

        def run(machine):
            machine.values[name] = (wrap(value.value(machine.values)[0], *TYPES[type_]), TYPES[type_])
            body.run(machine)

        return Statement(["{", f"  {type_} {name} = {value.text};", *("  " + line for line in body.lines), "}"], run)

    def access(self):
        array = self.pick("A", "B", "C", "D")
        subscripts = [self.pick(self.affine(), self.affine(), self.expression()) for _ in range(1 + (array == "D"))]
        text = array + "".join(f"[{s.text}]" for s in subscripts)

        def run(machine):
            machine.step()
            places = [wrap(s.value(machine.values)[0], 64, True) for s in subscripts]
            if len(places) > 1:
                touch(machine, array, places[0], places[1])
            else:
                touch(machine, array, places[0])

        return Statement([f"{text} += 1;"], run)


def touch(machine, array, place, inner=None):
    if inner is not None and not 0 <= inner < machine.values["m"][0]:
        machine.outside_row = True
    low, high = machine.touched.get(array, (place, place))
    machine.touched[array] = min(low, place), max(high, place)


def make(seed):
    """A program's text, values for its parameters, and what they make it touch; None where C does not define that."""
    generator = Generator(seed)
    text, body = generator.program()
    runs = []
    for _ in range(4):
        values = generator.values()
        machine = Machine(dict(values))
        try:
            body.run(machine)
        except Undefined:
            continue
        runs.append(({name: value for name, (value, _) in values.items()}, machine))
    return text, runs
