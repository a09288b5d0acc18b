"""Which quotients and square roots are computed by multiplications, because the divider is the bottleneck (`rv.widen.quotients`).

For one turn of each loop inside the brush, and for one brush of what is in none: the cycles that the divider is taken,
those that the two units for other vector operations need, and the longest chain of operations from one turn to the next. The
longest of the three is the time of a turn. Registers are taken off the divider, those first that cost least for the time that
they save, until that time is shortest; the others stay, so that divider and multipliers work side by side. All stay when less
than a fifth of the time would be saved.

That is how long turns take when several are under way at once. It holds for short turns without branches: long ones do not fit in
the processor's window, and after a mispredicted branch divisions overlap with what follows, but multiplications delay it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rv.analysis.region import find_region
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
from rv.target.divider import Divider, divider_of
from rv.widen.lanes import Pattern
from rv.widen.math_calls import exact_name
from rv.widen.quotients import FROM_DIVIDEND, LATENCY, operations
from tensorrv.brush.branching import CALL
from tensorrv.brush.context import Context
from tensorrv.brush.copies import Copy

UNITS: Final = 2  # for vector operations
WORTH: Final = 0.8
SHORT: Final = 128  # operations of a turn, of which processors have four and more under way
APART: Final = 0.75  # operations for each lane of a gather; twice as many for a scatter
ON_DIVIDER: Final = 3  # operations of a division beside the divider's
UNDER_WAY: Final = -math.inf

Place = tuple[str, Pattern]


def relieve_divider(context: Context) -> None:
    """Fill in `relieved` of every copy that runs whole brushes."""
    divider = divider_of(context.target)
    if divider is None:
        return
    for copy in context.root.walk():
        if copy.nest is not None and copy.level == copy.nest.rank - 1 and not copy.masked and not copy.head:
            copy.relieved = frozenset(_Choice(context, copy, divider).run())


def divisions(context: Context, copy: Copy) -> int:
    """How many registers of quotients and square roots one brush computes."""
    found = [i.result.name for label in copy.blocks for i in context.block(label).body if i.result and _is_root(i) is not None]
    return sum(len(pattern) > 1 for name in found for pattern in copy.demand.get(name, ()))


@dataclass(frozen=True, slots=True)
class _Division:
    """A quotient or root in one register: how long it takes the divider, and how many operations do the same."""

    name: str
    pattern: Pattern
    cycles: float
    operations: int


class _Choice:
    """The choice for one copy."""

    def __init__(self, context: Context, copy: Copy, divider: Divider) -> None:
        assert copy.nest is not None
        self.context = context
        self.copy = copy
        self.divider = divider
        self.region = find_region(context.function, context.loops[copy.nest.headers[-1]].blocks & frozenset(copy.blocks))

    def run(self) -> Iterator[Place]:
        groups: dict[str | None, list[str]] = {}
        for label in self.region.dominators.order:
            groups.setdefault(next(iter(self.region.around(label)), None), []).append(label)
        for header, labels in groups.items():
            if not any(self.parts_ways(label) for label in labels):
                yield from self.of_turn(header, labels)

    def parts_ways(self, label: str) -> bool:
        """Whether control may go on from a block to different ones in the same turn, an inner loop included."""
        ways = self.region.graph.successors[label]
        around = self.region.around(label)
        inner = self.region.loops.loops
        return len([way for way in ways if self.region.around(way)[-len(around):] == around and way not in around]) > 1 or (
            any(way in inner and way not in around for way in ways)
        )

    def of_turn(self, header: str | None, labels: list[str]) -> tuple[Place, ...]:
        """What to take off the divider in the blocks whose innermost loop is `header`."""
        taken = others = 0.0
        movable: list[_Division] = []
        for label in labels:
            for position, instruction in enumerate(self.context.block(label).body):
                for pattern in self.patterns(label, position, instruction):
                    others += self.operations(label, position, instruction, pattern)
                    division = self.division(instruction, pattern)
                    taken += division.cycles if division else 0.0
                    if division is not None and division.operations:
                        movable.append(division)
        movable.sort(key=lambda d: -d.cycles / (d.operations - ON_DIVIDER))
        best, shortest = 0, math.inf
        unmoved = max(taken, others / UNITS, self.chain(header, frozenset()))
        for count in range(len(movable) + 1):
            if count:
                moved = movable[count - 1]
                taken -= moved.cycles
                others += moved.operations - ON_DIVIDER
            chain = self.chain(header, frozenset(d.name for d in movable[:count]))
            time = max(taken, others / UNITS, chain)
            if time < shortest and others <= SHORT:
                best, shortest = count, time
        return tuple((d.name, d.pattern) for d in movable[:best]) if shortest < WORTH * unmoved else ()

    def patterns(self, label: str, position: int, instruction: Instruction) -> Iterable[Pattern]:
        if isinstance(instruction, Store):
            return self.context.store_patterns(self.copy, label, position, instruction)
        return self.copy.demand.get(instruction.result.name, ()) if instruction.result is not None else ()

    def registers(self, bits: int, lanes: int) -> float:
        return bits * lanes / self.context.target.register_bits

    def division(self, instruction: Instruction, pattern: Pattern) -> _Division | None:
        """What the divider has to do for an instruction; without operations when it has to be the divider."""
        root = _is_root(instruction)
        if root is None or instruction.result is None:
            return None
        bits = bits_of(instruction.result.type)
        full = self.registers(bits, len(pattern))
        cycles = self.divider.cycles[root, bits] * max(full, 1 / 4)
        return _Division(instruction.result.name, pattern, cycles, operations(bits, root=root) if full == 1 else 0)

    def operations(self, label: str, position: int, instruction: Instruction, pattern: Pattern) -> float:
        """What an instruction takes of the units for vector operations."""
        lanes = len(pattern)
        match instruction:
            case Phi() | Mask() | Alloca() | ElementPointer():
                return 0
            case Load() | Store():
                elements = self.context.elements(self.copy, label, position)
                known = lanes == 1 or (elements is not None and elements.contiguous_dimension is not None)
                return 0 if known else APART * lanes * (1 if isinstance(instruction, Load) else 2)
            case Call(callee=callee) if exact_name(callee) is None and not callee.startswith(("fmin", "fmax")):
                return CALL * lanes
            case _ if lanes == 1:
                return 0
            case Horizontal():
                return 2
            case _ if _is_root(instruction) is not None:
                return ON_DIVIDER
            case Binary(op="fadd" | "fsub", precise=False) if self.context.plan.fp != "strict" and self.fuses(instruction):
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
        """The longest chain of operations through which a value of a loop depends on the same value one turn before."""
        if header is None:
            return 0
        loop = self.region.loops.loops[header]
        longest = 0.0
        for phi in self.context.block(header).phis:
            chain = _Chain(self.context, loop.blocks, self.divider, moved, {phi.result.name: 0.0})
            longest = max(longest, *(chain.until(value) for label, value in phi.incoming if label in loop.blocks))
        return longest


@dataclass(slots=True)
class _Chain:
    """Chains of operations that begin at a phi of a loop's header and stay in the loop."""

    context: Context
    blocks: frozenset[str]
    divider: Divider
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
            return max(reached, default=-math.inf) + _latency(instruction)
        kind = (root, bits_of(instruction.result.type))
        if instruction.result.name not in self.moved:
            return max(reached) + self.divider.latency[kind]
        return max(reached[-1] + LATENCY[kind], reached[0] + (LATENCY[kind] if root else FROM_DIVIDEND))


def _is_root(instruction: Instruction) -> bool | None:
    """Whether an instruction is a square root; None when it is no quotient either."""
    match instruction:
        case Binary(op="fdiv"):
            return False
        case Call(callee=callee, result=Var(type=type_)) if type_ in (F32, F64) and exact_name(callee) == "sqrt":
            return True
        case _:
            return None


def _latency(instruction: Instruction) -> int:
    match instruction:
        case Load():
            return 6
        case Call(callee=callee) if exact_name(callee) is None:
            return 4 * CALL
        case Binary(result=Var(type=FloatType())) | Call():
            return 4
        case _:
            return 1
