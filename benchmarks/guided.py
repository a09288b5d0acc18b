"""How near guided searches come to the best plan, held against exhaustive sweeps that a database holds.

    tensorrv-tune jacobi5 --size rows=258,cols=258 --registers 256,512 --rounds 10 --budget 10m --db sweeps.sqlite
    python benchmarks/guided.py sweeps.sqlite

Prints a table in Markdown with a row for every kernel and size. The search runs as it would, but every measurement is looked up:
samples come in the order in which the sweep took them. Times are medians of all samples of the sweep.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path

from autotune.measure.known_machine import known_machine
from autotune.measure.outcome import Job, Outcome, Sampled
from autotune.measure.workers import Workers
from autotune.model.prediction import rank_correlation
from autotune.search.strategies import Guided, predict_record
from autotune.search.sweep import Effort, Sweep
from autotune.space import Candidate
from autotune.store.database import Database
from autotune.store.record import Key, Record
from rv.target.description import Machine
from rv.target.machine import resolve_target


class LookUp(Executor):
    """Gives the samples that a sweep took of each candidate, from the first to the last and again."""

    def __init__(self, records: dict[Candidate, Record]) -> None:
        self.records = records
        self.turns: Counter[Candidate] = Counter()

    def submit(self, function, /, *arguments, **named):
        future: Future[object] = Future()
        future.set_result(function(*arguments, **named))
        return future

    def answer(self, job: Job) -> Outcome:
        samples = self.records[job.candidate].samples
        start = self.turns[job.candidate] % len(samples)
        self.turns[job.candidate] += job.samples
        return Sampled((samples * (1 + job.samples))[start : start + job.samples])


def guided(key: Key, records: list[Record], machine: Machine) -> tuple[int, Record]:
    """How many candidates the search measures, and which it finds the fastest."""
    table = LookUp({record.candidate: record for record in records})
    sweep = Sweep(key, records[0].name, records[0].points, b"", Workers(table, 1, table.answer), effort=Effort(budget=1e9))
    sweep.records = {r.candidate: replace(r, status="compiled", samples=()) for r in records}
    none = Candidate("brush=none")
    sweep.records[none] = replace(records[0], candidate=none, status="refused", code="", samples=())
    sweep.run(list(table.records), none, Guided(machine))
    return len(sweep.measured), table.records[sweep.measured[0].candidate]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path, help="a file that tensorrv-tune --db has written")
    database = Database(parser.parse_args().database)
    machine = known_machine(database, resolve_target("native"))
    sweeps: dict[Key, list[Record]] = defaultdict(list)
    for record in database.all():
        if record.time is not None and record.counts is not None:
            sweeps[record.key].append(record)
    print("| kernel | size | candidates | measured | above best | rank correlation |\n|---|---|---|---|---|---|")
    for key, records in sorted(sweeps.items(), key=lambda item: (item[1][0].name, item[0].sizes)):
        number, found = guided(key, records, machine)
        times = {record.candidate: record.time.median for record in records if record.time is not None}
        above = times[found.candidate] / min(times.values()) - 1
        pairs = [(predict_record(record, machine) or 0.0, times[record.candidate]) for record in records]
        row = (records[0].name, key.sizes, len(records), number, f"{above:.1%}", f"{rank_correlation(pairs):.2f}")
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
