"""What one run of the blocks of a loop takes from a core, scalar or for all lanes of a brush, from facts before there is code.

Instructions are counted once for every register that their result takes: values that vary along the fastest dimension of the
brush take registers, others scalars, one for each of the lanes that differ. Addresses and loop counters are free where elements
are known. Loads of one family share what they have in common, as chunks do; elements apart in known places are loaded in pieces
and shuffled, or one by one; those in unknown places are gathered. Scalar code takes one way through the body, with the chances
of `rv.transform.linearize.boscc`; lanes execute all paths.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from rv.analysis.values.effects import DIVISIONS
from rv.cost.accesses import LONGEST_GAP, TRIPLE, apart
from rv.cost.instructions import ACROSS_LANES, BY_CONSTANT, CALL, MOVED, PER_CYCLE_OF_CALLS, added_up, lane_by_lane
from rv.cost.throughput import Throughput
from rv.ir.function import Block
from rv.ir.instructions import Binary, Call, CompareFloat, Convert, ElementPointer, Horizontal, Instruction, Load, Negate, Store
from rv.ir.types import FloatType, Type, bits_of
from rv.ir.values import Const, Var
from rv.semantics.exact_calls import exact_name
from rv.target.machine import Target
from rv.widen.arithmetic.narrow_sums import NarrowSum
from rv.widen.arithmetic.sums import dots_in_row
from rv.widen.protocols import Dimensions
from tensorrv.brush.memory.access_groups import Element, LaneElements, lane_elements
from tensorrv.brush.memory.chunks import cut_chunks
from tensorrv.brush.memory.interleaved import is_known
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Access

RESOURCES: Final = ("loads", "stores", "shuffles", "arithmetic", "scalar", "divider", "gathers", "calls")


@dataclass(slots=True)
class Usage:
    """Instructions by the unit that they need; the divider's in cycles, gathered elements, and calls in instructions."""

    taken: dict[str, float] = field(default_factory=lambda: dict.fromkeys(RESOURCES, 0.0))

    def add(self, resource: str, amount: float) -> None:
        self.taken[resource] += amount

    def cycles(self, ports: Throughput) -> tuple[float, str]:
        """The time for which the busiest unit works, and which one that is."""
        t = self.taken
        times = {
            "loads": t["loads"] / ports.loads + t["gathers"] * ports.gather,
            "stores": t["stores"] / ports.stores,
            "shuffles": t["shuffles"] / ports.shuffles,
            "arithmetic": t["arithmetic"] / ports.arithmetic + t["divider"],
            "scalar units": t["scalar"] / ports.scalar,
            "calls": t["calls"] / PER_CYCLE_OF_CALLS,
            "front end": (sum(t.values()) - t["divider"] - t["gathers"]) / ports.width,
        }
        limit = max(times, key=times.__getitem__)
        return times[limit], limit


