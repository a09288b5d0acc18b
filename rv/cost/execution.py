"""A loop of machine instructions executed out of order on a described core, instruction by instruction, until it repeats.

Operations enter in order, at most `issue` of them in a cycle, while the processor's window and its schedulers have places. Each
starts in the first cycle in which its operands are there and one of its ports is free, the oldest first; of ports that are free
at the same time the one with the least work takes it. Places in the window are given back in order. Bounds by single resources
(`rv.cost.loop`) do not see that a chain inside an iteration keeps younger iterations waiting: this does. It is how llvm-mca and
uiCA (Abel and Reineke, ICS 2022) work, on the numbers of the description.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from rv.target.description import Machine

WINDOWS: Final = 4
"""How many times the window is filled: by then the same happens in every iteration, or the same in some of them."""
FEWEST: Final = 12
MOST: Final = 60
"""Iterations."""
INFINITE: Final = math.inf


@dataclass(frozen=True, slots=True)
class Slot:
    """What keeps one of `ports` for `cycles`, `count` times over."""

    ports: tuple[str, ...]
    cycles: float
    count: float


@dataclass(frozen=True, slots=True)
class Work:
    """One instruction: `loads` start when `addresses` are there, `slots` after them and `reads`, and `forwarded` cycles before
    `late`; `writes` are there `latency` cycles later. `operations` count for the front end; `waits` in a scheduler.
    """

    loads: tuple[Slot, ...]
    load_latency: float
    addresses: tuple[str, ...]
    slots: tuple[Slot, ...]
    reads: tuple[str, ...]
    latency: float
    writes: tuple[str, ...]
    operations: float
    waits: bool
    late: str = ""
    forwarded: float = 0.0


@dataclass(slots=True)
class _Part:
    """The loads of an instruction under way, or what comes after them: starts when the last of `missing` operands is there."""

    number: int
    slots: list[tuple[tuple[str, ...], float]]
    delay: float
    waits: bool
    ready: float = 0.0
    missing: int = 0
    left: int = 0
    last: float = 0.0
    done: float = INFINITE
    users: list[tuple[_Part, float]] = field(default_factory=list)


@dataclass(slots=True)
class _Core:
    """A core while it runs. `ready`: by ports, what could start now, the oldest first; `later`: what is ready at a known time."""

    machine: Machine
    now: float = 0.0
    number: int = 0
    room: float = 0.0
    waiting: int = 0
    busy: dict[str, float] = field(default_factory=dict)
    work: dict[str, float] = field(default_factory=dict)
    written: dict[str, _Part] = field(default_factory=dict)
    ready: dict[tuple[str, ...], list[tuple[int, int, float, _Part]]] = field(default_factory=dict)
    later: list[tuple[float, int, _Part]] = field(default_factory=list)
    window: deque[tuple[float, _Part]] = field(default_factory=deque)
    inside: float = 0.0
    owed: dict[tuple[int, int], float] = field(default_factory=dict)

    def enter(self, place: int, work: Work) -> _Part:
        """An instruction, the `place`-th of the loop, enters as soon as there is room. The part that gives its result."""
        # what takes more room than there is in a cycle borrows from the next
        while self.room <= 0 or not self._has_room(work):
            self._cycle()
        self.room -= work.operations
        self.number += 1
        part = _Part(self.number, self._counted(place, work.slots, len(work.loads)), work.latency, work.waits)
        for name in work.reads:
            self._needs(part, name, 0.0)
        self._needs(part, work.late, work.forwarded)
        if work.loads:
            loads = _Part(self.number, self._counted(place, work.loads, 0), work.load_latency, False)
            for name in work.addresses:
                self._needs(loads, name, 0.0)
            part.missing += 1
            loads.users.append((part, 0.0))
            self._begin(loads)
        for name in work.writes:
            self.written[name] = part
        self.waiting += part.waits
        self.inside += work.operations
        self.window.append((work.operations, part))
        self._begin(part)
        return part

    def until(self, part: _Part) -> float:
        """The time when a part is done."""
        while part.done > self.now:
            self._cycle()
        return part.done

    def _has_room(self, work: Work) -> bool:
        fits = not self.window or self.inside + work.operations <= self.machine.window
        return fits and not (work.waits and self.waiting >= self.machine.scheduler)

    def _counted(self, place: int, slots: Sequence[Slot], first: int) -> list[tuple[tuple[str, ...], float]]:
        """Every slot as often as it counts; parts of counts are owed to the next iteration."""
        found = []
        for number, slot in enumerate(slots, first):
            count = slot.count + self.owed.get((place, number), 0.0)
            self.owed[place, number] = count - int(count + 1e-9)
            found += [(slot.ports, slot.cycles)] * int(count + 1e-9)
        return found

    def _needs(self, part: _Part, name: str, forwarded: float) -> None:
        source = self.written.get(name)
        if source is None:
            return
        if source.done < INFINITE:
            part.ready = max(part.ready, source.done - forwarded)
        else:
            part.missing += 1
            source.users.append((part, forwarded))

    def _begin(self, part: _Part) -> None:
        """What to do once all operands of a part are known."""
        if part.missing:
            return
        part.left = len(part.slots)
        part.ready = max(part.ready, self.now)
        if part.left:
            heapq.heappush(self.later, (part.ready, part.number, part))
        else:
            self._finish(part, part.ready)

    def _finish(self, part: _Part, started: float) -> None:
        part.done = started + part.delay
        self.waiting -= part.waits
        for user, forwarded in part.users:
            user.ready = max(user.ready, part.done - forwarded)
            user.missing -= 1
            self._begin(user)

    def _cycle(self) -> None:
        """The next cycle: results go, what is ready starts, and as many operations as the front end brings have room."""
        while self.window and self.window[0][1].done <= self.now:
            self.inside -= self.window.popleft()[0]
        while self.later and self.later[0][0] < self.now + 1:
            part = heapq.heappop(self.later)[2]
            for place, (ports, cycles) in enumerate(part.slots):
                heapq.heappush(self.ready.setdefault(ports, []), (part.number, place, cycles, part))
        while self._start():
            pass
        self.now += 1
        self.room = min(self.room, 0.0) + self.machine.issue

    def _start(self) -> bool:
        """Starts the oldest for which a port is free; whether there was one."""
        free = [
            (queue[0][0], ports) for ports, queue in self.ready.items()
            if queue and any(self.busy.get(port, 0.0) < self.now + 1 for port in ports)
        ]  # fmt: skip
        if not free:
            return False
        _, ports = min(free)
        _, _, cycles, part = heapq.heappop(self.ready[ports])
        port = min(
            (port for port in ports if self.busy.get(port, 0.0) < self.now + 1), key=lambda port: self.work.get(port, 0.0)
        )
        self.busy[port] = max(self.busy.get(port, 0.0), self.now) + cycles
        self.work[port] = self.work.get(port, 0.0) + cycles
        part.left -= 1
        if not part.left:
            self._finish(part, self.now)
        return True


def execute(machine: Machine, work: Sequence[Work]) -> float:
    """The cycles of an iteration, on average once the loop runs evenly."""
    core = _Core(machine)
    whole = sum(one.operations for one in work)
    half = max(FEWEST, min(MOST, math.ceil(WINDOWS * machine.window / max(whole, 1.0)))) // 2
    ends = [[core.enter(place, one) for place, one in enumerate(work)] for _ in range(2 * half)]
    first, second = (max(core.until(part) for part in ends[number]) for number in (half - 1, 2 * half - 1))
    return (second - first) / half
