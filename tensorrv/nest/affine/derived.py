"""What is known about numbers that stand for themselves in closed forms: quotients, remainders, the nearer of two bounds, ...

Proofs take such a number for any integer unless facts tie it to what it is computed from. Facts come as cases of which one
always holds. A number that is computed before the region has one value in it; one that is computed inside, from counters and
what is fixed, has a value in each iteration, so that its facts apply to the source and to the sink of a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from rv.analysis.remembered import remembered
from rv.analysis.values.uses import Definition, definitions
from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol, signed, unsigned
from rv.ir.function import Function
from rv.ir.instructions import Binary, Convert, Phi, Select
from tensorrv.nest.affine.choices import nearest, rotation, truth
from tensorrv.nest.affine.quotients import Described, Facts, quotient
from tensorrv.nest.affine.remainders import remainder
from tensorrv.nest.model import Nests

_MOST_CASES = 12


@dataclass(frozen=True, slots=True)
class Derived:
    """Cases for what is fixed in a region, and for the numbers `inside` it, which each iteration has its own of."""

    fixed: tuple[Facts, ...] = ((),)
    inside: frozenset[Symbol] = frozenset()
    each: tuple[Facts, ...] = ((),)


def derived_facts(nests: Nests, region: Loop, used: Iterable[Polynomial]) -> Derived:
    """The facts about the numbers in `used`, and about those that they are computed from; `nests`: facts within the region."""
    symbols = set[Symbol]().union(*(p.symbols for p in used))
    fixed: list[tuple[Facts, ...]] = []
    each: list[tuple[Facts, ...]] = []
    inside: set[Symbol] = set()
    for one in _needed(nests, symbols):
        own = frozenset(s for case in one.cases for fact in case for s in fact.symbols)
        is_fixed = not any(_is_inside(nests, region, symbol) for symbol in own)
        if not is_fixed and not _is_computed(nests, region, one, set()):
            continue
        chosen = fixed if is_fixed else each
        count = len(one.cases)
        for cases in chosen:
            count *= len(cases)
        if count <= _MOST_CASES:
            chosen.append(one.cases)
            symbols.update(own)
            inside |= frozenset() if is_fixed else _of_iterations(nests, region, own)
    return Derived(_combined(fixed), frozenset(inside), _combined(each))


def _needed(nests: Nests, symbols: set[Symbol]) -> Iterator[Described]:
    """The descriptions of `symbols`, which may become more meanwhile: what a number is computed from stands before it."""
    known = definitions(nests.function)
    for definition in reversed(_describable(nests.function)):
        name = "" if definition.result is None else definition.result.name
        if signed(name) in symbols or unsigned(name) in symbols:
            yield from (one for one in reversed(tuple(_describe(nests, definition, known))) if one.symbol in symbols)


def described(nests: Nests) -> frozenset[Symbol]:
    """The symbols that facts are known about."""
    known = definitions(nests.function)
    return frozenset(one.symbol for d in _describable(nests.function) for one in _describe(nests, d, known))


def _combined(chosen: Iterable[tuple[Facts, ...]]) -> tuple[Facts, ...]:
    return tuple(tuple(fact for case in combined for fact in case) for combined in product(*chosen))


def _is_inside(nests: Nests, region: Loop, symbol: Symbol) -> bool:
    """Whether a symbol may have different values in the region: counters of its loops, what is computed in it."""
    if symbol.is_counter:
        return symbol.name in region.blocks
    return nests.defined_in[symbol.name] in region.blocks


def _is_computed(nests: Nests, region: Loop, one: Described, seen: set[Symbol]) -> bool:
    """Whether a number follows from counters and from what is fixed in the region, and does not rest on what is loaded there."""
    known = definitions(nests.function)
    seen.add(one.symbol)
    for symbol in {s for case in one.cases for fact in case for s in fact.symbols if s.is_variable} - seen:
        if _is_inside(nests, region, symbol):
            definition = known.get(symbol.name)
            found = () if definition is None else tuple(_describe(nests, definition, known))
            own = [described for described in found if described.symbol == symbol]
            if not own or not all(_is_computed(nests, region, described, seen) for described in own):
                return False
    return True


def _of_iterations(nests: Nests, region: Loop, symbols: Iterable[Symbol]) -> frozenset[Symbol]:
    return frozenset(s for s in symbols if not s.is_counter and _is_inside(nests, region, s))


@remembered
def _describable(function: Function) -> tuple[Definition, ...]:
    """The definitions of the kinds that facts are known about, in textual order."""
    found = (definition for block in function.blocks for definition in (*block.phis, *block.body))
    return tuple(one for one in found if isinstance(one, Binary | Select | Convert | Phi))


def _describe(nests: Nests, definition: Definition, known: Mapping[str, Definition]) -> Iterator[Described]:
    match definition:
        case Binary(op="sdiv" | "ashr" | "udiv" | "lshr"):
            yield from quotient(nests, definition)
        case Binary(op="srem" | "urem" | "and" | "xor"):
            yield from remainder(nests, definition)
        case Select():
            yield from nearest(nests, definition, known)
        case Convert(op="zext"):
            yield from truth(nests, definition, known)
        case Phi():
            yield from rotation(nests, definition)
        case _:
            pass
