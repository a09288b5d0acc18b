"""What became of every branch and choice of the source inside a brush: whether lanes may differ there, and why.

The code that is vectorized has fewer branches than the source: small ones have become selections of values before anything
tests lanes (`rv.transform.scalar.select`). So the source is analyzed once more without that step, for the same brush.
Where its branches are still in the vectorized code, that decides what is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

from rv.analysis.cfg.loops import find_loops
from rv.analysis.divergence.explanation import Explanation, Link
from rv.ir.function import Function
from rv.ir.instructions import Branch, Select
from rv.ir.source import Span
from rv.ir.types import I1
from rv.ir.values import Var
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from rv.transform.scalar.promote_objects import promote_objects
from rv.transform.simplify import simplify
from rv.widen.protocols import UNIFORM, Dimensions
from tensorrv.brush.branching import Branching
from tensorrv.brush.shapes import NestShapes, analyze_shapes
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.model import Nests

Sources = Mapping[str, str]
Shows = Callable[[Dimensions], bool]
NO_SOURCES: Final[Sources] = MappingProxyType({})
Fate = Literal["predicates", "branch", "test", "values", "scalar"]


@dataclass(frozen=True, slots=True)
class BranchReport:
    """A branch or choice inside the brush: the loops between whose iterations it may differ, none where it is uniform, and why.

    `text`: its condition in the source. `fate`: converted to predicates, still a branch, evaluated together with the condition
    behind it (`a && b`), values are chosen without a branch, or it is outside of all brushes. `causes`: from the condition back,
    first to last. `skips`: the code it guards is skipped when no lane is active.
    """

    line: int | None
    column: int | None
    text: str
    differs_along: tuple[str, ...]
    fate: Fate
    causes: tuple[str, ...]
    skips: bool = False


def branch_reports(source: Function, branching: Branching, sources: Sources = NO_SOURCES) -> tuple[BranchReport, ...]:
    """All branches of the source in a brushed nest but the tests of the brushed loops, in textual order, and those we made."""
    kept = _Told(branching.function, branching.shapes, sources)
    found = {label: kept.branch(label, branching.skipped) for label in kept.labels()}
    left = Counter(map(kept.span, found))
    merged = kept.merged_tests()
    gone = [(span, report) for span, report in _in_source(source, branching, sources) if _gone(left, span)]
    chosen = [replace(report, fate="test") if span in merged else report for span, report in gone]
    reports = dict.fromkeys((*found.values(), *chosen))
    return tuple(sorted(reports, key=lambda report: (report.line is None, report.line or 0, report.column or 0)))


def scalar_reports(source: Function, brushed: Collection[str], sources: Sources = NO_SOURCES) -> tuple[BranchReport, ...]:
    """The branches and choices of the source outside of the loops with these headers, but for the tests of loops; none where it
    has no such loops.
    """
    loops = find_loops(source).loops
    if not set(brushed) <= loops.keys():
        return ()
    inside = frozenset[str]().union(*(loops[header].blocks for header in brushed))
    outside = [block for block in source.blocks if block.label not in inside]
    chosen = [select.span for block in outside for select in block.body if isinstance(select, Select)]
    spans = chosen + [b.terminator.span for b in outside if isinstance(b.terminator, Branch) and b.label not in loops]
    reason = "it is outside of the brush"
    places = sorted({span for span in spans if span is not None}, key=lambda span: (span.line, span.column))
    return tuple(BranchReport(s.line, s.column, excerpt(sources, s), (), "scalar", (reason,)) for s in places)


def _gone(left: Counter[Span | None], span: Span | None) -> bool:
    """Whether a branch of the source is not among those that are left, each of which stands for one."""
    left[span] -= 1
    return left[span] < 0


def _in_source(source: Function, branching: Branching, sources: Sources) -> Iterator[tuple[Span | None, BranchReport]]:
    """The branches and choices of the source, as if values had to be chosen for all of them."""
    headers, sizes = branching.shapes.headers, branching.sizes
    # nothing moves out of loops: selects there are reported
    nests = analyze_nests(close_loops(simplify_loops(simplify(promote_objects(source)))))
    if not set(headers) <= nests.loops.keys():
        return  # loops of our own: strips that are searched
    text = _Told(nests.function, analyze_shapes(nests_within(nests, headers[0]), headers, sizes), sources)
    for label in text.labels():
        yield text.span(label), text.branch(label, None)
    yield from text.choices()


class _Told:
    """A function with the shapes of one brushed nest, in words."""

    def __init__(self, function: Function, shapes: NestShapes, sources: Sources) -> None:
        self.function, self.shapes, self.sources = function, shapes, sources
        self.why = Explanation(function, shapes.found)

    @property
    def nests(self) -> Nests:
        return self.shapes.nests

    @property
    def region(self) -> frozenset[str]:
        return self.nests.loops[self.shapes.headers[0]].blocks

    def labels(self) -> Iterator[str]:
        """The blocks that branch, but for the headers of the brushed loops."""
        for block in self.function.blocks:
            if block.label in self.region and block.label not in self.shapes.headers and isinstance(block.terminator, Branch):
                yield block.label

    def span(self, label: str) -> Span | None:
        return self.function.block(label).terminator.span

    def branch(self, label: str, skipped: Mapping[str, str] | None) -> BranchReport:
        """`skipped`: see `Branching`; None when values are chosen."""
        dimensions = self.shapes.found.branches.get(label, UNIFORM)
        causes = self._chains(dimensions, lambda shows: self.why.branch(label, shows))
        causes = causes or self._told(self.why.uniform_branch(label))
        fate: Fate = "values" if skipped is None else "predicates" if dimensions else "branch"
        return self._report(self.span(label), dimensions, fate, causes, skips=skipped is not None and label in skipped)

    def merged_tests(self) -> frozenset[Span | None]:
        """The places of conditions that one branch evaluates together with the next one."""
        blocks = (block for block in self.function.blocks if block.label in self.region)
        tests = (i for block in blocks for i in block.body if isinstance(i, Select) and i.result.type == I1)
        return frozenset(test.span for test in tests)

    def choices(self) -> Iterator[tuple[Span | None, BranchReport]]:
        """Selections: `?:`, mostly."""
        for block in self.function.blocks:
            for select in block.body if block.label in self.region else ():
                if isinstance(select, Select) and isinstance(select.condition, Var):
                    yield select.span, self._choice(select, select.condition.name)

    def _choice(self, select: Select, condition: str) -> BranchReport:
        dimensions = self.shapes.of(select.condition)
        causes = self._chains(dimensions, lambda shows: self.why.value(condition, shows))
        causes = causes or self._told(self.why.uniform_value(condition))
        return self._report(select.span, dimensions, "values", causes)

    def _chains(self, dimensions: Dimensions, chain: Callable[[Shows], tuple[Link, ...]]) -> tuple[str, ...]:
        """A chain of causes for every dimension; of the second and later ones what the first does not have, too."""
        found: list[str] = []
        for dimension in sorted(dimensions):
            text = self._told(chain(lambda shape, d=dimension: d in shape))  # type: ignore[misc]
            along = f"along {self.nests.loops[self.shapes.headers[dimension]].name}: " if found else ""
            found += [f"{along}{cause}" for cause in text if cause not in found]
        return tuple(found)

    def _told(self, links: tuple[Link, ...]) -> tuple[str, ...]:
        return tuple(link.text(self._excerpt) for link in links)

    def _report(
        self, span: Span | None, dimensions: Dimensions, fate: Fate, causes: tuple[str, ...], *, skips: bool = False
    ) -> BranchReport:
        names = tuple(self.nests.loops[self.shapes.headers[d]].name for d in sorted(dimensions))
        line, column = (None, None) if span is None else (span.line, span.column)
        return BranchReport(line, column, "" if span is None else self._excerpt(span), names, fate, causes, skips)

    def _excerpt(self, span: Span) -> str:
        return excerpt(self.sources, span)


def excerpt(sources: Sources, span: Span) -> str:
    """The source text of a place; empty when it is not at hand."""
    lines = _lines(sources.get(span.file, ""))
    text = lines[span.line - 1] if span.line <= len(lines) else ""
    return text[span.column - 1 : span.column - 1 + span.length].strip()


@lru_cache
def _lines(text: str) -> list[str]:
    """Thousands of places are reported, in few files."""
    return text.split("\n")
