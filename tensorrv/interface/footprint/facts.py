"""What holds where a block runs, as sums of counters that are not negative, and what follows for the least value of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tensorrv.interface.footprint.intervals import CONSTANT, Form, Interval, Ranges, number, plus, span_of, times, unsigned
from tensorrv.interface.footprint.program import Node

if TYPE_CHECKING:
    from tensorrv.interface.footprint.evaluation import Box, Evaluation

_OPPOSITE: Final = {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
DEPTH: Final = 2
"""Facts that are combined."""


def facts(evaluation: Evaluation, guards: tuple[tuple[int, bool], ...], box: Box) -> tuple[Form, ...]:
    """Forms that are at least 0 in all iterations of a box in which `guards` hold."""
    return tuple(form for condition, truth in guards for form in _of_condition(evaluation, condition, truth, box))


def _of_condition(evaluation: Evaluation, index: int, truth: bool, box: Box) -> Iterator[Form]:
    node = evaluation.program.nodes[index]
    if node.op.startswith("icmp."):
        yield from _of_comparison(evaluation, node, truth, box)
    elif node.op == "select" and node.bits == 1:
        # `a && b` chooses between b and 0, `a || b` between 1 and b
        first, then, otherwise = node.operands
        decided = evaluation.program.nodes[otherwise if truth else then]
        if decided.op == "const" and decided.value != truth:
            yield from _of_condition(evaluation, first, truth, box)
            yield from _of_condition(evaluation, then if truth else otherwise, truth, box)
    elif node.op == ("and" if truth else "or"):
        for operand in node.operands:
            yield from _of_condition(evaluation, operand, truth, box)
    elif node.op == "xor" and evaluation.program.nodes[node.operands[1]].op == "const":
        yield from _of_condition(evaluation, node.operands[0], not truth, box)


def _of_comparison(evaluation: Evaluation, node: Node, truth: bool, box: Box) -> Iterator[Form]:
    predicate = node.op.removeprefix("icmp.")
    relation = predicate if predicate in ("eq", "ne") else predicate[1:]
    relation = relation if truth else _OPPOSITE[relation]
    for left in _bounds(evaluation, node.operands[0], at_least=relation in ("gt", "ge")):
        for right in _bounds(evaluation, node.operands[1], at_least=relation in ("lt", "le")):
            a, b = evaluation.value(left, box), evaluation.value(right, box)
            if predicate[0] == "u":
                a, b = unsigned(a, node.value), unsigned(b, node.value)
            if a.form is not None and b.form is not None and not (a.data or b.data):
                yield from _order(relation, a.form, b.form)


def _order(relation: str, a: Form, b: Form) -> Iterator[Form]:
    if relation in ("lt", "le", "eq"):
        yield plus(plus(b, a, -1), {CONSTANT: -(relation == "lt")})
    if relation in ("gt", "ge", "eq"):
        yield plus(plus(a, b, -1), {CONSTANT: -(relation == "gt")})


def _bounds(evaluation: Evaluation, index: int, *, at_least: bool) -> tuple[int, ...]:
    """A node, or what is at most (at least) as large besides: both operands of a maximum (minimum) that it is.

    x < min(p, q) means x < p and x < q.
    """
    nodes = evaluation.program.nodes
    node = nodes[index]
    if node.op == "sext":
        inner = _bounds(evaluation, node.operands[0], at_least=at_least)
        return (index,) if inner == (node.operands[0],) else inner
    if node.op != "select" or not nodes[node.operands[0]].op.startswith("icmp.s"):
        return (index,)
    condition, then, otherwise = node.operands
    smaller = nodes[condition].op.removeprefix("icmp.s") in ("lt", "le")
    if nodes[condition].operands == (otherwise, then):
        smaller = not smaller
    elif nodes[condition].operands != (then, otherwise):
        return (index,)
    return (then, otherwise) if smaller == at_least else (index,)


def narrowed(evaluation: Evaluation, condition: int, truth: bool, box: Box) -> Box | None:
    """The part of a box in which a condition may hold, as far as it compares single counters; None when that is nothing."""
    result = dict(box)
    for form in _of_condition(evaluation, condition, truth, box):
        symbols = [symbol for symbol in form if symbol != CONSTANT]
        if len(symbols) != 1:
            continue
        (loop,) = symbols
        slope, rest, counter = form[loop], form.get(CONSTANT, 0), result[loop]
        low, high = counter.low, counter.high
        if slope > 0:
            low = max(low, -(rest // slope))
        else:
            high = min(high, rest // -slope)
        if low > high:
            return None
        result[loop] = number(low) if low == high else Interval(low, high, counter.form)
    return result


def least(form: Form, known: tuple[Form, ...], ranges: Ranges, depth: int = DEPTH) -> int:
    """A lower bound of a form where the known ones are not negative.

    For a fact f and positive factors, b * form >= b * form - a * f; the factors are chosen so that a counter cancels.
    """
    best = span_of(form, ranges)[0]
    if not depth or best >= 0:
        return best
    for fact in known:
        for symbol, coefficient in form.items():
            other = fact.get(symbol, 0)
            if symbol == CONSTANT or coefficient * other <= 0:
                continue
            scale = abs(other)
            rest = plus(times(form, scale), fact, -abs(coefficient))
            best = max(best, -(-least(rest, known, ranges, depth - 1) // scale))
            if best >= 0:
                return best
    return best
