"""The text of `--explain`: one section for every nest, with the footprints of a brush drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tensorrv.nest.choice.estimates import Considered
from tensorrv.pipeline.explain.branches import BranchReport
from tensorrv.pipeline.explain.nests import FootprintReport, NestReport, ObjectReport, ValueReport
from tensorrv.pipeline.payoff import LEAST

MAX_CELLS: Final = 40  # rows and columns of a footprint that are drawn


def explanation_text(name: str, reports: Sequence[NestReport]) -> str:
    """What `explain` found, for people."""
    if not reports:
        return f"{name}: no loop nest was looked at (the brush is `none`)"
    return "\n\n".join("\n".join(_nest(name, report)) for report in reports)


def _version(report: NestReport) -> Iterator[str]:
    yield f"{report.version}: {report.lanes} lanes"
    for loop in report.loops:
        place = f"line {loop.line}" if loop.line else ""
        yield f"  {'  ' * (loop.depth - 1) + loop.name:<8} {place:<9} {loop.reason}"
    yield from _branches(report.branches)
    yield from _objects(report.objects)


def _nest(name: str, report: NestReport) -> Iterator[str]:
    if report.version:
        yield from _version(report)
        return
    title = " > ".join(loop.name for loop in report.loops)
    yield f"{name}, nest {title}" + (f": brush {report.brush}" if report.brush else ": scalar")
    for loop in report.loops:
        place = f"line {loop.line}" if loop.line else ""
        yield f"  {'  ' * loop.depth + loop.name:<8} {place:<9} {loop.reason}"
    if report.moved:
        yield f"  schedule    {report.schedule}"
    yield from _candidates(report.considered)
    if report.refusal:
        yield f"  why scalar  {report.refusal}"
        return
    registers = -(-report.lanes // report.register_lanes)
    order = ", ".join(str(d) for d in report.projection)
    yield f"  registers   {report.lanes} lanes in {registers} of {report.register_lanes}; fastest dimension first: {order}"
    yield f"  brushes     {'; '.join(report.brushes)}"
    for title_, items in (("run time", report.conditions), ("no overlap", report.overlaps)):
        for item in items:
            yield f"  {title_:<11} {item} (checked; otherwise the scalar nest runs)"
    if report.counts:
        facts = ", ".join(f"{count} {kind}" for kind, count in report.counts.items() if count)
        yield f"  per brush   {facts}"
    for store, reason in dict.fromkeys(report.cached):
        yield f"  caches      the store to {store} goes through them: {reason}"
    if report.offloaded:
        yield (
            f"  divider     {report.offloaded} of {report.divisions} vectors of quotients and square roots by multiplications: "
            "the divider would take longest"
        )
    if report.expected_speed is not None and report.expected_speed < LEAST:
        yield f"  warning     not expected to pay: about {report.expected_speed:.1f} times the speed of scalar code"
    if report.lanes < report.whole_register:
        whole = report.whole_register
        yield f"  warning     half-empty registers: {whole} lanes fill one, and would hardly take longer than {report.lanes}"
    if report.together:
        yield "  warning     lanes go where any of them wants to: slower than scalar code when they want different things"
    yield from _branches(report.branches)
    yield from _objects(report.objects)
    yield from _values(report.values)
    for footprint in report.footprints:
        yield ""
        yield from _footprint(footprint, report.lanes)


def _candidates(considered: Sequence[Considered]) -> Iterator[str]:
    for number, one in enumerate(considered):
        title = "candidates" if not number else ""
        yield f"  {title:<11} {one.brush}: {one.cycles:.2f} cycles an iteration, limited by {one.limit}; {one.verdict}"


FATES: Final = {
    "predicates": "becomes predicates",
    "branch": "a branch in the code",
    "test": "asked together with the next condition",
    "values": "values are chosen without a branch",
    "scalar": "scalar code",
}


def _branches(branches: Sequence[BranchReport]) -> Iterator[str]:
    known: set[str] = set()
    for branch in branches:
        place = f"line {branch.line}:{branch.column}" if branch.line else "made by the compiler"
        source = f" `{branch.text}`" if branch.text else ""
        shape = f"differs along {', '.join(branch.differs_along)}" if branch.differs_along else "uniform"
        skips = ", with a test that skips it when no lane wants it" if branch.skips else ""
        yield f"  branch      {place}{source}: {shape}, {FATES[branch.fate]}{skips}"
        # what uniform branches rest on is a tree, not a line: what has been told above is not told again
        told = [cause for cause in branch.causes if branch.differs_along or cause not in known]
        known.update(told)
        yield from (f"                {cause}" for cause in told)


def _objects(objects: Sequence[ObjectReport]) -> Iterator[str]:
    for found in objects:
        place = f"line {found.line}" if found.line else "made by the compiler"
        if found.differs_along:
            yield f"  local       {found.name}, {place}: one for each lane along {', '.join(found.differs_along)}"
        else:
            yield f"  local       {found.name}, {place}: one for all lanes"
        yield from (f"                {cause}" for cause in found.causes)


def _values(values: Sequence[ValueReport]) -> Iterator[str]:
    if not values:
        return
    yield "  shapes      stride per dimension of the brush, T: varying"
    for value in values:
        shape = ", ".join("T" if stride is None else str(stride) for stride in value.shape)
        yield f"    ({shape})".ljust(14) + value.text + (f"   ; {value.source}" if value.source else "")


def _footprint(footprint: FootprintReport, lanes: int) -> Iterator[str]:
    verb = "loads" if footprint.kind == "load" else "stores"
    yield f"  {footprint.array}: {verb} {', '.join(footprint.accesses)}"
    uses = sum(count for _, count in footprint.cells)
    per = len(footprint.cells) / lanes
    yield f"    {len(footprint.cells)} elements for {uses} accesses, {per:.2f} a lane, in {len(footprint.chunks)} chunks"
    if footprint.apart:
        yield f"    under a condition lane by lane: {footprint.apart}"
    yield f"    offsets from {footprint.origin}; digits: accesses and lanes that share the element"
    cells = dict(footprint.cells)
    planes = sorted({element[:-2] for element in cells})
    for plane in planes:
        if plane:
            yield f"    plane {''.join(f'[{p:+d}]' for p in plane)}"
        yield from _plane(footprint, plane)


def _plane(footprint: FootprintReport, plane: tuple[int, ...]) -> Iterator[str]:
    cells = {element: count for element, count in footprint.cells if element[:-2] == plane}
    rows = sorted({element[:-1] for element in cells})
    columns = range(min(e[-1] for e in cells), max(e[-1] for e in cells) + 1)
    drawn = columns[:MAX_CELLS]
    labels = [f"{row[-1]:+d}" if row else "" for row in rows]
    width = max(map(len, labels))
    yield f"    {'':{width}} {drawn[0]:+d}" + f"{drawn[-1]:+d}".rjust(2 * len(drawn) - len(f"{drawn[0]:+d}"))
    for row, label in list(zip(rows, labels, strict=True))[:MAX_CELLS]:
        text = " ".join(_cell(cells.get((*row, column), 0)) for column in drawn)
        starts = [f"{start[-1]:+d}:{length}" for start, length in footprint.chunks if start[:-1] == row]
        yield f"    {label:>{width}} {text}  {' '.join(starts)}".rstrip()
    if len(rows) > MAX_CELLS or len(columns) > MAX_CELLS:
        yield f"    (cut: {len(rows)} x {len(columns)} elements)"


def _cell(count: int) -> str:
    return "." if not count else str(count) if count < 10 else "#"
