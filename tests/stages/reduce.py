"""Smaller cases that fail in the same way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from rv.analysis.verify import IllFormed, verify
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Instruction, Phi, operands
from rv.ir.rewrite import substitute
from rv.ir.types import FloatType, IntType, Type
from rv.ir.values import FALSE, TRUE, Value, const_float, const_int
from rv.transform.scalar.blocks import simplify_blocks
from rv.transform.scalar.dead import eliminate_dead_code
from tests.fuzz.batch import kind_of
from tests.fuzz.children import run_apart
from tests.stages.case import Case, Thread
from tests.stages.chain import check

SECONDS: Final = 60
TOGETHER: Final = 8
"""Candidates that one process tries."""


def reduce_case(case: Case, kind: str, seconds: float) -> Case:
    """The smallest case found within the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        candidates = smaller(case)
        while tried := list(islice(candidates, TOGETHER)):
            outcomes = run_apart([partial(check, candidate) for candidate in tried], SECONDS)
            fails = [candidate for candidate, outcome in zip(tried, outcomes, strict=True) if kind_of(outcome) == kind]
            if fails:
                case = fails[0]
                break
            if time.monotonic() > end:
                return case
        else:
            return case
    return case


def smaller(case: Case) -> Iterator[Case]:
    """Cases with one thing less, those that save most first."""
    yield from _fewer_threads(case)
    size = _size(case.function)
    for function in _functions(case.function):
        try:
            less = verify(eliminate_dead_code(simplify_blocks(verify(function))))
        except IllFormed:
            continue
        if _size(less) < size:
            yield replace(case, function=less)
    yield from _plainer(case)


def _size(function: Function) -> int:
    return sum(2 + len(block.phis) + len(block.body) + isinstance(block.terminator, Branch) for block in function.blocks)


def _fewer_threads(case: Case) -> Iterator[Case]:
    threads, width = case.threads, case.width
    if len(threads) > width:
        yield from (replace(case, threads=threads[k : k + width]) for k in range(0, len(threads) - width + 1, width))
        for k in range(0, len(threads), width):
            yield replace(case, threads=threads[:k] + threads[k + width :])
    elif width > 1:
        yield replace(case, width=width // 2, threads=threads[: width // 2])
        yield replace(case, width=width // 2, threads=threads[width // 2 :])


def _plainer(case: Case) -> Iterator[Case]:
    """The same function for simpler threads, under a simpler plan."""
    for k, shape in enumerate(case.shapes):
        if shape == "linear":
            yield replace(case, shapes=(*case.shapes[:k], "varying", *case.shapes[k + 1 :]))
    if case.skip_from is not None:
        yield replace(case, skip_from=None)
    if case.target != "native":
        yield replace(case, target="native")
    parts = case.plan.split()
    for k in range(1, len(parts)):
        yield replace(case, plan=" ".join(parts[:k] + parts[k + 1 :]))
    for k, thread in enumerate(case.threads):
        if thread.arrays is not None and any(map(any, thread.arrays)):
            simple = Thread(tuple(bytes(len(array)) for array in thread.arrays), thread.numbers)
            yield replace(case, threads=(*case.threads[:k], simple, *case.threads[k + 1 :]))


def _functions(function: Function) -> Iterator[Function]:
    """Functions with one edit, some ill-formed: a branch decided, a value replaced by a simpler one, a store left out."""
    for block in function.blocks:
        if isinstance(block.terminator, Branch):
            for condition in (TRUE, FALSE):
                if block.terminator.condition != condition:
                    decided = replace(block, terminator=replace(block.terminator, condition=condition))
                    yield _with(function, decided)
    for block in reversed(function.blocks):
        for phi in block.phis:
            without = replace(block, phis=tuple(p for p in block.phis if p is not phi))
            for value in _instead(phi):
                yield substitute(_with(function, without), {phi.result.name: value})
        for instruction in reversed(block.body):
            without = replace(block, body=tuple(i for i in block.body if i is not instruction))
            if instruction.result is None:
                yield _with(function, without)
                continue
            for value in _instead(instruction):
                yield substitute(_with(function, without), {instruction.result.name: value})


def _with(function: Function, changed: Block) -> Function:
    return replace(function, blocks=tuple(changed if b.label == changed.label else b for b in function.blocks))


def _instead(statement: Instruction | Phi) -> Iterator[Value]:
    """Values that may stand for what the statement computes."""
    assert statement.result is not None
    yield from _constants(statement.result.type)
    for value in dict.fromkeys(operands(statement)):
        if value.type == statement.result.type and value != statement.result:
            yield value


def _constants(type_: Type) -> Iterator[Value]:
    match type_:
        case IntType():
            yield from (const_int(type_, 0), const_int(type_, 1))
        case FloatType():
            yield const_float(type_, 1.0)
