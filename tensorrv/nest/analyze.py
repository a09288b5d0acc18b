"""All facts about the loops and accesses of a prepared function in one pass: see `tensorrv.nest.model` for what they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.remembered import remembered
from rv.evolution.analyze import loop_facts
from rv.evolution.closed_forms import ClosedForms
from rv.evolution.facts import LoopFacts
from rv.ir.function import Function
from rv.ir.instructions import Load, Store
from rv.ir.values import Var
from tensorrv.nest.affine.delinearize import delinearize
from tensorrv.nest.affine.raw_access import RawAccess
from tensorrv.nest.model import Access, Nests


@remembered
def analyze_nests(function: Function, in_rows: frozenset[str] = frozenset()) -> Nests:
    """The loops, closed forms, accesses and reductions of a function in loop-simplify form and LCSSA.

    `in_rows`: arrays whose inner subscripts have to stay within their extents, as those of written arrays have to.
    """
    forest = find_loops(function)
    forms = ClosedForms(function, forest)
    facts = loop_facts(forms)
    known = {field.name: getattr(facts, field.name) for field in fields(LoopFacts)}
    return Nests(**known, accesses=_accesses(forms, function, forest, in_rows), in_rows=in_rows)


def _accesses(
    forms: ClosedForms, function: Function, forest: LoopForest, in_rows: frozenset[str]
) -> tuple[Access, ...]:
    raw = list(_raw_accesses(forms, function))
    written = {r.address.base for r in raw if isinstance(r.instruction, Store)}
    groups: dict[tuple[Var, str | None], list[RawAccess]] = {}
    for r in raw:
        groups.setdefault((r.address.base, _outermost(forest, r.block)), []).append(r)
    found = {
        (access.block, access.position): access
        for (array, _), group in groups.items()
        for access in delinearize(forms, group, array in written or array.name in in_rows)
    }
    return tuple(found[r.block, r.position] for r in raw)


def _raw_accesses(forms: ClosedForms, function: Function) -> Iterable[RawAccess]:
    for block in function.blocks:
        for position, instruction in enumerate(block.body):
            match instruction:
                case Load(result=result, pointer=pointer):
                    element = result.type
                case Store(value=value, pointer=pointer):
                    element = value.type
                case _:
                    continue
            address = forms.address(pointer)
            if address is not None:
                yield RawAccess(block.label, position, instruction, element, address)


def _outermost(forest: LoopForest, block: str) -> str | None:
    loop = forest.loop_of(block)
    while loop is not None and loop.parent is not None:
        loop = forest.loops[loop.parent]
    return None if loop is None else loop.header
