"""Random integer expressions: each form has the interval of its result, so that nothing undefined is written.

Signed arithmetic that may overflow goes through the unsigned type; the shorter forms of the same where it cannot give LLVM the
facts that wrong folds come from.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from tests.expressions.numbers import INT, INTEGERS, LONG, NARROW, UINT, ULONG, Number, common, promoted, unsigned
from tests.expressions.tree import Node


def constant(value: int, type_: Number = INT) -> Node:
    if type_ == INT and not INT.holds(value, value):
        type_ = LONG if LONG.holds(value, value) else ULONG
    suffix = {INT: "", UINT: "u", LONG: "l", ULONG: "ul"}[type_]
    if value in (INT.low, LONG.low):
        return Node(f"({value + 1}{suffix} - 1)", type_, (), value, value)
    return Node(f"({value}{suffix})" if value < 0 else f"{value}{suffix}", type_, (), value, value)


def interesting(r: Random) -> int:
    bits = r.choice((3, 7, 8, 15, 16, 31, 32))
    return r.choice((0, 1, 2, 3, 5, 10, 29, 100, 127, 128, 255, 32767, 65535, 1 << bits, (1 << bits) - 1, r.randrange(1 << bits)))


def a_constant(r: Random) -> Node:
    value = interesting(r)
    return constant(-value if r.random() < 0.3 else value)


def cast(node: Node, type_: Number) -> Node:
    """Conversions to narrower types wrap."""
    low, high = (node.low, node.high) if type_.holds(node.low, node.high) else (type_.low, type_.high)
    return Node(f"(({type_.name}){{0}})", type_, (node,), low, high)


def as_common(node: Node, type_: Number) -> tuple[float, float]:
    return (node.low, node.high) if type_.holds(node.low, node.high) else (type_.low, type_.high)


def arithmetic(op: str, left: Node, right: Node) -> Node:
    """`+`, `-`, `*`, and the bitwise operators."""
    type_ = common(left.type, right.type)
    (a, b), (c, d) = as_common(left, type_), as_common(right, type_)
    match op:
        case "+":
            low, high = a + c, b + d
        case "-":
            low, high = a - d, b - c
        case "*":
            products = (a * c, a * d, b * c, b * d)
            low, high = min(products), max(products)
        case "&" if a >= 0 or c >= 0:
            low, high = 0, min(x for x, y in ((b, a), (d, c)) if y >= 0)
        case "|" | "^" if a >= 0 and c >= 0:
            low, high = 0, (1 << max(int(b), int(d)).bit_length()) - 1
        case _:
            low, high = type_.low, type_.high
    if type_.holds(low, high):
        return Node(f"({{0}} {op} {{1}})", type_, (left, right), low, high)
    if type_.signed:
        u = unsigned(type_).name
        return Node(f"({type_.name})(({u}){{0}} {op} ({u}){{1}})", type_, (left, right), type_.low, type_.high)
    return Node(f"({{0}} {op} {{1}})", type_, (left, right), type_.low, type_.high)


def shift_right(node: Node, count: int) -> Node:
    type_ = promoted(node.type)
    return Node(f"({{0}} >> {count})", type_, (node,), int(node.low) >> count, int(node.high) >> count)


def shift_left(node: Node, count: int) -> Node:
    type_ = promoted(node.type)
    if node.low >= 0 and type_.holds(0, int(node.high) << count):
        return Node(f"({{0}} << {count})", type_, (node,), int(node.low) << count, int(node.high) << count)
    u = unsigned(type_).name
    text = f"(({u}){{0}} << {count})"
    return Node(f"({type_.name}){text}" if type_.signed else text, type_, (node,), type_.low, type_.high)


def select(condition: Node, then: Node, otherwise: Node) -> Node:
    type_ = common(then.type, otherwise.type)
    (a, b), (c, d) = as_common(then, type_), as_common(otherwise, type_)
    return Node("({0} ? {1} : {2})", type_, (condition, then, otherwise), min(a, c), max(b, d))


def compare(op: str, left: Node, right: Node) -> Node:
    return Node(f"({{0}} {op} {{1}})", INT, (left, right), 0, 1)


COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
ORDERS: Final = COMPARISONS[:4]


class Integers:
    """Makes integer expressions; `leaf` gives an integer that exists, `condition` a comparison of anything."""

    def __init__(self, r: Random, leaf: Callable[[], Node], condition: Callable[[int], Node]) -> None:
        self.r = r
        self.leaf = leaf
        self.condition = condition
        self.forms: list[tuple[Callable[[int], Node], int]] = [
            (self.plain, 10), (self.shifted, 5), (self.widened_product, 4), (self.average, 2), (self.difference, 2),
            (self.extremum, 3), (self.saturated, 3), (self.selected, 4), (self.narrowed, 4), (self.divided, 1), (self.rotated, 1),
            (self.negated, 2), (self.variable_shift, 1), (self.magnitude, 1), (self.carry, 1), (self.truth, 1), (self.mean, 1),
            (self.masked, 1), (self.mixture, 2), (self.bounded_sum, 2),
        ]  # fmt: skip

    def make(self, depth: int) -> Node:
        if depth <= 0 or self.r.random() < 0.12:
            return self.leaf() if self.r.random() < 0.88 else a_constant(self.r)
        forms, weights = zip(*self.forms, strict=True)
        form: Callable[[int], Node] = self.r.choices(forms, weights)[0]
        return form(depth - 1)

    def pair(self, depth: int) -> tuple[Node, Node]:
        return self.make(depth), self.make(depth if self.r.random() < 0.5 else 0)

    def plain(self, depth: int) -> Node:
        return arithmetic(self.r.choice("+++---***&|^"), *self.pair(depth))

    def shifted(self, depth: int) -> Node:
        node = self.make(depth)
        count = self.r.randrange(promoted(node.type).bits)
        return shift_right(node, count) if self.r.random() < 0.7 else shift_left(node, count)

    def variable_shift(self, depth: int) -> Node:
        node, count = self.pair(depth)
        type_ = promoted(node.type)
        low, high = (min(0, node.low), max(0, node.high)) if type_.signed else (0, node.high)
        return Node(f"({{0}} >> ({{1}} & {type_.bits - 1}))", type_, (node, count), low, high)

    def widened_product(self, depth: int) -> Node:
        """The high part of a product, or a part in the middle, or a rounded one."""
        left, right = (cast(x, self.r.choice(NARROW)) if self.r.random() < 0.5 else x for x in self.pair(depth))
        if self.r.random() < 0.25:
            right = a_constant(self.r)
        wide = self.r.choice((INT, INT, UINT, LONG, ULONG))
        product = arithmetic("*", cast(left, wide), right)
        bits = product.type.bits
        count = self.r.choice((7, 8, 14, 15, 16, self.r.randrange(bits), self.r.randrange(16, 32))) % bits
        if self.r.random() < 0.25 and count:
            product = arithmetic("+", product, constant(1 << count - 1))
            count %= product.type.bits
        found = shift_right(product, count)
        return cast(found, self.r.choice(INTEGERS)) if self.r.random() < 0.5 else found

    def average(self, depth: int) -> Node:
        total = arithmetic("+", *self.pair(depth))
        if self.r.random() < 0.6:
            total = arithmetic("+", total, constant(1))
        return shift_right(total, 1)

    def mean(self, depth: int) -> Node:
        """The average without a wider type."""
        left, right = self.pair(depth)
        half = shift_right(arithmetic("^", left, right), 1)
        if self.r.random() < 0.5:
            return arithmetic("+", arithmetic("&", left, right), half)
        return arithmetic("-", arithmetic("|", left, right), half)

    def difference(self, depth: int) -> Node:
        left, right = self.pair(depth)
        one, two = arithmetic("-", left, right), arithmetic("-", right, left)
        return select(compare(self.r.choice(ORDERS), left, right), one, two)

    def magnitude(self, depth: int) -> Node:
        node = self.make(depth)
        return select(compare(self.r.choice(("<", "<=", ">", ">=")), node, constant(0)), arithmetic("-", constant(0), node), node)

    def extremum(self, depth: int) -> Node:
        left, right = self.pair(depth)
        one, two = (left, right) if self.r.random() < 0.5 else (right, left)
        return select(compare(self.r.choice(ORDERS), left, right), one, two)

    def saturated(self, depth: int) -> Node:
        node, type_ = self.make(depth), self.r.choice(INTEGERS[:6])
        low, high = int(type_.low), int(type_.high)
        wide = INT if promoted(node.type) == INT and type_.bits < 32 else LONG
        inner = cast(node, wide)
        above = Node(f"({{0}} > {high} ? {high} : {{0}})", wide, (inner,), min(inner.low, high), min(inner.high, high))
        down = "(-2147483647 - 1)" if low == INT.low else str(low)
        text = f"({{0}} < {down} ? {down} : {{0}})"
        bounded = Node(text, wide, (above,), max(above.low, low), max(above.high, low))
        return cast(bounded, type_) if self.r.random() < 0.7 else bounded

    def bounded_sum(self, depth: int) -> Node:
        """A sum or difference of two numbers of a narrow type that stays within it."""
        type_ = self.r.choice(NARROW)
        left, right = (cast(node, type_) for node in self.pair(depth))
        total = arithmetic(self.r.choice("+-"), left, right)
        low, high = int(type_.low), int(type_.high)
        form = self.r.choice(("{0} > H ? H : {0} < L ? L : {0}", "{0} < L ? L : {0} <= H ? {0} : H", "{0} > H ? H : {0}"))
        text = f"({form.replace('H', str(high)).replace('L', str(low))})"
        least = max(total.low, low) if "L" in form else min(total.low, high)
        return Node(text, total.type, (total,), least, min(total.high, high))

    def mixture(self, depth: int) -> Node:
        """Parts of two numbers by a weight."""
        left, right = (cast(node, self.r.choice(NARROW)) for node in self.pair(depth))
        whole = self.r.choice((255, 256, 128, 100))
        weight = arithmetic("&", self.make(0), constant(self.r.choice((255, 127, whole))))
        rest = arithmetic("-", constant(whole), weight)
        total = arithmetic("+", arithmetic("*", left, weight), arithmetic("*", right, rest))
        if self.r.random() < 0.4:
            total = arithmetic("+", total, constant(self.r.choice((127, 128, whole // 2))))
        if not (total.type.signed and total.low >= 0) or self.r.random() < 0.6:
            return shift_right(total, 8)
        return Node(f"({{0}} / {whole})", total.type, (total,), int(total.low) // whole, int(total.high) // whole)

    def selected(self, depth: int) -> Node:
        return select(self.condition(depth), *self.pair(depth))

    def narrowed(self, depth: int) -> Node:
        return cast(self.make(depth), self.r.choice(INTEGERS))

    def divided(self, depth: int) -> Node:
        node, divisor = self.make(depth), self.r.choice((2, 3, 7, 10, 16, 100, 255, 256))
        type_ = promoted(node.type)
        if self.r.random() < 0.5:
            high = max(abs(int(node.low)), abs(int(node.high))) // divisor
            return Node(f"({{0}} / {divisor})", type_, (node,), -high if node.low < 0 else 0, high)
        return Node(f"({{0}} % {divisor})", type_, (node,), 1 - divisor if node.low < 0 else 0, divisor - 1)

    def rotated(self, depth: int) -> Node:
        node, type_ = self.make(depth), self.r.choice((*NARROW[1::2], UINT, ULONG))
        inner, count = cast(node, type_), self.r.randrange(1, type_.bits)
        both = arithmetic("|", shift_left(inner, count), shift_right(inner, type_.bits - count))
        return cast(both, type_)

    def negated(self, depth: int) -> Node:
        node = self.make(depth)
        if self.r.random() < 0.5:
            return arithmetic("-", constant(0), node)
        type_ = promoted(node.type)
        low, high = (-1 - node.high, -1 - node.low) if type_.signed else (0, type_.high)
        return Node("(~{0})", type_, (node,), low, high)

    def carry(self, depth: int) -> Node:
        """Whether an unsigned sum wraps, or what it saturates to."""
        left, right = (cast(x, self.r.choice((*NARROW[1::2], UINT, ULONG))) for x in self.pair(depth))
        total = arithmetic("+", left, right)
        if self.r.random() < 0.5:
            total = cast(total, left.type)
        wraps = compare("<", total, left)
        return wraps if self.r.random() < 0.3 else select(wraps, constant(-1), total)

    def truth(self, depth: int) -> Node:
        return self.condition(depth)

    def masked(self, depth: int) -> Node:
        """A choice by a mask of a comparison's result."""
        mask = arithmetic("-", constant(0), self.condition(depth))
        return arithmetic("&", mask, self.make(depth))
