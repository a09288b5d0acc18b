"""Phis become cascades of selects where linearization joined their incoming edges (thesis, section 8.4, figure 8.4).

    d: %x = phi [%u, a], [%v, b], [%u, c]     ->      b: %x = select %b.mask, %v, %u total

A phi without a shadow may have any value for threads that take none of its edges, so its most frequent value is the default,
or the first one: a phi with n edges takes at most n - 1 selects, and none for the edges with the default. A shadow is the default
if there is one, and every edge whose value differs takes a select unless all threads take that edge. Undefined values are not
selected at all. A thread that is still on its way may have any value as well: unless an edge that comes later counts on the
default, a select uses the mask of its edge's source instead of the edge's, which is one mask less.

Phis of loop headers keep their two edges, which linearization does not touch; their shadows become selects before these edges.
"""

from __future__ import annotations

from collections import Counter

from rv.analysis.cfg.region import Region
from rv.ir.instructions import Phi
from rv.ir.values import TRUE, Undef, Value, Var
from rv.transform.linearize.additions import Additions
from rv.transform.linearize.cascades import Arrival, arrival, origin
from rv.transform.linearize.linear_graph import LinearGraph
from rv.transform.linearize.predicates import Masks


def lower_phi(region: Region, linear: LinearGraph, additions: Additions, masks: Masks, label: str, phi: Phi) -> None:
    """Adds what computes the phi of a block that heads no loop, and binds the phi's variable to it."""
    values = {source: additions.resolve(value) for source, value in phi.incoming}
    wanted = phi.result.name

    def update(source: str, following: str, before: Arrival) -> Arrival:
        value = values[source]
        if isinstance(value, Undef):
            return before
        if before.free and (before.value is None or following == label or value == before.value):
            return Arrival(value, value, False)
        if value in (before.value, before.bottom):
            return Arrival(before.value, before.bottom, False)
        assert before.value is not None
        later = any(values[s] == before.bottom and linear.index[s] > linear.index[source] for s in values)
        mask = masks.on(source, following, label) if later or phi.shadow is not None else masks.of(source)
        return Arrival(additions.select(source, wanted, mask, value, before.value), before.bottom, False)

    start = _default(region, additions, label, phi, values)
    found = arrival(region, linear, additions, label, start, phi.result, update, wanted).value
    if found is None:
        found = Undef(phi.result.type)
    if found != phi.result:
        additions.bindings[phi.result.name] = found


def _default(region: Region, additions: Additions, label: str, phi: Phi, values: dict[str, Value]) -> Arrival:
    if phi.shadow is not None:
        shadow = additions.resolve(phi.shadow)
        return Arrival(shadow, shadow, False)
    counts = Counter(value for value in values.values() if not isinstance(value, Undef))
    value, count = counts.most_common(1)[0] if counts else (None, 0)
    if value is not None and count > 1 and additions.available(value, origin(region, label)):
        return Arrival(value, value, True)
    return Arrival(None, None, True)


def lower_header_phi(linear: LinearGraph, additions: Additions, masks: Masks, label: str, phi: Phi) -> Phi:
    """The phi of a loop header without its shadow."""
    if phi.shadow is None:
        return phi
    shadow = additions.resolve(phi.shadow)

    def before(source: str, old: Value) -> Value:
        value = additions.resolve(old)
        done = isinstance(old, Var) and masks.shadowed.get(old.name) == (source, shadow)
        if source not in linear.index or value == shadow or done:
            return value
        mask = masks.on(source, label, label)
        return value if mask == TRUE else additions.select(source, phi.result.name, mask, value, shadow)

    return Phi(phi.result, tuple((source, before(source, value)) for source, value in phi.incoming), phi.span)
