"""Uniform branches that may be reached with no active thread (thesis, sections 8.7 and 9.2).

    b: predicate %m                           b: predicate %m
       ...                              ->       ...
       branch %u, c, d                           jump b.branch
                                              b.branch:
                                                 %u.active = select %m, i1 %u, 0 total
                                                 %any = horizontal i1 any(i1 %u.active) total
                                                 branch %any, c, d

Under a varying predicate the condition is undefined for passive threads, and perhaps for all threads. The guarded condition is
the same for all threads, and defined: whether an active thread goes the longer way out of the region, over %c here. Without an
active thread control takes the shorter path: the paths of those branches never lead back, so loops without threads end. A loop
without any exit does not.

Constant conditions are guarded as well: without active threads `while (1)` with a `break` would not terminate.

A condition that is itself `any` or `all` over all threads needs no guard. Where it is such a test over the block's active
threads, and nothing else reads that, the guard is this test (`fused_test`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rv.analysis.values.uses import Definition
from rv.ir.instructions import Binary, Branch, Horizontal, Instruction, Select
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Const, Value, Var
from rv.transform.linearize.linear_graph import LinearGraph


def guarded(
    branch: Branch, mask: Value, definitions: Mapping[str, Definition], distances: Mapping[str, int], names: FreshNames
) -> tuple[tuple[Instruction, ...], Branch]:
    """The branch as all threads can take it, of which those in `mask` are active; with the instructions that it needs."""
    condition = branch.condition
    if mask == TRUE or _same_everywhere(condition, definitions):
        return (), branch
    instructions: list[Instruction] = []
    wanted = condition.name if isinstance(condition, Var) else "always"
    stays, onward, out = condition, branch.then, branch.otherwise
    if _leaves(branch, distances):
        onward, out = out, onward
        if isinstance(condition, Const):
            stays = Const(I1, condition.bits ^ 1)
        else:
            stays = names.variable(f"{wanted}.not", I1)
            instructions.append(Binary(stays, "xor", condition, TRUE, span=branch.span, total=True))
    active = names.variable(f"{wanted}.active", I1)
    test = names.variable("any", I1)
    instructions += [
        Select(active, mask, stays, FALSE, total=True),
        Horizontal(test, "any", (active,), branch.span, total=True),
    ]
    return tuple(instructions), replace(branch, condition=test, then=onward, otherwise=out)


def fused_test(branch: Branch, body: Iterable[Instruction], distances: Mapping[str, int]) -> Horizontal | None:
    """The test over active threads that the guard of the branch makes anyway, so that the branch's block need not make it."""
    test = next((i for i in body if i.result == branch.condition), None)
    if not isinstance(test, Horizontal) or test.total:
        return None
    return test if test.op == ("all" if _leaves(branch, distances) else "any") else None


def _leaves(branch: Branch, distances: Mapping[str, int]) -> bool:
    """Whether the branch's first target is on the shorter way out."""
    far = len(distances)
    return distances.get(branch.then, far) < distances.get(branch.otherwise, far)


def _same_everywhere(condition: Value, definitions: Mapping[str, Definition]) -> bool:
    found = definitions.get(condition.name) if isinstance(condition, Var) else None
    return isinstance(found, Horizontal) and found.total and found.op in ("any", "all")


def distances_out(linear: LinearGraph) -> Mapping[str, int]:
    """How many blocks lie at least between each block and the end of the region; the targets outside are nearest."""
    distance: dict[str, int] = {}
    pending: list[str] = []
    for label in linear.order:
        outside = [target for target in linear.targets[label] if target not in linear.index]
        distance |= dict.fromkeys(outside, 0)
        if outside or not linear.targets[label]:
            distance[label] = 1
            pending.append(label)
    for label in pending:
        for source in linear.predecessors[label]:
            if source not in distance:
                distance[source] = distance[label] + 1
                pending.append(source)
    return distance
