"""This machine's speeds, measured once and kept in the database."""

from __future__ import annotations

from autotune.model.machine import Machine, machine_as_json, machine_from_json, measure_machine
from autotune.store.database import Database
from rv.target.host import host


def known_machine(database: Database) -> Machine:
    """What the database holds about this processor; measured now if that is nothing."""
    found = remembered(database)
    if found is None:
        found = measure_machine()
        database.set_machine(host().cpu, machine_as_json(found))
    return found


def remembered(database: Database) -> Machine | None:
    """What the database holds about this processor."""
    data = database.machine(host().cpu)
    return None if data is None else machine_from_json(data)
