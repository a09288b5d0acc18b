"""The database: what is written is read, by many writers at once, and a writer that is killed leaves no half of a write."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from autotune.model.counts import Counts
from autotune.model.traffic import Traffic
from autotune.space import Candidate
from autotune.store.database import Database
from autotune.store.record import Key, Record
from tensorrv.report.diagnostics import Refused

KEY = Key("kernel", "n=8", "cpu", "native", "22", "1")


def record(plan="brush=4x8", threads=1, **changes):
    counts, traffic = Counts(8, 512), Traffic(16.0, 8.0, 1e5, 1e6)
    base = Record(KEY, Candidate(plan, threads), "f", "measured", "", "code", counts, traffic, 100, (1.5, 2.5), 0, 10.0)
    return replace(base, **changes)


@pytest.fixture
def database(tmp_path):
    return Database(tmp_path / "sub" / "results.sqlite")


def test_what_is_written_is_read(database):
    records = (record("brush=1x8"), record("brush=4x8", status="refused", reason="because", samples=(), counts=None, points=None))
    database.write(records)
    assert database.read(KEY) == records
    assert database.all() == records


def test_a_record_replaces_the_one_of_the_same_candidate(database):
    database.write([record()])
    database.write([record(samples=(3.0,))])
    assert [r.samples for r in database.all()] == [(3.0,)]


@pytest.mark.parametrize("field", ["kernel", "sizes", "cpu", "target", "llvm", "tool"])
def test_every_part_of_the_key_counts(database, field):
    other = replace(KEY, **{field: "other"})
    database.write([record(), record(key=other, samples=(9.0,))])
    assert [r.samples for r in database.read(other)] == [(9.0,)]
    assert [r.samples for r in database.read(KEY)] == [(1.5, 2.5)]


def test_threads_are_part_of_the_candidate(database):
    database.write([record(), record(threads=2)])
    assert [r.candidate.threads for r in database.read(KEY)] == [1, 2]


def test_forgetting(database):
    other = replace(KEY, cpu="other")
    database.write([record(), record(key=other)])
    database.forget(KEY)
    assert [r.key for r in database.all()] == [other]


def test_export_and_import_round_trip(database, tmp_path):
    database.write([record(), record("brush=8x8", status="hung", reason="no answer", samples=())])
    other = Database(tmp_path / "other.sqlite")
    assert other.load(database.export()) == 2
    assert other.all() == database.all()


def test_import_keeps_what_is_newer(database):
    database.write([record(samples=(5.0,), updated=20.0)])
    old, new = record(samples=(1.0,), updated=10.0), record(samples=(2.0,), updated=30.0)
    lines = {}
    for name, one in (("old", old), ("new", new)):
        scratch = Database(database.path.with_name(f"{name}.sqlite"))
        scratch.write([one])
        lines[name] = list(scratch.export())
    database.load(lines["old"])
    assert database.all()[0].samples == (5.0,)
    database.load(lines["new"])
    assert database.all() == (new,)


@pytest.mark.parametrize("line", ["{", "[]", "{}", "null", "3", '{"kernel": 1}'])
def test_what_is_no_result_is_refused_whole(database, line):
    database.write([record()])
    good = next(database.export())
    with pytest.raises(Refused, match="line 2 is not"):
        Database(database.path.with_name("other.sqlite")).load([good, line])
    assert Database(database.path.with_name("other.sqlite")).all() == ()


def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "text.sqlite"
    path.write_text("this is no database, just some text that is long enough\n" * 50)
    with pytest.raises(Refused, match="cannot be used"):
        Database(path)
    assert path.read_text().startswith("this is no database")


def test_a_later_format_is_refused(database):
    import sqlite3

    connection = sqlite3.connect(database.path)
    connection.execute("pragma user_version = 99")
    connection.close()
    with pytest.raises(Refused, match="its format is 99"):
        Database(database.path)


def test_what_is_known_of_machines(database):
    assert database.machine("cpu") is None
    database.set_machine("cpu", {"ghz": 3.5})
    assert database.machine("cpu") == {"ghz": 3.5}


WRITER = """
import sys
from pathlib import Path
from dataclasses import replace
from autotune.store.database import Database
from tests.autotune.test_database import record
database = Database(Path(sys.argv[1]))
own, rounds = int(sys.argv[2]), int(sys.argv[3])
print("ready", flush=True)
for number in range(rounds):
    # all ten rows of a round belong together
    database.write([record(f"brush={own + 1}x{k + 1}", samples=(float(number),)) for k in range(10)])
"""


def writer(path, number, rounds):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(number), str(rounds)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}, cwd=os.path.dirname(__file__) + "/../..",
    )  # fmt: skip


def test_eight_writers_at_once(tmp_path):
    path = tmp_path / "results.sqlite"
    writers = [writer(path, number, 12) for number in range(8)]
    assert [w.wait(60) for w in writers] == [0] * 8
    found = Database(path).all()
    assert len(found) == 80
    assert {r.samples for r in found} == {(11.0,)}


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.013, 0.03, 0.07])
def test_a_writer_that_is_killed_leaves_whole_writes_only(tmp_path, delay):
    path = tmp_path / "results.sqlite"
    Database(path).write([record(f"brush=1x{k + 1}", samples=(-1.0,)) for k in range(10)])
    victim = writer(path, 0, 100_000)
    assert victim.stdout.readline() == "ready\n"
    time.sleep(delay)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    found = Database(path).all()
    assert len(found) == 10
    assert len({r.samples for r in found}) == 1, "half of a write is visible"
    Database(path).write([record("brush=9x9")])
    assert len(Database(path).all()) == 11


def test_exported_lines_are_plain_json(database):
    database.write([record()])
    (line,) = database.export()
    data = json.loads(line)
    assert (data["plan"], data["samples"], data["kernel"], data["counts"]["bits"]) == ("brush=4x8", [1.5, 2.5], "kernel", 512)
