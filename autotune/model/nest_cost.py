"""How long a loop nest takes under a brush, and scalar, estimated from facts: nothing is compiled.

A loop takes, for each iteration, as long as the busiest unit of the core works for its own blocks (`autotune.model.usage`), or as
its longest chain from a value of one iteration to that of the next, or as long as the lines take to move that the iteration is
the first to touch; the shorter of computing and moving overlaps with the other in part (`autotune.model.prediction.APART`). To
that come the loops inside. A brushed loop makes as many runs as brushes cover its iterations; what no whole brush covers runs
under masks, or scalar where masks are no instructions.

Trip counts come from the sizes that are given; of what is not known a loop is taken to run `PARAMETER_TRIPS` times if that is a
parameter, and `rv.cost.frequencies.LOOP_TRIPS` times if it is loaded. Counters of outer loops are half of their ends.
Lines are assumed to come from the second-level cache. The estimate ranks variants of one nest; it does not predict its time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from autotune.model.joined import joined_operations
from autotune.model.pressure import reloaded
from autotune.model.rows import Rows, rows_of, touched_rows
from autotune.model.usage import Counter, Lanes, Usage, variables
from rv.analysis.cfg.region import find_region
from rv.analysis.values.effects import is_pure
from rv.analysis.values.uses import Definition, definitions
from rv.cost.accesses import parts_of_vector
from rv.cost.branches import ENTRY, data_dependent, mispredicted
from rv.cost.chains import latency_of, longest_way
from rv.cost.frequencies import LOOP_TRIPS, PARAMETER_TRIPS, longest_trips
from rv.cost.instructions import beside_body, each_iteration
from rv.cost.margins import CLOSE, DELAYED, NARROW, WAITING, WAITS_FOR_ITSELF
from rv.cost.memory import NEXT_ROW, line_from_second_level, overlapped, waiting
from rv.cost.registers import SHARED_NUMBERS, SPILL, TEMPORARY
from rv.cost.throughput import Throughput, throughput
from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol, counter, signed
from rv.ir.function import Block
from rv.ir.instructions import (
    Binary,
    Branch,
    Call,
    CompareInt,
    Convert,
    Load,
    Phi,
    Return,
    Select,
    Store,
    operands,
)
from rv.ir.types import I1, IntType, PointerType, Type, bits_of, size_of
from rv.ir.values import Const, Value, Var
from rv.target.description import Machine
from rv.target.machine import Target
from rv.transform.linearize.boscc import chances
from rv.widen.arithmetic.narrow_sums import NarrowSum, narrow_sums
from rv.widen.arithmetic.sums import dots_in_row
from tensorrv.brush.aligned_shapes import has_runs
from tensorrv.brush.shapes import NestShapes, analyze_shapes
from tensorrv.check.sizes import Sizes
from tensorrv.nest.choice.carried_elements import carried_elements
from tensorrv.nest.choice.estimates import Estimate
from tensorrv.nest.legality.claim import BrushSizes
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.model import Access, Nests
from tensorrv.schedule.plan import Plan


@dataclass(frozen=True, slots=True)
class Widths:
    """Bits of the widest data of a brush and of the narrowest elements along its lanes.

    `together`: vectors may take several registers, so that narrow elements fill theirs.
    """

    widest: int
    narrowest: int
    together: bool


@dataclass(frozen=True)
class NestCost:
    """Estimates for the nests of one function."""

    nests: Nests
    plan: Plan
    target: Target
    machine: Machine
    sizes: Sizes

    # -- queries -----------------------------------------------------------------------------------------------------------

    def lanes(self, header: str) -> tuple[int, int]:
        """The lanes of a vector of the widest numbers that a loop stores or computes with, and of a register of the narrowest."""
        shapes = self._shapes((header,))
        data, _ = self._data((header,), shapes)
        width, _ = self._registers((header,), (self._register_bits,), shapes)
        return width, self._register_bits // data.narrowest

    def nest(self, header: str, parts: Mapping[str, Estimate]) -> Estimate:
        """One run of a loop that is scalar but for the loops `parts`."""
        loop = self.nests.loops[header]
        usage = Usage()
        usage.add("scalar", each_iteration(self.target))
        reached = self._chances(header)
        for label in self._own[header]:
            self._counter.scalar(self._block(label), reached.get(label, 1.0), usage)
        computing, limit = usage.cycles(self._scalar_ports)
        branches = sum(reached.get(label, 1.0) for label in self._own[header] if self._is_data_dependent(label))
        computing += data_dependent(self.machine) * branches
        chain = self._chain(loop)
        if chain > computing:
            computing, limit = chain, "latency"
        own = self._with_lines(computing, limit, self._lines(loop, None, ()))
        inside = [parts.get(child) or self.nest(child, parts) for child in self._children[header]]
        once = _sum(own, inside)
        return once.times(self.trips(header)).after(self._exit(loop))

    def _exit(self, loop: Loop) -> float:
        """The cycles that leaving a loop costs whose end depends on data."""
        known = loop.trip is not None and all(self._value(s) is not None for s in loop.trip.distance.symbols)
        return 0.0 if known else mispredicted(self.machine)

    def brushed(self, brush: BrushSizes) -> Estimate:
        """One run of the outermost loop of a brush."""
        headers, sizes = tuple(h for h, _ in brush), tuple(m for _, m in brush)
        shapes = self._shapes(headers, sizes)
        lanes = Lanes(shapes, sizes, *self._registers(headers, sizes, shapes), self._register_bits)
        whole = self._in_brush(headers[0], dict(brush), lanes)
        entries = ENTRY if len(headers) == 1 else ENTRY * (1 + self._runs(headers[0], sizes[0]))
        return whole.after(entries)

    def points(self, header: str) -> float:
        """How often the innermost loops of a nest run, where it runs longest."""
        return self.trips(header) * max((self.points(child) for child in self._children[header]), default=1.0)

    # -- loops ---------------------------------------------------------------------------------------------------------------

    def _in_brush(self, header: str, sizes: Mapping[str, int], lanes: Lanes) -> Estimate:
        loop = self.nests.loops[header]
        usage = Usage()
        usage.add("scalar", each_iteration(self.target))
        for label in self._own[header]:
            self._counter.brush(self._block(label), lanes, usage)
        self._spill(loop, lanes, usage)
        computing, limit = usage.cycles(self._ports)
        computing = max(computing * self._crowded(loop, lanes), self._waiting(loop, usage))
        # stores are under way for as long as their lines take to come
        late = waiting(self.machine, self._aliased(loop, lanes) * usage.taken["loads"])
        chain = self._chain(loop)
        if chain > computing:
            computing, limit = chain, "latency"
        elif loop.trip is not None and chain > CLOSE * computing:
            computing *= DELAYED
        own = self._with_lines(computing, limit, self._lines(loop, lanes, tuple(sizes)), late)
        own = replace(own, near=own.near + WAITING * chain + beside_body(self.target) / self._ports.width)
        inside = [self._in_brush(child, sizes, lanes) for child in self._children[header]]
        once = _sum(own, inside)
        if header not in sizes:
            everything = lanes.count(frozenset(range(len(lanes.sizes))))
            longest = longest_trips(everything) if header in lanes.shapes.divergent_loops else 1
            return once.times(self.trips(header) * longest).after(self._exit(loop))
        return once.times(self._runs(header, sizes[header])).after(self._left(header, sizes, lanes, once.near))

    def _left(self, header: str, sizes: Mapping[str, int], lanes: Lanes, once: float) -> float:
        """The cycles of what no whole brush covers, which takes `once`, where masks are no instructions.

        Along contiguous elements registers, and then halves of them, take what is left, else it is taken to run scalar in all
        rows. Of wide numbers, where that is hardly more, too.
        """
        trips, size = self.trips(header), sizes[header]
        if self.target.cheap_masks or size == 1:
            return 0.0
        over = trips % size if trips < 2 * size else (size - 1) / 2
        scalar = over * self._scalar_iteration(header) * self._around(header, sizes)
        if lanes.shapes.headers[lanes.fast] != header or not over or lanes.width * NARROW <= lanes.bits:
            return scalar
        row = min(size, lanes.width)
        return min(scalar, (over // row + math.log2(row) / 2) * once * row / size)

    def _aliased(self, loop: Loop, lanes: Lanes) -> float:
        """The part of a brush's loads that have the low address bits of stores of the brush before, if arrays are at equal
        offsets in their pages, and rows begin a little further in each page: a brush of many rows and few columns meets them.
        """
        stored: dict[object, int] = {}
        loaded = False
        arrays = {a.array for a in self._inside(loop) if a.kind == "store"}
        for access in self._inside(loop):
            elements = self._counter.elements(access, lanes.shapes)
            if elements is None or elements.contiguous_dimension != lanes.fast:
                continue
            if access.kind == "store":
                rows = len(self._touched(access, lanes))
                stored[access.array] = max(rows, stored.get(access.array, 0))
                size = size_of(access.element)
            else:
                loaded = loaded or access.array not in arrays
        if not stored or not loaded:
            return 0.0
        most = max(stored.values())
        return max(0.0, min(1.0, (most - (lanes.sizes[lanes.fast] * size - self._line) / NEXT_ROW) / most)) if most > 1 else 0.0

    def _inside(self, loop: Loop) -> list[Access]:
        """The accesses of a loop's own blocks."""
        return [a for a in self.nests.accesses if self.nests.innermost.get(a.block) == loop.header]

    def _scalar_iteration(self, header: str) -> float:
        return self.nest(header, {}).cycles / self.trips(header)

    def _around(self, header: str, sizes: Mapping[str, int]) -> float:
        """The lanes of the loops around one in a brush."""
        found = 1.0
        for around, size in sizes.items():
            if around == header:
                break
            found *= size
        return found

    def _runs(self, header: str, size: int) -> float:
        trips = self.trips(header)
        if not self.target.cheap_masks:
            return trips // size if trips < 2 * size else trips / size
        return -(-trips // size) if trips < 4 * size else trips / size + 0.5

    def trips(self, header: str) -> float:
        """How often a loop is taken to run when it is entered."""
        if header not in self._trips:
            self._trips[header] = self._count(self.nests.loops[header])
        return self._trips[header]

    def _count(self, loop: Loop) -> float:
        if loop.trip is None:
            return LOOP_TRIPS
        total = self._sum_of(loop.trip.distance)
        return LOOP_TRIPS if total is None else max(1.0, total / abs(loop.trip.step))

    def _value(self, symbol: Symbol) -> float | None:
        """What a symbol of a trip count is taken to be; None for what is loaded or computed in the function."""
        if symbol.is_counter:
            return self.trips(symbol.name) / 2
        name = symbol.name
        if name in self.sizes:
            return self.sizes[name]
        return PARAMETER_TRIPS if name in self._parameters else self._computed(name)

    def _computed(self, name: str) -> float | None:
        """What a variable is taken to be that is computed from sizes and counters."""
        form = self.nests.closed_forms.get(name)
        if form is not None:
            return self._sum_of(form)
        match self._definitions.get(name):
            case Convert(value=value):
                return self._number(value)
            case Select(condition=Var() as condition, then=then, otherwise=otherwise):
                return self._chosen(self._definitions.get(condition.name), then, otherwise)
            case Binary(op="sdiv" | "udiv", left=left, right=Const() as right) if right.signed > 0:
                number = self._number(left)
                return None if number is None else number // right.signed
            case _:
                return None

    def _number(self, value: Value) -> float | None:
        if isinstance(value, Const):
            return float(value.signed)
        return self._value(signed(value.name)) if isinstance(value, Var) else None

    def _chosen(self, compare: Definition | None, then: Value, otherwise: Value) -> float | None:
        """The nearer of two numbers."""
        if not isinstance(compare, CompareInt):
            return None
        numbers = [self._number(value) for value in (compare.left, compare.right)]
        if numbers[0] is None or numbers[1] is None:
            return None
        less = numbers[0] < numbers[1]
        return self._number(then if less == (compare.predicate[1] == "l") else otherwise)

    def _sum_of(self, polynomial: Polynomial) -> float | None:
        total = 0.0
        for monomial, coefficient in polynomial.terms:
            product = float(coefficient)
            for symbol in monomial:
                value = self._value(symbol)
                if value is None:
                    return None
                product *= value
            total += product
        return total

    # -- chains ----------------------------------------------------------------------------------------------------------------

    def _chain(self, loop: Loop) -> float:
        """The longest way from a value of one iteration to that of the next, in cycles: variables, and elements of arrays."""
        if loop.header not in self._chains:
            inside = {name for label in loop.blocks for name in self._defined.get(label, ())}

            def length(start: Var, end: Value) -> float:
                return longest_way(self._definitions, inside, start, end, self._latency)

            phis = [phi for phi in self._block(loop.header).phis if not self._is_counter(phi.result.name)]
            lengths = [length(phi.result, phi.value_from(loop.latch)) for phi in phis]
            lengths += [length(load.result, store.value) / behind for load, store, behind in carried_elements(self.nests, loop)]
            self._chains[loop.header] = max(lengths, default=0.0)
        return self._chains[loop.header]

    @cached_property
    def _chains(self) -> dict[str, float]:
        """Those that are known, by header."""
        return {}

    def _latency(self, definition: Definition) -> float:
        name = "" if definition.result is None else definition.result.name
        return self._accumulation(name) or latency_of(definition, self.machine)

    @cached_property
    def _defined(self) -> Mapping[str, list[str]]:
        """The variables that each block defines."""
        found: dict[str, list[str]] = defaultdict(list)
        for name, label in self.nests.defined_in.items():
            found[label].append(name)
        return found

    def _accumulation(self, name: str) -> float:
        """The cycles of an addition to a sum of narrow numbers, where it is joined with a product or with pairs; 0 elsewhere."""
        step = self._sums[name].steps.get(name) if name in self._sums else None
        dots = 0 if step is None else dots_in_row(step.addend, self.target)
        if dots:
            return self.machine.accumulate * dots
        if step is None or self.target.architecture != "aarch64":
            return 0
        return self.machine.latency_of("add", 64) * (2 if step.addend.kind == "product" else 1)

    def _is_counter(self, name: str) -> bool:
        return name in self.nests.congruences or name in self.nests.pointers

    # -- memory ------------------------------------------------------------------------------------------------------------------

    def _with_lines(self, computing: float, limit: str, lines: float, late: float = 0.0) -> Estimate:
        moving = lines * line_from_second_level(self.machine) + late
        return Estimate(overlapped(computing, moving), "cache" if moving > computing else limit, computing)

    def _lines(self, loop: Loop, lanes: Lanes | None, headers: tuple[str, ...]) -> float:
        """The lines that one iteration of a loop, or one brush, is the first to touch; stored ones move twice."""
        rows: dict[object, set[tuple[int, ...]]] = defaultdict(set)
        advance: dict[object, float] = {}
        total = 0.0
        for label in self._own[loop.header]:
            for position, instruction in enumerate(self._block(label).body):
                access = self._counter.accesses.get((label, position))
                if access is None or not self._counter.counts(instruction):
                    continue
                weight = 2.0 if access.kind == "store" else 1.0
                if access.subscripts is None:
                    # nothing is known about them: they are taken to be near each other
                    many = 1 if lanes is None else lanes.count(lanes.shapes.of(access.instruction.pointer))
                    total += weight * many * size_of(access.element) / self._line
                    continue
                own = self._rows(access)
                key = (access.array, access.kind, own.family)
                width = self._advance(own, loop, dict(zip(headers, lanes.sizes, strict=True)) if lanes else {})
                advance[key] = max(advance.get(key, 0.0), weight * width)
                rows[key] |= self._touched(access, lanes)
        return total + sum(advance[key] * len(found) for key, found in rows.items())

    def _rows(self, access: Access) -> Rows:
        place = (access.block, access.position)
        if place not in self._known_rows:
            self._known_rows[place] = rows_of(access, self._line)
        return self._known_rows[place]

    def _advance(self, rows: Rows, loop: Loop, sizes: Mapping[str, int]) -> float:
        """Lines of one row that an iteration of the loop, or a brush, is the first to touch."""
        size, symbol = rows.size, counter(loop.header)
        step = rows.steps.get(symbol, 0)
        far = symbol in rows.across or (step == 0 and symbol in rows.steps) or step * size >= self._line
        if not far and not step:
            return 0.0
        along = max((sizes[h] for h in sizes if rows.steps.get(counter(h)) == 1), default=1)
        lines = max(1.0, along * size / self._line) if far else step * size / self._line * sizes.get(loop.header, 1)
        if not far and rows.short:
            # lanes in other loops are in other short rows, whose lines are touched once
            others = [rows.steps.get(counter(h), 0) * m for h, m in sizes.items() if h != loop.header]
            reach = max(others, default=0) * size / self._line
            if reach > 1:
                return max(lines, reach / self.trips(loop.header))
        # iterations along a diagonal, as those of wavefronts, touch lines of their own, also those of one brush
        together = 1 if symbol in rows.across and symbol in rows.steps else sizes.get(loop.header, 1)
        return lines * self._missing(rows, loop, lines * self.trips(loop.header) / together)

    def _missing(self, rows: Rows, loop: Loop, touched: float) -> float:
        """The part of the lines that a loop touches which no iteration of a loop around it has left in the nearest cache.

        A loop around that does not move the access finds all lines again, and one that moves it along rows finds most of them.
        """
        around = loop.parent
        while around is not None and touched * self._line <= self.machine.memory.nearest:
            symbol = counter(around)
            step = rows.steps.get(symbol, 0) or self._line * (symbol in rows.steps)
            if not step and symbol not in rows.across:
                return 0.0
            if symbol not in rows.across and step * rows.size < self._line:
                return step * rows.size / self._line
            touched *= self.trips(around)
            around = self.nests.loops[around].parent
        return 1.0

    def _touched(self, access: Access, lanes: Lanes | None) -> frozenset[tuple[int, ...]]:
        """The rows that lanes touch, by their constants."""
        start = self._rows(access).start
        elements = self._counter.elements(access, lanes.shapes) if lanes is not None else None
        if lanes is None or elements is None:
            return frozenset({start})
        return touched_rows(start, elements.strides[: len(start)], lanes.sizes)

    # -- facts about the function ----------------------------------------------------------------------------------------------

    @property
    def _register_bits(self) -> int:
        return self.plan.register_bits or self.target.register_bits

    def _data(self, headers: tuple[str, ...], shapes: NestShapes) -> tuple[Widths, int]:
        """What lanes hold, and the fastest dimension: that along which most accesses are contiguous."""
        key = (headers, shapes.sizes)
        if key not in self._known_data:
            self._known_data[key] = self._find_data(headers, shapes)
        return self._known_data[key]

    def _find_data(self, headers: tuple[str, ...], shapes: NestShapes) -> tuple[Widths, int]:
        blocks = self.nests.loops[headers[0]].blocks
        accesses = [access for access in self.nests.accesses if access.block in blocks]
        elements = [self._counter.elements(access, shapes) for access in accesses]
        votes = [0] * len(headers)
        for own in elements:
            dimension = own.contiguous_dimension if own is not None else None
            if dimension is not None:
                votes[dimension] += 1
        fast = max(range(len(headers)), key=lambda d: (votes[d], d))
        types: list[Type] = [access.element for access in accesses if access.kind == "store"]
        for name in self._needed - self._counter.condensed:
            result = self._definitions[name].result if name in self._definitions else None
            if result is not None and self.nests.defined_in[name] in blocks and shapes.of(result):
                types += [result.type] if result.type != I1 and not isinstance(result.type, PointerType) else []
        widest = max([8, *map(bits_of, types)])
        known = zip(accesses, elements, strict=True)
        along = [bits_of(a.element) for a, own in known if own is not None and fast in own.varying]
        whole = all(isinstance(type_, IntType) for type_ in (*types, *(a.element for a in accesses)))
        sums = any(found.header in headers for found in self._sums.values())
        return Widths(widest, min([widest, *along]), whole and not sums), fast

    def _registers(self, headers: tuple[str, ...], sizes: tuple[int, ...], shapes: NestShapes) -> tuple[int, int]:
        """The lanes of a vector and the fastest dimension."""
        data, fast = self._data(headers, shapes)
        parts = parts_of_vector(self.target, data.widest, data.narrowest) if data.together else 1
        width = max(1, self._register_bits // data.widest * parts)
        if sizes[fast] < width:
            return max(sizes[fast], min(width, 128 // data.widest)), fast
        return width, fast

    def _spill(self, loop: Loop, lanes: Lanes, usage: Usage) -> None:
        """Variables that a loop inside the brush carries, beyond the registers that there are."""
        carried = [phi.result for phi in self._block(loop.header).phis if not self._is_counter(phi.result.name)]
        registers = sum(lanes.registers(lanes.shapes.of(v)) for v in carried if lanes.fast in lanes.shapes.of(v))
        excess = max(0, registers + 2 - self.target.registers)
        usage.add("loads", excess)
        usage.add("stores", excess)

    def _crowded(self, loop: Loop, lanes: Lanes) -> float:
        """How many times as long a brush takes where vectors that are shared do not stay in registers.

        That is where many numbers which all lanes share, such as the weights of a filter, want registers too.
        """
        numbers = self._shared_numbers(loop, lanes)
        if numbers < SHARED_NUMBERS:
            return 1.0
        if numbers >= self.target.registers and not self.target.cheap_masks:
            # AVX-512 alone broadcasts them as operands
            return SPILL
        free = self.target.registers - lanes.registers(frozenset(range(len(lanes.sizes)))) - TEMPORARY
        used = [vector for label in self._own[loop.header] for vector in self._counter.shared(self._block(label), lanes)]
        return 1 + SPILL * reloaded(used, free) / len(used) if used else 1.0

    def _waiting(self, loop: Loop, usage: Usage) -> float:
        """The cycles of the longest way through long straight code, of as many iterations at once as the core has under way."""
        blocks = self._own[loop.header]
        if sum(len(self._block(label).body) for label in blocks) < WAITS_FOR_ITSELF:
            return 0.0
        taken = usage.taken
        operations = sum(taken.values()) - taken["divider"] - taken["gathers"]
        lengths: dict[str, float] = {}
        for label in blocks:
            for instruction in self._block(label).body:
                if instruction.result is not None and self._counter.counts(instruction):
                    before = max((lengths.get(name, 0.0) for name in variables(operands(instruction))), default=0.0)
                    lengths[instruction.result.name] = before + latency_of(instruction, self.machine)
        return max(lengths.values(), default=0.0) * min(1.0, operations / self.machine.window)

    def _shared_numbers(self, loop: Loop, lanes: Lanes) -> int:
        """The variables that vector operations of a loop take and that are the same in all lanes of a register."""
        found: set[str] = set()
        for label in self._own[loop.header]:
            for instruction in self._block(label).body:
                if isinstance(instruction, Binary) and lanes.fast in lanes.shapes.of(instruction.result):
                    operands_ = [v for v in (instruction.left, instruction.right) if isinstance(v, Var)]
                    found |= {v.name for v in operands_ if lanes.fast not in lanes.shapes.of(v)}
        return len(found)

    def _shapes(self, headers: tuple[str, ...], sizes: tuple[int, ...] = ()) -> NestShapes:
        """The shapes in brushes on these loops: of these sizes where what lanes are apart depends on sizes."""
        facts = nests_within(self.nests, headers[0])
        sizes = sizes if sizes and has_runs(facts, headers) else (2,) * len(headers)
        if (headers, sizes) not in self._known_shapes:
            self._known_shapes[headers, sizes] = analyze_shapes(facts, headers, sizes)
        return self._known_shapes[headers, sizes]

    def _block(self, label: str) -> Block:
        return self.nests.function.block(label)

    def _chances(self, header: str) -> Mapping[str, float]:
        if header not in self._known_chances:
            region = find_region(self.nests.function, self.nests.loops[header].blocks)
            self._known_chances[header] = chances(self.nests.function, region).blocks
        return self._known_chances[header]

    def _is_data_dependent(self, label: str) -> bool:
        """Whether a branch that is no loop's depends on something loaded."""
        end = self._block(label).terminator
        if not isinstance(end, Branch) or label in self.nests.loops:
            return False
        pending, seen = [end.condition], set[str]()
        while pending:
            value = pending.pop()
            if isinstance(value, Var) and value.name not in seen:
                seen.add(value.name)
                definition = self._definitions.get(value.name)
                if isinstance(definition, Load):
                    return True
                if definition is not None and not isinstance(definition, Phi):
                    pending += operands(definition)
        return False

    @cached_property
    def _own(self) -> Mapping[str, list[str]]:
        """The blocks of each loop that are in no loop inside it."""
        found: dict[str, list[str]] = {header: [] for header in self.nests.loops}
        for block in self.nests.function.blocks:
            header = self.nests.innermost.get(block.label)
            if header is not None:
                found[header].append(block.label)
        return found

    @cached_property
    def _children(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {header: [] for header in self.nests.loops}
        for loop in self.nests.loops.values():
            if loop.parent is not None:
                found[loop.parent].append(loop.header)
        return found

    @cached_property
    def _definitions(self) -> Mapping[str, Definition]:
        return definitions(self.nests.function)

    @cached_property
    def _parameters(self) -> frozenset[str]:
        return frozenset(p.var.name for p in self.nests.function.parameters)

    @cached_property
    def _trips(self) -> dict[str, float]:
        return {}

    @cached_property
    def _known_rows(self) -> dict[tuple[str, int], Rows]:
        return {}

    @cached_property
    def _known_data(self) -> dict[tuple[tuple[str, ...], tuple[int, ...]], tuple[Widths, int]]:
        return {}

    @cached_property
    def _known_shapes(self) -> dict[tuple[tuple[str, ...], tuple[int, ...]], NestShapes]:
        return {}

    @cached_property
    def _known_chances(self) -> dict[str, Mapping[str, float]]:
        return {}

    @cached_property
    def _ports(self) -> Throughput:
        return throughput(self.machine, self._register_bits)

    @cached_property
    def _scalar_ports(self) -> Throughput:
        return throughput(self.machine, 64)

    @property
    def _line(self) -> int:
        return self.machine.memory.line

    @cached_property
    def _counter(self) -> Counter:
        places = {(a.block, a.position): a for a in self.nests.accesses}
        joined = joined_operations(self.nests.function, self.target)
        return Counter(self.target, self._ports, self._scalar_ports, self._needed, joined, self._sums, places)

    @cached_property
    def _sums(self) -> Mapping[str, NarrowSum]:
        return narrow_sums(self.nests, self.target)

    @cached_property
    def _needed(self) -> frozenset[str]:
        """The variables that stores, branches and results need, apart from addresses of known elements and counters."""
        affine = [a for a in self.nests.accesses if a.subscripts is not None]
        known = {(a.block, a.position) for a in affine}
        places = {a.instruction.result.name for a in affine if isinstance(a.instruction, Load)}
        pending: list[str] = []
        for block in self.nests.function.blocks:
            for position, instruction in enumerate(block.body):
                if isinstance(instruction, Store):
                    pending += variables([instruction.value])
                    pending += variables([instruction.pointer]) if (block.label, position) not in known else []
                elif isinstance(instruction, Call) and not is_pure(instruction):
                    pending += variables(operands(instruction))
            end = block.terminator
            counted = block.label in self.nests.loops and self.nests.loops[block.label].trip is not None
            if isinstance(end, Return) or (isinstance(end, Branch) and not counted):
                pending += variables(operands(end))
        found: set[str] = set()
        while pending:
            name = pending.pop()
            definition = self._definitions.get(name)
            if name in found or definition is None:
                continue
            found.add(name)
            if self._is_counter(name) and isinstance(definition, Phi):
                continue
            if isinstance(definition, Load) and name in places:
                continue
            pending += variables(operands(definition))
        return frozenset(found)


def _sum(own: Estimate, inside: list[Estimate]) -> Estimate:
    """Own blocks and the loops inside; what limits is what limits the longest part."""
    parts = [own, *inside]
    longest = max(parts, key=lambda part: part.cycles)
    return Estimate(sum(part.cycles for part in parts), longest.limit, sum(part.near for part in parts))
