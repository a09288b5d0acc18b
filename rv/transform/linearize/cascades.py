"""Values that come to a block over several edges of the original control flow, computed along the linearized one.

    b: jump d                             b: jump c
    c: jump d                     ->      c: %x = select %mask.c, %w, %v total
    d: %x = phi [%v, b], [%w, c]             jump d
                                          d:

One variable, the *arrival*, is carried to the block from where its threads begin (`origin`). Where threads take an edge to the
block, the arrival is updated: with a select under the edge's mask, or simply with the new value where no thread on the way has
a value yet. Where linearized control flow joins, arrivals meet in a phi. So a select is made exactly where threads of two edges
come along one path, and a phi where uniform branches chose between paths. The order of selects does not matter: a thread takes
one edge to the block. An edge whose value is already what a thread has that took none of the earlier edges (the *bottom* of the
cascade) needs no select. As long as the arrival is the same on all paths, blocks are skipped.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rv.analysis.cfg.region import Region
from rv.ir.types import Type
from rv.ir.values import Undef, Value, Var
from rv.transform.linearize.additions import Additions
from rv.transform.linearize.linear_graph import LinearGraph


@dataclass(frozen=True, slots=True)
class Arrival:
    """The value so far. `free`: no thread needs it yet. `bottom`: the value of threads over whose edges nothing was selected."""

    value: Value | None
    bottom: Value | None
    free: bool


Update = Callable[[str, str, Arrival], Arrival]


def origin(region: Region, target: str) -> str:
    """The nearest block above `target` behind which the block order has only blocks that it dominates, as far as `target`.

    That is the immediate dominator, or the header of the outermost loop that contains this but not `target`: behind a block in
    a loop come blocks of the loop which it does not dominate, before those that it dominates outside of the loop.
    """
    above = region.dominators.immediate[target]
    assert above is not None, "nothing comes to the entry of a region"
    around = region.around(target)
    left = [header for header in region.around(above) if header not in around]
    return left[-1] if left else above


def arrival(
    region: Region,
    linear: LinearGraph,
    additions: Additions,
    target: str,
    start: Arrival,
    result: Var,
    update: Update,
    wanted: str,
) -> Arrival:
    """The arrival at `target`. `update(source, following, before)` is called where threads take an original edge source -> target
    and go on to the block `following`. A phi in `target` itself gets the name `result`."""
    above = origin(region, target)
    sources = linear.sources[target]
    places = sorted(linear.index[source] for source in sources)
    seen = [start]  # all arrivals that differ; edges have their numbers
    everywhere = 0  # the number of all edges that are not in `outgoing`
    outgoing: dict[tuple[str, str], int] = {}
    edges_with: Counter[int] = Counter()
    position, last = linear.index[above], linear.index[target]
    while True:
        label = linear.order[position]
        coming = [(source, outgoing.get((source, label), everywhere)) for source in linear.coming[label]]
        for source, number in coming:
            if outgoing.pop((source, label), None) is not None:
                edges_with[number] -= 1
        own = coming[0][1] if label != above and len({number for _, number in coming}) == 1 else everywhere
        if label != above and any(number != own for _, number in coming):
            states = [(source, seen[number]) for source, number in coming]
            own = _number(seen, _meet(additions, label, states, wanted, result.type, result if label == target else None))
        if label == target:
            return seen[own]
        for following in linear.onward[label]:
            taken = label in sources and linear.carries(label, following, target)[0]
            number = _number(seen, update(label, following, seen[own])) if taken else own
            outgoing[label, following] = number
            edges_with[number] += 1
        position += 1
        others = linear.passing[label] + len(linear.onward[label]) - linear.passing[above] - len(outgoing)
        alive = {number for number, count in edges_with.items() if count} | ({everywhere} if others else set())
        if len(alive) == 1:
            # nothing happens until the next source
            (everywhere,) = alive
            outgoing, edges_with = {}, Counter()
            following_source = bisect_left(places, position)
            position = places[following_source] if following_source < len(places) else last


def _number(seen: list[Arrival], state: Arrival) -> int:
    """The number of an arrival among those found so far."""
    if state not in seen:
        seen.append(state)
    return seen.index(state)


def _meet(
    additions: Additions,
    label: str,
    coming: list[tuple[str, Arrival]],
    wanted: str,
    type_: Type,
    result: Var | None,
) -> Arrival:
    """The arrival at a block from those of its predecessors, which are not all the same."""
    states = [state for _, state in coming]
    pinned = [state for state in states if not state.free]
    if not pinned:
        return states[0]
    value, bottom = pinned[0].value, pinned[0].bottom
    same = all(state.value == value for state in pinned) and value is not None
    if any(state.bottom != bottom for state in pinned) or (len(pinned) < len(states) and not (same and bottom == value)):
        bottom = None
    if same and (all(state.value == value for state in states) or _anywhere(additions, value, label)):
        return Arrival(value, bottom, False)
    incoming = tuple((source, Undef(type_) if state.value is None else state.value) for source, state in coming)
    return Arrival(additions.phi(label, incoming, result or additions.names.variable(wanted, type_)), bottom, False)


def _anywhere(additions: Additions, value: Value | None, label: str) -> bool:
    """Whether a value is defined on every path to the start of a block."""
    above = additions.dominators.immediate[label]
    return value is not None and above is not None and additions.available(value, above)
