"""The accesses of a call against the arrays it gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from tensorrv.interface.footprint.evaluation import Box, Evaluation, OutOfSteps
from tensorrv.interface.footprint.intervals import Interval
from tensorrv.interface.footprint.program import NOWHERE, Access, Program
from tensorrv.interface.footprint.search import Subscript, outside

NO_BOX: Box = {}


@dataclass(frozen=True, slots=True)
class Violation:
    """In line `line` the subscript in `dimension` of `array` is `value`, where it has to be in 0..bound-1.

    The dimension is None for elements of the whole array, counted from its start; `value` is None when it could not be found out.
    """

    array: str
    line: int
    dimension: int | None
    value: int | None
    bound: int


def violations(
    program: Program, values: Mapping[str, int], sizes: Mapping[str, int], elements: Mapping[str, int]
) -> Iterator[Violation]:
    """What is wrong with arrays of `sizes` bytes for these `values` of the parameters, up to one for each subscript.

    `elements` are the sizes of the arrays' elements in bytes. Arrays that are not in `sizes` are as long as is needed.
    """
    evaluation = Evaluation(program, values)
    seen: set[tuple[object, ...]] = set()
    for access in program.accesses:
        checks = _checks(evaluation, access, sizes)
        for key, dimension, subscript in checks:
            if key in seen:
                continue
            seen.add(key)
            found = _found(evaluation, access, dimension, subscript, sizes, elements)
            if found is not None:
                yield found


def _checks(
    evaluation: Evaluation, access: Access, sizes: Mapping[str, int]
) -> Iterator[tuple[tuple[object, ...], int | None, Subscript]]:
    where = (access.block, access.tested)
    for k, (node, length) in enumerate(access.inner):
        yield (where, node, length), k + 1, Subscript(access, node, partial(_length, evaluation, length))
    unit = None if access.row == NOWHERE else evaluation.value(access.unit, NO_BOX)
    if unit is None or not unit.single or unit.data:
        yield (where, access.place, access.width), None, Subscript(access, access.place, partial(_bytes, sizes, access.width))
    elif access.array in sizes:
        rows = sizes[access.array] // unit.low if unit.low > 0 else 0
        yield (where, access.row, access.array, rows), 0, Subscript(access, access.row, partial(_constant, rows))


def _length(evaluation: Evaluation, length: int, box: Box, value: Interval) -> Interval:
    return evaluation.value(length, box)


def _constant(rows: int, box: Box, value: Interval) -> int:
    return rows


def _bytes(sizes: Mapping[str, int], width: int, box: Box, value: Interval) -> int | None:
    """The smallest of the arrays an address may point into."""
    known = [sizes[base] for base in value.bases if base in sizes]
    return min(known) - width + 1 if known else None


def _found(
    evaluation: Evaluation,
    access: Access,
    dimension: int | None,
    subscript: Subscript,
    sizes: Mapping[str, int],
    elements: Mapping[str, int],
) -> Violation | None:
    array = access.array or _base(evaluation, access)
    try:
        found = outside(evaluation, subscript)
    except OutOfSteps:
        return Violation(array, access.line, dimension, None, 0)
    if found is None:
        return None
    if dimension is None and array in elements:
        return Violation(array, access.line, None, found.value // elements[array], sizes[array] // elements[array])
    return Violation(array, access.line, dimension, found.value, found.bound)


def _base(evaluation: Evaluation, access: Access) -> str:
    """The array behind an address, by following it back."""
    pending, seen = [access.place], set[int]()
    while pending:
        index = pending.pop()
        node = evaluation.program.nodes[index]
        if node.op == "base":
            return node.name
        if index not in seen:
            seen.add(index)
            pending += node.operands[::-1]
    return ""
