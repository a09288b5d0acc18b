"""How long an iteration of a loop of machine instructions takes on a described core, when its data are in the first cache.

The longest of: what the ports need, if operations are spread well (`rv.cost.ports`); what the divider needs; what issuing takes;
the longest chain from one iteration to the next; and the longest chain inside an iteration, where so few iterations fit in the
processor's window that others do not hide it. Loops in which several come close take a little longer than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rv.cost.ports import Load, busiest
from rv.target.description import Machine, Operation

FAR: Final = 16
"""Iterations after which chains have settled."""


@dataclass(frozen=True, slots=True)
class Use:
    """An operation on registers of so many bits, `times` over."""

    operation: Operation
    bits: int
    times: float = 1.0


@dataclass(frozen=True, slots=True)
class Divides:
    """A quotient or a square root of elements of `element` bits in a register of `bits`."""

    root: bool
    element: int
    bits: int


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: what it uses, and registers. `addresses` are read when it starts to load, `reads` by what comes after.

    `gathered` elements are loaded apart; an access may be `masked`. `indexed`: its operand in memory has an index.
    `issued`: the operations that issuing it takes.
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
    loads = [load for step in steps for load in _loads(machine, step)]
    divider = sum(_division(machine, step.divides)[0] for step in steps if step.divides is not None)
    operations = sum(step.issued for step in steps)
    issue = (operations + machine.indexed * sum(step.indexed for step in steps)) / machine.issue
    window = _longest(machine, steps) * operations / machine.window
    return Cycles(busiest(loads), divider, issue, _chain(machine, steps), window)


def _loads(machine: Machine, step: Step) -> list[Load]:
    """The ports that a step takes, and for how long."""
    found = [
        (machine.ports_of(use.operation, use.bits), use.times * machine.occupied[machine.width(use.bits)]) for use in step.uses
    ]
    if step.gathered:
        found.append((machine.ports_of("load", 64), step.gathered * machine.gather))
    if step.masked:
        access = next(use for use in step.uses if use.operation in ("load", "store"))
        times = machine.masked_load if access.operation == "load" else machine.masked_store
        found.append((machine.ports_of("logic", access.bits), times * machine.occupied[machine.width(access.bits)]))
    return found


def _division(machine: Machine, divides: Divides) -> tuple[float, int]:
    found = machine.divider(divides.bits).of[divides.root, divides.element]
    return found.cycles, found.result


def _longest(machine: Machine, steps: Sequence[Step]) -> float:
    """The longest chain of an iteration by itself."""
    ready: dict[str, float] = {}
    longest = 0.0
    for step in steps:
        _run(machine, step, ready)
        longest = max(longest, *(ready[name] for name in step.writes), 0.0)
    return longest


def _chain(machine: Machine, steps: Sequence[Step]) -> float:
    """The longest way from a register of one iteration to the same in the next."""
    ready: dict[str, float] = {}
    times = []
    for _ in range(2):
        for _ in range(FAR):
            for step in steps:
                _run(machine, step, ready)
        times.append(dict(ready))
    first, second = times
    return max(((second[name] - first.get(name, 0.0)) / FAR for name in second), default=0.0)


def _run(machine: Machine, step: Step, ready: dict[str, float]) -> None:
    start = max((ready.get(name, 0.0) for name in step.reads), default=0.0)
    loads = [use for use in step.uses if use.operation == "load"]
    if loads or step.gathered:
        addressed = max((ready.get(name, 0.0) for name in step.addresses), default=0.0)
        waits = machine.gather_latency if step.gathered else machine.latency_of("load", max(use.bits for use in loads))
        start = max(start, addressed + waits)
    own = sum(machine.latency_of(use.operation, use.bits) for use in step.uses if use.operation not in ("load", "store"))
    if step.divides is not None:
        own += _division(machine, step.divides)[1]
    for name in step.writes:
        ready[name] = start + own
