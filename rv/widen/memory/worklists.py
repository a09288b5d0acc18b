"""Prefetching what a list of pending places leads to.

    pending[top++] = low;                    store i32 %low, %slot
    ...                            ->        prefetch %tree + 12 * %low
    node = pending[--top];
    ... tree[node].key ...

A walk keeps the places where it still has to go in a local array, and reads what is there when it comes to them. Processors do
not look that far ahead: which place comes next hangs on branches that are hard to predict, and wait for what was read last. So
the data of an entry is prefetched when the entry is pushed, at the addresses that loads compute from a value of the list, with
the new value in its stead: one for each cache line. Only lists that all lanes share are considered, and only in loops
inside the brush, which push and pop alternately. The entry that is pushed last is popped next: a prefetch would come too late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rv.evolution.facts import Loop, LoopFacts, PointerForm
from rv.evolution.polynomial import Polynomial, signed, unsigned
from rv.ir.instructions import Load, Store
from rv.ir.values import Var

Place = tuple[str, int]
"""The block of a store and its position there."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """An address: `offset` bytes behind `base`."""

    base: Var
    offset: Polynomial


def find_pending(facts: LoopFacts, header: str, line: int) -> Mapping[Place, tuple[Ahead, ...]]:
    """The prefetches for stores to local arrays, in the loops inside the loop `header`; lines have `line` bytes."""
    inside = [loop for loop in facts.loops.values() if loop.blocks < facts.loops[header].blocks]
    if not facts.objects.allocas or not inside:
        return {}
    found: dict[Place, tuple[Ahead, ...]] = {}
    for block in facts.function.blocks:
        for position, store in enumerate(block.body):
            if isinstance(store, Store) and isinstance(store.value, Var):
                loops = [loop for loop in inside if block.label in loop.blocks]
                wanted = [a for loop in loops for a in _visited(facts, loop, (block.label, position), store, store.value)]
                if wanted:
                    found[block.label, position] = _lines(wanted, line)
    return found


def _visited(facts: LoopFacts, loop: Loop, place: Place, store: Store, value: Var) -> Iterator[Ahead]:
    """The addresses that loads in a loop will read when it comes to what is stored, after it has noted down something else."""
    lists = facts.objects.of(store.pointer).objects
    loads = [i for b in facts.function.blocks if b.label in loop.blocks for i in b.body if isinstance(i, Load)]
    for noted in loads if lists else ():
        same = facts.objects.of(noted.pointer).objects == lists and noted.result.type == value.type
        if same and _is_covered(facts, loop, place, lists, noted):
            for load in loads:
                ahead = _with(facts, loop, load, noted.result, value)
                if ahead is not None:
                    yield ahead


def _is_covered(facts: LoopFacts, loop: Loop, place: Place, lists: frozenset[str], noted: Load) -> bool:
    """Whether another store to the lists may come between the one at `place` and the load `noted`."""
    label, position = place
    pending, seen = [(label, position + 1)], set[str]()
    while pending:
        label, start = pending.pop()
        block = facts.function.block(label)
        for instruction in block.body[start:]:
            if instruction is noted:
                break
            if isinstance(instruction, Store) and facts.objects.of(instruction.pointer).objects == lists:
                return True
        else:
            onwards = (loop.blocks & set(block.successors)) - seen
            pending += [(following, 0) for following in sorted(onwards)]
            seen |= onwards
    return False


def _with(facts: LoopFacts, loop: Loop, load: Load, old: Var, new: Var) -> Ahead | None:
    """Where a load would read if `old` were `new`; None when it does not depend on `old`, or on other things as well."""
    if not isinstance(load.pointer, Var):
        return None
    form = facts.pointers.get(load.pointer.name, PointerForm(load.pointer, Polynomial.constant(0), ()))
    symbols = {kind(old.name): Polynomial.symbol(kind(new.name)) for kind in (signed, unsigned)}
    if form.base != old and form.offset.symbols.isdisjoint(symbols):
        return None
    others = [*(form.offset.symbols - symbols.keys()), *([] if form.base == old else [signed(form.base.name)])]
    if any(s.is_counter or facts.defined_in[s.name] in loop.blocks for s in others):
        return None
    return Ahead(new if form.base == old else form.base, form.offset.substitute(symbols))


def _lines(wanted: list[Ahead], line: int) -> tuple[Ahead, ...]:
    """One address for each line, as far as is known: a new one starts a line's length after the last."""
    places: dict[Ahead, list[int]] = {}
    for ahead in wanted:
        constant = ahead.offset.constant_term
        places.setdefault(Ahead(ahead.base, ahead.offset - constant), []).append(constant)
    found: list[Ahead] = []
    for start, constants in places.items():
        last: int | None = None
        for constant in sorted(constants):
            if last is None or constant - last >= line:
                found.append(Ahead(start.base, start.offset + constant))
                last = constant
    return tuple(found)
