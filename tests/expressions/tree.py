"""Random C as trees: expressions that know what values they may have, and statements and functions around them.

What an expression may be is an interval, `number` says that it is no NaN, and `sign` that its sign is known even if it is one:
the sign of a NaN that arithmetic made is not promised, and must not decide anything. An expression can be replaced by
another one that may be less: then all that was defined stays so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.expressions.numbers import Number


@dataclass(frozen=True, slots=True)
class Node:
    """An expression of type `type`: `form` holds `{0}`, `{1}` for its operands and `@` for the subscript."""

    form: str
    type: Number
    operands: tuple[Node, ...]
    low: float
    high: float
    number: bool = True
    sign: bool = True

    def text(self) -> str:
        return self.form.format(*(operand.text() for operand in self.operands))

    def within(self, other: Node) -> bool:
        """Whether this may stand in the place of the other."""
        return other.low <= self.low and self.high <= other.high and self.number >= other.number and self.sign >= other.sign

    def parts(self) -> Iterator[Node]:
        yield self
        for operand in self.operands:
            yield from operand.parts()

    def smaller(self) -> Iterator[Node]:
        """The same with one part made simpler, the simplest first."""
        for constant in ("0", "1"):
            value = Node(f"({self.type.name}){constant}", self.type, (), int(constant), int(constant))
            if value.within(self) and len(self.text()) > len(value.text()):
                yield value
        for part in [*self.parts()][1:]:
            if part.type == self.type and part.within(self):
                yield part
            elif part.type.holds(self.low, self.high) or self.type.holds(part.low, part.high):
                cast = Node(f"({self.type.name}){{0}}", self.type, (part,), part.low, part.high, part.number, False)
                if self.type.floating >= part.type.floating and self.type.holds(part.low, part.high) and cast.within(self):
                    if len(cast.text()) < len(self.text()):
                        yield cast
        for k, operand in enumerate(self.operands):
            for less in operand.smaller():
                yield replace(self, operands=(*self.operands[:k], less, *self.operands[k + 1 :]))


@dataclass(frozen=True, slots=True)
class Statement:
    """What one result of a loop is computed by: `body` holds `{0}`, `{1}`, ... for expressions, and stores to `output`.

    `before` and `after` stand around the loop.
    """

    output: tuple[str, Number]
    body: str
    nodes: tuple[Node, ...]
    before: str = ""
    after: str = ""

    def text(self) -> str:
        return self.body.format(*(node.text() for node in self.nodes))

    def smaller(self) -> Iterator[Statement]:
        for k, node in enumerate(self.nodes):
            for less in node.smaller():
                yield replace(self, nodes=(*self.nodes[:k], less, *self.nodes[k + 1 :]))


@dataclass(frozen=True, slots=True)
class Program:
    """A function with a loop, or one loop in another, around statements; `inputs` are arrays that are only read."""

    inputs: tuple[tuple[str, Number], ...]
    statements: tuple[Statement, ...]
    plan: str
    nested: bool = False

    def text(self, name: str) -> str:
        inputs = [f"const {t.name} *restrict {a}" for a, t in self.inputs]
        outputs = [f"{t.name} *restrict {a}" for a, t in (s.output for s in self.statements)]
        lines = [f"void {name}(int n, {', '.join([*inputs, *outputs])})", "{"]
        lines += [f"    {s.before}" for s in self.statements if s.before]
        lines += ["    for (int j = 0; j < 3; j++)"] if self.nested else []
        lines += ["    for (int i = 0; i < n; i++) {"]
        subscript = "j * n + i" if self.nested else "i"
        lines += [f"        {line}".replace("@", subscript) for s in self.statements for line in s.text().splitlines()]
        return "\n".join([*lines, "    }", *(f"    {s.after}" for s in self.statements if s.after), "}", ""])

    def smaller(self) -> Iterator[Program]:
        """Fewer statements, or one that is smaller."""
        if len(self.statements) > 1:
            yield from (replace(self, statements=(s,)) for s in self.statements)
        for k, statement in enumerate(self.statements):
            for less in statement.smaller():
                yield replace(self, statements=(*self.statements[:k], less, *self.statements[k + 1 :]))
