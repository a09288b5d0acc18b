"""Which memory accesses happen anyway: where a load may be executed although the source might skip it.

A place (address and type) is accessed anyway at the end of block B when an instruction of B or of a block above it in the
dominator tree accesses it, or when a block that follows B on every path does so before anything with an effect. Addresses are
compared as expressions, so that equal computations in different arms count as equal. An unknown call could make memory
inaccessible: in a function with one, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.effects import is_pure, may_write
from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Instruction, Load, Phi, Store, operands
from rv.ir.printer import print_statement
from rv.ir.rewrite import map_operands, with_result
from rv.ir.types import Type
from rv.ir.values import Value, Var

PlaceKey = tuple[str, Type]


@dataclass(slots=True)
class Accesses:
    """The accesses of one function, by place. `blocks` are those in which a place is accessed."""

    function: Function
    definitions: Mapping[str, Definition]
    dominators: DominatorTree
    unknown_calls: bool
    blocks: dict[PlaceKey, list[str]] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)

    def above(self, label: str, place: PlaceKey) -> bool:
        """Whether the place has been accessed whenever the end of the block is reached."""
        return any(self.dominators.dominates(accessing, label) for accessing in self.blocks.get(place, ()))

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
        """How a value is computed from loads, phis and parameters; equal results are equal values in one iteration.

        An expression is the number of its operation on numbered operands: as text it could be exponentially long.
        """
        pending = [value]
        while pending:
            definition = self._computation(pending[-1])
            open_ = [v for v in operands(definition) if self._computation(v) is not None] if definition else []
            if open_:
                pending.extend(open_)
                continue
            pending.pop()
            if definition is not None and definition.result is not None:
                self.keys[definition.result.name] = self._number(definition)
        return self._key(value)

    def _computation(self, value: Value) -> Instruction | None:
        """The instruction that computes a value which has no number yet; None for what is not computed."""
        definition = self.definitions.get(value.name) if isinstance(value, Var) and value.name not in self.keys else None
        return None if definition is None or isinstance(definition, Phi) or not is_pure(definition) else definition

    def _key(self, value: Value) -> str:
        return self.keys.get(value.name, str(value)) if isinstance(value, Var) else str(value)

    def _number(self, definition: Instruction) -> str:
        assert definition.result is not None
        plain = map_operands(definition, lambda v: Var(self._key(v), v.type))
        text = print_statement(with_result(plain, Var("", definition.result.type)))
        return self.numbers.setdefault(text, f"#{len(self.numbers)}")


def accesses(function: Function) -> Accesses:
    """The accesses of a function."""
    unknown = any(may_write(i) and not isinstance(i, Store) for _, i in function.instructions())
    found = Accesses(function, definitions(function), dominator_tree(flow_graph(function)), unknown)
    for block in function.blocks if not unknown else ():
        for place in dict.fromkeys(found.places(block.body)):
            found.blocks.setdefault(place, []).append(block.label)
    return found
