"""Minima and maxima by the C library on x86, as selections whose order decides between zeros.

    m = phi [m0, pre], [m1, latch]              k = phi [k0, pre], [k1, latch]        seen = phi [0, pre], [seen1, latch]
    m1 = call fmin(m, x)                ->      c = x <= k                            n = ord x, x
                                                k1 = select c, x, k                   seen1 = or seen, n

`fmin(m, x)` of equal numbers is x, and of a NaN and a number the number. So x replaces m unless m is smaller or x is a NaN: a
comparison decides (`<=`, or `<` for `fmin(x, m)`), but for an m that is a NaN. Only the value before the loop can be one that a
number has not replaced yet. So the loop begins with k0, an infinity where m0 is a NaN, and ends with m0 where that was a NaN
and no number was seen. AArch64's instruction takes -0 for smaller than +0: there the order does not matter, and nothing is
changed. A signalling NaN, which no arithmetic makes, counts as a quiet one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from rv.analysis.values.uses import Definition, definitions
from rv.analysis.verify import verify
from rv.evolution.facts import Loop, LoopFacts, Reduction
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Call, CompareFloat, FloatPredicate, Instruction, Phi, Select, operands
from rv.ir.rewrite import FreshNames, map_block
from rv.ir.types import I1, FloatType
from rv.ir.values import FALSE, Const, Undef, Value, Var, const_float

EXTREMA: Final = frozenset({"minnum", "maxnum"})


def as_selections(facts: LoopFacts, headers: Collection[str]) -> Function:
    """The function in which reductions by fmin and fmax of the loops `headers` are comparisons and choices.

    A reduction that goes on in loops inside is changed with the outermost of them.
    """
    function, changed = facts.function, frozenset[str]()
    for reduction in facts.reductions:
        if reduction.header in headers and reduction.operation in EXTREMA and reduction.phi.name not in changed:
            change = _Change(function, facts.loops[reduction.header], reduction)
            function, changed = change.result(), changed | change.chain
    return function if function is facts.function else verify(function)


class _Change:
    """One reduction, with the partial results of all loops that it goes through."""

    def __init__(self, function: Function, loop: Loop, reduction: Reduction) -> None:
        self.function, self.loop, self.reduction = function, loop, reduction
        self.names = FreshNames.of(function)
        self.definitions: Mapping[str, Definition] = definitions(function)
        self.chain = self._chain()
        assert isinstance(reduction.phi.type, FloatType)
        self.type: FloatType = reduction.phi.type
        phi = self.definitions[reduction.phi.name]
        assert isinstance(phi, Phi)
        self.initial = phi.value_from(loop.preheader)
        self.certain = isinstance(self.initial, Const) and not math.isnan(self.initial.number)
        self.first = self.initial if self.certain else self.names.variable(f"{reduction.phi.source_name}.first", self.type)
        self.missing = self.names.variable("missing", I1)
        self.seen = {name: self.names.variable("seen", I1) for name in sorted(self.chain)}

    def _chain(self) -> frozenset[str]:
        """The partial results."""
        found, before = {self.reduction.phi.name}, 0
        inside = [d for b in self.function.blocks if b.label in self.loop.blocks for d in (*b.phis, *b.body)]
        while len(found) > before:
            before = len(found)
            for node in inside:
                handed = _handed(node)
                if node.result is not None and any(isinstance(v, Var) and v.name in found for v in handed):
                    found.add(node.result.name)
        return frozenset(found)

    def result(self) -> Function:
        blocks = [self._block(block) for block in self.function.blocks]
        function = replace(self.function, blocks=tuple(blocks))
        return function if self.certain else self._ended(function)

    def _block(self, block: Block) -> Block:
        phis: list[Phi] = []
        body: list[Instruction] = []
        for phi in block.phis:
            phis += self._phi(phi, block) if phi.result.name in self.chain else (phi,)
        for instruction in block.body:
            inside = instruction.result is not None and instruction.result.name in self.chain
            body += self._changed(instruction) if inside else (instruction,)
        if block.label == self.loop.preheader and not self.certain:
            worst = const_float(self.type, math.inf if self.reduction.operation == "minnum" else -math.inf)
            assert isinstance(self.first, Var)
            body.append(CompareFloat(self.missing, "uno", self.initial, self.initial))
            body.append(Select(self.first, self.missing, worst, self.initial))
        return replace(block, phis=tuple(phis), body=tuple(body))

    def _phi(self, phi: Phi, block: Block) -> tuple[Phi, ...]:
        seen = tuple((label, self._seen(v)) for label, v in phi.incoming)
        shadow = None if phi.shadow is None else self._seen(phi.shadow)
        if block.label == self.loop.header:
            edges = tuple((label, self.first if label == self.loop.preheader else v) for label, v in phi.incoming)
            seen = tuple((label, FALSE if label == self.loop.preheader else v) for label, v in seen)
            phi = replace(phi, incoming=edges)
        return (phi,) if self.certain else (phi, Phi(self.seen[phi.result.name], seen, None, shadow))

    def _seen(self, value: Value) -> Value:
        """Whether a number was among what a partial result is made of."""
        return self.seen[value.name] if isinstance(value, Var) and value.name in self.chain else Undef(I1)

    def _changed(self, instruction: Instruction) -> tuple[Instruction, ...]:
        match instruction:
            case Call(result=Var() as result, arguments=(left, right)):
                partial, other = (left, right) if isinstance(left, Var) and left.name in self.chain else (right, left)
                smaller: tuple[FloatPredicate, FloatPredicate] = ("ole", "olt")
                larger: tuple[FloatPredicate, FloatPredicate] = ("oge", "ogt")
                predicates = smaller if self.reduction.operation == "minnum" else larger
                wins, number = self.names.variable("wins", I1), self.names.variable("number", I1)
                chosen: tuple[Instruction, ...] = (
                    CompareFloat(wins, predicates[partial != left], other, partial, instruction.span),
                    Select(result, wins, other, partial, instruction.span),
                )
                if self.certain:
                    return chosen
                ordered = CompareFloat(number, "ord", other, other)
                return (*chosen, ordered, Binary(self.seen[result.name], "or", self._seen(partial), number))
            case Select(result=result, condition=condition, then=then, otherwise=otherwise, total=total) if not self.certain:
                seen = Select(self.seen[result.name], condition, self._seen(then), self._seen(otherwise), total=total)
                return (instruction, seen)
            case _:
                return (instruction,)

    def _ended(self, function: Function) -> Function:
        """The result is the value before the loop where that was a NaN and no number occurred."""
        exit_ = function.block(self.loop.exit)
        bindings: dict[str, Value] = {}
        phis, body = list(exit_.phis), list[Instruction]()
        for phi in exit_.phis:
            value = phi.incoming[0][1]
            if not isinstance(value, Var) or value.name not in self.chain:
                continue
            seen, kept = self.names.variable("seen", I1), self.names.variable(phi.result.name, self.type)
            result = self.names.variable(phi.result.name, self.type)
            phis.append(Phi(seen, tuple((label, self._seen(v)) for label, v in phi.incoming)))
            body += [Select(kept, seen, phi.result, self.initial), Select(result, self.missing, kept, phi.result)]
            bindings[phi.result.name] = result

        def change(value: Value) -> Value:
            return bindings.get(value.name, value) if isinstance(value, Var) else value

        blocks = [map_block(block, change) for block in function.blocks]
        made = next(k for k, block in enumerate(blocks) if block.label == exit_.label)
        blocks[made] = replace(blocks[made], phis=tuple(phis), body=(*body, *blocks[made].body))
        return replace(function, blocks=tuple(blocks))


def _handed(node: Definition) -> tuple[Value, ...]:
    match node:
        case Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Phi() | Call():
            return operands(node)
        case _:
            return ()
