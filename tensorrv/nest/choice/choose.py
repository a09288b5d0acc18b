"""Which loops of every nest a brush goes to, and why (design: the innermost d parallel loops for which the brush is legal).

A nest is a chain of loops down to a leaf of the loop forest. A loop is parallel when it may be brushed alone with the
largest size given. Loops that only carry a reduction are passed over while there is a parallel one, unless named. A nest
with fewer parallel loops than the brush has dimensions takes the brush's inner dimensions. Where a loop holds several loops
side by side, each of those is a nest of its own; only if none of them can be brushed, or a loop around them is marked by
`omp simd`, the loops around them are, with all of them running in lock step inside. So no loop is ever brushed for two nests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import Final

from rv.evolution.facts import Legal, Loop
from rv.ir.types import FloatMode
from tensorrv.nest.choice.estimates import Considered
from tensorrv.nest.choice.hints import safe_length
from tensorrv.nest.legality.carried import carried_variable, is_reduction_loop
from tensorrv.nest.legality.claim import BrushSizes
from tensorrv.nest.legality.proof import check_brush, check_threads
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic

AROUND: Final = "contains several nests"
"""The reason of loops that hold several nests, each of which is chosen for by itself."""


@dataclass(frozen=True, slots=True)
class Request:
    """The given brush: sizes, outermost first, and the loops they belong to when those are named.

    `names` is empty or holds one name for every size. `threads`: the outermost brushed loop is to be one that threads can
    divide; where it is not, the brush gets a dimension of size 1 on the outermost loop around it that is. `auto`: no request
    for these sizes, so that of a `simdlen` clause goes before them, and `safelen` limits them.
    """

    sizes: tuple[int, ...]
    names: tuple[str, ...] = ()
    fp: FloatMode = "strict"
    assume_no_alias: bool = False
    assume_parallel: frozenset[str] = frozenset()
    threads: bool = False
    auto: bool = False
    around: Mapping[str, str] = field(default_factory=dict)
    """Loops that are not brushed, by header, and what they are: those over tiles."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What becomes of one nest: `loops` are those of the source, outermost first; `brush` the brushed ones with sizes.

    `outcome` is what the brush needs at run time, or why the nest stays scalar (then `brush` is what was refused). `reasons`
    has a line for every loop. `facts` are the facts within the outermost brushed loop, for code generation.
    """

    loops: tuple[Loop, ...]
    brush: BrushSizes
    outcome: Legal | Diagnostic
    reasons: Mapping[str, str]
    facts: Nests
    threads: Legal | Diagnostic | None = None
    """What dividing the outermost brushed loop among threads needs, or why it is not done; None when it was not requested."""
    considered: tuple[Considered, ...] = ()
    """The candidates of a choice by cost, fastest first."""


def choose_brushes(nests: Nests, request: Request) -> tuple[Choice, ...]:
    """One choice per nest, in textual order; nests without any of the named loops are left out."""
    chooser = Chooser(nests, request)
    roots = [loop for loop in nests.loops.values() if loop.parent is None]
    return tuple(choice for root in roots for choice in chooser.choices((root,)))


def unknown_loops(nests: Nests, request: Request) -> tuple[str, ...]:
    """The names that no loop has."""
    known = {loop.name for loop in nests.loops.values()}
    return tuple(name for name in request.names if name not in known)


@dataclass(frozen=True, slots=True)
class Chooser:
    """Proves brushes on the loops of a function legal, and gives the reasons why loops are brushed or not."""

    nests: Nests
    request: Request

    def choices(self, path: tuple[Loop, ...]) -> list[Choice]:
        """The choices for the loops `path`, which hold no other loops than each other, and for what is inside the last one."""
        if path[-1].hints.novector:
            return []
        inside = [loop for loop in self.nests.loops.values() if loop.parent == path[-1].header]
        if len(inside) == 1:
            return self.choices((*path, inside[0]))
        marked = [index for index, loop in enumerate(path) if loop.hints.simd]
        if inside and marked and not self.request.names:
            own = self._choose(path[: marked[-1] + 1])
            if own is not None and isinstance(own.outcome, Legal):
                return [own]
        found = [choice for loop in inside for choice in self.choices((loop,))]
        legal = [choice for choice in found if isinstance(choice.outcome, Legal)]
        if any(map(self._gives_results, legal)) or (legal and self.request.names):
            return [self.with_outer(choice, path) for choice in found]
        own = self._choose(path)
        if own is not None and isinstance(own.outcome, Legal) and (not legal or self._gives_results(own)):
            return [own]
        if not found:
            return [] if own is None else [own]
        return [self.with_outer(choice, path) for choice in found]

    def _gives_results(self, choice: Choice) -> bool:
        """Whether iterations of a brushed loop write memory, and do not only find what one variable holds in the end."""
        loops = [self.nests.loops[header] for header, _ in choice.brush]
        storing, own = _storing_blocks(self.nests), [loop for loop in loops if not is_reduction_loop(self.nests, loop)]
        return any(not storing.isdisjoint(loop.blocks) for loop in own)

    def with_outer(self, choice: Choice, path: tuple[Loop, ...]) -> Choice:
        above = dict.fromkeys((loop.header for loop in path), AROUND)
        return replace(choice, loops=(*path, *choice.loops), reasons={**above, **choice.reasons})

    def _choose(self, chain: Sequence[Loop]) -> Choice | None:
        if all(loop.header in self.request.around for loop in chain):
            return None
        return self._named(chain) if self.request.names else self._best(chain)

    def usable(self, chain: Sequence[Loop]) -> list[Loop]:
        """The loops that a brush may take iterations of."""
        return [loop for loop in chain if loop.header not in self.request.around]

    def check(self, brush: BrushSizes) -> Legal | Diagnostic:
        request = self.request
        return check_brush(
            self.nests,
            brush,
            fp=request.fp,
            assume_no_alias=request.assume_no_alias,
            assume_parallel=request.assume_parallel,
        )

    def _named(self, chain: Sequence[Loop]) -> Choice | None:
        sizes = dict(zip(self.request.names, self.request.sizes, strict=True))
        brush = tuple((loop.header, sizes[loop.name]) for loop in self.usable(chain) if loop.name in sizes)
        if not brush:
            return None
        reasons = {loop.header: f"the brush does not name `{loop.name}`" for loop in self.usable(chain)}
        return self.choice(chain, brush, self.check(brush), reasons)

    def _best(self, around: Sequence[Loop]) -> Choice:
        chain = self.usable(around)
        alone = {loop.header: self.check(self.limited(((loop.header, max(self.request.sizes)),))) for loop in chain}
        parallel = {header for header, outcome in alone.items() if isinstance(outcome, Legal)}
        folding = {loop.header for loop in chain if loop.header in parallel and is_reduction_loop(self.nests, loop)}
        reasons = self.reasons(chain, alone, folding)
        by_simdlen = self.by_simdlen(chain)
        if by_simdlen is not None:
            return self.choice(around, *by_simdlen, reasons)
        # loops that cannot be counted run inside or around whatever is brushed
        countable = [loop for loop in chain if loop.trip is not None] or chain
        marked = {loop.header for loop in countable if loop.header in parallel and loop.hints.simd}
        # loops with a pragma are brushed first, if they are enough for the brush
        wanted = (marked,) if len(marked) >= len(self.request.sizes) else ()
        for usable in (*wanted, parallel - folding, parallel):
            found = self._place(countable, usable)
            if found is not None:
                return self.choice(around, *found, reasons)
        inner = countable[-len(self.request.sizes) :]
        brush = self.limited(tuple(zip((loop.header for loop in inner), self.request.sizes[-len(inner) :], strict=True)))
        return self.choice(around, brush, self.check(brush), reasons)

    def by_simdlen(self, chain: Sequence[Loop]) -> tuple[BrushSizes, Legal] | None:
        """The brush of `simdlen` clauses, if it is legal and no other one is given."""
        sizes = {loop.header: loop.hints.simdlen for loop in chain} if self.request.auto else {}
        brush = tuple((header, size) for header, size in sizes.items() if size is not None)
        outcome = self.check(brush) if brush else None
        return (brush, outcome) if isinstance(outcome, Legal) else None

    def limited(self, brush: BrushSizes) -> BrushSizes:
        """The brush within the limits of `safelen`, if it is not given explicitly."""
        if not self.request.auto:
            return brush
        lengths = {header: safe_length(self.nests.loops[header], self.request.assume_parallel) for header, _ in brush}
        return tuple((header, min(size, lengths[header] or size)) for header, size in brush)

    def _place(self, chain: Sequence[Loop], usable: set[str]) -> tuple[BrushSizes, Legal | Diagnostic] | None:
        """The brush on as many loops as it has dimensions, else its inner dimensions on fewer; None when no loop is usable."""
        for rank in range(min(len(self.request.sizes), len(chain)), 0, -1):
            sizes = self.request.sizes[-rank:]
            refused: tuple[BrushSizes, Diagnostic] | None = None
            for brush in map(self.limited, _placements(chain, sizes, usable)):
                outcome = self.check(brush)
                if isinstance(outcome, Legal):
                    return brush, outcome
                refused = refused or (brush, outcome)
            if refused is not None:
                return refused
        return None

    def choice(
        self, chain: Sequence[Loop], brush: BrushSizes, outcome: Legal | Diagnostic, reasons: Mapping[str, str]
    ) -> Choice:
        brush, outcome = self._without_carriers(*self._without_single_lanes(brush, outcome))
        threads: Legal | Diagnostic | None = None
        if self.request.threads and isinstance(outcome, Legal):
            brush, outcome, threads = self._divided(chain, brush, outcome)
        sizes = dict(brush)
        reported = {}
        for position, loop in enumerate(chain):
            if loop.header in sizes and isinstance(outcome, Legal):
                reported[loop.header] = f"brushed by {sizes[loop.header]}"
            elif loop.header in sizes:
                reported[loop.header] = f"not brushed: {outcome.message}" if isinstance(outcome, Diagnostic) else ""
            else:
                inside = any(above.header in sizes for above in chain[:position])
                where = "sequential inside the brush, all lanes in lock step" if inside else "sequential around the brush"
                reported[loop.header] = f"{where}: {self.request.around.get(loop.header) or reasons[loop.header]}"
        facts = nests_within(self.nests, brush[0][0])
        return Choice(tuple(chain), brush, outcome, reported, facts, threads)

    def _divided(
        self, chain: Sequence[Loop], brush: BrushSizes, legal: Legal
    ) -> tuple[BrushSizes, Legal, Legal | Diagnostic]:
        """The brush with the outermost loop that threads can divide as its outermost one, and what that needs."""
        headers = [loop.header for loop in chain]
        for header in headers[: headers.index(brush[0][0])]:
            wider = ((header, 1), *brush)
            threads, outcome = self._check_threads(header), self.check(wider)
            if isinstance(threads, Legal) and isinstance(outcome, Legal):
                return wider, outcome.also(threads), threads
        threads = self._check_threads(brush[0][0])
        return brush, legal.also(threads) if isinstance(threads, Legal) else legal, threads

    def _check_threads(self, header: str) -> Legal | Diagnostic:
        request = self.request
        return check_threads(
            self.nests, header, assume_no_alias=request.assume_no_alias, assume_parallel=request.assume_parallel
        )

    def _without_single_lanes(self, brush: BrushSizes, outcome: Legal | Diagnostic) -> tuple[BrushSizes, Legal | Diagnostic]:
        """The brush, if it is refused, without the loops that get a single lane, when they stand in the way of the others: they
        run around those or inside, which need not be the same for all their iterations.
        """
        kept = tuple((header, size) for header, size in brush if size > 1)
        if isinstance(outcome, Legal) or kept in ((), brush):
            return brush, outcome
        alone = self.check(kept)
        return (kept, alone) if isinstance(alone, Legal) else (brush, outcome)

    def _without_carriers(self, brush: BrushSizes, outcome: Legal | Diagnostic) -> tuple[BrushSizes, Legal | Diagnostic]:
        """The brush without those of its loops that get a single lane and carry a value from one iteration to the next.

        When nothing else is left, loops that fold stay: one lane keeps the order of a sum.
        """
        if isinstance(outcome, Diagnostic):
            return brush, outcome
        facts = nests_within(self.nests, brush[0][0])
        modes: tuple[FloatMode, ...] = ("strict", "fast")
        for fp in modes:
            carried = {h: carried_variable(facts, self.nests.loops[h], fp) for h, size in brush if size == 1}
            kept = tuple((header, size) for header, size in brush if carried.get(header) is None)
            if kept:
                return (brush, outcome) if kept == brush else (kept, self.check(kept))
        return brush, next(found for found in carried.values() if found is not None)

    def reasons(self, chain: Sequence[Loop], alone: Mapping[str, Legal | Diagnostic], folding: set[str]) -> Mapping[str, str]:
        """Why each loop would not be brushed, if it is not."""
        found = {}
        for loop in chain:
            outcome = alone[loop.header]
            if isinstance(outcome, Diagnostic):
                found[loop.header] = outcome.message
            elif loop.header in folding:
                found[loop.header] = "it only carries a reduction, and other loops are parallel"
            else:
                found[loop.header] = "the brush is used up by inner loops"
        return found


@lru_cache(4)
def _storing_blocks(nests: Nests) -> frozenset[str]:
    return frozenset(access.block for access in nests.accesses if access.kind == "store")


def _placements(chain: Sequence[Loop], sizes: Sequence[int], usable: set[str]) -> Iterator[BrushSizes]:
    """The sizes on loops of the chain, innermost loops first; loops that get more than 1 are usable ones."""
    if all(size == 1 for size in sizes):
        return
    for picked in combinations(range(len(chain) - 1, -1, -1), len(sizes)):
        brush = tuple((chain[index].header, size) for index, size in zip(reversed(picked), sizes, strict=True))
        if all(size == 1 or header in usable for header, size in brush):
            yield brush
