"""`tensorrv-tune`: the command line.

Exit status: 0; 1 the input was refused; 2 bad usage; 3 a plan gave different results; 70 a bug of ours.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from autotune.options import TuneOptions, parse_tune_options
from tensorrv.cli.exit_status import DIFFERENT, DONE, REFUSED, exit_status, print_diagnostics
from tensorrv.cli.options import UsageError
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import PlanError

if TYPE_CHECKING:
    from autotune.search.tune import Request, Tuning
    from autotune.store.database import Database

SHOWN: Final = 8  # plans in the table of the fastest
STANDARD_OUTPUT: Final = Path("-")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with `arguments` (default: the process's) and gives the exit status."""
    given = sys.argv[1:] if arguments is None else arguments

    def misused(diagnostic: Diagnostic) -> None:
        if "--json" in given:
            _print_json({"error": diagnostic.message})

    return exit_status(lambda: _guarded(parse_tune_options(given)), misused)


def _guarded(options: TuneOptions) -> int:
    try:
        return _run(options)
    except Refused as refusal:
        if options.json:
            _print_json({"error": "; ".join(d.message for d in refusal.diagnostics)})
        print_diagnostics(refusal.diagnostics, refusal.sources)
        return REFUSED


def _run(options: TuneOptions) -> int:
    """The whole command: import, tune, report, export."""
    from autotune.store.database import Database
    from tensorrv.run.tuner import tuning_database

    _check_reports(options)
    database = Database(options.database or tuning_database())
    if options.machine is not None:
        from autotune.measure.core.describe import describe

        _write(options.machine, describe(options.target).encode())
    if options.load is not None:
        _load(database, options.load)
    different = False
    if options.kernel is not None:
        tuning = _tune(options, database)
        _report(options, tuning)
        different = any(record.status == "different" for record in tuning.records)
    if options.export is not None:
        _write(options.export, "".join(f"{line}\n" for line in database.export()).encode())
    return DIFFERENT if different else DONE


def _check_reports(options: TuneOptions) -> None:
    """Refuses before a long sweep what could not be written after it."""
    from tensorrv.report.output import check_writable

    for path in (options.csv, options.plot, options.html, options.export, options.machine):
        if path is not None and path != STANDARD_OUTPUT:
            check_writable(path)
    if options.plot is not None or options.html is not None:
        from autotune.report.figures import check_drawing

        check_drawing()


def _load(database: Database, path: Path) -> None:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        message = f"cannot read '{path}': {(error.strerror or str(error)).lower()}"
        raise Refused(Diagnostic("error", "TRV401", message)) from error
    number = database.load(text.splitlines())
    print(f"{number} results imported", file=sys.stderr)


def _tune(options: TuneOptions, database: Database) -> Tuning:
    from autotune.report.progress import ProgressBar
    from autotune.search.tune import local_workers, tune_function

    if options.plot is not None or options.html is not None or options.search == "guided":
        from autotune.measure.known_machine import known_machine

        known_machine(database, options.target)
    request = _request(options, database)
    if options.fresh:
        from autotune.measure.machine_key import key_of

        database.forget(key_of(request.subject))
    with ProgressBar(request.subject.function.name) as progress, local_workers() as workers:
        return tune_function(request, workers, database, progress)


def _request(options: TuneOptions, database: Database) -> Request:
    from autotune.measure.known_machine import known_machine
    from autotune.search.source import read_function
    from autotune.search.strategies import Guided, exhaustive
    from autotune.search.tune import Request, make_subject
    from autotune.space import Axes, default_brushes, default_splits, default_unrolls, layouts_of
    from tensorrv.check.given.fitting import check_names, fit
    from tensorrv.check.given.reading import read_arguments

    assert options.kernel is not None
    function = read_function(options.kernel, options.function, options.defines, options.include, options.cpp)
    arguments = {} if options.data is None else read_arguments(options.data, function.name)
    check_names((function,), [*arguments, *options.constraints.lengths, *options.constraints.ranges])
    given = fit(function, arguments, options.constraints, options.sizes)
    subject = make_subject(function, options.target.name, options.sizes, given)
    brushes = options.brushes or default_brushes(function, options.target)
    try:
        layouts = tuple(layouts_of(function, text) for text in options.layouts)
    except PlanError as error:
        raise UsageError(Diagnostic("error", "TRV080", str(error), hint=error.hint)) from error
    axes = Axes(
        brushes, options.base, options.every_projection, options.registers, options.tails, options.stores,
        options.prefetches, options.threads, layouts, options.orders, options.tiles, options.fusions,
        options.splits or default_splits(function),
        options.skews, options.unrolls or default_unrolls(function),
    )
    if options.search == "exhaustive":
        return Request(subject, axes, options.effort, exhaustive)
    return Request(subject, axes, options.effort, Guided(known_machine(database, options.target)))


