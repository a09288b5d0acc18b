"""What keeps a bound or a base pointer from being fixed in a loop: it is loaded in every iteration, and a store may change it."""

from __future__ import annotations

from collections.abc import Iterator

from rv.analysis.memory.alias import AliasAnalysis, alias_analysis
from rv.analysis.values.uses import definitions
from rv.evolution.facts import Loop
from rv.ir.instructions import Branch, Load, Phi, Store, operands
from rv.ir.values import Value, Var
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Related


def what_changes_the_bound(nests: Nests, loop: Loop) -> tuple[Related, ...]:
    """The places of a load that the test of the loop's header depends on, and of a store that may change it."""
    branch = nests.function.block(loop.header).terminator
    return () if not isinstance(branch, Branch) else what_changes(nests, loop, branch.condition)


def what_changes(nests: Nests, loop: Loop, value: Value) -> tuple[Related, ...]:
    """The places of a load in the loop that a value is computed from, and of a store in it that may change what is loaded."""
    stores = [i for b in nests.function.blocks if b.label in loop.blocks for i in b.body if isinstance(i, Store)]
    aliases = alias_analysis(nests.function, types=True)
    for load in _loads(nests, loop, value):
        store = next((store for store in stores if _may_change(aliases, store, load)), None)
        if store is not None and store.span is not None and load.span is not None:
            return (
                Related(load.span, "this is read in every iteration"),
                Related(store.span, "because this store may change it"),
            )
    return ()


def _may_change(aliases: AliasAnalysis, store: Store, load: Load) -> bool:
    return not aliases.unchanged_by(store, load)


def _loads(nests: Nests, loop: Loop, value: Value) -> Iterator[Load]:
    """The loads in the loop, from places that are fixed in it, that a value is computed from."""
    known = definitions(nests.function)
    pending, seen = [value], set[str]()
    while pending:
        here = pending.pop()
        definition = known.get(here.name) if isinstance(here, Var) and here.name not in seen else None
        if definition is None or definition.result is None or nests.defined_in[definition.result.name] not in loop.blocks:
            continue
        seen.add(definition.result.name)
        if isinstance(definition, Load):
            place = definition.pointer
            if not isinstance(place, Var) or nests.defined_in[place.name] not in loop.blocks:
                yield definition
        elif not isinstance(definition, Phi):
            pending += operands(definition)