@dataclass(frozen=True, slots=True)
class Lanes:
    """A brush with the shapes of its values.

    `width` are the lanes of a vector, `fast` the dimension along which they lie; vectors of wide numbers take several registers
    of `bits`.
    """

    shapes: NestShapes
    sizes: tuple[int, ...]
    width: int
    fast: int
    bits: int

    def parts(self, type_: Type) -> int:
        """Registers of a vector."""
        return max(1, self.width * bits_of(type_) // self.bits)

    @property
    def registers_apart(self) -> tuple[int, ...]:
        """The distances between the first lanes of registers, along each dimension."""
        return tuple(self.width if d == self.fast else 1 for d in range(len(self.sizes)))

    def count(self, dimensions: Dimensions) -> int:
        return math.prod(self.sizes[d] for d in dimensions)

    def registers(self, dimensions: Dimensions) -> int:
        """Registers, or scalars, that hold a value which varies in these dimensions."""
        lanes = self.count(dimensions)
        if self.fast not in dimensions:
            return lanes
        row = self.sizes[self.fast]
        return -(-lanes // self.width) if row < self.width else lanes // row * -(-row // self.width)


@dataclass(frozen=True)
class Counter:
    """Counts for one function; `needed` are the variables that code computes apart from addresses and counters of loops.

    Of these `joined` take no instructions in vectors (`autotune.model.joined`), nor what is wide in sums of narrow numbers.
    """

    target: Target
    ports: Throughput
    scalar_ports: Throughput
    needed: frozenset[str]
    joined: frozenset[str]
    sums: Mapping[str, NarrowSum]
    accesses: dict[tuple[str, int], Access]
    found: dict[tuple[tuple[str, ...], tuple[int, ...], str, int], LaneElements | None] = field(default_factory=dict)

    def elements(self, access: Access, shapes: NestShapes) -> LaneElements | None:
        """The elements of an access: candidates that brush the same loops share them."""
        sizes = shapes.sizes if access.subscripts is None else ()
        key = (shapes.headers, sizes, access.block, access.position)
        if key not in self.found:
            self.found[key] = lane_elements(access, shapes)
        return self.found[key]

    def scalar(self, block: Block, chance: float, usage: Usage) -> None:
        for instruction in block.body:
            if self.counts(instruction):
                self._scalar(instruction, chance, usage)

    def brush(self, block: Block, lanes: Lanes, usage: Usage) -> None:
        """One run of a block for all lanes."""
        known: dict[tuple[object, bool], list[LaneElements]] = {}
        loaded: dict[str, object] = {}
        converted: dict[object, int] = {}
        parted = lanes.shapes.in_block(block.label)
        for position, instruction in enumerate(block.body):
            if not self.counts(instruction):
                continue
            if isinstance(instruction, Convert) and isinstance(instruction.value, Var) and instruction.value.name in loaded:
                if instruction.result.name not in self.condensed | self.joined:
                    converted[loaded[instruction.value.name]] = lanes.parts(instruction.result.type)
                continue
            if not isinstance(instruction, Load | Store):
                self._register(instruction, lanes, usage)
                continue
            access = self.accesses.get((block.label, position))
            elements = None if access is None else self.elements(access, lanes.shapes)
            stored = isinstance(instruction, Store)
            varies = self._varies(instruction, elements, lanes) | (parted if stored else frozenset())
            if lanes.count(varies) == 1:
                usage.add("stores" if stored else "loads", 1)
            elif elements is None:
                self._apart(lanes.count(varies), stored, usage)
            else:
                known.setdefault((elements.group, stored), []).append(elements)
                if isinstance(instruction, Load):
                    loaded[instruction.result.name] = elements.group
            if parted and lanes.count(parted) > 1:
                self._masked(instruction, lanes, lanes.count(varies | parted), usage)
        for (group, stored), members in known.items():
            self._known(members, lanes, stored, usage, 0 if stored else converted.get(group, 0))

    def shared(self, block: Block, lanes: Lanes) -> list[Hashable]:
        """The vectors of contiguous elements that a block uses, in the order of its accesses."""
        used: list[Hashable] = []
        for position, instruction in enumerate(block.body):
            access = self.accesses.get((block.label, position))
            if access is None or not isinstance(instruction, Load) or not self.counts(instruction):
                continue
            elements = self.elements(access, lanes.shapes)
            if elements is not None and lanes.fast in elements.varying and elements.contiguous_dimension == lanes.fast:
                used += ((elements.group, start) for start in elements.all_at(lanes.sizes, lanes.registers_apart))
        return used

    def counts(self, instruction: Instruction) -> bool:
        return isinstance(instruction, Store) or (instruction.result is not None and instruction.result.name in self.needed)

    @staticmethod
    def _varies(instruction: Load | Store, elements: LaneElements | None, lanes: Lanes) -> Dimensions:
        own = lanes.shapes.of(instruction.pointer) if elements is None else elements.varying
        return own | lanes.shapes.of(instruction.value) if isinstance(instruction, Store) else own

    def _scalar(self, instruction: Instruction, times: float, usage: Usage) -> None:
        match instruction:
            case Load():
                usage.add("loads", times)
            case Store():
                usage.add("stores", times)
            case Call(callee=callee) if exact_name(callee) is None:
                usage.add("calls", times * CALL)
            case Binary(op=op, right=Const()) if op in DIVISIONS:
                usage.add("scalar", times * BY_CONSTANT)
            case Binary(op=op) if op == "fdiv" or op in DIVISIONS:
                usage.add("divider", times * self.scalar_ports.division)
            case Binary(result=result) | Negate(result=result) if isinstance(result.type, FloatType):
                usage.add("arithmetic", times)
            case CompareFloat() | Call():
                usage.add("arithmetic", times)
            case ElementPointer():
                pass
            case _:
                usage.add("scalar", times)

    def _register(self, instruction: Instruction, lanes: Lanes, usage: Usage) -> None:
        assert instruction.result is not None
        varies = lanes.shapes.of(instruction.result)
        count = lanes.count(varies)
        if count == 1 or lanes.fast not in varies:
            self._scalar(instruction, count, usage)
            return
        name = instruction.result.name
        if name in self.joined:
            return
        if name in self.condensed:
            self._added_up(name, count, lanes, usage)
            return
        registers = lanes.registers(varies) * lanes.parts(instruction.result.type)
        match instruction:
            case ElementPointer():
                pass
            case Call(callee=callee) if exact_name(callee) is None:
                usage.add("calls", lane_by_lane(instruction) * count)
            case Binary(op=op, right=Const()) if op in DIVISIONS:
                usage.add("arithmetic", BY_CONSTANT * registers)
            case Binary(op=op) if op in DIVISIONS:
                usage.add("divider", self.scalar_ports.division * count)
                usage.add("scalar", MOVED * count)
            case Binary(op="fdiv"):
                usage.add("divider", self.ports.division * registers)
            case Horizontal():
                usage.add("shuffles", ACROSS_LANES * registers)
            case _:
                usage.add("arithmetic", registers)

    def _added_up(self, name: str, count: int, lanes: Lanes, usage: Usage) -> None:
        """A step of a sum of narrow numbers."""
        step = self.sums[name].steps.get(name) if name in self.sums else None
        if step is not None:
            product, dots = step.addend.kind == "product", dots_in_row(step.addend, self.target)
            operations = added_up(self.target, step.addend.bits, product=product, dots=dots)
            usage.add("arithmetic", operations * max(1.0, count * step.addend.bits / lanes.bits))

    @cached_property
    def condensed(self) -> frozenset[str]:
        """What needs no register of its own width, since neighbouring lanes are added first."""
        return frozenset[str]().union(*(found.wide for found in self.sums.values()))

    def _apart(self, lanes: float, stored: bool, usage: Usage) -> None:
        """Elements in unknown places: gathered, or scattered lane by lane."""
        usage.add("gathers", apart(lanes, stored=stored))
        usage.add("stores" if stored else "loads", 0)

    def _masked(self, access: Load | Store, lanes: Lanes, count: float, usage: Usage) -> None:
        """Targets without masked accesses of this kind branch for every lane."""
        type_ = access.value.type if isinstance(access, Store) else access.result.type
        if not self.target.cheap_masks and (self.target.architecture != "x86_64" or bits_of(type_) < 32):
            usage.add("scalar", 2 * count)
            usage.add("shuffles", count)

    def _known(self, members: Sequence[LaneElements], lanes: Lanes, stored: bool, usage: Usage, converted: int) -> None:
        """Accesses of one family: contiguous registers once each, the others in pieces with shuffles or one by one.

        What is converted when it has been loaded is converted once, too, to `converted` registers.
        """
        starts: set[Element] = set()
        others: set[Element] = set()
        for elements in members:
            if elements.contiguous_dimension == lanes.fast or lanes.fast not in elements.varying:
                starts |= elements.all_at(lanes.sizes, lanes.registers_apart)
            else:
                others |= elements.all_at(lanes.sizes, (1,) * len(lanes.sizes))
        usage.add("stores" if stored else "loads", len(starts) * lanes.parts(members[0].group.element))
        usage.add("arithmetic", (len(starts) + len(others) / lanes.width) * converted)
        if lanes.sizes[lanes.fast] < lanes.width:  # several rows in a register
            usage.add("shuffles", len(starts) * (1 - lanes.sizes[lanes.fast] / lanes.width))
        if others and self._alternate(members, lanes, stored):
            registers = -(-len(others) // lanes.width) * lanes.parts(members[0].group.element)
            usage.add("stores" if stored else "loads", registers)
            usage.add("shuffles", registers * (1 if self.target.architecture == "aarch64" else TRIPLE))
        elif others:
            self._in_chunks(others, len(members), lanes, stored, usage)

    def _alternate(self, members: Sequence[LaneElements], lanes: Lanes, stored: bool) -> bool:
        """Whether registers of these accesses are loaded or stored together (`tensorrv.brush.memory.interleaved`)."""
        strides = {elements.strides[-1][lanes.fast] for elements in members}
        if len(strides) > 1:
            return False
        (stride,), width = strides, min(lanes.width, lanes.sizes[lanes.fast])
        there = len({elements.origin for elements in members})
        known = is_known(self.target, bits_of(members[0].group.element), stride, width, stored=stored)
        return known and (there == stride or (not stored and 2 * there > stride))

    def _in_chunks(self, touched: set[Element], accesses: int, lanes: Lanes, stored: bool, usage: Usage) -> None:
        chunks = cut_chunks(touched, lanes.width, 0 if stored else LONGEST_GAP)
        resource, registers = ("stores" if stored else "loads"), -(-len(touched) // lanes.width)
        if all(chunk.length == 1 for chunk in chunks):
            usage.add(resource, len(touched))
            usage.add("shuffles", len(touched))
            return
        usage.add(resource, len(chunks))
        usage.add("shuffles", registers * max(1, math.log2(min(lanes.width, len(chunks)) or 1)) * accesses**0.5)


def element_bits(accesses: Iterable[Access]) -> int:
    """The width of the widest elements."""
    return max([8, *(bits_of(access.element) for access in accesses)])


def variables(values: Iterable[object]) -> list[str]:
    return [value.name for value in values if isinstance(value, Var)]
