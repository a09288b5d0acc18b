"""One HTML page about a sweep that needs no other file: tables, figures, the best plan's and the baseline's footprints."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from html import escape
from typing import Final

from autotune.measure.machine_key import sizes_text
from autotune.report.figures import heat_maps, scatter_plots
from autotune.report.table import speedup_table
from autotune.search.tune import Tuning, correlation, prediction, speedup
from autotune.store.record import Record
from rv.target.machine import resolve_target
from tensorrv.pipeline.explain.footprint_svg import footprint_svg
from tensorrv.pipeline.explain.nests import FootprintReport, explain
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import parse_plan

_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.facts { color: #666; margin-top: 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid #e4e4e4; white-space: nowrap; }
th { font-weight: 600; } td:first-child, th:first-child { text-align: left; }
td.best { font-weight: 700; } .scroll { overflow-x: auto; } img { max-width: 100%; }
code { font-size: .92em; } .footprints { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
figure { margin: 0; max-width: 100%; overflow-x: auto; } figcaption { color: #555; font-size: .9em; margin-bottom: .3rem; }
svg { display: block; margin-bottom: .5rem; }
"""


def html_page(tuning: Tuning) -> str:
    """The page. Raises Refused without matplotlib."""
    name = escape(tuning.subject.function.name)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}: tuning</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>\n'
        f"{''.join(_sections(tuning, name))}</body></html>\n"
    )


def _sections(tuning: Tuning, name: str) -> Iterator[str]:
    key, best = tuning.key, tuning.best
    sizes = escape(sizes_text(tuning.subject.sizes).replace(",", ", "))
    yield f"<h1>{name}</h1>\n"
    yield f'<p class="facts">{sizes} &middot; {escape(key.cpu)} &middot; target {escape(key.target)} &middot; LLVM {key.llvm}'
    yield f" &middot; tensorrv {escape(key.tool)}</p>\n"
    yield f"<p>The fastest plan is <code>{escape(str(best.candidate))}</code>: {_nanoseconds(best)} {_unit(best)}, "
    yield f"{tuning.speedup:.2f} times as fast as vectorizing the inner loop (<code>{tuning.baseline.candidate}</code>). "
    yield f"{_statuses(tuning)}</p>\n"
    yield "<h2>Speed-up over inner-loop vectorization</h2>\n" + _speedups(tuning) + _image(heat_maps(tuning), "heat map")
    yield "<h2>Instructions and speed</h2>\n"
    yield "<p>Shares of the vector instructions in the hot loop. Points above the dashed lines, 35&nbsp;% shuffles and 50&nbsp;% "
    yield "arithmetic, are light in the plots to the right.</p>\n" + _image(scatter_plots(tuning), "scatter plots")
    coefficient = correlation(tuning)
    if coefficient is not None:
        yield f"<p>The cost model's order and the measured one have a rank correlation of {coefficient:.2f}.</p>\n"
    yield "<h2>What a brush touches</h2>\n<p>A square is an element; darker ones are shared by more accesses and lanes. Boxes "
    yield "are vector accesses. Loads are blue, stores orange.</p>\n"
    for title, record in (("fastest plan", best), ("inner-loop vectorization", tuning.baseline)):
        yield f"<h3>{title}: <code>{escape(record.candidate.plan)}</code></h3>\n" + _footprints(tuning, record)
    yield "<h2>All plans</h2>\n" + _candidates(tuning)


def _unit(record: Record) -> str:
    return "ns per point" if record.points else "ns per call"


def _nanoseconds(record: Record) -> str:
    return "" if record.time is None else f"{record.time.median / (record.points or 1):.3f}"


def _statuses(tuning: Tuning) -> str:
    codes = {record.code for record in tuning.measured}
    counts = Counter(_status(record, codes) for record in tuning.records)
    if len(counts) == 1 and tuning.measured:
        return f"All {len(tuning.records)} plans were measured." if len(tuning.records) > 1 else "The only plan was measured."
    return f"Of {len(tuning.records)} plans " + ", ".join(f"{number} {status}" for status, number in counts.most_common()) + "."


def _status(record: Record, measured: Container[str]) -> str:
    if record.status != "compiled":
        return "gave different results" if record.status == "different" else record.status
    return "with the same machine code as one of them" if record.code in measured else "not measured"


def _speedups(tuning: Tuning) -> str:
    table = speedup_table(tuning)
    headers, rows = table.texts()
    beside = f"<p>Side by side in a cell: {escape(', '.join(table.variants))}.</p>\n" if len(table.variants) > 1 else ""
    return beside + _table(headers, rows)


def _image(data: bytes, text: str) -> str:
    return f'<p><img alt="{text}" src="data:image/png;base64,{base64.b64encode(data).decode()}"></p>\n'


def _footprints(tuning: Tuning, record: Record) -> str:
    kernel = compile_function(
        tuning.subject.function, parse_plan(record.candidate.plan), resolve_target(tuning.subject.target)
    )
    found = [footprint for nest in explain(kernel.tensorized) for footprint in nest.footprints]
    return f'<div class="footprints">{"".join(map(_footprint, found))}</div>\n'


def _footprint(footprint: FootprintReport) -> str:
    uses = sum(count for _, count in footprint.cells)
    accesses = _number(len(footprint.accesses), footprint.kind)
    text = f"{footprint.array}: {accesses}, {_number(len(footprint.cells), 'element')} for "
    text += f"{_number(uses, 'access')}, {_number(len(footprint.chunks), 'chunk')}"
    return f"<figure><figcaption>{escape(text)}</figcaption>{footprint_svg(footprint)}</figure>"


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}{'es' if thing.endswith('s') else 's'}"


def _candidates(tuning: Tuning) -> str:
    headers = ("plan", "ns", "&plusmn;", "speed-up", "predicted", "limit", "loads", "stores", "shuffles", "arithmetic", "spills")
    rows = [_candidate(tuning, record) for record in tuning.measured]
    rows += [(escape(str(r.candidate)), r.status, *[""] * 9) for r in tuning.records if r.status not in ("measured", "compiled")]
    return f'<div class="scroll">{_table(headers, rows)}</div>\n'


def _candidate(tuning: Tuning, record: Record) -> tuple[str, ...]:
    assert record.time is not None
    gain, found, counts = speedup(record, tuning.baseline), prediction(tuning, record), record.counts
    return (
        escape(str(record.candidate)),
        _nanoseconds(record),
        f"{100 * record.time.uncertainty:.1f}%",
        f"{gain:.2f}" if gain is not None else "",
        f"{found.nanoseconds:.3f}" if found is not None else "",
        found.limit if found is not None else "",
        *(f"{counts.per_point(k):.3f}" if counts else "" for k in ("loads", "stores", "shuffles", "arithmetic", "spills")),
    )


def _table(headers: Iterable[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{header}</th>" for header in headers)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>\n"
