"""Which brush every nest gets when none is given: the one of many with the least estimated time, or none.

Candidates are, for each chain of loops, single loops and pairs of loops with sizes around the lanes of a register. Their times
are estimated first, which is quick: of brushes on the same loops one or two, and the others where these are not far too slow,
or where nothing else is legal. The fastest that is proved legal is taken, if it is expected to be faster than scalar code.
Where a loop holds several loops side by side, a brush on the loops around them competes with the best that each of them
gets by itself. LLVM's loop vectorizer is a candidate too: it makes what a brush of one register on the innermost loop makes. What
remains scalar is left to it, unless the code that it makes is expected to be slower (`autotune.without_brush`).

`simdlen` clauses are followed, lanes go to the loops that `omp simd` marks, and `safelen` limits them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final, Protocol

from rv.cost.margins import ALIKE, FAR, SURE, UNSURE
from rv.cost.registers import RESULTS
from rv.evolution.facts import Legal, Loop
from tensorrv.nest.affine.periods import odd_period
from tensorrv.nest.choice.choose import Choice, Chooser, Request
from tensorrv.nest.choice.estimates import Considered, Estimate
from tensorrv.nest.legality.claim import BrushSizes
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic

ROWS: Final = (2, 4, 8)
"""Iterations of the loop that is not along the lanes of a register, in brushes of two loops."""
SAMPLE: Final = ROWS[1]
"""Iterations of one loop in the brushes that stand for all others on the same two loops."""
REPORTED: Final = 6
"""Candidates that reports name."""


class Costs(Protocol):
    """Estimates for the nests of one function."""

    def lanes(self, header: str) -> tuple[int, int]:
        """The lanes of a register in a loop, of its widest numbers and of its narrowest elements."""

    def nest(self, header: str, parts: Mapping[str, Estimate]) -> Estimate:
        """One run of a loop that is scalar but for the loops `parts`, which take that long."""

    def brushed(self, brush: BrushSizes) -> Estimate:
        """One run of the outermost loop of a brush."""

    def points(self, header: str) -> float:
        """The iterations of innermost loops in one run of a loop."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What loops get: a choice for each nest, and the times of the outermost brushed loops."""

    choices: tuple[Choice, ...]
    parts: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class _Tried:
    """A candidate with its estimate for the whole chain, and the result of legality; None: not checked."""

    brush: BrushSizes
    part: Estimate
    whole: Estimate


@dataclass(frozen=True, slots=True)
class Chosen:
    """One choice per nest, in textual order, with the candidates that were considered; `cycles` is the estimate for all nests."""

    choices: tuple[Choice, ...]
    cycles: float = 0.0


def choose_by_cost(nests: Nests, request: Request, costs: Costs, allowed: Callable[[Choice], Choice]) -> Chosen:
    """The brushes of all nests.

    `request.sizes` are not used. `allowed` gives a legal choice back, or refused where code for it cannot be made.
    """
    chooser = _CostChooser(nests, costs, Chooser(nests, replace(request, auto=True)), allowed)
    roots = [loop for loop in nests.loops.values() if loop.parent is None]
    found = {root.header: chooser.best((root,)) for root in roots}
    times = (one.parts.get(header) or costs.nest(header, one.parts) for header, one in found.items())
    return Chosen(tuple(choice for one in found.values() for choice in one.choices), sum(time.cycles for time in times))


