"""Which quotients and square roots are computed by multiplications, because the divider is the bottleneck.

    %q: { <8 x double>, <8 x double> } = quotients (%a, %b, %m), (%c, %d, %n)
    %x = member %q 0                                    ->      %x: <8 x double> = fdiv %a, %b
    %y = member %q 1                                            %q: { <8 x double> } = quotients (%c, %d, %n)
                                                                %y = member %q 0

Widening writes all whole registers that may go either way as `Quotients` and `Roots`; those that stay there are expanded
(`rv.vector.divider.quotients`), the others become instructions for the divider.

Per iteration of each loop: the cycles that the divider is busy, and those that the units for other vector operations need; inner
loops count as a few iterations. The longer is its time, or the longest chain of operations between iterations. Registers are
taken off the divider, those first that cost least for the time that they save, until that time is shortest; the others stay, so
that divider and multipliers work side by side. A root and quotients by it go together. All stay when little time would be saved.

That is the time of iterations when several are in flight at once. Long ones do not fit in the processor's window and stay. Where
control may go on to different blocks, a misprediction now and then leaves the multipliers without work, and it is found later
when they have more; the divider goes on. So their time is longer by part of a misprediction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from rv.analysis.cfg.flow import graph_of_edges
from rv.analysis.cfg.region import Region, whole_region
from rv.cost import divider as cost
from rv.cost.branches import mispredicted
from rv.cost.margins import RELIEVED
from rv.target.description import Machine
from rv.vector.divider.chains import Chain, Place
from rv.vector.divider.rewriting import Rewriting, root_of
from rv.vector.divider.work import Work, places_of
from rv.vector.function import Function, Module
from rv.vector.instructions import Roots, successors


@dataclass(frozen=True, slots=True)
class Divisions:
    """How many registers of quotients and roots are off the divider, and how many there are."""

    moved: int = 0
    all: int = 0


def offloaded(module: Module, machine: Machine, bits: int) -> Module:
    """The module with those registers left in `Quotients` and `Roots` that are not for the divider."""
    functions = tuple(_of_function(function, machine, bits) for function in module.functions)
    return module if functions == module.functions else replace(module, functions=functions)


def divisions(module: Module) -> Mapping[object, Divisions]:
    """The registers of quotients and roots by what their blocks were written for."""
    found: dict[object, Divisions] = {}
    for function in module.functions:
        for block in function.blocks:
            moved = sum(len(places_of(statement)) for statement in block.body)
            left = sum(Work.is_division(statement.instruction) for statement in block.body)
            if moved or left:
                before = found.get(block.origin, Divisions())
                found[block.origin] = Divisions(before.moved + moved, before.all + moved + left)
    return found


def _of_function(function: Function, machine: Machine, bits: int) -> Function:
    if not any(places_of(statement) for block in function.blocks for statement in block.body):
        return function
    choice = _Choice(function, machine, bits)
    kept = frozenset(choice.run())
    return Rewriting(choice.definitions, kept).function(function)


@dataclass(frozen=True, slots=True)
class _Division:
    """Quotients and roots that move together: how long they take the divider, and how many operations more do the same."""

    places: tuple[Place, ...]
    cycles: float
    operations: int


class _Choice:
    """The choice for one function."""

    def __init__(self, function: Function, machine: Machine, bits: int) -> None:
        self.blocks = {block.label: block for block in function.blocks}
        self.machine, self.bits = machine, bits
        self.units = machine.arithmetic_per_cycle(bits)
        statements = (statement for block in function.blocks for statement in block.body)
        self.definitions = {s.result.name: s.instruction for s in statements if s.result is not None}
        self.work = Work(machine, bits, self.definitions)
        self.region = _region(function)

    def run(self) -> Iterator[Place]:
        turns: dict[str | None, dict[str, int]] = {}
        for label in self.region.dominators.order:
            for depth, header in enumerate((*self.region.around(label), None)):
                turns.setdefault(header, {})[label] = cost.INNER_TRIPS**depth
        for header, times in turns.items():
            yield from self.of_turn(header, times)

    def parts_ways(self, label: str) -> bool:
        """Whether a block may have different successors in the same iteration."""
        around = self.region.around(label)
        ways = self.region.graph.successors[label]
        return len([way for way in ways if self.region.around(way)[-len(around) :] == around and way not in around]) > 1

    def of_turn(self, header: str | None, times: dict[str, int]) -> tuple[Place, ...]:
        """What to take off the divider in the blocks whose innermost loop is `header`: those that an iteration executes once."""
        movable = list(self.movable([label for label, count in times.items() if count == 1]))
        if not movable:
            return ()
        taken = others = 0.0
        for label, count in times.items():
            for statement in self.blocks[label].body:
                others += count * self.work.operations(statement)
                taken += count * self.work.cycles(statement)
        lost = mispredicted(self.machine) if any(count > 1 or self.parts_ways(label) for label, count in times.items()) else 0
        unmoved = self.time(taken, others, lost, self.chain(header, frozenset()))
        best, shortest = frozenset[Place](), math.inf
        moved = frozenset[Place]()
        for division in sorted(movable, key=lambda d: -d.cycles / d.operations):
            moved |= set(division.places)
            taken -= division.cycles
            others += division.operations
            time = self.time(taken, others, lost, self.chain(header, moved))
            if time < shortest and others <= cost.most_operations(self.machine):
                best, shortest = moved, time
        return tuple(best) if shortest < RELIEVED * unmoved else ()

    def time(self, taken: float, others: float, lost: float, chain: float) -> float:
        """Cycles of an iteration. Loops are short, and the next one starts before the last chain is done, within the window."""
        return max(taken, lost + others / self.units, chain * cost.hidden(self.machine, others))

    def movable(self, labels: list[str]) -> Iterator[_Division]:
        """Whole registers of quotients and roots, each quotient by a root together with the root."""
        places = [place for label in labels for statement in self.blocks[label].body for place in places_of(statement)]
        roots = {place for place in places if isinstance(self.definitions[place[0]], Roots)}
        by_root: dict[Place, list[Place]] = {}
        for place in places:
            root = root_of(self.definitions, place)
            if root in roots:
                by_root.setdefault(root, []).append(place)
        dependent = {place for found in by_root.values() for place in found}
        for place in places:
            if place not in dependent:
                together = (place, *by_root.get(place, ()))
                yield _Division(
                    together,
                    sum(self.work.cycles_of(one) for one in together),
                    sum(self.work.multiplications(one, by_root=one is not place) for one in together),
                )

    def chain(self, header: str | None, moved: frozenset[Place]) -> float:
        """The longest chain of operations through which a value of a loop depends on the same value one iteration before."""
        if header is None:
            return 0
        inside = self.region.loops.loops[header].blocks
        chain = Chain(self.machine, self.bits, [self.blocks[label] for label in inside], moved)
        return max((chain.around(phi, inside) for phi in self.blocks[header].phis), default=0)


def _region(function: Function) -> Region:
    return whole_region(graph_of_edges(tuple((block.label, successors(block.terminator)) for block in function.blocks)))
