"""Values that are computed in front of a loop and used in it and behind it, computed again where they are used.

    s[i] = x;                                          s[i] = x;
    for (j ...) A[j][i] = A[j - 1][i] + x;      ->     for (j ...) A[j][i] = A[j - 1][i] + s[i];

Then what is in front and the loop can be executed at other times. Arithmetic and loads of what is not stored to are computed in
front of both. Other values are loaded again from where they were stored or loaded, if no store up to the end of the loop can have
changed it there; `tensorrv.nest.legality` compares the place of the new load with all stores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rv.analysis.cfg.dominance import DominatorTree
from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, defining_blocks, definitions, pointer_roots
from rv.evolution.facts import Loop
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Load, Phi, Store, operands
from rv.ir.rewrite import FreshNames, map_operands, with_result
from rv.ir.values import Value, Var
from tensorrv.nest.reorder.bands import Obstacle, can_repeat, stored_in


@dataclass(slots=True)
class ComputedAgain:
    """For the blocks `side` of the loop `outer`: code `front` of them, and at the beginning of blocks in and behind `inner`.

    `front_values` are what is read instead of values of the side anywhere else, `values` what is read instead in the part of the
    loop that begins with a block.
    """

    function: Function
    outer: Loop
    inner: Loop
    side: frozenset[str]
    names: FreshNames
    tree: DominatorTree
    front: list[Instruction] = field(default_factory=list)
    front_values: dict[str, Value] = field(default_factory=dict)
    inside: dict[str, list[Instruction]] = field(default_factory=dict)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    known: Mapping[str, Definition] = field(init=False)
    places: Mapping[str, str] = field(init=False)
    stored: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.known, self.places = definitions(self.function), defining_blocks(self.function)
        self.stored = frozenset(stored_in(self.function, self.known, self.outer))

    def in_block(self, block: Block) -> Mapping[str, Value]:
        """What is read in a block outside of the side instead of values of it. Raises Obstacle."""
        begin = self._begin(block.label)
        found: dict[str, Value] = {}
        for statement in (*block.phis, *block.body, block.terminator):
            for value in operands(statement):
                if isinstance(value, Var) and self._is_own(value):
                    found[value.name] = self._again(value, begin)
        return found

    def _begin(self, label: str) -> str | None:
        """The first block of the part of the loop that a block is in; None for headers, whose tests are executed once more."""
        if label in self.inner.blocks:
            return None if label == self.inner.header else self.inner.body
        return self.inner.exit if label in self.outer.blocks and self.tree.dominates(self.inner.exit, label) else None

    def _is_own(self, value: Value) -> bool:
        return isinstance(value, Var) and self.places.get(value.name) in self.side

    def _again(self, value: Value, begin: str | None) -> Value:
        if not isinstance(value, Var) or not self._is_own(value):
            return value
        if self._can_be_in_front(value):
            return self._in_front(value)
        if begin is None:
            raise self._obstacle(value)
        values, code = self.values.setdefault(begin, {}), self.inside.setdefault(begin, [])
        if value.name not in values:
            values[value.name] = self._rebuilt(value, begin, code)
        return values[value.name]

    def _can_be_in_front(self, value: Value) -> bool:
        if not isinstance(value, Var) or not self._is_own(value):
            return True
        definition = self.known[value.name]
        if isinstance(definition, Phi) or not can_repeat(self.known, self.stored, definition):
            return False
        return all(map(self._can_be_in_front, operands(definition)))

    def _in_front(self, value: Value) -> Value:
        if not isinstance(value, Var) or not self._is_own(value):
            return value
        if value.name not in self.front_values:
            definition = self.known[value.name]
            assert not isinstance(definition, Phi)
            copy = map_operands(definition, self._in_front)
            self.front_values[value.name] = self._copied(copy, value, self.front)
        return self.front_values[value.name]

    def _copied(self, instruction: Instruction, value: Var, code: list[Instruction]) -> Var:
        result = self.names.variable(value.name, value.type)
        code.append(with_result(instruction, result))
        return result

    def _rebuilt(self, value: Var, begin: str, code: list[Instruction]) -> Value:
        """A value that rests on what is stored in the loop."""
        for label, position, store in self._stores():
            if store.value == value and label in self.side and self._lasts(store.pointer, label, position):
                load = Load(value, self._again(store.pointer, begin), store.span)
                return self._copied(load, value, code)
        definition = self.known[value.name]
        if isinstance(definition, Load):
            label = self.places[value.name]
            if not self._lasts(definition.pointer, label, self.function.block(label).body.index(definition)):
                raise self._obstacle(value)
        elif isinstance(definition, Phi) or not is_speculatable(definition):
            raise self._obstacle(value)
        return self._copied(map_operands(definition, lambda operand: self._again(operand, begin)), value, code)

    def _stores(self) -> Iterator[tuple[str, int, Store]]:
        """Those of the side and of the inner loop: values are loaded again at its end at the latest."""
        for block in self.function.blocks:
            if block.label in self.side | self.inner.blocks:
                yield from ((block.label, n, store) for n, store in enumerate(block.body) if isinstance(store, Store))

    def _lasts(self, pointer: Value, label: str, position: int) -> bool:
        """Whether what is at a place in some iteration of the outer loop stays there until the inner one has run."""
        if not self.tree.dominates(label, self.outer.latch):
            return False
        roots = self._roots(pointer)
        for other, number, store in self._stores():
            earlier = number <= position if other == label else self._is_earlier(other, label)
            if not earlier and roots & self._roots(store.pointer):
                return False
        return True

    def _is_earlier(self, other: str, label: str) -> bool:
        """Whether a block of the side is executed before another one in each iteration, and only then."""
        return other in self.side and self.tree.dominates(other, label)

    def _roots(self, pointer: Value) -> frozenset[str]:
        return frozenset(root.name for root in pointer_roots(self.known, pointer)) if isinstance(pointer, Var) else frozenset()

    def _obstacle(self, value: Var) -> Obstacle:
        message = f"`{value.source_name}` is computed in the {self.outer.called} and used in the {self.inner.called} or behind it"
        return Obstacle(message, self.known[value.name].span)
