"""How long an iteration of a loop of machine instructions takes on a described core, when its data are in the first cache.

The longest of: what the ports need, if operations are spread well (`rv.cost.ports`); what the divider needs; what issuing takes;
the longest chain from one iteration to the next; and the longest chain inside an iteration, where so few iterations fit in the
processor's window that others do not hide it. Loops in which several come close take a little longer than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rv.cost.execution import Slot, Work, execute
from rv.cost.ports import busiest
from rv.target.description import Division, Form, Machine, Operation

DIVIDER: Final = ("divider",)
FAR: Final = 16
"""Iterations after which chains have settled."""


@dataclass(frozen=True, slots=True)
class Use:
    """An operation on registers of so many bits, `times` over, or as often as the core takes for a `form`."""

    operation: Operation
    bits: int
    times: float = 1.0
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class Divides:
    """A quotient or a square root of elements of `element` bits in a register of `bits`."""

    root: bool
    element: int
    bits: int


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: what it uses, and registers. `addresses` are read when it starts to load, `reads` by what comes after.

    `gathered` elements are loaded apart; a load or store may be `masked`. `indexed`: its operand in memory has an index.
    `issued`: the operations that issuing it takes, apart from an `operand` in memory. `adds_to`: the register to which a
    fused multiplication adds. `general`: it loads a general register.
    """

    uses: tuple[Use, ...] = ()
    divides: Divides | None = None
    addresses: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    gathered: int = 0
    masked: bool = False
    indexed: bool = False
    issued: float = 1.0
    operand: bool = False
    adds_to: str = ""
    general: bool = False


@dataclass(frozen=True, slots=True)
class Cycles:
    """Cycles of an iteration, by what would take them alone."""

    ports: float
    divider: float
    issue: float
    chain: float
    window: float

    @property
    def total(self) -> float:
        return max(self.ports, self.divider, self.issue, self.chain, self.window)

    @property
    def limit(self) -> str:
        """Which of them it is."""
        return max(("ports", "divider", "issue", "chain", "window"), key=lambda name: float(getattr(self, name)))


def cycles(machine: Machine, steps: Sequence[Step]) -> Cycles:
    """The cycles of one iteration of a loop of these instructions."""
    work = [_work(machine, step) for step in steps]
    slots = [slot for one in work for slot in (*one.loads, *one.slots)]
    divider = sum(_division(machine, step.divides).cycles for step in steps if step.divides is not None)
    issue = sum(one.operations for one in work) / machine.issue
    loads = [(frozenset(slot.ports), slot.cycles * slot.count) for slot in slots if slot.ports != DIVIDER]
    return Cycles(busiest(loads), divider, issue, _chain(work), execute(machine, work))


def chain(machine: Machine, steps: Sequence[Step]) -> float:
    """The cycles of the longest way from a register of one iteration to the same in the next."""
    return _chain([_work(machine, step) for step in steps])


def _work(machine: Machine, step: Step) -> Work:
    """What a step takes of the core."""
    uses = [use for use in step.uses if use.operation != "load"]
    loads = [use for use in step.uses if use.operation == "load"]
    loaded = [_slot(machine, use) for use in loads]
    latency: float = sum(machine.latency_of(use.operation, use.bits) for use in uses if use.operation != "store")
    waits = machine.latency_of("load", max(use.bits for use in loads)) if loads else 0.0
    if step.general:
        waits = machine.memory.levels[0].latency
    slots = [_slot(machine, use) for use in uses if machine.ports_of(use.operation, use.bits)]
    issued = step.issued + sum(use.times * (_parts(machine, use) - 1) for use in step.uses)
    issued += machine.operand * step.operand + machine.indexed * step.indexed
    if step.gathered:
        ports = tuple(sorted(machine.ports_of("load", 64)))
        loaded.append(Slot(ports, 1, step.gathered * machine.gather * len(ports)))
        waits = machine.gather_latency
    if step.masked:
        access = next(use for use in step.uses if use.operation in ("load", "store"))
        times = machine.masked_load if access.operation == "load" else machine.masked_store
        slots.append(_slot(machine, Use("bitwise", access.bits, times)))
        latency += times * machine.latency_of("bitwise", access.bits)
        issued += max(0.0, times - 1)
    if step.divides is not None:
        found = _division(machine, step.divides)
        slots.append(Slot(DIVIDER, found.cycles, 1))
        latency += found.result
    vector = machine.unified or any(use.bits > 64 for use in uses)
    forwarded = latency - machine.accumulate if step.adds_to else 0.0
    return Work(
        tuple(loaded), waits, step.addresses, tuple(slots), step.reads, latency, step.writes, issued, vector, step.adds_to,
        forwarded,
    )  # fmt: skip


def _slot(machine: Machine, use: Use) -> Slot:
    width = machine.width(use.bits)
    ports = tuple(sorted(machine.ports_of(use.operation, use.bits)))
    parts = _parts(machine, use)
    # less than one: ports are as wide as the register
    return Slot(ports, machine.occupied[width] * min(1.0, parts), use.times * max(1.0, parts))


def _parts(machine: Machine, use: Use) -> float:
    """The operations that one counts for."""
    return machine.cracked[machine.width(use.bits), use.operation] * (machine.parts[use.form] if use.form is not None else 1.0)


def _division(machine: Machine, divides: Divides) -> Division:
    return machine.divider(divides.bits).of[divides.root, divides.element]


def _chain(work: Sequence[Work]) -> float:
    """The longest way from a register of one iteration to the same in the next."""
    ready: dict[str, float] = {}
    times = []
    for _ in range(2):
        for _ in range(FAR):
            for one in work:
                _run(one, ready)
        times.append(dict(ready))
    first, second = times
    return max(((second[name] - first.get(name, 0.0)) / FAR for name in second), default=0.0)


def _run(work: Work, ready: dict[str, float]) -> None:
    start = max((ready.get(name, 0.0) for name in work.reads), default=0.0)
    start = max(start, ready.get(work.late, 0.0) - work.forwarded)
    if work.loads:
        start = max(start, max((ready.get(name, 0.0) for name in work.addresses), default=0.0) + work.load_latency)
    for name in work.writes:
        ready[name] = start + work.latency
