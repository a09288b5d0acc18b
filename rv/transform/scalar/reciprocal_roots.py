"""Quotients by square roots become products by reciprocal roots, for fast modes.

    %s = call double @sqrt(double %x)          %r = call double @__reciprocal_root(double %x)
    %q = fdiv double %a, %s                    %q = fmul double %a, %r
    %f = fdiv double 1, %s             ->      (%r)
    %g = fdiv double %b, %f                    %s = fmul precise double %x, %limited
                                               %g = fmul double %b, %s

`%limited` is %r within numbers whose products by 0 and infinity are 0 and infinity, as the roots of these are; dead code is left.
A root that nothing is divided by stays, and so do precise operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Call, CompareFloat, FloatPredicate, Instruction, Select
from rv.ir.rewrite import FreshNames, substitute
from rv.ir.types import F32, F64, I1, FloatType
from rv.ir.values import Const, Var, const_float

LIMIT: Final = {F64: 2.0**600, F32: 2.0**80}
"""Above the reciprocal root of every number, and below its reciprocal."""


def use_reciprocal_roots(function: Function) -> Function:
    """The function with all quotients by roots replaced."""
    known = definitions(function)
    roots = {name: root for name, i in known.items() if (root := _root(i)) is not None}
    quotients = [
        (i, roots[i.right.name])
        for i in known.values()
        if isinstance(i, Binary) and _divisor(i) in roots and isinstance(i.right, Var)
    ]
    if not quotients:
        return function
    names = FreshNames.of(function)
    reciprocals = {root.name: names.variable("reciprocal", root.type) for _, root in quotients}
    inverses = {i.result.name: root for i, root in quotients if isinstance(i.left, Const) and i.left.number == 1}
    change = _Change(reciprocals, inverses, names)
    blocks = tuple(replace(block, body=tuple(change.body(block))) for block in function.blocks)
    same = {name: reciprocals[root.name] for name, root in inverses.items()}
    return substitute(replace(function, blocks=blocks), same)


def _root(instruction: Definition) -> Var | None:
    """The result of a square root that need not be precise."""
    match instruction:
        case Call(callee="sqrt" | "sqrtf", result=Var() as result, precise=False):
            return result
        case _:
            return None


def _divisor(instruction: Definition) -> str | None:
    """The name of a variable by which something is divided."""
    match instruction:
        case Binary(op="fdiv", right=Var(name=name), precise=False):
            return name
        case _:
            return None


@dataclass(frozen=True, slots=True)
class _Change:
    """The reciprocals of roots, by the roots' names; results that are such reciprocals, with the roots."""

    reciprocals: dict[str, Var]
    inverses: dict[str, Var]
    names: FreshNames

    def body(self, block: Block) -> Iterator[Instruction]:
        for instruction in block.body:
            divisor = _divisor(instruction)
            if isinstance(instruction, Call) and instruction.result and instruction.result.name in self.reciprocals:
                yield from self.root(instruction, instruction.result)
            elif isinstance(instruction, Binary) and divisor in self.reciprocals:
                yield replace(instruction, op="fmul", right=self.reciprocals[divisor])
            elif isinstance(instruction, Binary) and divisor in self.inverses:
                yield replace(instruction, op="fmul", right=self.inverses[divisor])
            else:
                yield instruction

    def root(self, call: Call, result: Var) -> Iterator[Instruction]:
        """The reciprocal, and the root as a product by it."""
        type_, reciprocal = result.type, self.reciprocals[result.name]
        assert isinstance(type_, FloatType)
        yield replace(call, result=reciprocal, callee=f"__reciprocal_root{'f' if type_ == F32 else ''}")
        limited = reciprocal
        limits: tuple[tuple[FloatPredicate, float], ...] = (("ogt", LIMIT[type_]), ("olt", 1 / LIMIT[type_]))
        for predicate, limit in limits:
            beyond, chosen = self.names.variable("beyond", I1), self.names.variable("limited", type_)
            yield CompareFloat(beyond, predicate, limited, const_float(type_, limit), call.span)
            yield Select(chosen, beyond, const_float(type_, limit), limited, call.span)
            limited = chosen
        # of a large number and another factor first the product would overflow
        yield Binary(result, "fmul", call.arguments[0], limited, span=call.span, precise=True)
