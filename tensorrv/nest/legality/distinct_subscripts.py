"""By which subscripts proofs distinguish the elements of each array in a region: its own, or its rows (`Access.rows`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rv.evolution.facts import Condition, Loop
from rv.evolution.polynomial import Polynomial, Symbol
from tensorrv.nest.affine.derived import derived_facts
from tensorrv.nest.legality.dependence import Subscripts
from tensorrv.nest.legality.region import known_before
from tensorrv.nest.model import Access, Nests, Row


@dataclass(frozen=True, slots=True)
class View:
    """`by_rows`: names of arrays that are represented by rows; `inside`: numbers of iterations about which facts are known."""

    facts: Nests
    region: Loop
    by_rows: frozenset[str]
    inside: frozenset[Symbol]

    @staticmethod
    def of(facts: Nests, region: Loop, accesses: Iterable[Access]) -> View:
        """Arrays are represented by rows where some subscripts are unknown or hold products, but all accesses have rows."""
        groups: dict[str, list[Access]] = {}
        for access in accesses:
            groups.setdefault(access.array.name, []).append(access)
        doubtful = [name for name, group in groups.items() if not all(_says_enough(access, region) for access in group)]
        by_rows = frozenset(name for name in doubtful if all(access.rows is not None for access in groups[name]))
        rows = [row for name in by_rows for access in groups[name] for row in access.rows or () if row is not None]
        inside = derived_facts(facts, region, (row.subscript for row in rows)).inside if rows else frozenset[Symbol]()
        return View(facts, region, by_rows, inside)

    def subscripts(self, access: Access) -> Subscripts | None:
        """What is known of an access; None when it could be anywhere."""
        if access.array.name not in self.by_rows:
            return access.subscripts
        found = tuple(row.subscript if self._is_known(row) and row is not None else None for row in access.rows or ())
        return found if any(subscript is not None for subscript in found) else None

    def conditions(self, access: Access) -> tuple[Condition, ...]:
        """What the subscripts of an array that is represented by rows depend on."""
        rows = access.rows if access.array.name in self.by_rows else None
        return tuple(c for row in rows or () if row is not None and self._is_known(row) for c in row.conditions)

    def _is_known(self, row: Row | None) -> bool:
        """Whether a subscript only has symbols that are fixed in the region, its counters, and numbers that facts are about."""
        if row is None:
            return False
        fixed = (known_before(self.facts, Polynomial.symbol(s), self.region) for s in row.subscript.symbols - self.inside)
        return all(fixed)


def _says_enough(access: Access, region: Loop) -> bool:
    """Whether subscripts are known, and no counter of the region is multiplied with a parameter, which proofs cannot handle."""
    if access.subscripts is None:
        return False
    products = (monomial for p in access.subscripts for monomial, _ in p.terms if len(monomial) > 1)
    return not any(s.is_counter and s.name in region.blocks for monomial in products for s in monomial)
