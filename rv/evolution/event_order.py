"""Numbers for the changes of selections: which lane changed last, or first, is decided by the order of the scalar loop.

    m = phi [m0, pre], [m1, latch]               count = phi [0, pre], [number, latch]
    c = x < m                           ->       order = phi [0, pre], [order1, latch]
    m1 = select c, x, m                          number = add count, 1
                                                 ...
                                                 order1 = select c, number, order

Where the key, or what has none, takes a new value, the order takes the number of the iteration, or its negative where a selection
of both kinds says so. Numbers are as wide as the loop's variable, whose trip count they cannot exceed; those that are negated are
twice as wide unless a count up from 0 or more leaves a bit for the sign. The order is a member of the selection like any other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from rv.analysis.values.uses import Definition, definitions
from rv.analysis.verify import verify
from rv.evolution.facts import Loop, LoopFacts, Selection
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Instruction, Phi, Select
from rv.ir.rewrite import FreshNames
from rv.ir.types import FloatMode, IntType
from rv.ir.values import Const, Undef, Value, Var, const_int


def needs_order(facts: LoopFacts, selection: Selection, fp: FloatMode) -> bool:
    """Whether lanes record iterations: minima of floats alone are plain reductions when either zero is acceptable."""
    folded = {r.phi for r in facts.reductions if r.header == selection.header}
    return selection.order is None and not (fp == "fast" and set(selection.members) <= folded)


def number_changes(facts: LoopFacts, headers: Collection[str], fp: FloatMode) -> Function:
    """The function with an order for every selection of the loops `headers` that needs one."""
    function = facts.function
    names = FreshNames.of(function)
    for header in sorted(headers):
        wanted = [s for s in facts.selections if s.header == header and needs_order(facts, s, fp)]
        if wanted:
            function = _Numbering(function, facts.loops[header], names, signed=any(s.strict for s in wanted)).add(wanted)
    return function if function is facts.function else verify(function)


class _Numbering:
    """Adds orders to one loop."""

    def __init__(self, function: Function, loop: Loop, names: FreshNames, *, signed: bool) -> None:
        self.function, self.loop, self.names = function, loop, names
        variable = loop.variable
        assert variable is not None and isinstance(variable.type, IntType)
        self.type = IntType(max(64 if signed and not _leaves_sign(loop) else 32, variable.type.bits))
        self.count = names.variable("count", self.type)
        self.number = names.variable("number", self.type)
        self.negative = names.variable("number", self.type) if signed else None
        self.definitions: Mapping[str, Definition] = definitions(function)
        self.beside: dict[str, Instruction | Phi] = {}
        """What is added next to the definition of a variable."""
        self.orders: dict[str, Var] = {}

    def add(self, selections: list[Selection]) -> Function:
        phis = [Phi(self.count, self._edges(const_int(self.type, 0), self.number))]
        for selection in selections:
            first = selection.members[0]
            chain = self._chain(first)
            order = self.orders[first.name] = self.names.variable(f"{first.source_name}.order", self.type)
            latch = self._order(selection.updates[0], chain, selection.strict, self.number)
            phis.append(Phi(order, self._edges(const_int(self.type, 0), latch)))
        blocks = tuple(self._extended(block, phis) for block in self.function.blocks)
        return replace(self.function, blocks=blocks)

    def _edges(self, first: Value, following: Value) -> tuple[tuple[str, Value], ...]:
        return ((self.loop.preheader, first), (self.loop.latch, following))

    def _chain(self, phi: Var) -> frozenset[str]:
        """The partial values of a member."""
        found = {phi.name}
        inside = [d for b in self.function.blocks if b.label in self.loop.blocks for d in (*b.phis, *b.body)]
        nodes = [d for d in inside if isinstance(d, Phi | Select)]
        before = 0
        while len(found) > before:
            before = len(found)
            for node in nodes:
                if any(isinstance(v, Var) and v.name in found for v in _handed(node)):
                    found.add(node.result.name)
        return frozenset(found)

    def _order(self, value: Value, chain: frozenset[str], strict: Collection[str], new: Var) -> Value:
        """The order that goes with a value: that of a partial value, or `new` for a new one."""
        if isinstance(value, Undef):
            return Undef(self.type)
        if not isinstance(value, Var) or value.name not in chain:
            return new
        if value.name in self.orders:
            return self.orders[value.name]
        definition = self.definitions[value.name]
        order = self.orders[value.name] = self.names.variable(f"{value.source_name}.order", self.type)
        match definition:
            case Select(condition=condition, then=then, otherwise=otherwise, total=total):
                own = self.negative if self.negative is not None and value.name in strict else self.number
                taken, kept = (self._order(side, chain, strict, own) for side in (then, otherwise))
                self.beside[value.name] = Select(order, condition, taken, kept, total=total)
            case Phi(incoming=incoming, shadow=shadow):
                edges = tuple((label, self._order(v, chain, strict, self.number)) for label, v in incoming)
                own_shadow = None if shadow is None else self._order(shadow, chain, strict, self.number)
                self.beside[value.name] = Phi(order, edges, None, own_shadow)
            case _:
                raise AssertionError(f"%{value.name} is no part of a selection")
        return order

    def _extended(self, block: Block, header_phis: list[Phi]) -> Block:
        own = block.label == self.loop.header
        phis = [*block.phis]
        phis += [added for p in block.phis if isinstance(added := self.beside.get(p.result.name), Phi)]
        body: list[Instruction] = []
        if own:
            phis += header_phis
            body.append(Binary(self.number, "add", self.count, const_int(self.type, 1)))
            if self.negative is not None:
                body.append(Binary(self.negative, "sub", const_int(self.type, 0), self.number))
        for instruction in block.body:
            body.append(instruction)
            added = None if instruction.result is None else self.beside.get(instruction.result.name)
            if isinstance(added, Select):
                body.append(added)
        return replace(block, phis=tuple(phis), body=tuple(body))


def _leaves_sign(loop: Loop) -> bool:
    """Whether the number of any iteration is positive in the type of the loop's variable, or in 32 bits where that has fewer."""
    trip, variable = loop.trip, loop.variable
    assert variable is not None and isinstance(variable.type, IntType)
    if variable.type.bits < 32:
        return True
    if trip is None or variable.type != trip.type or not isinstance(trip.start, Const):
        return False
    return trip.step > 0 and trip.offset >= 0 and trip.start.signed >= 0 and trip.predicate in ("slt", "sle")


def _handed(node: Select | Phi) -> tuple[Value, ...]:
    if isinstance(node, Select):
        return (node.then, node.otherwise)
    return tuple(v for _, v in node.incoming) + (() if node.shadow is None else (node.shadow,))


