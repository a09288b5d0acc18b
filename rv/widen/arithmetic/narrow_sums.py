"""Reductions that add narrow numbers, or products of them, to a wide sum.

    s += a[i] * b[i];       a, b bytes or shorts, s an int

The registers of such a nest hold bytes or shorts; their neighbours are added before they become wide
(`rv.widen.arithmetic.sums`). A register of partial results then has fewer lanes than one of the brush. What computes wide
numbers on the way needs no registers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.values.uses import Definition, definitions
from rv.evolution.facts import LoopFacts, Reduction
from rv.ir.instructions import Binary, CompareInt, Convert, ConvertOp, Select, operands
from rv.ir.types import I1, I8, IntType, bits_of
from rv.ir.values import TRUE, Value, Var
from rv.target.machine import Target
from rv.widen.arithmetic.sums import SHORT, Addend, is_dot, is_known


@dataclass(frozen=True, slots=True)
class Step:
    """An addition to the partial result `so_far`: of an addend that is computed from `factors`, truth values being 0 or 1."""

    so_far: Value
    addend: Addend
    factors: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class NarrowSum:
    """A sum along the loop `header`: its additions by the name of their result, and all that would be wide (`wide`)."""

    header: str
    phi: Var
    steps: Mapping[str, Step]
    wide: frozenset[str]


def narrow_sums(nests: LoopFacts, target: Target) -> dict[str, NarrowSum]:
    """The sums by the names of their phi and of the results of their additions."""
    finder = _Finder(nests, target, definitions(nests.function))
    sums = [found for reduction in nests.reductions if (found := finder.of(reduction)) is not None]
    return {name: found for found in sums for name in (found.phi.name, *found.steps)}


@dataclass(frozen=True, slots=True)
class _Finder:
    nests: LoopFacts
    target: Target
    known: Mapping[str, Definition]

    def of(self, reduction: Reduction) -> NarrowSum | None:
        type_ = reduction.phi.type
        if reduction.operation != "add" or not isinstance(type_, IntType) or type_.bits < 32:
            return None
        steps: dict[str, Step] = {}
        value: Value = reduction.update
        while value != reduction.phi:
            step = self.step(value, type_)
            if step is None or not isinstance(value, Var) or not self.is_always_run(value, reduction):
                return None
            steps[value.name] = step
            value = step.so_far
        return NarrowSum(reduction.header, reduction.phi, steps, self.wide(reduction.phi, steps))

    def is_always_run(self, value: Var, reduction: Reduction) -> bool:
        """Whether each iteration of the loop runs the addition once."""
        label = self.nests.defined_in[value.name]
        block = self.nests.function.block(label)
        return self.nests.innermost.get(label) == reduction.header and block.predicate == TRUE

    def step(self, value: Value, type_: IntType) -> Step | None:
        addition = self.definition(value)
        if not isinstance(addition, Binary) or addition.op != "add":
            return None
        for so_far, added in ((addition.left, addition.right), (addition.right, addition.left)):
            found = self.addend(added)
            if found is not None and is_known(found[0], type_, self.target):
                return Step(so_far, *found)
        return None

    def addend(self, value: Value) -> tuple[Addend, tuple[Value, ...]] | None:
        match self.definition(value):
            case Convert(op="zext", value=Var() as narrow) if narrow.type == I1:
                test = self.definition(narrow)
                compared = bits_of(test.left.type) if isinstance(test, CompareInt) else 0
                return (Addend("number", (compared,), (False,)), (narrow,)) if compared in (8, SHORT) else None
            case Convert(op="zext", value=Var() as narrow) if (pair := self.subtracted(narrow)) is not None:
                return Addend("difference", (8, 8), (False, False)), pair
            case Convert(op="zext" | "sext" as op, value=Var() as narrow) if (product := self.of_bytes(narrow, op)) is not None:
                return product
            case Convert(op="zext" | "sext" as op, value=Var() as narrow) if bits_of(narrow.type) in (8, SHORT):
                return Addend("number", (bits_of(narrow.type),), (op == "sext",)), (narrow,)
            case Convert(op="sext", value=Var() as product) if isinstance(self.definition(product), Binary):
                return self.product(product)
            case Binary(op="mul"):
                return self.product(value)
            case _:
                return None

    def product(self, value: Value) -> tuple[Addend, tuple[Value, ...]] | None:
        product = self.definition(value)
        if not isinstance(product, Binary) or product.op != "mul":
            return None
        factors = [f for factor in (product.left, product.right) if (f := self.extension(factor)) is not None]
        if len(factors) < 2:
            return None
        widths = tuple(bits_of(factor.value.type) for factor in factors)
        return Addend("product", widths, tuple(f.op == "sext" for f in factors)), tuple(f.value for f in factors)

    def of_bytes(self, value: Var, op: ConvertOp) -> tuple[Addend, tuple[Value, ...]] | None:
        """The product of bytes that a short is, if it is extended by its sign and need not be a product of its own."""
        found = self.product(value) if bits_of(value.type) == SHORT else None
        if found is None or found[0].bits == SHORT or any(found[0].signs) != (op == "sext"):
            return None
        return found if self.target.architecture == "x86_64" or is_dot(found[0], self.target) else None

    def extension(self, value: Value) -> Convert | None:
        """What a value is extended from, if that is a byte or a short."""
        match self.definition(value):
            case Convert(op="zext" | "sext", value=narrow) as found if bits_of(narrow.type) in (8, SHORT):
                return found
            case _:
                return None

    def subtracted(self, value: Value) -> tuple[Value, ...] | None:
        """The two bytes that a value is the absolute difference of; on x86-64, which has an instruction for the sum."""
        choice = self.definition(value)
        test = self.definition(choice.condition) if isinstance(choice, Select) else None
        if self.target.architecture != "x86_64" or value.type != I8 or not isinstance(choice, Select):
            return None
        if not isinstance(test, CompareInt) or test.predicate[0] != "u":
            return None
        larger, smaller = (test.left, test.right) if test.predicate[1] == "g" else (test.right, test.left)
        arms = [self.definition(arm) for arm in (choice.then, choice.otherwise)]
        pairs = [(a.left, a.right) for a in arms if isinstance(a, Binary) and a.op == "sub"]
        return (larger, smaller) if pairs == [(larger, smaller), (smaller, larger)] else None

    def wide(self, phi: Var, steps: Mapping[str, Step]) -> frozenset[str]:
        """The partial results, and what only they are computed from on the way from narrow numbers."""
        readers: dict[str, set[str]] = {}
        for block in self.nests.function.blocks:
            for statement in (*block.phis, *block.body, block.terminator):
                result = getattr(statement, "result", None)
                for value in operands(statement):
                    if isinstance(value, Var):
                        readers.setdefault(value.name, set()).add("" if result is None else result.name)
        narrow = {f.name for step in steps.values() for f in step.factors if isinstance(f, Var)}
        found = {phi.name, *steps}
        pending = [*steps]
        while pending:
            needed = {value.name for value in operands(self.known[pending.pop()]) if isinstance(value, Var)}
            own = [name for name in needed & self.known.keys() - found - narrow if readers[name] <= found]
            found.update(own)
            pending += own
        return frozenset(found)

    def definition(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None
