"""C functions as trees of text templates: easy to generate, to print in two ways, and to reduce.

A node's template names its children as $0, $1, ...; the template of an "access" node is the name of the array and its children
are the subscripts. "A>p" is an access to array A through the pointer p, and a "row" node the address of a row. Whether a smaller
tree is still a well-defined program is for the C compiler to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final, Literal

Kind = Literal["expr", "access", "row", "stmt", "block"]

PRELUDE: Final = """#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#define SQR(x) ((x) * (x))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static inline double blend(double a, double b, double w) { return a * w + b * (1.0 - w); }
static inline int clampi(int x, int lo, int hi) { if (x < lo) x = lo; if (x > hi) x = hi; return x; }
static inline float pick(int c, float a, float b) { return c ? a : b; }
"""


@dataclass(frozen=True, slots=True)
class Node:
    kind: Kind
    template: str
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Array:
    """`form`: "vla" and "const" arrays have `extents` for all dimensions, "flat" and "star" ones are pointers.

    `fill`: elements are 0..fill-1 (an array of subscripts), or 1..-fill when it is negative (divisors).
    """

    name: str
    element: str
    form: Literal["vla", "const", "flat", "star", "rows"]
    extents: tuple[str, ...]
    restrict: bool
    const: bool
    fill: int = 0

    def parameter(self) -> str:
        qualifier = "const " if self.const else ""
        restrict = "restrict " if self.restrict else ""
        if self.form in ("flat", "star") or len(self.extents) == 0:
            return f"{qualifier}{self.element} *{restrict}{self.name}"
        inner = "".join(f"[{e}]" for e in self.extents[1:])
        if self.form == "rows":
            return f"{qualifier}{self.element} (*{restrict}{self.name}){inner}"
        return f"{qualifier}{self.element} {self.name}[{restrict}{self.extents[0]}]{inner}"


@dataclass(frozen=True, slots=True)
class Program:
    """One function. `scalars` are name, type and value; more calls with other values are in `others`."""

    name: str
    scalars: tuple[tuple[str, str, float], ...]
    arrays: tuple[Array, ...]
    body: Node
    result: str | None
    others: tuple[tuple[float, ...], ...] = ()
    aliases: tuple[tuple[str, str, int], ...] = field(default=())
    """Arrays that the second call places inside another one: array, the other, offset in elements."""

    def text(self, *, probe: bool = False) -> str:
        """The C function; with `probe` every access reports its address and tests its subscripts."""
        parameters = [f"{type_} {name}" for name, type_, _ in self.scalars] + [a.parameter() for a in self.arrays]
        printer = Printer({a.name: (k, a) for k, a in enumerate(self.arrays)}, probe)
        return f"{self.result or 'void'} {self.name}({', '.join(parameters) or 'void'})\n{{\n{printer.print(self.body)}\n}}\n"

    def trimmed(self) -> Program:
        """Without the parameters that nothing uses."""
        while True:
            text = re.sub(r"^[^{]*", "", self.text(), count=1)
            arrays = tuple(a for a in self.arrays if re.search(rf"\b{a.name}\b", text))
            used = text + " ".join(e for a in arrays for e in a.extents)
            kept = [bool(re.search(rf"\b{name}\b", used)) for name, _, _ in self.scalars]
            if arrays == self.arrays and all(kept):
                return self
            self = replace(
                self,
                arrays=arrays,
                scalars=tuple(s for s, k in zip(self.scalars, kept, strict=True) if k),
                others=tuple(tuple(v for v, k in zip(values, kept, strict=True) if k) for values in self.others),
                aliases=tuple(a for a in self.aliases if {a[0], a[1]} <= {x.name for x in arrays}),
            )


@dataclass(frozen=True, slots=True)
class Printer:
    arrays: dict[str, tuple[int, Array]]
    probe: bool

    def print(self, node: Node) -> str:
        if node.kind == "block":
            return "\n".join("    " + line for child in node.children for line in self.print(child).split("\n"))
        if node.kind == "row":
            return self.row(node.template, self.print(node.children[0]))
        if node.kind == "access" and ">" in node.template:
            array, _, pointer = node.template.partition(">")
            return self.probed(self.arrays[array][0], f"{pointer}[{self.print(node.children[0])}]")
        if node.kind == "access":
            return self.access(node.template, [self.print(child) for child in node.children])
        return re.sub(r"\$(\d)", lambda match: self.print(node.children[int(match[1])]), node.template)

    def access(self, name: str, subscripts: list[str]) -> str:
        number, array = self.arrays[name]
        if array.form in ("flat", "star"):
            index = subscripts[0]
            for subscript, extent in zip(subscripts[1:], array.extents[1:], strict=True):
                index = f"({index}) * {extent if extent.isalnum() else f'({extent})'} + {subscript}"
            text = f"{name}[{index}]" if array.form == "flat" else f"*({name} + ({index}))"
        else:
            inner = [self.bounded(s, e) for s, e in zip(subscripts[1:], array.extents[1:], strict=True)]
            text = name + "".join(f"[{s}]" for s in (*subscripts[:1], *inner))
        return self.probed(number, text)

    def bounded(self, subscript: str, extent: str) -> str:
        """C has no element beyond an inner length, though there is memory; the sanitizer allows taking an address there."""
        return f"within({subscript}, {extent})" if self.probe else subscript

    def row(self, name: str, subscript: str) -> str:
        """The address of a row of a matrix."""
        _, array = self.arrays[name]
        return f"{name} + ({subscript}) * ({array.extents[1]})" if array.form in ("flat", "star") else f"{name}[{subscript}]"

    def probed(self, number: int, text: str) -> str:
        return f"(*((void)({text}), (__typeof__({text}) *)probe({number}, &({text}))))" if self.probe else text


def block(children: list[Node]) -> Node:
    return Node("block", "", tuple(children))


def expr(template: str, *children: Node) -> Node:
    return Node("expr", template, children)


def stmt(template: str, *children: Node) -> Node:
    return Node("stmt", template, children)
