"""Which loads of a loop read what a store of an earlier iteration of it has written: iterations wait for each other.

    for (i ...) A[j][i] = A[j][i - 1] + B[j][i];       one iteration later

Only pairs whose subscripts differ by a constant are found; others wait in some iterations at most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol, counter
from rv.ir.instructions import Load, Store
from tensorrv.nest.model import Access, Nests


def carried_elements(nests: Nests, loop: Loop) -> Iterator[tuple[Load, Store, int]]:
    """Loads and stores of the loop's own blocks, and how many iterations the load is behind the store."""
    along = counter(loop.header)
    alike: dict[object, list[Access]] = defaultdict(list)
    for access in nests.accesses:
        if nests.innermost.get(access.block) == loop.header and access.subscripts is not None:
            # bodies may have hundreds of accesses: only those are compared that differ in a number of iterations
            rows = tuple(_of_row(subscript, along) for subscript in access.subscripts)
            alike[access.array, access.element, access.extents, rows].append(access)
    for group in alike.values():
        stores = [access for access in group if isinstance(access.instruction, Store)]
        for load in group if stores else ():
            for store in stores:
                behind = _iterations(store, load, along)
                if isinstance(load.instruction, Load) and isinstance(store.instruction, Store) and behind is not None:
                    yield load.instruction, store.instruction, behind


def _of_row(subscript: Polynomial, along: Symbol) -> Polynomial:
    """What a subscript has in common with all that it differs from by iterations."""
    slope = subscript.coefficient(along).as_constant
    return subscript - subscript.constant_term if slope else subscript


def _iterations(store: Access, load: Access, along: Symbol) -> int | None:
    """How many iterations after the store the load is of the same element, of whose row it is; None: it is not, or not later."""
    assert store.subscripts is not None and load.subscripts is not None
    found: set[int] = set()
    for written, read in zip(store.subscripts, load.subscripts, strict=True):
        slope = written.coefficient(along).as_constant
        if slope is None:
            return None
        if slope:
            iterations, rest = divmod(written.constant_term - read.constant_term, slope)
            if rest:
                return None
            found.add(iterations)
    return found.pop() if len(found) == 1 and min(found) > 0 else None
