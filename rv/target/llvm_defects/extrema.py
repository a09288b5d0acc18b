"""Choices that LLVM takes for minima and maxima although zeros or signalling NaNs come out differently.

    x < 0 ? 0.0 : (double)x         x > 0 ? (double)x : 0.0       InstCombine, -0.0 becomes 0.0
    x < -0.0 ? 0.0 : x              x > 0.0 ? x : 0.0             the same: the zeros have different signs
    x < 0 ? x : 0                   fminnm                        AArch64: -0.0 stays; signalling NaNs become NaNs
    (x < 1 ? 1 : x) > 1 ? .. : 1    x < 1 ? 1 : x                 InstCombine: a NaN stays, instead of the number

InstCombine and instruction selection match a choice between x and a number, x or the number perhaps converted, by a comparison
of the two. One of them must be known to be no NaN. On x86-64 a choice between just what is compared, unconverted, becomes
`minps` and the like, which does what the choice does. The constant of the comparison is hidden: the choice holds another then.
What is converted from an integer may be a constant that only LLVM finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from rv.ir.instructions import Binary, Call, Convert, Load, Negate, Phi, Select
from rv.ir.libm import EXACT
from rv.ir.types import FloatType, IntType
from rv.ir.values import Const, Value, Var
from rv.target.llvm_defects.facts import Facts, Hidden, number_of


def hidden(facts: Facts) -> Iterator[Hidden]:
    for comparison in facts.comparisons():
        sides = comparison.left, comparison.right
        if any(is_number(facts, side) for side in sides):
            if any(_misread(facts, sides, arms) for arms in facts.choices(comparison.result)):
                yield Hidden(comparison.result.name, 0 if isinstance(comparison.left, Const) else 1)
    if facts.architecture == "x86_64":
        yield from _library_extrema(facts)


def _library_extrema(facts: Facts) -> Iterator[Hidden]:
    """Calls of fmin and fmax, which become such choices."""
    for call in facts.known.values():
        if isinstance(call, Call) and call.result is not None and call.callee.removesuffix("f") in ("fmin", "fmax"):
            for position, argument in enumerate(call.arguments):
                if isinstance(facts.definition(argument), Convert):
                    yield Hidden(call.result.name, position)


def _misread(facts: Facts, sides: tuple[Value, Value], arms: tuple[Value, ...]) -> bool:
    left, right = sides
    if not any(_same(facts, left, a) and _same(facts, right, b) for a, b in permutations(arms, 2)):
        return False
    values = {*sides, *arms}
    if any(number_of(b) is not None and _may_be(facts, a, b) for a, b in permutations(sides)):
        return True
    if facts.architecture != "x86_64":
        number = next((n for n in map(number_of, sides) if n is not None), 0.0)
        return number == 0 or any(facts.may_signal(facts.source(side)) for side in sides)
    return any(isinstance(facts.definition(v), Convert) for v in values) or sum(number_of(v) == 0 for v in values) > 1


def _may_be(facts: Facts, value: Value, constant: Value) -> bool:
    """Whether a value is chosen from several, of which the constant is one."""
    match facts.definition(facts.source(value)):
        case Select(then=then, otherwise=otherwise):
            return any(_same(facts, constant, arm) for arm in (then, otherwise))
        case Phi(incoming=incoming):
            return any(_same(facts, constant, arm) for _, arm in incoming)
        case _:
            return False


def _same(facts: Facts, side: Value, arm: Value, depth: int = 4) -> bool:
    """Whether LLVM may find that what is compared is also what is chosen, perhaps converted; zeros are the same to it.

    It may also find that a choice between others is always one of them.
    """
    source = facts.source(arm)
    match facts.definition(source):
        case Select(then=then, otherwise=otherwise) if depth:
            if any(_same(facts, side, one, depth - 1) for one in (then, otherwise)):
                return True
    if isinstance(side, Const):
        return number_of(side) == number_of(source) or isinstance(source.type, IntType)
    return facts.source(side) == source


def is_number(facts: Facts, value: Value, depth: int = 4) -> bool:
    """Whether LLVM may find that a value is no NaN: false only for what certainly may be one."""
    if isinstance(value, Const):
        return True
    if not isinstance(value, Var) or depth == 0:
        return depth == 0
    match facts.definition(value):
        case None | Load():
            return False
        case Phi(result=result, incoming=incoming):
            return result.name in facts.unrolled and any(isinstance(start, Const) for _, start in incoming)
        case Convert(value=source):
            return not isinstance(source.type, FloatType) or is_number(facts, source, depth - 1)
        case Negate(value=source):
            return is_number(facts, source, depth - 1)
        case Binary(left=left, right=right):
            return is_number(facts, left, depth - 1) and is_number(facts, right, depth - 1)
        case Call(callee=callee, arguments=arguments) if callee in EXACT and not callee.startswith(("fmin", "fmax", "__")):
            return is_number(facts, arguments[0], depth - 1)
        case _:
            return True
