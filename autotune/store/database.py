"""The database of results: one SQLite file, written by any number of processes at once.

A row is one candidate of one kernel at one set of sizes on one processor, with LLVM's and this tool's version: what was
measured with other versions is kept and not used. Every write is one transaction with SQLite's rollback journal, so that a
process that is killed while it writes leaves the file as it was before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any, Final, Literal

from autotune.store.record import Key, NoRecord, Record, record_as_json, record_from_json
from tensorrv.report.diagnostics import Diagnostic, Refused

PATIENCE: Final = 30.0  # seconds to wait for other writers
VERSION: Final = 1
_COLUMNS: Final = ("kernel", "sizes", "cpu", "target", "llvm", "tool", "plan", "threads", "status", "median", "updated", "data")
_SAME_KEY: Final = " and ".join(f"{name} = ?" for name in _COLUMNS[:6])
_SCHEMA: Final = """
create table if not exists results (
    kernel text not null, sizes text not null, cpu text not null, target text not null, llvm text not null, tool text not null,
    plan text not null, threads integer not null, status text not null, median real, updated real not null, data text not null,
    primary key (kernel, sizes, cpu, target, llvm, tool, plan, threads));
create table if not exists machines (cpu text primary key, data text not null);
"""


class Database:
    """An open database. Connections are made per operation, so that it may be used in several threads and processes.

    Raises Refused when the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(path, error) from error
        with self._transaction("deferred") as connection:
            version = connection.execute("pragma user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise _unusable(path, f"its format is {version}, and this version of the tool reads {VERSION}")
        if not version:
            with self._transaction() as connection:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    connection.execute(statement)
                connection.execute(f"pragma user_version = {VERSION}")

    def write(self, records: Iterable[Record]) -> None:
        """Adds records, or replaces those with the same key and candidate; all or none."""
        with self._transaction() as connection:
            connection.executemany(_insert("replace"), [_row(record) for record in records])

    def forget(self, key: Key) -> None:
        """Removes all results for a key."""
        with self._transaction() as connection:
            connection.execute(f"delete from results where {_SAME_KEY}", astuple(key))

    def read(self, key: Key) -> tuple[Record, ...]:
        """All results for a key, in a fixed order."""
        return self._select(_SAME_KEY, astuple(key))

    def of_kernel(self, kernel: str, cpu: str, target: str, llvm: str, tool: str) -> tuple[Record, ...]:
        """What was measured of a kernel at any sizes."""
        where = "kernel = ? and cpu = ? and target = ? and llvm = ? and tool = ? and status = 'measured'"
        return self._select(where, (kernel, cpu, target, llvm, tool))

    def all(self) -> tuple[Record, ...]:
        return self._select("1", ())

    def export(self) -> Iterator[str]:
        """Every record as one line of JSON."""
        for record in self.all():
            yield json.dumps(record_as_json(record))

    def load(self, lines: Iterable[str]) -> int:
        """Adds exported records, all or none, and gives their number; what is here already and newer stays. Raises Refused."""
        records = []
        for number, line in enumerate(lines, 1):
            try:
                records.append(record_from_json(json.loads(line)))
            except (json.JSONDecodeError, NoRecord) as error:
                raise Refused(Diagnostic("error", "TRV401", f"line {number} is not an exported result: {error}")) from error
        with self._transaction() as connection:
            rows = [_row(record) for record in records]
            connection.executemany(f"{_insert('ignore')}", rows)
            same = " and ".join(f"{name} = ?" for name in _COLUMNS[:8])
            newer = f"update results set status = ?, median = ?, updated = ?, data = ? where {same} and updated < ?"
            connection.executemany(newer, [(*row[8:], *row[:8], row[10]) for row in rows])
        return len(records)

    def machine(self, cpu: str) -> dict[str, Any] | None:
        """What was measured of the processor itself."""
        with self._transaction("deferred") as connection:
            found = connection.execute("select data from machines where cpu = ?", (cpu,)).fetchone()
        return None if found is None else json.loads(found[0])

    def set_machine(self, cpu: str, data: dict[str, Any]) -> None:
        with self._transaction() as connection:
            connection.execute("insert or replace into machines values (?, ?)", (cpu, json.dumps(data)))

    def _select(self, where: str, values: tuple[object, ...]) -> tuple[Record, ...]:
        query = f"select data from results where {where} order by {', '.join(_COLUMNS[:8])}"
        with self._transaction("deferred") as connection:
            rows = connection.execute(query, values).fetchall()
        return tuple(record_from_json(json.loads(row[0])) for row in rows)

    @contextmanager
    def _transaction(self, kind: Literal["deferred", "immediate"] = "immediate") -> Iterator[sqlite3.Connection]:
        """Commits when the block ends, else changes nothing. Writers are "immediate": they wait before they begin."""
        try:
            connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            try:
                connection.execute("pragma synchronous = normal")
                connection.execute(f"begin {kind}")
                yield connection
                connection.execute("commit")
            finally:
                connection.close()
        except (sqlite3.Error, OSError) as error:
            raise _unusable(self.path, error) from error


def open_existing(path: Path) -> Database | None:
    """The database, or None when there is no such file: looking something up creates nothing."""
    return Database(path) if path.is_file() else None


def _unusable(path: Path, why: object) -> Refused:
    return Refused(Diagnostic("error", "TRV400", f"the database '{path}' cannot be used: {why}", hint="choose another with --db"))


def _insert(conflict: str) -> str:
    return f"insert or {conflict} into results ({', '.join(_COLUMNS)}) values ({', '.join('?' * len(_COLUMNS))})"


def _row(record: Record) -> tuple[object, ...]:
    time = record.time
    where = (*astuple(record.key), record.candidate.plan, record.candidate.threads)
    return (*where, record.status, None if time is None else time.median, record.updated, json.dumps(record_as_json(record)))
