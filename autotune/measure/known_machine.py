"""The machine that code is tuned for: its core's description, with this machine's speeds, which are measured once and kept."""

from __future__ import annotations

from dataclasses import asdict

from autotune.model.machine import measure_speeds, speeds_from_json, with_speeds
from autotune.store.database import Database
from rv.target.description import Machine, machine_of
from rv.target.host import host
from rv.target.machine import Target


def known_machine(database: Database, target: Target) -> Machine:
    """The target's machine with what the database holds about this processor; measured now if that is nothing."""
    if not target.description and database.machine(host().cpu) is None:
        database.set_machine(host().cpu, asdict(measure_speeds()))
    return remembered(database, target) or machine_of(target)


def remembered(database: Database, target: Target) -> Machine | None:
    """The target's machine if the database or a description of its own says how fast it is."""
    if target.description:
        return machine_of(target)
    data = database.machine(host().cpu)
    return None if data is None else with_speeds(machine_of(target), speeds_from_json(data))
