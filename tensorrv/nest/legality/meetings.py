"""The accesses of a region that may meet, and what is known where they do: what each new order of its loops is compared with.

None of it depends on the order, so that it is found once for all orders of a region (`Compared.of`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rv.analysis.cfg.block_order import block_order
from rv.analysis.cfg.region import find_region
from rv.evolution.closed_forms import merged
from rv.evolution.facts import Condition, Loop
from rv.evolution.polynomial import Polynomial
from rv.ir.types import size_of
from tensorrv.nest.affine.derived import Derived, derived_facts
from tensorrv.nest.affine.quotients import Facts
from tensorrv.nest.legality.claim import Claim
from tensorrv.nest.legality.dependence import Scheduled, subscripts_of
from tensorrv.nest.legality.distinct_subscripts import View
from tensorrv.nest.legality.region import conditions_of, facts_within
from tensorrv.nest.model import Access, Nests
from tensorrv.schedule.schedule import Schedule

Group = tuple[tuple[Scheduled, ...], Facts, Derived]
"""The accesses of one array that is written, and what is known wherever they are."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A claim about orders, but for the order, with all accesses of its region, and those that may meet by arrays."""

    claim: Claim
    scheduled: tuple[Scheduled, ...]
    groups: tuple[Group, ...]

    @staticmethod
    @lru_cache(16)
    def of(nests: Nests, region: Loop, assume_no_alias: bool, assume_parallel: frozenset[str]) -> Compared:
        facts, unbrushed = facts_within(nests, region), ((region.header, 1),)
        claim = Claim.over(nests, facts, region, unbrushed, "strict", assume_no_alias, assume_parallel)
        scheduled = in_text_order(claim, Schedule(()))
        return Compared(claim, scheduled, tuple(written_groups(claim, scheduled)))


def in_text_order(claim: Claim, order: Schedule | None) -> tuple[Scheduled, ...]:
    """The accesses of the region as they stand in the text."""
    # every loop as one piece, with what follows it behind
    places = {label: number for number, label in enumerate(block_order(find_region(claim.facts.function)))}
    view = View.of(claim.facts, claim.region, claim.accesses)
    found = [_placed(claim, order, view, access, (places[access.block], access.position)) for access in claim.accesses]
    return tuple(sorted(found, key=lambda s: s.place))


def written_groups(claim: Claim, scheduled: tuple[Scheduled, ...]) -> Iterator[Group]:
    """For each array that is written its accesses, and what is known wherever they are."""
    known = _fixed(claim)
    for array in dict.fromkeys(s.access.array for s in scheduled if s.access.array.name in claim.written):
        group = tuple(s for s in scheduled if s.access.array == array and s.subscripts is not None)
        used = (*known, *(p for s in group for p in (*subscripts_of(s), *s.domain()) if p is not None))
        yield group, known, derived_facts(claim.facts, claim.region, used)


def known_conditions(claim: Claim) -> tuple[Condition, ...]:
    """The run-time conditions that the facts about a region rest on."""
    view = View.of(claim.facts, claim.region, claim.accesses)
    rows = (view.conditions(access) for access in claim.accesses if access.array.name in claim.written)
    return merged(conditions_of(claim.facts, claim.region, claim.written), *rows)


def _placed(claim: Claim, order: Schedule | None, view: View, access: Access, place: tuple[int, int]) -> Scheduled:
    loops = claim.loops_around(access.block)
    inside = claim.facts.defined_in[access.array.name] in claim.region.blocks
    sizes = [dict(claim.brush).get(loop.header, 1) > 1 for loop in loops]
    in_order = access.kind == "store" and sizes[-1] and sum(sizes) == 1
    alike = order is None or _is_like_others(claim, access)
    return Scheduled(access, loops, place, view.subscripts(access) if alike and not inside else None, in_order)


def _is_like_others(claim: Claim, access: Access) -> bool:
    """Whether subscripts are of rows that are as long as for other accesses: those of neighbouring loops need not be."""
    other = next(one for one in claim.accesses if one.array == access.array)
    if size_of(other.element) == size_of(access.element):
        return access.extents == other.extents
    return access.extents[:-1] == other.extents[:-1]


def _fixed(claim: Claim) -> tuple[Polynomial, ...]:
    """What holds whenever the region is entered: its run-time conditions, and the domains of the loops around it."""
    region = claim.region
    around = [loop for loop in claim.facts.loops.values() if region.header in loop.blocks and loop != region]
    return (*(c.polynomial for c in known_conditions(claim)), *(p for loop in around for p in loop.domain))
