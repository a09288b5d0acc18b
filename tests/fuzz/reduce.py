"""Smaller programs that fail in the same way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tensorrv.schedule.plan import UNTILED, Brush, Plan, parse_plan
from tests.fuzz.batch import Failure, check_alone, kind_of
from tests.fuzz.case import Case
from tests.fuzz.children import Outcome
from tests.fuzz.tree import PRELUDE, Node, Program

Candidate = tuple[Program, str, str]


def reduce_failure(failure: Failure, directory: Path, seconds: float) -> tuple[Case, Outcome]:
    """The smallest case found within the time, and its outcome."""
    best: Candidate = (failure.program, failure.case.plan, failure.case.target)
    case, outcome = failure.case, failure.outcome
    end = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for candidate in smaller(*best):
            if time.monotonic() > end:
                break
            smaller_case, found = check_alone(candidate[0].trimmed(), candidate[1], candidate[2], directory)
            if kind_of(found) == failure.kind:
                best, case, outcome = (candidate[0].trimmed(), *candidate[1:]), smaller_case, found
                changed = True
                break
    return replace(case, text=_plain(case.text)), outcome


def _plain(text: str) -> str:
    """The text without those lines of the prelude that it does not need."""
    body = text.removeprefix(PRELUDE)
    kept = [line for line in PRELUDE.splitlines() if _needed(line, body)]
    return "\n".join(kept) + "\n" + body


def _needed(line: str, body: str) -> bool:
    if line.startswith("#include"):
        return "math" in line or ("stddef" in line and "size_t" in body) or ("stdlib" in line and "abs(" in body)
    return any(f"{name}(" in body and f"{name}(" in line for name in ("SQR", "MIN", "MAX", "blend", "clampi", "pick"))


def smaller(program: Program, plan: str, target: str) -> Iterator[Candidate]:
    """Candidates, those that save most first."""
    for body in sorted(_trees(program.body), key=_size):
        if _size(body) < _size(program.body):
            yield replace(program, body=body), plan, target
    if program.result is not None:
        yield replace(program, result=None), plan, target
    if program.aliases:
        yield replace(program, aliases=()), plan, target
    if len(program.others) > 0:
        for k in range(len(program.others)):
            yield replace(program, others=program.others[:k] + program.others[k + 1 :]), plan, target
    for k, (name, type_, value) in enumerate(program.scalars):
        for other in (1.0, value // 2, value - 1):
            if 0 < other < value:
                scalars = (*program.scalars[:k], (name, type_, other), *program.scalars[k + 1 :])
                yield replace(program, scalars=scalars, others=()), plan, target
        if type_ != "int" and type_ not in ("double", "float"):
            yield replace(program, scalars=(*program.scalars[:k], (name, "int", value), *program.scalars[k + 1 :])), plan, target
    for k, array in enumerate(program.arrays):
        for element in ("int", "double"):
            if element != array.element and array.element not in ("int", "double"):
                yield (
                    replace(program, arrays=(*program.arrays[:k], replace(array, element=element), *program.arrays[k + 1 :])),
                    plan,
                    target,
                )
        if not array.restrict:
            yield (
                replace(program, arrays=(*program.arrays[:k], replace(array, restrict=True), *program.arrays[k + 1 :])),
                plan,
                target,
            )
    if target != "native":
        yield program, plan, "native"
    for simpler in _plans(parse_plan(plan)):
        yield program, str(simpler), target


def _plans(plan: Plan) -> Iterator[Plan]:
    moved: tuple[dict[str, object], ...] = (
        {"order": ()}, {"tile": UNTILED}, {"fuse": False}, {"split": "auto"}, {"skew": ()}, {"unroll": "auto"},
    )  # fmt: skip
    for change in (*moved, {"tail": "auto"}, {"register_bits": 0}, {"projection": None}):
        changed = replace(plan, **change)
        if changed != plan:
            yield changed
    if plan.assume_no_alias:
        yield replace(plan, assume_no_alias=False)
    if plan.brush.names:
        yield replace(plan, brush=Brush(plan.brush.sizes))
    sizes, names = plan.brush.sizes, plan.brush.names
    for k, size in enumerate(sizes):
        if len(sizes) > 1 and plan.projection is None:
            yield replace(plan, brush=Brush(sizes[:k] + sizes[k + 1 :], names[:k] + names[k + 1 :]))
        for other in (1, 2, 4):
            if other < size:
                yield replace(plan, brush=Brush((*sizes[:k], other, *sizes[k + 1 :]), names))


def _size(node: Node) -> int:
    return len(node.template) + 8 + sum(map(_size, node.children))


def _trees(node: Node) -> Iterator[Node]:
    """All trees with one edit: a statement left out, or an expression or statement replaced by a part of it."""
    if node.kind == "block":
        for k in range(len(node.children)):
            yield replace(node, children=node.children[:k] + node.children[k + 1 :])
    elif node.kind in ("expr", "access"):
        if node.template not in ("1", "0"):
            yield Node("expr", "1")
            yield Node("expr", "0")
        yield from (child for child in node.children if child.kind in ("expr", "access"))
    elif node.kind == "stmt":
        yield from (child for child in node.children if child.kind == "stmt")
        yield from (inner for child in node.children if child.kind == "block" for inner in child.children)
    for k, child in enumerate(node.children):
        for smaller_child in _trees(child):
            yield replace(node, children=(*node.children[:k], smaller_child, *node.children[k + 1 :]))
