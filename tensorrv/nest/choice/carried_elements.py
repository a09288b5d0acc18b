"""Which loads of a loop read what a store of an earlier iteration of it has written: iterations wait for each other.

    for (i ...) A[j][i] = A[j][i - 1] + B[j][i];       one iteration later

Only pairs whose subscripts differ by a constant are found; others wait in some iterations at most.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.evolution.facts import Loop
from rv.evolution.polynomial import Symbol, counter
from rv.ir.instructions import Load, Store
from tensorrv.nest.model import Access, Nests


def carried_elements(nests: Nests, loop: Loop) -> Iterator[tuple[Load, Store, int]]:
    """Loads and stores of the loop's own blocks, and how many iterations the load is behind the store."""
    own = [access for access in nests.accesses if nests.innermost.get(access.block) == loop.header]
    for store in own:
        for load in own:
            if isinstance(store.instruction, Store) and isinstance(load.instruction, Load) and store.array == load.array:
                behind = _iterations(store, load, counter(loop.header))
                if behind is not None:
                    yield load.instruction, store.instruction, behind


def _iterations(store: Access, load: Access, symbol: Symbol) -> int | None:
    """How many iterations after the store the load is of the same element; None where it is not, or not later."""
    if store.subscripts is None or load.subscripts is None or store.extents != load.extents or store.element != load.element:
        return None
    found: int | None = None
    for written, read in zip(store.subscripts, load.subscripts, strict=True):
        distance = (written - read).as_constant
        slope = written.coefficient(symbol).as_constant
        if distance is None or slope is None or (distance % slope if slope else distance):
            return None
        if slope:
            if found not in (None, distance // slope):
                return None
            found = distance // slope
    return found if found is not None and found > 0 else None
