"""Cases for kernels with layouts: the arrays of a case, and what gcc's code left of them, moved to their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from layouts.layout import Layout, parse_layout
from rv.transform.prepare import prepare
from tensorrv.interface.storage.relayout import relayout
from tensorrv.interface.storage.runs import Storage, store
from tensorrv.nest.analyze import analyze_nests
from tensorrv.pipeline.kernel import declared_arrays
from tensorrv.report.diagnostics import Refused
from tensorrv.run.call import Array
from tensorrv.unit.unit import Unit
from tests.run.subject import Case, Subject

PADDING = 0x5A


def fitting_layouts(subject: Subject, function: Unit, layout: str) -> tuple[tuple[str, Layout], ...]:
    """The layout for every array that can have it: those whose dimensions it fits, and that are passed under one name."""
    aliased = {name for key, name in subject.directives if key == "alias"}
    aliased |= {text.partition("+")[0].strip() for (key, _), text in subject.directives.items() if key == "alias"}
    nests = analyze_nests(prepare(function.function))
    declared = declared_arrays(function)
    chosen: list[tuple[str, Layout]] = []
    for name in declared:
        if name not in aliased:
            pair = (name, parse_layout(layout))
            try:
                relayout(nests, (pair,), declared)
            except Refused:
                continue
            chosen.append(pair)
    return tuple(chosen)


def stored_case(case: Case, expected: tuple[Array, ...], storages: Mapping[str, Storage]) -> tuple[Case, tuple[Array, ...]]:
    """The case with arrays in their layouts, and what the kernel must leave; padding holds a pattern before and after."""
    buffers, wanted = list(case.buffers), list(expected)
    for parameter, argument in zip(case.function.parameters, case.arguments, strict=True):
        storage = storages.get(parameter.name)
        if storage is None:
            continue
        assert isinstance(argument, tuple)
        assert argument[1] == 0
        slot = argument[0]
        buffers[slot], wanted[slot] = (_stored(storage, rows, case.sizes) for rows in (case.buffers[slot], expected[slot]))
    return replace(case, buffers=tuple(buffers)), tuple(wanted)


def _stored(storage: Storage, rows: Array, sizes: Mapping[str, int]) -> Array:
    shape = storage.shape(sizes, rows.size)
    count = storage.address.extent(shape)
    stored = np.full(count * rows.dtype.itemsize, PADDING, np.uint8).view(rows.dtype)
    store(storage, rows, shape, stored)
    return stored