@dataclass(frozen=True, slots=True)
class _CostChooser:
    nests: Nests
    costs: Costs
    chooser: Chooser
    allowed: Callable[[Choice], Choice]
    checked: dict[BrushSizes, Legal | Diagnostic] = field(default_factory=dict)

    def best(self, path: tuple[Loop, ...]) -> _Found:
        """For the loops `path`, which hold no other loops than each other, and what is inside the last one."""
        if path[-1].hints.novector:
            return _Found((), {})
        inside = [loop for loop in self.nests.loops.values() if loop.parent == path[-1].header]
        if len(inside) == 1:
            return self.best((*path, inside[0]))
        marked = [number for number, loop in enumerate(path) if loop.hints.simd]
        if inside and marked:
            own = self._own(path[: marked[-1] + 1], self.costs.nest(path[0].header, {}))
            if isinstance(own.outcome, Legal):
                return _Found((own,), {own.brush[0][0]: self.costs.brushed(own.brush)})
        found = [self.best((loop,)) for loop in inside]
        parts = {header: part for one in found for header, part in one.parts.items()}
        own = self._own(path, self.costs.nest(path[0].header, parts))
        if isinstance(own.outcome, Legal):
            return _Found((own,), {own.brush[0][0]: self.costs.brushed(own.brush)})
        if not inside:
            return _Found((own,), {})
        return _Found(tuple(self.chooser.with_outer(choice, path) for one in found for choice in one.choices), parts)

    def _own(self, chain: tuple[Loop, ...], otherwise: Estimate) -> Choice:
        """The best brush on these loops if it is faster than `otherwise`, else why there is none."""
        by_simdlen = self.chooser.by_simdlen(chain)
        if by_simdlen is not None:
            return self.allowed(self.chooser.choice(chain, *by_simdlen, self._reasons(chain, {})))
        likely, others = self._likely(chain)
        refused: dict[BrushSizes, Diagnostic] = {}
        found = self._fastest(chain, likely, otherwise, refused)
        if refused and others:
            # they were too slow beside candidates that are not legal
            likely = _in_order([*likely, *(self._tried(chain, brush) for brush in others)])
            found = self._fastest(chain, likely, otherwise, refused)
        return found or self._scalar(chain, likely, otherwise, refused)

    def _likely(self, chain: tuple[Loop, ...]) -> tuple[list[_Tried], list[BrushSizes]]:
        """Candidates with their estimates, fastest first, and those without one, since others on the same loops take too long."""
        families: dict[tuple[str, ...], list[BrushSizes]] = {}
        for brush in self._candidates(chain):
            families.setdefault(tuple(header for header, _ in brush), []).append(brush)
        samples = {headers: self._samples(brushes) for headers, brushes in families.items()}
        tried = {headers: [self._tried(chain, brush) for brush in brushes] for headers, brushes in samples.items()}
        times = {headers: min(one.whole.cycles for one in found) for headers, found in tried.items()}
        far: list[BrushSizes] = []
        for headers, brushes in families.items():
            rest = [brush for brush in brushes if brush not in samples[headers]]
            if times[headers] > FAR * min(times.values()):
                far += rest
            else:
                tried[headers] += (self._tried(chain, brush) for brush in rest)
        return _in_order(one for found in tried.values() for one in found), far

    def _samples(self, brushes: Sequence[BrushSizes]) -> Sequence[BrushSizes]:
        """Of brushes on the same loops those with a register along one loop and `SAMPLE` iterations of the other one."""
        lanes = {header: self.costs.lanes(header)[0] for header, _ in brushes[0]}
        wanted = [tuple((h, lanes[h] if h == along else SAMPLE) for h in lanes) for along in lanes]
        return [brush for brush in brushes if brush in wanted] or brushes

    def _fastest(
        self, chain: tuple[Loop, ...], tried: Sequence[_Tried], otherwise: Estimate, refused: dict[BrushSizes, Diagnostic]
    ) -> Choice | None:
        """The first of the candidates that are faster than `otherwise` which is legal; `refused` gets those that are not."""
        faster = [one for one in tried if one.whole.cycles < otherwise.cycles * (SURE if one.part.limit in UNSURE else 1)]
        # what is nearly as fast and smaller goes first, and what leaves registers half empty last
        least = tried[0].whole.cycles if tried else 0.0
        faster.sort(key=lambda one: self._rank(one, least))
        for one in self._longer(faster, least):
            if any(_covers(one.brush, other) for other in refused):
                continue
            outcome = self._check(one.brush)
            if isinstance(outcome, Legal):
                choice = self.allowed(self.chooser.choice(chain, one.brush, outcome, self._reasons(chain, refused)))
                if isinstance(choice.outcome, Legal):
                    return replace(choice, considered=self._reported(chain, tried, otherwise, refused, one))
                outcome = choice.outcome
            refused[one.brush] = outcome
        return None

    def _rank(self, one: _Tried, least: float) -> tuple[bool, int, int]:
        """The order in which candidates are proved."""
        lanes = math.prod(size for _, size in one.brush)
        narrow = lanes < self.costs.lanes(one.brush[-1][0])[0]
        return narrow, int(math.log(one.whole.cycles / least) / ALIKE), lanes

    def _longer(self, ranked: Sequence[_Tried], least: float) -> list[_Tried]:
        """The candidates, with the best with data in the nearest cache in front of those that are as fast otherwise.

        These are on the same loop, and have more registers for each value: what a loop itself takes is shared by more lanes.
        """
        ((header, _), *others) = ranked[0].brush if ranked else (("", 0), ("", 0))
        if others or any(loop.parent == header for loop in self.nests.loops.values()):
            return list(ranked)
        first = self._rank(ranked[0], least)[:2]
        same = [one for one in ranked if len(one.brush) == 1 and one.brush[0][0] == header]
        alike = [one for one in same if self._rank(one, least)[:2] == first]
        near = min(one.whole.near for one in alike)
        alike.sort(key=lambda one: int(math.log(one.whole.near / near) / ALIKE))
        return [*alike, *(one for one in ranked if one not in alike)]

    def _scalar(
        self, chain: tuple[Loop, ...], tried: Sequence[_Tried], otherwise: Estimate, refused: Mapping[BrushSizes, Diagnostic]
    ) -> Choice:
        """The nest stays scalar, since all that is legal is slower, or nothing is legal."""
        reported = self._reported(chain, tried, otherwise, refused, None)
        if refused:
            # the smallest brush of the innermost loop gives the best reason
            depth = {loop.header: number for number, loop in enumerate(chain)}
            brush = min(refused, key=lambda b: (len(b), -depth[b[-1][0]], max(size for _, size in b)))
            choice = self.chooser.choice(chain, brush, refused[brush], self._reasons(chain, refused))
        elif tried:
            brush = tried[0].brush
            choice = self.chooser.choice(chain, brush, self._too_slow(chain, tried[0], otherwise), self._reasons(chain, refused))
        else:
            brush = ((chain[-1].header, 2),)
            choice = self.chooser.choice(chain, brush, self._check(brush), self._reasons(chain, refused))
        return replace(choice, considered=reported)

    def _too_slow(self, chain: Sequence[Loop], best: _Tried, otherwise: Estimate) -> Diagnostic:
        ratio = best.whole.cycles / max(otherwise.cycles, 1e-9)
        return Diagnostic(
            "note",
            "TRV317",
            f"the nest of the {chain[-1].called} stays scalar: brush {self._text(best.brush)} is expected to take "
            f"{ratio:.1f} times as long",
            chain[-1].span,
            f"limited by {best.part.limit}" if best.part.limit != "front end" else "",
            hint="to use it nevertheless: --brush " + ",".join(f"{self._name(h)}={m}" for h, m in best.brush),
        )

    def _tried(self, chain: tuple[Loop, ...], brush: BrushSizes) -> _Tried:
        part, outermost = self.costs.brushed(brush), chain[0].header
        whole = part if brush[0][0] == outermost else self.costs.nest(outermost, {brush[0][0]: part})
        return _Tried(brush, part, whole)

    def _check(self, brush: BrushSizes) -> Legal | Diagnostic:
        if brush not in self.checked:
            self.checked[brush] = self.chooser.check(brush)
        return self.checked[brush]

    def _candidates(self, chain: tuple[Loop, ...]) -> Iterator[BrushSizes]:
        """Single loops and pairs, within the limits of clauses."""
        loops = [loop for loop in self.chooser.usable(chain) if loop.trip is not None]
        marked = [loop for loop in loops if loop.hints.simd]
        seen: set[BrushSizes] = set()
        for brush in (*self._single(marked or loops), *self._pairs(loops, marked)):
            limited = self.chooser.limited(brush)
            if limited not in seen and any(size > 1 for _, size in limited):
                seen.add(limited)
                yield limited

    def _single(self, loops: Sequence[Loop]) -> Iterator[BrushSizes]:
        for loop in loops:
            lanes, most = self.costs.lanes(loop.header)
            few = {lanes, 2 * lanes, 4 * lanes, lanes // 2, lanes // 4}
            longest = RESULTS * lanes
            many = {size for size in (most, 2 * most, 4 * most) if size <= longest}
            period = odd_period(self.nests, loop)
            periodic = {size * period for size in (lanes // 2, lanes, 2 * lanes) if period > 1 and size * period <= longest}
            yield from (((loop.header, size),) for size in sorted(few | many | periodic) if size > 1)

    def _pairs(self, loops: Sequence[Loop], marked: Sequence[Loop]) -> Iterator[BrushSizes]:
        for outer, inner in combinations(loops, 2):
            if marked and inner not in marked and outer not in marked:
                continue
            lanes, _ = self.costs.lanes(inner.header)
            for wide in (lanes, 2 * lanes, 4 * lanes):
                fitting = [rows for rows in ROWS if rows * wide <= RESULTS * lanes]
                yield from (((outer.header, rows), (inner.header, wide)) for rows in fitting)
            if lanes not in ROWS:
                yield ((outer.header, lanes), (inner.header, lanes))
            yield from (((outer.header, lanes), (inner.header, rows)) for rows in ROWS if rows != lanes)

    def _reasons(self, chain: Sequence[Loop], refused: Mapping[BrushSizes, Diagnostic]) -> Mapping[str, str]:
        """Why each loop would not be brushed, if it is not."""
        alone = {brush[0][0]: why.message for brush, why in refused.items() if len(brush) == 1}
        return {loop.header: alone.get(loop.header, "no brush on it is legal and expected to be faster") for loop in chain}

    def _reported(
        self,
        chain: tuple[Loop, ...],
        tried: Sequence[_Tried],
        otherwise: Estimate,
        refused: Mapping[BrushSizes, Diagnostic],
        taken: _Tried | None,
    ) -> tuple[Considered, ...]:
        """The fastest candidates, the one that was taken, scalar code, and LLVM's loop vectorizer."""
        points = self.costs.points(chain[0].header)
        kept = [*tried[:REPORTED], *([taken] if taken is not None and taken not in tried[:REPORTED] else ())]
        found = [
            Considered(self._text(one.brush), one.whole.cycles / points, one.part.limit, self._verdict(one, taken, refused))
            for one in kept
        ]
        found.append(Considered("scalar", otherwise.cycles / points, otherwise.limit, "slower" if taken else "taken"))
        inner = (chain[-1].header, self.costs.lanes(chain[-1].header)[0])
        if taken is not None and chain[-1].trip is not None and inner[1] > 1:
            by_llvm = self._tried(chain, (inner,))
            verdict = self._verdict(by_llvm, None, refused)
            if verdict == "slower" and taken.whole.cycles > by_llvm.whole.cycles * (1 - ALIKE):
                verdict = "as fast"
            found.append(Considered("llvm", by_llvm.whole.cycles / points, by_llvm.part.limit, verdict))
        return tuple(sorted(found, key=lambda one: one.cycles))

    @staticmethod
    def _verdict(one: _Tried, taken: _Tried | None, refused: Mapping[BrushSizes, Diagnostic]) -> str:
        if one is taken:
            return "taken"
        covered = [why for brush, why in refused.items() if _covers(one.brush, brush)]
        return f"refused ({covered[0].code})" if covered else "slower"

    def _name(self, header: str) -> str:
        return self.nests.loops[header].name

    def _text(self, brush: BrushSizes) -> str:
        return ",".join(f"{self._name(header)}={size}" for header, size in brush)


def _in_order(tried: Iterable[_Tried]) -> list[_Tried]:
    """Candidates, fastest first."""
    return sorted(tried, key=lambda one: one.whole.cycles)


def _covers(brush: BrushSizes, other: BrushSizes) -> bool:
    """Whether a brush contains another one: what breaks the smaller breaks the larger."""
    sizes = dict(brush)
    return all(sizes.get(header, 1) >= size for header, size in other)
