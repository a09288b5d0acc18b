"""Random programs: one function each, with a loop around statements that do not depend on each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from tests.expressions.floats import Floats, to_type
from tests.expressions.integers import COMPARISONS, Integers, arithmetic, cast, compare, select
from tests.expressions.numbers import DOUBLE, FLOAT, FLOATS, INT, INTEGERS, LONG, NARROW, NUMBERS, UINT, ULONG, Number
from tests.expressions.tree import Node, Program, Statement

THEMES: Final = (NARROW, NARROW, INTEGERS, INTEGERS, FLOATS, (FLOAT,), (DOUBLE,), NUMBERS, NUMBERS)
FLAT: Final = (*["none"] * 9, *["2", "4", "8", "8", "16", "32", "5"] * 3, "auto")
DEEP: Final = (*["none"] * 6, *["1x4", "2x4", "4x2", "2x8", "1x16", "4"] * 3, "auto")
UPDATES: Final = {True: ("+=", "-=", "*="), False: ("+=", "-=", "*=", "^=", "|=", "&=")}
LONGEST: Final = 120
STATEMENTS: Final = 8
"""Results of a program: compiling several together takes much less time than one by one."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes expressions of the elements of some arrays and of local variables."""

    r: Random
    leaves: tuple[Node, ...]

    def integer(self, depth: int) -> Node:
        found = [leaf for leaf in self.leaves if not leaf.type.floating]
        if not found:
            return Node("({0} < {1})", INT, (self.floating(0), self.floating(0)), 0, 1)
        return Integers(self.r, lambda: self.r.choice(found), self.condition).make(depth)

    def floating(self, depth: int) -> Node:
        found = [leaf for leaf in self.leaves if leaf.type.floating]
        return Floats(self.r, lambda: self.r.choice(found or [self.converted()]), self.condition, self.integer).make(depth)

    def converted(self) -> Node:
        return to_type(self.r, self.r.choice(self.leaves), self.r.choice(FLOATS))

    def any(self, depth: int) -> Node:
        leaf = self.r.choice(self.leaves)
        return self.floating(depth) if leaf.type.floating else self.integer(depth)

    def condition(self, depth: int) -> Node:
        make = self.floating if self.r.choice(self.leaves).type.floating else self.integer
        if depth > 0 and self.r.random() < 0.2:
            both = self.condition(depth - 1), self.condition(0)
            return Node(self.r.choice(("({0} && {1})", "({0} || {1})", "({0} & {1})", "({0} | {1})")), INT, both, 0, 1)
        left = make(depth)
        right = left if self.r.random() < 0.08 else make(0)
        found = compare(self.r.choice(COMPARISONS), left, right)
        return Node("(!{0})", INT, (found,), 0, 1) if self.r.random() < 0.15 else found

    def of(self, type_: Number, depth: int) -> Node:
        made = to_type(self.r, self.any(depth), type_)
        return made if len(made.text()) < LONGEST else self.of(type_, depth - 1)


def element(name: str, type_: Number, subscript: str = "@") -> Node:
    return Node(f"{name}[{subscript}]", type_, (), type_.low, type_.high, not type_.floating)


def program(seed: int) -> Program:
    """The program of a seed."""
    r = Random(seed)
    theme = r.choice(THEMES)
    inputs = tuple((name, r.choice(theme)) for name in "abc"[: r.randrange(1, 4)])
    nested = r.random() < 0.12
    plan = r.choice(DEEP if nested else FLAT)
    if plan not in ("none", "auto") and r.random() < 0.6:
        plan += " tail=scalar"
    shapes = [s for s in SHAPES if not nested or s in (plain, update, branches, variable)]
    statements = []
    for k in range(STATEMENTS):
        output = r.choice(theme) if r.random() < 0.7 else r.choice(NUMBERS)
        shape = r.choices(shapes, [SHAPES[s] for s in shapes])[0]
        if shape is reduction and output.floating and plan != "none":
            shape = update
        make = Maker(r, tuple(element(name, type_) for name, type_ in inputs))
        statements.append(shape(k, make, wrapping(output) if shape in (update, inner, reduction) else output))
    return Program(inputs, tuple(statements), plan, nested)


def depth(r: Random) -> int:
    return r.choice((1, 1, 2, 2, 2, 3))


def wrapping(type_: Number) -> Number:
    """Where sums wrap by definition."""
    return {INT: UINT, LONG: ULONG}.get(type_, type_)


def operand(make: Maker, target: Number) -> Node:
    """What a variable of this type is updated with: small enough not to overflow in a narrow type."""
    return make.of(target if target.floating or target.bits >= 32 else make.r.choice(NARROW[:3]), depth(make.r))


def plain(k: int, make: Maker, output: Number) -> Statement:
    return Statement((f"o{k}", output), f"o{k}[@] = {{0}};", (make.of(output, depth(make.r)),))


def update(k: int, make: Maker, output: Number) -> Statement:
    return Statement((f"o{k}", output), f"o{k}[@] {make.r.choice(UPDATES[output.floating])} {{0}};", (operand(make, output),))


