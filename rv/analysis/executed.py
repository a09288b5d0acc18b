"""Which memory accesses happen anyway: where a load may be executed although the source might skip it.

A place (address and type) is accessed anyway at the end of block B when an instruction of B or of a block above it in the
dominator tree accesses it, or when a block that follows B on every path does so before anything with an effect. Addresses are
compared as expressions, so that equal computations in different arms count as equal. An unknown call could make memory
inaccessible: in a function with one, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from rv.analysis.dominance import DominatorTree, dominator_tree
from rv.analysis.effects import is_pure, may_write
from rv.analysis.flow import flow_graph
from rv.analysis.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, Instruction, Load, Phi, Store
from rv.ir.printer import print_statement
from rv.ir.rewrite import map_operands
from rv.ir.types import Type
from rv.ir.values import Value, Var

PlaceKey = tuple[str, Type]


@dataclass(slots=True)
class Accesses:
    """The accesses of one function, by place."""

    function: Function
    definitions: dict[str, Definition]
    dominators: DominatorTree
    unknown_calls: bool
    keys: dict[str, str] = field(default_factory=dict)

    def above(self, label: str) -> frozenset[PlaceKey]:
        """The places that have been accessed whenever the end of the block is reached."""
        if self.unknown_calls:
            return frozenset()
        bodies = (self.function.block(dominator).body for dominator in self.dominators.chain(label))
        return frozenset(place for body in bodies for place in self.places(body))

    def at_start(self, label: str) -> frozenset[PlaceKey]:
        """The places that the block accesses before anything has an effect; a first store's own place is among them."""
        if self.unknown_calls:
            return frozenset()
        body = self.function.block(label).body
        first_effect = next((i for i, instruction in enumerate(body) if may_write(instruction)), len(body))
        return frozenset(self.places(body[: first_effect + 1]))

    def places(self, body: Iterable[Instruction]) -> list[PlaceKey]:
        """The places that instructions access."""
        found: list[PlaceKey] = []
        for instruction in body:
            match instruction:
                case Load(result=result, pointer=pointer):
                    found.append((self.expression(pointer), result.type))
                case Store(value=value, pointer=pointer):
                    found.append((self.expression(pointer), value.type))
        return found

    def expression(self, value: Value) -> str:
        """How a value is computed from loads, phis and parameters, as text; equal texts are equal values in one iteration."""
        definition = self.definitions.get(value.name) if isinstance(value, Var) else None
        if not isinstance(value, Var) or definition is None or isinstance(definition, Phi) or not is_pure(definition):
            return str(value)
        if value.name not in self.keys:
            plain = map_operands(definition, lambda v: Var(self.expression(v), v.type))
            self.keys[value.name] = f"({print_statement(replace(cast(Binary, plain), result=Var('', value.type)))})"
        return self.keys[value.name]


def accesses(function: Function) -> Accesses:
    """The accesses of a function."""
    unknown = any(may_write(i) and not isinstance(i, Store) for _, i in function.instructions())
    return Accesses(function, definitions(function), dominator_tree(flow_graph(function)), unknown)
