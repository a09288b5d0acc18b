"""Random floating-point expressions, signed zeros, infinities and NaNs included; functions are those that are exact."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from random import Random
from typing import Final

from tests.expressions.integers import ORDERS, cast, compare
from tests.expressions.numbers import DOUBLE, FLOAT, FLOATS, INTEGERS, Number, common
from tests.expressions.tree import Node

CONSTANTS: Final = ("0.0", "-0.0", "0.0", "1.0", "-1.0", "0.5", "2.0", "255.0", "-128.0", "3.0", "1e-310", "0.1", "INFINITY")
BOUNDED: Final = ((-128, 127), (0, 255), (-32768, 32767), (0, 65535), (-1000000, 1000000), (-2147483648, 2147483520))


def floating(form: str, type_: Number, operands: tuple[Node, ...], *, sign: bool = False) -> Node:
    return Node(form, type_, operands, -inf, inf, False, sign)


def a_constant(r: Random, type_: Number) -> Node:
    text = r.choice(CONSTANTS)
    suffix = "f" if type_ == FLOAT and text != "INFINITY" and text != "1e-310" else ""
    value = inf if text == "INFINITY" else float(text)
    text = f"(({type_.name}){text})" if text in ("INFINITY", "1e-310") else f"({text}{suffix})"
    return Node(text, type_, (), value, value)


def convert(node: Node, type_: Number) -> Node:
    """A conversion to a floating-point type."""
    sign = node.sign if node.type == type_ or not node.type.floating else node.number
    if node.type.floating and node.type.bits <= type_.bits:
        return Node(f"(({type_.name}){{0}})", type_, (node,), node.low, node.high, node.number, sign)
    tight = node.number and max(abs(node.low), abs(node.high)) <= 1 << 24
    low, high = (node.low, node.high) if tight else (-inf, inf)
    return Node(f"(({type_.name}){{0}})", type_, (node,), low, high, node.number, sign)


def select(condition: Node, then: Node, otherwise: Node) -> Node:
    type_ = common(then.type, otherwise.type)
    low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
    same = all(x.sign and (x.type == type_ or x.number) for x in (then, otherwise))
    if not all(x.type.floating or max(abs(x.low), abs(x.high)) <= 1 << 24 for x in (then, otherwise)):
        low, high = -inf, inf
    return Node("({0} ? {1} : {2})", type_, (condition, then, otherwise), low, high, then.number and otherwise.number, same)


def bounded(r: Random, node: Node) -> Node:
    """A number in a range that any NaN comes into as well."""
    low, high = r.choice(BOUNDED[:5] if node.type == FLOAT else BOUNDED)
    suffix = "f" if node.type == FLOAT else ""
    down, up = f"{low}.0{suffix}", f"{high}.0{suffix}"
    if r.random() < 0.5:
        form = f"({{0}} < {up} ? {{0}} > {down} ? {{0}} : {down} : {up})"
    else:
        form = f"({{0}} >= {down} && {{0}} <= {up} ? {{0}} : {r.choice((down, up))})"
    return Node(form, node.type, (node,), low, high, True, True)


def to_integer(r: Random, node: Node, type_: Number | None = None) -> Node:
    """A conversion to an integer type that holds the number."""
    inner = node if node.number and max(abs(node.low), abs(node.high)) < 1 << 40 else bounded(r, node)
    fitting = [t for t in INTEGERS if t.holds(inner.low, inner.high)]
    chosen = type_ if type_ in fitting else r.choice(fitting)
    assert chosen is not None
    return Node(f"(({chosen.name}){{0}})", chosen, (inner,), int(inner.low), int(inner.high))


class Floats:
    """Makes floating-point expressions; `integer` and `condition` make others."""

    def __init__(
        self, r: Random, leaf: Callable[[], Node], condition: Callable[[int], Node], integer: Callable[[int], Node]
    ) -> None:
        self.r = r
        self.leaf = leaf
        self.condition = condition
        self.integer = integer
        self.forms: list[tuple[Callable[[int], Node], int]] = [
            (self.plain, 8), (self.negated, 3), (self.called, 3), (self.of_two, 3), (self.fused, 2), (self.extremum, 5),
            (self.selected, 4), (self.converted, 3), (self.from_integer, 2), (self.rectified, 3), (self.bounded, 1),
            (self.magnitude, 1), (self.reciprocal, 1), (self.difference, 1),
        ]  # fmt: skip

    def make(self, depth: int) -> Node:
        if depth <= 0 or self.r.random() < 0.12:
            return self.leaf() if self.r.random() < 0.8 else a_constant(self.r, self.r.choice(FLOATS))
        forms, weights = zip(*self.forms, strict=True)
        form: Callable[[int], Node] = self.r.choices(forms, weights)[0]
        return form(depth - 1)

    def pair(self, depth: int) -> tuple[Node, Node]:
        return self.make(depth), self.make(depth if self.r.random() < 0.5 else 0)

    def plain(self, depth: int) -> Node:
        left, right = self.pair(depth)
        if self.r.random() < 0.25:
            right = a_constant(self.r, right.type)
        if self.r.random() < 0.3:
            left, right = right, left
        op = self.r.choice("++--**/")
        return floating(f"({{0}} {op} {{1}})", common(left.type, right.type), (left, right))

    def reciprocal(self, depth: int) -> Node:
        node = self.make(depth)
        return floating("(1 / {0})", node.type, (node,))

    def difference(self, depth: int) -> Node:
        """`x - x * y` and the like, with an operand twice."""
        left, right = self.pair(depth)
        form = self.r.choice(("({0} - {0} * {1})", "({0} * {1} - {1})", "({0} + {1} * 0)", "({0} - {1} - {0})", "(-{0} * -{1})"))
        return floating(form, common(left.type, right.type), (left, right))

    def negated(self, depth: int) -> Node:
        node = self.make(depth)
        if self.r.random() < 0.2:
            return floating("(0 - {0})", node.type, (node,))
        return Node("(-{0})", node.type, (node,), -node.high, -node.low, node.number, node.sign)

    def suffix(self, type_: Number) -> str:
        return "f" if type_ == FLOAT else ""

    def called(self, depth: int) -> Node:
        node, name = self.make(depth), self.r.choice(("sqrt", "fabs", "fabs", "floor", "ceil", "trunc", "rint"))
        text = f"{name}{self.suffix(node.type)}({{0}})"
        if name in ("sqrt", "fabs"):
            return floating(text, node.type, (node,), sign=name == "fabs")
        low, high = (node.low - 1, node.high + 1)
        return Node(text, node.type, (node,), low, high, node.number, node.number)

    def magnitude(self, depth: int) -> Node:
        node = self.make(depth)
        condition = compare(self.r.choice(ORDERS), node, a_constant(self.r, node.type))
        return select(condition, Node("(-{0})", node.type, (node,), -node.high, -node.low, node.number, node.sign), node)

    def same(self, left: Node, right: Node) -> tuple[Number, Node, Node]:
        type_ = common(left.type, right.type)
        return type_, *(x if x.type == type_ else convert(x, type_) for x in (left, right))

    def of_two(self, depth: int) -> Node:
        type_, left, right = self.same(*self.pair(depth))
        if self.r.random() < 0.4 and right.sign:
            return floating(f"copysign{self.suffix(type_)}({{0}}, {{1}})", type_, (left, right), sign=True)
        name = self.r.choice(("fmin", "fmax"))
        return floating(f"{name}{self.suffix(type_)}({{0}}, {{1}})", type_, (left, right))

    def fused(self, depth: int) -> Node:
        type_, x, y = self.same(*self.pair(depth))
        z = convert(self.make(0), type_)
        signs = [self.r.choice(("", "", "-")) for _ in range(4)]
        text = f"{signs[0]}fma{self.suffix(type_)}({signs[1]}{{0}}, {signs[2]}{{1}}, {signs[3]}{{2}})"
        return floating(f"({text})", type_, (x, y, z))

    def extremum(self, depth: int) -> Node:
        left, right = self.pair(depth)
        if self.r.random() < 0.4:
            right = a_constant(self.r, right.type)
        one, two = (left, right) if self.r.random() < 0.5 else (right, left)
        condition = compare(self.r.choice(ORDERS), left, right)
        if self.r.random() < 0.2:
            condition = Node("(!{0})", condition.type, (condition,), 0, 1)
        return select(condition, one, two)

    def rectified(self, depth: int) -> Node:
        """A constant in the place of what compares with another one."""
        node = self.make(depth)
        limit, other = a_constant(self.r, node.type), a_constant(self.r, self.r.choice(FLOATS))
        condition = compare(self.r.choice((*ORDERS, "==", "!=")), node, limit)
        value = convert(node, DOUBLE) if self.r.random() < 0.4 and node.type == FLOAT else node
        return select(condition, other, value) if self.r.random() < 0.5 else select(condition, value, other)

    def selected(self, depth: int) -> Node:
        return select(self.condition(depth), *self.pair(depth))

    def converted(self, depth: int) -> Node:
        return convert(self.make(depth), self.r.choice(FLOATS))

    def from_integer(self, depth: int) -> Node:
        return convert(self.integer(depth), self.r.choice(FLOATS))

    def bounded(self, depth: int) -> Node:
        return bounded(self.r, self.make(depth))


def to_type(r: Random, node: Node, type_: Number) -> Node:
    """The expression converted for a variable of this type, always defined."""
    if type_.floating:
        return node if node.type == type_ else convert(node, type_)
    if node.type.floating:
        return cast(to_integer(r, node, type_), type_)
    return cast(node, type_)
