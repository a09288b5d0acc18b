"""Stack objects that are declared inside brushed loops: every iteration has its own, so that no dependence goes through them.

They are private to the outermost brushed loop, and no array to legality and aliasing. What is refused:
 - a store in a brushed loop that is further in than the declaration: iterations of that loop share the object;
 - a pointer that leads to such an object or to other memory: the objects of the lanes lie side by side, other memory does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Final

from rv.evolution.facts import Loop
from rv.ir.instructions import Alloca, Load, Store
from rv.ir.source import Span
from rv.ir.types import size_of
from tensorrv.nest.legality.region import local_objects
from tensorrv.nest.model import Access, Nests
from tensorrv.report.diagnostics import Diagnostic, Related

MOST_STACK: Final = 1 << 20
"""Bytes on the stack that the objects of all lanes take together at most: threads have as little as 2 MiB."""


def refused_objects(
    nests: Nests, region: Loop, brushed: Sequence[Loop], sizes: Mapping[str, int]
) -> Iterator[Diagnostic]:
    """Why local objects of the region forbid to brush it; `nests` has the accesses of all objects, `sizes` are the brush's."""
    mine = local_objects(nests, region)
    if not mine or not brushed:
        return
    yield from _large(nests, mine, brushed, sizes)
    accesses = [a for a in nests.accesses if a.block in region.blocks and nests.objects.of(a.array).objects & mine]
    yield from _shared(nests, accesses, brushed)
    for _, instruction in nests.function.instructions_in(region.blocks):
        if isinstance(instruction, Load | Store):
            targets = nests.objects.of(instruction.pointer)
            if targets.objects & mine and (targets.elsewhere or targets.objects - mine):
                yield _mixed(nests, min(targets.objects & mine), instruction.span)


def _large(nests: Nests, mine: frozenset[str], brushed: Sequence[Loop], sizes: Mapping[str, int]) -> Iterator[Diagnostic]:
    """Objects of which lanes have so many that the stack may not hold them."""
    found: dict[str, int] = {}
    for name in mine:
        lanes = prod(sizes[loop.header] for loop in brushed if nests.defined_in[name] in loop.blocks)
        alloca = _declaration(nests, name)
        found[name] = alloca.count * size_of(alloca.element) * lanes if lanes > 1 else 0
    if sum(found.values()) > MOST_STACK:
        name = max(found, key=lambda name: (found[name], name))
        alloca = _declaration(nests, name)
        yield Diagnostic(
            severity="error",
            code="TRV318",
            message=f"the local variables of all lanes take {sum(found.values())} bytes on the stack, more than {MOST_STACK}",
            span=alloca.span,
            label=f"every lane has its own `{alloca.result.source_name}`",
            hint="brush fewer iterations, or pass an array that has a row for each of them",
        )


def _declaration(nests: Nests, name: str) -> Alloca:
    return nests.objects.allocas[name]


def _shared(nests: Nests, accesses: Sequence[Access], brushed: Sequence[Loop]) -> Iterator[Diagnostic]:
    for access in accesses:
        for name in sorted(nests.objects.of(access.array).objects) if access.kind == "store" else ():
            for loop in brushed:
                if access.block in loop.blocks and nests.defined_in[name] not in loop.blocks:
                    yield _declared_outside(_declaration(nests, name), access, loop)


def _declared_outside(alloca: Alloca, access: Access, loop: Loop) -> Diagnostic:
    name = alloca.result.source_name
    return Diagnostic(
        severity="error",
        code="TRV310",
        message=f"`{name}` is declared outside of the {loop.called}, which is brushed, and written inside",
        span=access.span,
        label=f"iterations of `{loop.name}` share `{name}`",
        related=() if alloca.span is None else (Related(alloca.span, f"`{name}` is declared here"),),
        hint=f"declare `{name}` in the body of the {loop.called}",
    )


def _mixed(nests: Nests, name: str, span: Span | None) -> Diagnostic:
    local = _declaration(nests, name).result.source_name
    return Diagnostic(
        severity="error",
        code="TRV314",
        message=f"a pointer leads either to the local variable `{local}` or to other memory",
        span=span,
        label=f"this may be in `{local}` or not",
        hint="access them in the two arms of an `if`",
    )