def _report(options: TuneOptions, tuning: Tuning) -> None:
    from autotune.report.facts import csv_text, tuning_facts

    if options.csv is not None:
        _write(options.csv, csv_text(tuning).encode())
    if options.plot is not None:
        from autotune.report.figures import overview

        _write(options.plot, overview(tuning))
    if options.html is not None:
        from autotune.report.page import html_page

        _write(options.html, html_page(tuning).encode())
    if options.json:
        _print_json(tuning_facts(tuning))
    else:
        _show(tuning)


def _show(tuning: Tuning) -> None:
    from autotune.measure.machine_key import sizes_text
    from autotune.report.table import speedup_table
    from autotune.search.tune import speedup
    from tensorrv.report.tables import show_table

    name = f"{tuning.subject.function.name}, {sizes_text(tuning.subject.sizes) or 'no sizes'}"
    rows = []
    for record in tuning.measured[:SHOWN]:
        assert record.time is not None
        nanoseconds = record.time.median / (record.points or 1)
        gain = speedup(record, tuning.baseline)
        times = "" if gain is None else f"{gain:.2f}x"
        placed = "" if record.time_together is None else f"{record.time_together / (record.points or 1):.3f}"
        rows.append((str(record.candidate), f"{nanoseconds:.3f}", f"{record.time.uncertainty * 100:.1f}%", placed, times))
    unit = "ns/point" if tuning.best.points else "ns/call"
    headers = ("plan", unit, "+-", "same offset", "vs inner loop")
    show_table(f"{name}: the fastest of {len(tuning.measured)} measured", headers, rows)
    table = speedup_table(tuning)
    if table.rows:
        beside = "" if len(table.variants) < 2 else f"; in a cell: {', '.join(table.variants)}"
        show_table(f"speed-up over inner-loop vectorization ({tuning.baseline.candidate.plan}){beside}", *table.texts())
    _show_without_brush(tuning)
    _show_model(tuning)
    statuses = Counter(record.status for record in tuning.records)
    for record in tuning.records:
        if record.status in ("different", "crashed", "hung"):
            print(f"{record.status}: {record.candidate}: {record.reason}", file=sys.stderr)
    reasons = Counter(record.reason for record in tuning.records if record.status == "refused")
    for reason, number in reasons.most_common():
        print(f"{number} plans refused: {reason}", file=sys.stderr)
    if tuning.interrupted:
        kept = statuses["measured"]
        print(f"interrupted; {kept} measured plans are kept, and the same command goes on from there", file=sys.stderr)


def _show_without_brush(tuning: Tuning) -> None:
    """How long scalar code and that of LLVM's loop vectorizer take beside the fastest plan, and what limits them."""
    from autotune.search.tune import prediction, speedup
    from tensorrv.schedule.plan import parse_plan

    found = []
    for record in tuning.measured:
        plan, ratio = parse_plan(record.candidate.plan), speedup(tuning.best, record)
        if not plan.brush.rank and record.time is not None and ratio is not None:
            name = "LLVM's loop vectorizer" if plan.vectorizer == "llvm" else "scalar code"
            predicted = prediction(tuning, record)
            limit = "" if predicted is None else f", limited by {predicted.limit}"
            nanoseconds = record.time.median / (record.points or 1)
            found.append(f"{name} {nanoseconds:.3f} ns ({ratio:.2f}x as long as the fastest{limit})")
    if found:
        print(f"without a brush: {'; '.join(found)}")


def _show_model(tuning: Tuning) -> None:
    from autotune.search.tune import correlation, prediction

    coefficient, predicted = correlation(tuning), prediction(tuning, tuning.best)
    if coefficient is not None and predicted is not None:
        nanoseconds = f"{predicted.nanoseconds:.3f} ns, limited by {predicted.limit}"
        print(f"model: {nanoseconds} for the fastest; rank correlation with the measurement {coefficient:.2f}")


def _write(path: Path, data: bytes) -> None:
    from tensorrv.report.output import write_files

    if path == STANDARD_OUTPUT:
        print(data.decode(), end="")
    else:
        write_files(path.parent, {path.name: data})


def _print_json(data: dict[str, Any]) -> None:
    import json

    print(json.dumps(data, indent=2), flush=True)


if __name__ == "__main__":
    sys.exit(main())
