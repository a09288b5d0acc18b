"""Tables, pictures and the page, of a sweep that was made up."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from autotune.measure.machine_key import key_of
from autotune.measure.subject import Subject
from autotune.model.counts import Counts
from autotune.model.traffic import Traffic
from autotune.report.facts import COLUMNS, csv_text, tuning_facts
from autotune.report.table import speedup_table
from autotune.search.tune import Tuning, correlation
from autotune.space import Candidate
from autotune.store.record import Record
from rv.target.description import load
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.pipeline.explain.footprint_svg import footprint_svg
from tensorrv.pipeline.explain.nests import FootprintReport
from tensorrv.report.diagnostics import Refused

SUBJECT = Subject(parse_c(find_kernel("jacobi5")).functions[0], "native", (("cols", 66), ("rows", 66)))
TIMES = {
    "brush=1x8": 100.0,
    "brush=4x8 projection=1,0": 80.0,
    "brush=4x8 projection=0,1": 160.0,
    "brush=4x8 layouts=A=2x2;B=2x2": 90.0,
    "brush=16x2": 200.0,
}


def tuning():
    key = key_of(SUBJECT)
    counts = {plan: Counts(32, 512, loads=int(time), arithmetic=20, stores=4) for plan, time in TIMES.items()}
    records = [
        Record(
            key, Candidate(plan), "jacobi5", "measured", code=plan, counts=counts[plan], traffic=Traffic(16, 8, 1e5, 1e6),
            points=4096, samples=(time,) * 9,
        )
        for plan, time in TIMES.items()
    ]  # fmt: skip
    twin = replace(records[0], candidate=Candidate("brush=1x8 tail=mask"), status="compiled", samples=())
    refused = Record(key, Candidate("brush=64x64"), "jacobi5", "refused", reason="TRV305 because")
    fastest = tuple(sorted(records, key=lambda record: record.samples))
    return Tuning(SUBJECT, key, records[0], (*records, twin, refused), fastest, False, load("golden_cove"))


def test_the_table_holds_the_best_of_each_brush_and_layout():
    table = speedup_table(tuning())
    assert table.rows == ("1", "4", "16")
    assert table.columns == (2, 8)
    assert table.variants == ("row", "2x2")
    assert table.cells[("4", 8, "row")] == pytest.approx(1.25)
    assert table.cells[("4", 8, "2x2")] == pytest.approx(100 / 90)
    headers, rows = table.texts()
    assert headers == ["outer \\ inner", "2", "8"]
    assert rows == [["1", "", "1.00"], ["4", "", "1.25 1.11"], ["16", "0.50", ""]]


def test_csv_and_json_say_the_same():
    rows = list(csv.DictReader(io.StringIO(csv_text(tuning()))))
    facts = json.loads(json.dumps(tuning_facts(tuning())))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["plan"] for row in rows] == [candidate["plan"] for candidate in facts["candidates"]]
    assert facts["best"]["plan"] == "brush=4x8 projection=1,0"
    assert float(rows[1]["speedup"]) == facts["candidates"][1]["speedup"] == pytest.approx(1.25)
    assert (rows[-1]["status"], rows[-1]["reason"], rows[-1]["ns_per_point"]) == ("refused", "TRV305 because", "")
    assert facts["rank_correlation"] == pytest.approx(1.0)


def test_the_models_order_is_compared_with_the_measured_one():
    assert correlation(tuning()) == pytest.approx(1.0)


def test_pictures():
    figures = pytest.importorskip("autotune.report.figures")
    pytest.importorskip("matplotlib")
    for draw in (figures.overview, figures.heat_maps, figures.scatter_plots):
        image = draw(tuning())
        assert image.startswith(b"\x89PNG")
        assert len(image) > 5_000
    assert figures.heat_maps(tuning()) == figures.heat_maps(tuning())


def test_points_above_thresholds_are_light_to_the_right_of_them():
    from autotune.report.figures import Point

    shuffling, computing, balanced = (Point(1.0, shares, "row") for shares in ((0.4, 0.3, 0.3), (0.1, 0.6, 0.3), (0.3, 0.4, 0.3)))
    assert [shuffling.light(plot) for plot in range(3)] == [False, True, True]
    assert [computing.light(plot) for plot in range(3)] == [False, False, True]
    assert [balanced.light(plot) for plot in range(3)] == [False, False, False]


def test_the_page_needs_no_other_file():
    pytest.importorskip("matplotlib")
    from autotune.report.page import html_page

    page = html_page(tuning())
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert "Of 7 plans 5 measured, 1 with the same machine code as one of them, 1 refused." in page
    assert "B: 1 store, 8 elements for 8 accesses, 1 chunk<" in page
    for text in ("1.25 1.11", "64x64", "rank correlation of 1.00", "<svg", "data:image/png"):
        assert text in page, text
    assert page.count("<svg") == 4, "loads and stores of the best plan and of the baseline"


def test_without_matplotlib_pictures_are_refused(monkeypatch):
    import sys

    from autotune.report.figures import overview

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(Refused, match="needs matplotlib"):
        overview(tuning())


def test_footprints_are_drawn_cell_by_cell():
    cells = tuple(((row, column), row + 1) for row in range(2) for column in range(3))
    svg = footprint_svg(FootprintReport("A", "load", ("A[j][i]",), "A[j][i]", cells, (((0, 0), 3), ((1, 1), 2))))
    assert svg.count('stroke="#fff"') == 6
    assert svg.count('fill="none"') == 2
    assert 'width="44" height="30"' in svg
