"""The descriptions of cores are complete, name processors of LLVM, and give the source of every number."""

from __future__ import annotations

import tomllib
from collections import Counter
from itertools import pairwise

import pytest

from rv.cost.ports import additions_to_multiply, least_cycles
from rv.target import cpus
from rv.target.description import FOLDER, described, generic, load, machine_of
from rv.target.machine import resolve_target

NAMES = sorted(path.stem for path in FOLDER.glob("*.toml"))
NAMES_OF_IT = {"name", "cpus", "target", "sources"}
CORES = [name for name in NAMES if not name.startswith("generic")]


@pytest.mark.parametrize("name", NAMES)
def test_a_description(name: str) -> None:
    machine = load(name)
    data = tomllib.loads((FOLDER / f"{name}.toml").read_text())
    # each number or table has a source of its own, and so have sizes and speeds of memory
    assert set(data["sources"]) == {*(data.keys() - NAMES_OF_IT), "levels"}
    assert all(len(text) > 10 and not text.startswith("the same") for text in data["sources"].values())
    portless = {operation for (_, operation), ports in machine.ports.items() if not ports}
    assert portless <= {"copy", "address", "spread"}, "every other operation has a port"
    assert all(level.bytes < further.bytes for level, further in pairwise(machine.memory.levels))
    assert all(level.move > further.move for level, further in pairwise(machine.memory.levels[:3]))
    assert max(machine.occupied) in machine.dividers
    assert set(machine.cpus) <= cpus.X86 | cpus.AARCH64
    assert bool(machine.cpus) == (name in CORES)


def test_a_processor_has_one_description() -> None:
    named = Counter(cpu for name in NAMES for cpu in load(name).cpus)
    assert max(named.values()) == 1
    assert set(named) == set(described())


def test_registers_are_as_wide_as_the_targets() -> None:
    for cpu, machine in described().items():
        assert max(machine.occupied) == resolve_target(cpu).register_bits, cpu


@pytest.mark.parametrize(
    ("cpu", "name"),
    [
        ("avx512", "generic_avx512"),
        ("avx2", "generic_avx2"),
        ("nehalem", "generic_x86"),
        ("neon", "generic_neon"),
        ("a64fx", "generic_neon"),
    ],
)
def test_others_take_the_description_of_their_instruction_set(cpu: str, name: str) -> None:
    target = resolve_target(cpu)
    assert machine_of(target) is generic(target) is load(name)
    assert target.cpu not in described()


def test_ports_limit_what_starts_in_a_cycle() -> None:
    zen4, golden_cove, haswell = (load(name) for name in ("zen4", "golden_cove", "haswell"))
    assert least_cycles(zen4, {"add": 8, "multiply": 1}, 512) == 8
    assert least_cycles(zen4, {"add": 8, "multiply": 8}, 512) == 8
    assert least_cycles(zen4, {"add": 8, "multiply": 1}, 256) == 4
    assert least_cycles(golden_cove, {"add": 8, "multiply": 1}, 512) == 4.5
    assert least_cycles(haswell, {"add": 4, "multiply": 4}, 256) == 4
    assert least_cycles(golden_cove, {"shuffle": 4, "add": 2}, 512) == 4


def test_additions_move_where_other_ports_are_idle() -> None:
    zen4, golden_cove, haswell = (load(name) for name in ("zen4", "golden_cove", "haswell"))
    assert additions_to_multiply(zen4, {"add": 8, "multiply": 1}, 512) == 3
    assert additions_to_multiply(zen4, {"add": 8, "multiply": 8}, 512) == 0
    assert additions_to_multiply(golden_cove, {"add": 8, "multiply": 1}, 512) == 0
    assert additions_to_multiply(haswell, {"add": 8}, 256) == 4
