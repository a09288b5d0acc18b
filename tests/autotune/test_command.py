"""The command: what it prints, writes and refuses."""

import csv
import json
import signal
import subprocess
import sys
import time

import pytest

from autotune.cli import main
from autotune.options import parse_seconds
from autotune.store.database import Database
from tensorrv.cli.gen import main as gen
from tensorrv.schedule.plan import PlanError

SMALL = ["jacobi5", "--size", "rows=34,cols=40", "--brushes", "1x8,4x8", "--projections", "default", "--rounds", "1"]
PLANS = {"brush=1x8", "brush=4x8", "brush=none", "brush=none vectorizer=llvm"}


@pytest.fixture
def tune(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return lambda *arguments: main(list(arguments))


def test_a_small_sweep(tune, tmp_path, capsys):
    assert tune(*SMALL, "--csv", "out.csv") == 0
    output = capsys.readouterr().out
    assert "jacobi5, cols=40,rows=34: the fastest of 4 measured" in output
    assert "without a brush: " in output and "LLVM's loop vectorizer " in output and "scalar code " in output
    assert "speed-up over inner-loop vectorization (brush=1x8)" in output
    rows = list(csv.DictReader((tmp_path / "out.csv").open()))
    assert sorted((row["plan"], row["status"]) for row in rows) == [(plan, "measured") for plan in sorted(PLANS)], rows
    assert all(int(row["samples"]) >= 1 for row in rows)
    assert (tmp_path / "data" / "tensorrv" / "tuning.sqlite").is_file()


def test_json_and_resumption(tune, capsys):
    assert tune(*SMALL, "--json", "--db", "a.sqlite") == 0
    first = json.loads(capsys.readouterr().out)
    assert first["sizes"] == {"rows": 34, "cols": 40}
    assert first["points"] == 32 * 38
    assert {c["plan"] for c in first["candidates"]} == PLANS
    assert first["best"]["ns_per_point"] == min(c["ns_per_point"] for c in first["candidates"])
    assert tune(*SMALL, "--json", "--db", "a.sqlite") == 0
    assert json.loads(capsys.readouterr().out) == first


def test_refused_plans_are_reported_with_their_reason(tune, capsys):
    assert tune("gauss_seidel", "--size", "rows=20,cols=20", "--brushes", "4x8", "--rounds", "1") == 0
    printed = capsys.readouterr()
    assert "plans refused: TRV30" in printed.err and "brush=none" in printed.out


def test_results_go_to_standard_output_and_to_auto(tune, tmp_path, capsys):
    assert tune(*SMALL, "--db", "a.sqlite") == 0
    capsys.readouterr()
    assert tune("--db", "a.sqlite", "--export", "-") == 0
    plans = {json.loads(line)["plan"] for line in capsys.readouterr().out.splitlines()}
    assert plans == PLANS and not (tmp_path / "-").exists()
    assert gen(["jacobi5", "--db", "a.sqlite", "--size", "rows=34,cols=40", "--emit", "pllvm", "-o", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert any(f"jacobi5: {plan} " in printed for plan in plans)


def test_export_and_import(tune, tmp_path, capsys):
    assert tune(*SMALL, "--db", "a.sqlite", "--export", "a.jsonl") == 0
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 4
    assert tune("--db", "b.sqlite", "--import", "a.jsonl", "--export", "b.jsonl") == 0
    assert (tmp_path / "b.jsonl").read_text() == (tmp_path / "a.jsonl").read_text()
    assert tune("--db", "b.sqlite", "--import", "missing.jsonl") == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        ([], "no kernel is given"),
        (["jacobi5", "--brushes", "4y8"], "'4y8' is not a brush"),
        (["jacobi5", "--brushes", "none"], "'none' is not a brush to try"),
        (["jacobi5", "--tails", "long"], "'long' is not a tail policy"),
        (["jacobi5", "--registers", "300"], "'300' is not a register width"),
        (["jacobi5", "--threads", "0"], "'0' is not a number of threads"),
        (["jacobi5", "--budget", "soon"], "'soon' is not a time"),
        (["jacobi5", "--size", "rows"], "'rows' is not a size"),
        (["jacobi5", "--search", "lucky"], "invalid choice"),
    ],
)
def test_bad_usage(tune, capsys, arguments, message):
    assert tune(*arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--csv", "--export"])
@pytest.mark.parametrize("file, reason", [("here", "is a directory"), ("file/x.csv", "not a directory")])
def test_reports_that_cannot_be_written_are_refused_before_the_sweep(tune, tmp_path, capsys, option, file, reason):
    (tmp_path / "here").mkdir()
    (tmp_path / "file").touch()
    assert tune(*SMALL, "--db", "a.sqlite", option, file) == 1
    assert f"TRV084]: cannot write to '{file}': {reason}" in capsys.readouterr().err
    assert not (tmp_path / "a.sqlite").exists()


def test_pictures_without_matplotlib_are_refused_before_the_sweep(tune, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert tune(*SMALL, "--db", "a.sqlite", "--html", "page.html") == 1
    assert "TRV403" in capsys.readouterr().err and not (tmp_path / "a.sqlite").exists()


@pytest.mark.parametrize("line, reason", [(b'{"a": 1}', "it lacks 'kernel'"), (b"\xff\x00", "Expecting value")])
def test_what_is_no_export(tune, tmp_path, capsys, line, reason):
    (tmp_path / "bad.jsonl").write_bytes(line + b"\n")
    assert tune("--db", "a.sqlite", "--import", "bad.jsonl") == 1
    assert f"line 1 is not an exported result: {reason}" in capsys.readouterr().err


def test_an_interrupt_before_the_first_measurement_is_no_question_of_budget(tune, capsys, monkeypatch):
    monkeypatch.setattr("autotune.measure.workers.Workers.outcomes", interrupt)
    assert tune(*SMALL, "--db", "a.sqlite") == 1
    assert "the sweep was interrupted before the first measurement" in capsys.readouterr().err


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_without_a_baseline_there_is_no_speedup(tune, capsys, monkeypatch):
    for module in ("autotune.search.tune", "autotune.report.table"):
        monkeypatch.setattr(f"{module}.speedup", lambda record, baseline: None)
    assert tune(*SMALL, "--db", "a.sqlite") == 0
    output = capsys.readouterr().out
    assert "brush=4x8" in output and "1.00x" not in output and "over inner-loop vectorization" not in output


@pytest.mark.parametrize("text, seconds", [("60", 60), ("90s", 90), ("5m", 300), ("1.5min", 90), ("1h", 3600)])
def test_times(text, seconds):
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1", "0", "1d", "1 s"])
def test_what_is_no_time(text):
    with pytest.raises(PlanError):
        parse_seconds(text)


def test_ctrl_c_keeps_what_was_measured(tmp_path):
    database = tmp_path / "a.sqlite"
    command = [sys.executable, "-m", "autotune.cli", *SMALL[:-1], "500", "--db", str(database)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not measured(database):
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors
    assert "the fastest of" in output
    assert "are kept, and the same command goes on from there" in errors
    assert len(measured(database)) >= 1


def measured(path):
    if not path.is_file():
        return []
    return [record for record in Database(path).all() if record.status == "measured"]


WRONG = "void f(int n, double A[restrict n]) { for (int j = 1; j < n; j++) A[j] = A[j - 1] + A[j]; }"


def test_a_plan_that_computes_something_else_is_never_timed(tune, tmp_path, capsys):
    (tmp_path / "wrong.c").write_text(WRONG)
    arguments = ["wrong.c", "--size", "n=100", "--brushes", "4,8", "--assume-parallel", "j", "--rounds", "1", "--json"]
    assert tune(*arguments, "--db", "a.sqlite") == 3
    found = {one["plan"].split()[0]: one for one in json.loads(capsys.readouterr().out)["candidates"]}
    assert all(found[brush]["status"] == "different" and found[brush]["samples"] == 0 for brush in ("brush=4", "brush=8"))


def test_pictures_and_page(tune, tmp_path):
    pytest.importorskip("matplotlib")
    assert tune(*SMALL, "--plot", "a.png", "--html", "a.html") == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "rank correlation" in (tmp_path / "a.html").read_text() or "fastest plan" in (tmp_path / "a.html").read_text()


HALF = "void f(int n, const int *restrict a, int *restrict b) { for (int i = 0; i < n / 2; i++) b[i] = a[i]; }"
ROWS = """void f(int n, const int *restrict rp, const int *restrict ci, const double *restrict a, const double *restrict x,
    double *restrict y)
{ for (int i = 0; i < n; i++) { double s = 0; for (int k = rp[i]; k < rp[i + 1]; k++) s += a[k] * x[ci[k]]; y[i] = s; } }"""


@pytest.mark.parametrize("text", [HALF, ROWS])
def test_arrays_that_declare_no_length(tune, tmp_path, capsys, text):
    (tmp_path / "f.c").write_text(text)
    assert tune("f.c", "--size", "n=200", "--brushes", "1x8", "--projections", "default", "--rounds", "1") == 0
    assert "f, n=200: the fastest of" in capsys.readouterr().out


def test_a_source_that_faults_is_refused_before_the_plans(tune, tmp_path, capsys):
    (tmp_path / "f.c").write_text(HALF.replace("= a[i]", "= a[i] / (a[i] & b[i] & 1)"))
    assert tune("f.c", "--size", "n=64", "--rounds", "1") == 1
    output = capsys.readouterr()
    assert "error[TRV096]: the C source of 'f' divides an integer by zero" in output.err
    assert "f: compile" not in output.err
