"""Stores to one element at the ends of all arms of a branch become one store behind them, of a value that a phi selects.

    a: branch %c, b, c                    a: branch %c, b, c
    b: %p = elemptr float, %y [%k]        b: jump d
       store float %u, %p           ->    c: jump d
       jump d                             d: %x = phi float [%u, b], [%v, c]
    c: %q = elemptr float, %y [%k]           %p = elemptr float, %y [%k]
       store float %v, %q                    store float %x, %p
       jump d

Where lanes take different arms this is one selection and one store; before, each arm had a store under a mask, and a load of
the same line in the next arm had to wait until that was in the cache: what is stored under a mask is not forwarded to loads.

Every way into the block has the store, so that nothing is stored that the source would not store. What follows the store in its
arm may access memory, but not the same element. Addresses are compared as expressions (`rv.analysis.memory.executed`), and
computed again behind the arms from values that are defined above the branch. Loop headers and blocks in other loops than the arms
get no stores: there would be more of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rv.analysis.cfg.flow import FlowGraph, flow_graph
from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.memory.alias import AliasAnalysis, Place, alias_analysis
from rv.analysis.memory.executed import Accesses, PlaceKey, accesses
from rv.analysis.values.effects import is_pure, may_trap, may_write
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, Instruction, Jump, Load, Phi, Store, operands
from rv.ir.rewrite import FreshNames, map_operands, with_result
from rv.ir.values import TRUE, Value, Var


def sink_stores(function: Function) -> Function:
    """The function with such stores moved, those that end up at the end of an outer arm too."""
    while (moved := _sink_one(function)) is not None:
        function = moved
    return function


def _sink_one(function: Function) -> Function | None:
    """The function with one group of stores moved; None when there is none."""
    graph, forest = flow_graph(function), find_loops(function)
    joins = [(block, arms) for block in function.blocks if (arms := _arms(function, block, graph, forest))]
    if not joins:
        return None
    facts, aliases = accesses(function), alias_analysis(function)
    for block, arms in joins:
        last = [_last_stores(arm, facts, aliases) for arm in arms]
        for place in last[0]:
            if all(place in stores for stores in last[1:]):
                sinking = _Sinking(function, block, facts, defining_blocks(function), FreshNames.of(function))
                moved = sinking.moved(arms, [stores[place] for stores in last])
                if moved is not None:
                    return moved
    return None


def _arms(function: Function, block: Block, graph: FlowGraph, forest: LoopForest) -> tuple[Block, ...]:
    """The blocks before one, if all of them store, lead to nothing else and are in the same loop; else none."""
    before = graph.predecessors[block.label]
    same = {forest.innermost.get(label) for label in (block.label, *before)}
    if len(before) < 2 or len(same) > 1 or block.label in forest.loops or block.predicate != TRUE:
        return ()
    arms = tuple(function.block(label) for label in before)
    fit = all(isinstance(arm.terminator, Jump) and arm.predicate == TRUE and _stores(arm) for arm in arms)
    return arms if fit else ()


def _stores(block: Block) -> bool:
    return any(isinstance(instruction, Store) for instruction in block.body)


def _last_stores(arm: Block, facts: Accesses, aliases: AliasAnalysis) -> Mapping[PlaceKey, int]:
    """Where in the arm the stores are after which nothing touches what they store."""
    found: dict[PlaceKey, int] = {}
    touched: list[Place] = []
    for position, instruction in reversed(list(enumerate(arm.body))):
        match instruction:
            case Load(result=result, pointer=pointer):
                touched.append((pointer, result.type))
            case Store(value=value, pointer=pointer):
                if not aliases.overlapping(touched, (pointer, value.type)):
                    (place,) = facts.places([instruction])
                    found[place] = position
                touched.append((pointer, value.type))
            case Alloca():
                break
            case _ if may_write(instruction):
                break
    return found


@dataclass(frozen=True, slots=True)
class _Sinking:
    """A block that gets a store in the place of those of the blocks before it."""

    function: Function
    block: Block
    facts: Accesses
    defined_in: Mapping[str, str]
    names: FreshNames

    def moved(self, arms: Sequence[Block], positions: Sequence[int]) -> Function | None:
        """The function with the stores at these positions of the arms moved; None when the address is not known behind them."""
        stores = [arm.body[position] for arm, position in zip(arms, positions, strict=True)]
        first = stores[0]
        assert isinstance(first, Store)
        code: list[Instruction] = []
        pointer = self._again(first.pointer, code)
        if pointer is None:
            return None
        value = self.names.variable("sunk", first.value.type)
        incoming = tuple((arm.label, s.value) for arm, s in zip(arms, stores, strict=True) if isinstance(s, Store))
        phi, store = Phi(value, incoming, first.span), replace(first, value=value, pointer=pointer)
        join = replace(self.block, phis=(*self.block.phis, phi), body=(*code, store, *self.block.body))
        changed = {self.block.label: join}
        for arm, position in zip(arms, positions, strict=True):
            changed[arm.label] = replace(arm, body=(*arm.body[:position], *arm.body[position + 1 :]))
        return replace(self.function, blocks=tuple(changed.get(b.label, b) for b in self.function.blocks))

    def _again(self, value: Value, code: list[Instruction]) -> Value | None:
        """A value where the block begins: itself if it is defined above, else computed again in `code`."""
        if not isinstance(value, Var) or self._is_above(value):
            return value
        definition = self.facts.definitions.get(value.name)
        if definition is None or isinstance(definition, Phi) or not is_pure(definition) or may_trap(definition):
            return None
        known = {operand: self._again(operand, code) for operand in operands(definition)}
        if any(own is None for own in known.values()):
            return None
        result = self.names.variable(value.name, value.type)
        code.append(with_result(map_operands(definition, lambda v: known[v] or v), result))
        return result

    def _is_above(self, value: Var) -> bool:
        """Whether a variable is a parameter or defined in a block that dominates this one."""
        label = self.defined_in[value.name]
        return label != self.block.label and self.facts.dominators.dominates(label, self.block.label)