def branches(k: int, make: Maker, output: Number) -> Statement:
    nodes = [make.condition(depth(make.r)), make.of(output, depth(make.r))]
    body = f"if ({{0}}) o{k}[@] = {{1}};"
    if make.r.random() < 0.6:
        nodes.append(make.of(output, depth(make.r)))
        body += f" else o{k}[@] = {{2}};"
    return Statement((f"o{k}", output), body, tuple(nodes))


def variable(k: int, make: Maker, output: Number) -> Statement:
    """A local variable that is assigned, then perhaps assigned again, then used."""
    r = make.r
    local = output if r.random() < 0.5 else make.any(0).type
    first, condition, second = make.of(local, depth(r)), make.condition(1), make.of(local, 1)
    low, high = min(first.low, second.low), max(first.high, second.high)
    leaf = Node(f"t{k}", local, (), low, high, first.number and second.number, first.sign and second.sign)
    result = to_type(r, leaf, output) if r.random() < 0.3 else Maker(r, (*make.leaves, leaf)).of(output, r.choice((0, 1, 2)))
    body = f"{local.name} t{k} = {{0}};\nif ({{1}}) t{k} = {{2}};\no{k}[@] = {{3}};"
    return Statement((f"o{k}", output), body, (first, condition, second, result))


def inner(k: int, make: Maker, output: Number) -> Statement:
    """A sum over an inner loop of few iterations."""
    r = make.r
    shifted = tuple(replace(leaf, form=leaf.form.replace("@", "@ + k")) for leaf in make.leaves)
    node = operand(Maker(r, (make.leaves[0], *shifted)), output)
    sum_ = f"for (int k = 0; k < {r.choice((2, 3, 4, 7))}; k++) s{k} {r.choice(UPDATES[output.floating])} {{0}};"
    return Statement((f"o{k}", output), f"{output.name} s{k} = 0;\n{sum_}\no{k}[@] = s{k};", (node,))


def channels(k: int, make: Maker, output: Number) -> Statement:
    """Groups of neighbouring elements: moved to other places, taken apart, put together, computed from each other."""
    r = make.r
    taken, given = r.choices((1, 2, 3, 4), (1, 2, 3, 3), k=2)
    if r.random() < 0.4:
        array = r.choice(make.leaves)
        own, output = [channel(array, taken, c) for c in range(taken)], array.type
        nodes = [r.choice(own) for _ in range(given)]
    else:
        pixels = Maker(r, tuple(channel(leaf, taken, c) for leaf in make.leaves for c in range(taken)))
        nodes = [pixels.of(output, r.choice((0, 0, 1, 2))) for _ in range(given)]
    written = r.sample(range(given), given if r.random() < 0.85 else r.randint(1, given))
    lines = [f"o{k}[{channel_of(given, c)}] = {{{place}}};" for place, c in enumerate(written)]
    return Statement((f"o{k}", output), "\n".join(lines), tuple(nodes[: len(lines)]))


def channel(leaf: Node, count: int, number: int) -> Node:
    return replace(leaf, form=leaf.form.replace("@", channel_of(count, number)))


def channel_of(count: int, number: int) -> str:
    """The subscript of a channel of `count`."""
    return "@" if count == 1 else f"{count} * @ + {number}"


def reduction(k: int, make: Maker, output: Number) -> Statement:
    """A sum or an extremum of the loop that is brushed."""
    r = make.r
    if r.random() < 0.4:
        node, body = make.of(output, depth(r)), f"{output.name} t{k} = {{0}};\nif (t{k} {r.choice('<>')} s{k}) s{k} = t{k};"
    else:
        node, body = operand(make, output), f"s{k} {r.choice(UPDATES[output.floating])} {{0}};"
    return Statement((f"o{k}", output), body, (node,), f"{output.name} s{k} = o{k}[0];", f"o{k}[0] = s{k};")


def narrow_sum(k: int, make: Maker, output: Number) -> Statement:
    """A sum of narrow numbers, products, differences or truth values in a wider type, perhaps under a condition."""
    r = make.r
    one, two, three = (cast(make.of(r.choice(NARROW), r.choice((0, 0, 1))), r.choice(NARROW)) for _ in range(3))
    wide = output if output in (UINT, ULONG) else UINT
    unsigned_product = Node(f"({wide.name}){{0}} * {{1}}", wide, (one, two), wide.low, wide.high)
    difference = select(compare(r.choice("<>"), one, two), arithmetic("-", two, one), arithmetic("-", one, two))
    forms = (one, arithmetic("*", one, two), unsigned_product, difference, arithmetic("-", one, two), compare("<", one, two))
    condition = f"if ({make.condition(0).text()}) " if r.random() < 0.25 else ""
    second = f"\ns{k} += {{1}};" if r.random() < 0.3 else ""
    body = f"{condition}s{k} += ({wide.name}){{0}};{second}"
    return Statement((f"o{k}", wide), body, (r.choice(forms), three), f"{wide.name} s{k} = o{k}[0];", f"o{k}[0] = s{k};")


Shape = Callable[[int, Maker, Number], Statement]
SHAPES: Final[dict[Shape, int]] = {
    plain: 8, update: 4, branches: 3, variable: 4, inner: 2, channels: 4, reduction: 2, narrow_sum: 2,
}  # fmt: skip
