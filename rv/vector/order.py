"""The order of the statements of a block.

LLVM's scheduler keeps a good order and does not find one. Several orders are tried: as created (instruction by instruction, each
for all registers), depth first from the stores (one register of results after the other, or two or four at a time), and data
driven: loads in the order of their addresses, everything else as soon as its operands are there, so that a row of the input is
loaded once and used by all rows of results that need it. The one that keeps the fewest vector registers alive wins, data driven
in ties, unless it makes the processor wait: then the fastest one that its registers suffice for (`rv.vector.window`).

Stores wait until all loads that do not depend on them have been made, as far as registers suffice for what they store. A load
whose address has the low twelve bits of an earlier store's is taken for a load of what that stores until the store is done (4K
aliasing: Intel's optimization reference manual, "Memory disambiguation"; AMD's software optimization guides, "Store to load
forwarding"). Large arrays from one allocator have equal offsets modulo a page, so that rows of one alias rows of the other.

A load comes after earlier stores to its memory and a store after all earlier accesses of it; distinct memories are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rv.cost.margins import WAITS
from rv.vector.dependences import Node, dependences
from rv.vector.function import Block, Module
from rv.vector.instructions import Place
from rv.vector.window import Timing, cycles, least_cycles


def ordered(module: Module, registers: int, register_bits: int, timing: Timing) -> Module:
    """The module with the statements of every block that is not fixed in the order for a machine with such registers."""
    functions = tuple(
        replace(f, blocks=tuple(b if b.fixed else order_block(b, registers, register_bits, timing) for b in f.blocks))
        for f in module.functions
    )
    return replace(module, functions=functions)


def order_block(block: Block, registers: int, register_bits: int, timing: Timing) -> Block:
    """The block with its statements in the order to be executed."""
    order = schedule(dependences(block.body, register_bits), registers, timing)
    return replace(block, body=tuple(block.body[k] for k in order))


def schedule(nodes: Sequence[Node], registers: int, timing: Timing) -> list[int]:
    """The numbers of the nodes in order, for a machine with so many vector registers; each after those that it depends on."""
    parts = _parts(nodes)
    single = [k for part in parts for k in part]
    small = min([_data_driven(nodes), single, list(range(len(nodes)))], key=lambda order: peak_weight(nodes, order))
    return _stores_behind_loads(nodes, _waiting_less(nodes, small, parts, registers, timing), registers)


def _stores_behind_loads(nodes: Sequence[Node], order: Sequence[int], registers: int) -> list[int]:
    """The order with stores as late as the registers allow that hold what they store, but in front of what depends on them."""
    uses = [0] * len(nodes)
    for node in nodes:
        for operand in set(node.before):
            uses[operand] += 1
    found: list[int] = []
    waiting: dict[int, None] = {}
    alive = 0.0

    def place(k: int) -> None:
        nonlocal alive
        found.append(k)
        for operand in set(nodes[k].before):
            uses[operand] -= 1
            alive -= nodes[operand].weight if not uses[operand] else 0
        alive += nodes[k].weight if uses[k] else 0

    def give_way() -> None:
        for store in waiting:
            place(store)
        waiting.clear()

    last_load = max((position for position, k in enumerate(order) if nodes[k].kind == "load"), default=-1)
    for position, k in enumerate(order):
        needed = not waiting.keys().isdisjoint(nodes[k].before)
        if nodes[k].kind == "store" and position < last_load and not needed:
            waiting[k] = None
            continue
        if needed or position > last_load or alive + nodes[k].weight > registers:
            give_way()
        place(k)
    give_way()
    return found


def _waiting_less(
    nodes: Sequence[Node], small: list[int], parts: list[list[int]], registers: int, timing: Timing
) -> list[int]:
    """Another order than `small` where that stalls the processor. A short block fits into the window in any order."""
    if len(nodes) <= timing.waiting:
        return small
    time = cycles(nodes, small, timing)
    if time <= WAITS * least_cycles(nodes, timing):
        return small
    others = [list(range(len(nodes))), _together(nodes, parts, 2), _together(nodes, parts, 4)]
    fitting = [order for order in others if peak_weight(nodes, order) <= registers]
    fast = min(fitting, key=lambda order: cycles(nodes, order, timing), default=small)
    return fast if time > WAITS * cycles(nodes, fast, timing) else small


def peak_weight(nodes: Sequence[Node], order: Sequence[int]) -> float:
    """The largest number of vector registers alive at once, among the values that are defined in the block."""
    last_use: dict[int, int] = {}
    for position, k in enumerate(order):
        for operand in nodes[k].before:
            last_use[operand] = position
    alive = peak = 0.0
    dying: dict[int, float] = {}
    for position, k in enumerate(order):
        alive -= dying.pop(position, 0.0)
        if k in last_use and nodes[k].weight:
            alive += nodes[k].weight
            dying[last_use[k]] = dying.get(last_use[k], 0.0) + nodes[k].weight
        peak = max(peak, alive)
    return peak


def _users(nodes: Sequence[Node]) -> list[list[int]]:
    users: list[list[int]] = [[] for _ in nodes]
    for k, node in enumerate(nodes):
        for operand in set(node.before):
            users[operand].append(k)
    return users


def _data_driven(nodes: Sequence[Node]) -> list[int]:
    users = _users(nodes)
    waiting = [len(set(node.before)) for node in nodes]
    done = [False] * len(nodes)
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
                if waiting[user] == 0 and (nodes[user].place is None or nodes[user].kind == "store"):
                    ready.append(user)
            stack.extend(reversed(ready))

    for k, node in enumerate(nodes):
        if node.place is None and not node.before:
            run(k)
    pending = sorted(
        (k for k, node in enumerate(nodes) if node.place is not None and node.kind == "load"), key=lambda k: _key(nodes[k])
    )
    while pending:
        # a load that waits for a store becomes ready later: pass over it and come back
        ready_load = next((k for k in pending if waiting[k] == 0), None)
        if ready_load is None:
            break
        pending.remove(ready_load)
        run(ready_load)
    for k in range(len(nodes)):
        # whatever waits for values of other blocks only, in order of creation
        if not done[k]:
            _run_with_operands(nodes, k, done, order)
    return order


def _key(node: Node) -> Place:
    assert node.place is not None
    return node.place


def _parts(nodes: Sequence[Node]) -> list[list[int]]:
    """The nodes depth first from the stores and other ends: what each end needs beyond those before it."""
    done = [False] * len(nodes)
    used = {operand for node in nodes for operand in node.before}
    ends = [k for k, node in enumerate(nodes) if node.kind == "store" or (k not in used and node.kind == "pure")]
    found: list[list[int]] = []
    for k in (*ends, *range(len(nodes))):
        found.append([])
        _run_with_operands(nodes, k, done, found[-1])
    return [part for part in found if part]


def _together(nodes: Sequence[Node], parts: list[list[int]], count: int) -> list[int]:
    """The parts, `count` of them at a time, with their nodes interleaved."""
    done = [False] * len(nodes)
    order: list[int] = []
    for start in range(0, len(parts), count):
        group = parts[start : start + count]
        for _, k in sorted((place, k) for part in group for place, k in enumerate(part)):
            _run_with_operands(nodes, k, done, order)
    return order


def _run_with_operands(nodes: Sequence[Node], root: int, done: list[bool], order: list[int]) -> None:
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
        stack.extend((operand, False) for operand in reversed(nodes[k].before) if not done[operand])
