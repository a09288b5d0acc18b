"""Which quotients and square roots are computed by multiplications, because the divider is the bottleneck
(`rv.vector.quotients`).

Per iteration of each loop inside the brush, and per brush outside of these loops: the cycles that the divider is busy, and those
that the two units for other vector operations need; inner loops count as a few iterations. The longer is its time, or the
longest chain of operations between iterations. Registers are taken off the divider, those first that cost least for the
time that they save, until that time is shortest; the others stay, so that divider and multipliers work side by side. A root and
quotients by it go together. All stay when little time would be saved.

That is the time of iterations when several are in flight at once. Long ones do not fit in the processor's window and stay. Where
control may go on to different blocks, a misprediction now and then leaves the multipliers without work, and it is found later
when they have more; the divider goes on. So their time is longer by part of a misprediction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rv.analysis.cfg.region import find_region
from rv.cost import divider as cost
from rv.cost.accesses import apart, gather_slots
from rv.cost.branches import mispredicted
from rv.cost.instructions import ACROSS_LANES, CALL, call_latency
from rv.cost.margins import RELIEVED
from rv.ir.instructions import (
    Alloca,
    Binary,
    Call,
    Convert,
    ElementPointer,
    Horizontal,
    Instruction,
    Load,
    Mask,
    Phi,
    Store,
    operands,
)
from rv.ir.types import F32, F64, FloatType, bits_of
from rv.ir.values import Value, Var
from rv.semantics.exact_calls import exact_name
from rv.target.description import Machine, machine_of
from rv.widen.context import Context
from rv.widen.lanes import Lanes
from rv.widen.loops.variant_tree import Variant

UNDER_WAY: Final = -math.inf

Place = tuple[str, Lanes]


def offload_divider(context: Context) -> None:
    """Fill in `relieved` of every variant that runs whole brushes."""
    machine, bits = machine_of(context.target), context.target.register_bits
    divider = machine.divider(bits)
    if not divider.offloaded:
        return
    for variant in context.root.walk():
        if variant.nest is not None and variant.level == variant.nest.rank - 1 and not variant.masked and not variant.head:
            variant.offloaded = frozenset(_Choice(context, variant, machine).run())


def divisions(context: Context, variant: Variant) -> int:
    """How many registers of quotients and square roots one brush computes."""
    found = [i.result.name for label in variant.blocks for i in context.block(label).body if i.result and _is_root(i) is not None]
    return sum(len(coordinates) > 1 for name in found for coordinates in variant.demand.get(name, ()))


@dataclass(frozen=True, slots=True)
class _Division:
    """Quotients and roots that move together: how long they take the divider, and how many operations more do the same."""

    places: tuple[Place, ...]
    cycles: float
    operations: int


class _Choice:
    """The choice for one variant."""

    def __init__(self, context: Context, variant: Variant, machine: Machine) -> None:
        assert variant.nest is not None
        self.context = context
        self.variant = variant
        self.machine = machine
        self.bits = context.target.register_bits
        self.divider = machine.divider(self.bits)
        self.units = machine.arithmetic_per_cycle(self.bits)
        self.region = find_region(context.function, context.loops[variant.nest.headers[-1]].blocks & variant.inside)

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
        return len([way for way in ways if self.region.around(way)[-len(around):] == around and way not in around]) > 1

    def of_turn(self, header: str | None, times: dict[str, int]) -> tuple[Place, ...]:
        """What to take off the divider in the blocks whose innermost loop is `header`: those that an iteration executes once."""
        taken = others = 0.0
        for label, count in times.items():
            for position, instruction in enumerate(self.context.block(label).body):
                for coordinates in self.lane_sets(label, position, instruction):
                    others += count * self.operations(label, position, instruction, coordinates)
                    taken += count * self.cycles(instruction, coordinates)
        lost = mispredicted(self.machine) if any(count > 1 or self.parts_ways(label) for label, count in times.items()) else 0
        unmoved = self.time(taken, others, lost, self.chain(header, frozenset()))
        best, shortest = frozenset[Place](), math.inf
        moved = frozenset[Place]()
        labels = [label for label, count in times.items() if count == 1]
        for division in sorted(self.movable(labels), key=lambda d: -d.cycles / d.operations):
            moved |= set(division.places)
            taken -= division.cycles
            others += division.operations
            time = self.time(taken, others, lost, self.chain(header, frozenset(name for name, _ in moved)))
            if time < shortest and others <= cost.most_operations(self.machine):
                best, shortest = moved, time
        return tuple(best) if shortest < RELIEVED * unmoved else ()

    def time(self, taken: float, others: float, lost: float, chain: float) -> float:
        """Cycles of an iteration. Loops are short, and the next one starts before the last chain is done, within the window."""
        return max(taken, lost + others / self.units, chain * cost.hidden(self.machine, others))

    def movable(self, labels: list[str]) -> Iterator[_Division]:
        """Whole registers of quotients and roots, each quotient by a root together with the root."""
        found = [i for label in labels for i in self.context.block(label).body if _is_root(i) is not None]
        roots = {i.result.name for i in found if i.result and _is_root(i)}
        quotients = [i for i in found if isinstance(i, Binary) and _divisor(i) not in roots]
        for instruction in found:
            assert instruction.result is not None
            if instruction.result.name in roots or instruction in quotients:
                by_root = [i for i in found if isinstance(i, Binary) and _divisor(i) == instruction.result.name]
                for coordinates in self.variant.demand.get(instruction.result.name, ()):
                    together = [instruction, *(i for i in by_root if coordinates in self.variant.demand.get(i.result.name, ()))]
                    bits = bits_of(instruction.result.type)
                    if self.registers(bits, len(coordinates)) == 1:
                        yield _Division(
                            tuple((i.result.name, coordinates) for i in together if i.result),
                            sum(self.cycles(i, coordinates) for i in together),
                            sum(self.multiplications(i, bits, by_root=i is not instruction) for i in together),
                        )

    def multiplications(self, instruction: Instruction, bits: int, *, by_root: bool) -> int:
        """How many operations more take the place of one of the divider."""
        root = _is_root(instruction) is True
        small = isinstance(instruction, Binary) and not self.context.never_small(instruction.left)
        return cost.operations(bits, root=root, by_root=by_root, never_small=not small) - cost.BESIDE

    def lane_sets(self, label: str, position: int, instruction: Instruction) -> Iterable[Lanes]:
        if isinstance(instruction, Store):
            return self.context.stored_lanes(self.variant, label, position, instruction)
        return self.variant.demand.get(instruction.result.name, ()) if instruction.result is not None else ()

    def registers(self, bits: int, lanes: int) -> float:
        return bits * lanes / self.context.target.register_bits

    def cycles(self, instruction: Instruction, coordinates: Lanes) -> float:
        """How long an instruction takes the divider."""
        root = _is_root(instruction)
        if root is None or instruction.result is None:
            return 0
        bits = bits_of(instruction.result.type)
        return self.divider.of[root, bits].cycles * max(self.registers(bits, len(coordinates)), cost.PIECE)

    def operations(self, label: str, position: int, instruction: Instruction, coordinates: Lanes) -> float:
        """What an instruction takes of the units for vector operations."""
        lanes = len(coordinates)
        match instruction:
            case Phi() | Mask() | Alloca() | ElementPointer():
                return 0
            case Load() | Store():
                known = lanes == 1 or self.context.forms.is_together(self.variant, label, position)
                return 0 if known else lanes * apart(gather_slots(self.machine, self.bits), stored=isinstance(instruction, Store))
            case Call(callee=callee) if exact_name(callee) is None and not callee.startswith(("fmin", "fmax")):
                return CALL * lanes
            case _ if lanes == 1:
                return 0
            case Horizontal():
                return ACROSS_LANES
            case _ if _is_root(instruction) is not None:
                return cost.BESIDE
            case Binary(op="fadd" | "fsub", precise=False) if self.context.fp != "strict" and self.fuses(instruction):
                return 0
            case Binary(op="mul"):
                return 2
            case Convert(op="bitcast"):
                return 0
            case _:
                return 1

    def fuses(self, sum_: Binary) -> bool:
        """Whether a product is added."""
        found = [self.context.definitions.get(v.name) for v in (sum_.left, sum_.right) if isinstance(v, Var)]
        return any(d is not None and isinstance(d.instruction, Binary) and d.instruction.op == "fmul" for d in found)

    def chain(self, header: str | None, moved: frozenset[str]) -> float:
        """The longest chain of operations through which a value of a loop depends on the same value one iteration before."""
        if header is None:
            return 0
        loop = self.region.loops.loops[header]
        longest = 0.0
        for phi in self.context.block(header).phis:
            chain = _Chain(self.context, loop.blocks, self.machine, moved, {phi.result.name: 0.0})
            longest = max(longest, *(chain.until(value) for label, value in phi.incoming if label in loop.blocks))
        return longest


@dataclass(slots=True)
class _Chain:
    """Chains of operations that begin at a phi of a loop's header and stay in the loop."""

    context: Context
    blocks: frozenset[str]
    machine: Machine
    moved: frozenset[str]
    known: dict[str, float]

    def until(self, value: Value) -> float:
        """Cycles from the start until `value` is known; minus infinity when it does not depend on the start."""
        if not isinstance(value, Var):
            return -math.inf
        if value.name not in self.known:
            self.known[value.name] = UNDER_WAY  # around an inner loop
            definition = self.context.definitions.get(value.name)
            if definition is not None and definition.label in self.blocks:
                self.known[value.name] = self._after(definition.instruction)
        return self.known[value.name]

    def _after(self, instruction: Instruction | Phi) -> float:
        if isinstance(instruction, Phi):
            return max(self.until(value) for _, value in instruction.incoming)
        reached = [self.until(operand) for operand in operands(instruction)]
        root = _is_root(instruction)
        if root is None or instruction.result is None:
            return max(reached, default=-math.inf) + _latency(instruction, self.machine, self.bits)
        kind = (root, bits_of(instruction.result.type))
        if instruction.result.name not in self.moved:
            return max(reached) + self.machine.divider(self.bits).of[kind].result
        whole = cost.latency(self.machine, kind[1], root=root)
        return max(reached[-1] + whole, reached[0] + (whole if root else cost.latency_from_dividend(self.machine)))

    @property
    def bits(self) -> int:
        return self.context.target.register_bits


def _is_root(instruction: Instruction) -> bool | None:
    """Whether an instruction is a square root; None when it is no quotient either."""
    match instruction:
        case Binary(op="fdiv"):
            return False
        case Call(callee=callee, result=Var(type=type_)) if type_ in (F32, F64) and exact_name(callee) == "sqrt":
            return True
        case _:
            return None


def _divisor(quotient: Binary) -> str | None:
    return quotient.right.name if isinstance(quotient.right, Var) else None


def _latency(instruction: Instruction, machine: Machine, bits: int) -> float:
    match instruction:
        case Load():
            return machine.latency_of("load", bits)
        case Call(callee=callee) if exact_name(callee) is None:
            return call_latency()
        case Binary(result=Var(type=FloatType())) | Call():
            return machine.latency_of("fused", bits)
        case _:
            return 1
