"""The order of the lines of a block.

LLVM's scheduler keeps a good order and does not find one. Several orders are tried: as created (instruction by instruction, each
for all registers), depth first from the stores (one register of results after the other, or two or four at a time), and data
driven: loads in the order of their addresses, everything else as soon as its operands are there, so that a row of the input is
loaded once and used by all rows of results that need it. The one that keeps the fewest vector registers alive wins, data driven
in ties, unless it makes the processor wait: then the fastest one that its registers suffice for (`rv.widen.window`).

Stores wait until all loads that do not depend on them have been made, as far as registers suffice for what they store. A load
whose address has the low twelve bits of an earlier store's is taken for a load of what that stores until the store is done (4K
aliasing: Intel's optimization reference manual, "Memory disambiguation"; AMD's software optimization guides, "Store to load
forwarding"). Large arrays from one allocator have equal offsets modulo a page, so that rows of one alias rows of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rv.widen.lines import Line
from rv.widen.window import WAITING, cycles, least_cycles

WAITS: Final = 1.15
"""An order makes the processor wait when it takes so many times longer than the others."""


def schedule(lines: Sequence[Line], registers: int) -> list[Line]:
    """The lines in the order to be printed, for a machine with so many vector registers.

    Every line comes after those that it depends on.
    """
    parts = _parts(lines)
    single = [k for part in parts for k in part]
    small = min([_data_driven(lines), single, list(range(len(lines)))], key=lambda order: peak_weight(lines, order))
    return [lines[k] for k in _stores_behind_loads(lines, _waiting_less(lines, small, parts, registers), registers)]


def _stores_behind_loads(lines: Sequence[Line], order: Sequence[int], registers: int) -> list[int]:
    """The order with stores as late as the registers allow that hold what they store, but in front of what depends on them."""
    uses = [0] * len(lines)
    for line in lines:
        for operand in set(line.before):
            uses[operand] += 1
    found: list[int] = []
    waiting: dict[int, None] = {}
    alive = 0.0

    def place(k: int) -> None:
        nonlocal alive
        found.append(k)
        for operand in set(lines[k].before):
            uses[operand] -= 1
            alive -= lines[operand].weight if not uses[operand] else 0
        alive += lines[k].weight if uses[k] else 0

    def give_way() -> None:
        for store in waiting:
            place(store)
        waiting.clear()

    last_load = max((position for position, k in enumerate(order) if lines[k].kind == "load"), default=-1)
    for position, k in enumerate(order):
        needed = not waiting.keys().isdisjoint(lines[k].before)
        if lines[k].kind == "store" and position < last_load and not needed:
            waiting[k] = None
            continue
        if needed or position > last_load or alive + lines[k].weight > registers:
            give_way()
        place(k)
    give_way()
    return found


def _waiting_less(lines: Sequence[Line], small: list[int], parts: list[list[int]], registers: int) -> list[int]:
    """Another order than `small` where that makes the processor wait. A short block is seen as a whole in any order."""
    if len(lines) <= WAITING:
        return small
    time = cycles(lines, small)
    if time <= WAITS * least_cycles(lines):
        return small
    others = [list(range(len(lines))), _together(lines, parts, 2), _together(lines, parts, 4)]
    fitting = [order for order in others if peak_weight(lines, order) <= registers]
    fast = min(fitting, key=lambda order: cycles(lines, order), default=small)
    return fast if time > WAITS * cycles(lines, fast) else small


def peak_weight(lines: Sequence[Line], order: Sequence[int]) -> float:
    """The largest number of vector registers alive at once, among the values that are defined in the block."""
    last_use: dict[int, int] = {}
    for position, k in enumerate(order):
        for operand in lines[k].before:
            last_use[operand] = position
    alive = peak = 0.0
    dying: dict[int, float] = {}
    for position, k in enumerate(order):
        alive -= dying.pop(position, 0.0)
        if k in last_use and lines[k].weight:
            alive += lines[k].weight
            dying[last_use[k]] = dying.get(last_use[k], 0.0) + lines[k].weight
        peak = max(peak, alive)
    return peak


def _users(lines: Sequence[Line]) -> list[list[int]]:
    users: list[list[int]] = [[] for _ in lines]
    for k, line in enumerate(lines):
        for operand in set(line.before):
            users[operand].append(k)
    return users


def _data_driven(lines: Sequence[Line]) -> list[int]:
    users = _users(lines)
    waiting = [len(set(line.before)) for line in lines]
    done = [False] * len(lines)
    order: list[int] = []

    def run(start: int) -> None:
        stack = [start]
        while stack:
            k = stack.pop()
            if done[k]:
                continue
            done[k] = True
            order.append(k)
            ready = []
            for user in users[k]:
                waiting[user] -= 1
                if waiting[user] == 0 and (lines[user].place is None or lines[user].kind == "store"):
                    ready.append(user)
            stack.extend(reversed(ready))

    for k, line in enumerate(lines):
        if line.place is None and not line.before:
            run(k)
    pending = sorted(
        (k for k, line in enumerate(lines) if line.place is not None and line.kind == "load"), key=lambda k: _key(lines[k])
    )
    while pending:
        # a load that waits for a store becomes ready later: pass over it and come back
        ready_load = next((k for k in pending if waiting[k] == 0), None)
        if ready_load is None:
            break
        pending.remove(ready_load)
        run(ready_load)
    for k in range(len(lines)):
        # whatever waits for values of other blocks only, in order of creation
        if not done[k]:
            _run_with_operands(lines, k, done, order)
    return order


def _key(line: Line) -> tuple[object, ...]:
    assert line.place is not None
    return line.place


def _parts(lines: Sequence[Line]) -> list[list[int]]:
    """The lines depth first from the stores and other ends: what each end needs beyond those before it."""
    done = [False] * len(lines)
    used = {operand for line in lines for operand in line.before}
    ends = [k for k, line in enumerate(lines) if line.kind == "store" or (k not in used and line.kind == "pure")]
    found: list[list[int]] = []
    for k in (*ends, *range(len(lines))):
        found.append([])
        _run_with_operands(lines, k, done, found[-1])
    return [part for part in found if part]


def _together(lines: Sequence[Line], parts: list[list[int]], count: int) -> list[int]:
    """The parts, `count` of them at a time, line by line in turns."""
    done = [False] * len(lines)
    order: list[int] = []
    for start in range(0, len(parts), count):
        group = parts[start : start + count]
        for _, k in sorted((place, k) for part in group for place, k in enumerate(part)):
            _run_with_operands(lines, k, done, order)
    return order


def _run_with_operands(lines: Sequence[Line], root: int, done: list[bool], order: list[int]) -> None:
    stack = [(root, False)]
    while stack:
        k, expanded = stack.pop()
        if done[k]:
            continue
        if expanded:
            done[k] = True
            order.append(k)
            continue
        stack.append((k, True))
        stack.extend((operand, False) for operand in reversed(lines[k].before) if not done[operand])
