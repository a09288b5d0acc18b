"""Numbers that are one of several: the nearer of two bounds, truth values, variables that change places.

`a < b ? a : b` is at most a and at most b. A comparison with a constant is 1 where it holds, else 0. Variables of a loop's header
that only take each other's values (`s = a; a = b; b = s`) hold the constants that they start from in one of the orders that come
round, so different ones never hold the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rv.analysis.values.uses import Definition, definitions
from rv.evolution.polynomial import Kind, Polynomial, Symbol, signed
from rv.ir.instructions import CompareInt, Convert, Phi, Select
from rv.ir.types import I1, IntType
from rv.ir.values import Const, Value, Var
from tensorrv.nest.affine.quotients import Described, Facts, exactly
from tensorrv.nest.model import Nests

_MOST = 4  # variables that change places


def nearest(nests: Nests, select: Select, known: Mapping[str, Definition]) -> Iterator[Described]:
    """What is known about the smaller or larger of two signed numbers."""
    compare = known.get(select.condition.name) if isinstance(select.condition, Var) else None
    if not isinstance(compare, CompareInt) or compare.predicate[0] != "s" or not isinstance(select.result.type, IntType):
        return
    values = [_number(nests, value) for value in (select.then, select.otherwise)]
    sides = [_number(nests, value) for value in (compare.left, compare.right)]
    if None in values or {*values} != {*sides}:
        return
    smaller = (compare.predicate[1] == "l") == (values == sides)
    result = Polynomial.symbol(signed(select.result.name))
    facts = tuple(value - result if smaller else result - value for value in values if value is not None)
    yield Described(signed(select.result.name), (facts,))


def within(nests: Nests, polynomials: Iterable[Polynomial]) -> Iterator[Polynomial]:
    """The polynomials, with either of two bounds in the place of the nearer one, whose size follows from theirs."""
    known = definitions(nests.function)
    pending = list(polynomials)
    while pending:
        polynomial = pending.pop()
        found = ((symbol, sides) for symbol in polynomial.symbols if (sides := _sides(nests, known, symbol)))
        nearer = next(found, None)
        if nearer is None:
            yield polynomial
        else:
            pending += [polynomial.substitute({nearer[0]: side}) for side in nearer[1]]


def _sides(nests: Nests, known: Mapping[str, Definition], symbol: Symbol) -> tuple[Polynomial, ...]:
    """The two numbers that a symbol is the nearer of; () when it is no such number."""
    select = known.get(symbol.name) if symbol.kind is Kind.SIGNED else None
    if not isinstance(select, Select) or not any(True for _ in nearest(nests, select, known)):
        return ()
    sides = (_number(nests, value) for value in (select.then, select.otherwise))
    return tuple(side for side in sides if side is not None)


def truth(nests: Nests, convert: Convert, known: Mapping[str, Definition]) -> Iterator[Described]:
    """What is known about a comparison with a constant, as a number."""
    compare = known.get(convert.value.name) if isinstance(convert.value, Var) else None
    match compare:
        case CompareInt(predicate="eq" | "ne" as predicate, left=left, right=Const()) if convert.value.type == I1:
            value, wanted = _number(nests, left), _number(nests, compare.right)
            if value is None or wanted is None or convert.op != "zext":
                return
            equal = 1 if predicate == "eq" else 0
            result, apart = Polynomial.symbol(signed(convert.result.name)), value - wanted
            differs = exactly(result - (1 - equal))
            same: Facts = (*exactly(apart), *exactly(result - equal))
            yield Described(signed(convert.result.name), (same, (apart - 1, *differs), (-apart - 1, *differs)))
        case _:
            pass


def rotation(nests: Nests, phi: Phi) -> Iterator[Described]:
    """What is known about a variable that changes places with others. Only the first of them has the cases."""
    ring = _ring(nests, phi)
    if len(ring) < 2:
        return
    loop = nests.loops[nests.defined_in[phi.result.name]]
    starts = [one.value_from(loop.preheader) for one in ring]
    numbers = [start.signed for start in starts if isinstance(start, Const)]
    if len(numbers) != len(ring):
        return
    symbols = [Polynomial.symbol(signed(one.result.name)) for one in ring]
    turns = [numbers[k:] + numbers[:k] for k in range(len(ring))]
    cases = tuple(tuple(f for s, n in zip(symbols, turn, strict=True) for f in exactly(s - n)) for turn in turns)
    yield Described(signed(phi.result.name), cases)


def _ring(nests: Nests, phi: Phi) -> list[Phi]:
    """The phis of a header each of which gets the next one's value, beginning with `phi`; [] when they do not come round."""
    header = nests.defined_in[phi.result.name]
    loop = nests.loops.get(header)
    if loop is None or len(phi.incoming) != 2 or loop.latch not in dict(phi.incoming):
        return []
    own = {p.result: p for p in nests.function.block(header).phis}
    ring = [phi]
    while len(ring) <= _MOST:
        following: Value = ring[-1].value_from(loop.latch)
        if following == phi.result:
            return ring
        if not isinstance(following, Var) or following not in own:
            return []
        ring.append(own[following])
    return []


def _number(nests: Nests, value: Value) -> Polynomial | None:
    match value:
        case Const() if isinstance(value.type, IntType):
            return Polynomial.constant(value.signed)
        case Var(name=name):
            return nests.closed_forms.get(name, Polynomial.symbol(signed(name)))
        case _:
            return None
