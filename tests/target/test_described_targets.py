"""Files that describe cores as targets, the notes about cores, and writing such a file from measurements."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations_with_replacement

import pytest

from autotune.measure.core.branches import misprediction
from autotune.measure.core.describe import MEASURED, describe, toml
from autotune.measure.core.issue import operations_in
from autotune.measure.core.loops import nanoseconds
from autotune.measure.core.ports import KINDS, expected, fitting, named_as
from rv.target.description import FOLDER, load, machine_of, read_description, source_text
from rv.target.machine import BadDescription, resolve_target
from tensorrv.cli.target_notes import target_notes


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_what_is_written_reads_the_same(path) -> None:
    text = "\n".join(toml(tomllib.loads(path.read_text())))
    assert read_description(text) == load(path.stem)


def test_a_file_is_a_target() -> None:
    target = resolve_target(str(FOLDER / "zen4.toml"))
    assert (target.cpu, target.register_bits, target.label) == ("znver4", 512, "zen4")
    assert machine_of(target) == load("zen4")
    assert source_text(resolve_target("znver4")) == target.description


ZEN4 = (FOLDER / "zen4.toml").read_text()


@pytest.mark.parametrize(
    ("entry", "other", "why"),
    [
        ("window = 320", "", "it says nothing of 'window'"),
        ("window = 320", 'window = "many"', "'window' is not a number"),
        ("window = 320", "window = -1", "'window' is not a number"),
        ('fused = "01"', "fused = 1", "'ports.fused' is not a text"),
        ("unified = 0", "unified = 2", "'unified' is not true or false"),
        ('cpus = ["znver4"]', 'cpus = "znver4"', "'cpus' is not a list"),
        ('cpus = ["znver4"]', "cpus = []", "it says nothing of 'target'"),
        ('cpus = ["znver4"]', 'cpus = ["znver99"]', "unknown target 'znver99'"),
        ("128 = 1", "wide = 1", "'occupied.wide' is not a number of bits"),
        ("[masks]", "[mask]", "it says nothing of 'masks'"),
        ("quotient = { f32 = [", "quotient = { f32 = [1, ", "'divider.512.quotient.f32' is not a list of 2 numbers"),
    ],
)
def test_entries_that_are_missing_or_wrong(tmp_path, entry: str, other: str, why: str) -> None:
    path = tmp_path / "core.toml"
    assert entry in ZEN4
    path.write_text(ZEN4.replace(entry, other, 1))
    with pytest.raises(BadDescription, match=re.escape(why)):
        resolve_target(str(path))


@pytest.mark.parametrize(
    ("text", "why"),
    [('name = "x"\ncpus = ["znver4"]', "it says nothing of"), ("name =", "Invalid value"), (None, "no such file")],
)
def test_what_describes_no_core(tmp_path, text, why) -> None:
    path = tmp_path / "core.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BadDescription, match=why):
        resolve_target(str(path))


@pytest.mark.parametrize(
    ("cpu", "codes"),
    [("znver4", []), ("avx512", []), ("neon", []), ("nehalem", ["100"]), ("neoverse-v1", ["101"]), ("a64fx", ["100", "101"])],
)
def test_notes(cpu, codes) -> None:
    assert [note.code for note in target_notes(resolve_target(cpu))] == [f"TRV{code}" for code in codes]


def test_latencies_are_longer_than_what_chains_side_by_side_take() -> None:
    target = resolve_target("native")
    one, many = (nanoseconds(target, target.register_bits, ["multiply"], chains) for chains in (1, 12))
    assert 0 < many < one


@pytest.mark.parametrize("kind", ["load under a mask", "store under a mask", "shift", "fused"])
def test_operations_take_time(kind: str) -> None:
    target = resolve_target("native")
    assert 0 < nanoseconds(target, target.register_bits, [kind], 12) < 100


@pytest.mark.parametrize("name", "zen5 zen4 golden_cove skylake_x haswell neoverse_n1 neoverse_v2 apple_m1".split())
def test_times_of_pairs_give_ports_back(name) -> None:
    core = load(name)
    bits = max(core.occupied)
    occupied = core.occupied[bits]
    ports = {kind: core.ports_of(kind, bits) for kind in (*KINDS, "minimum", "product")}
    pairs = {(a, b): expected(ports[a], ports[b], occupied) for a, b in combinations_with_replacement(ports, 2)}
    # as far off as measurements are
    found = named_as(fitting({pair: 1.02 * time for pair, time in pairs.items()}, occupied), core, bits)
    assert all(pairs[a, b] == expected(found[a], found[b], occupied) for a, b in pairs)
    assert name == "haswell" or found == ports


def test_branches_on_random_bits_take_longer() -> None:
    target = resolve_target("native")
    assert misprediction(target) > 0 and operations_in(target) > 0


@pytest.mark.long
def test_the_source_of_each_number_says_whether_it_was_measured() -> None:
    text = describe(resolve_target("native"))
    machine = read_description(text)
    assert machine.sources["clock"] == MEASURED
    assert all(MEASURED in text or text.startswith("the description of ") for text in machine.sources.values())
    assert machine.latency_of("multiply", 64) and machine.gather > 0
    assert MEASURED in machine.sources["misprediction"] and machine.window > machine.scheduler > 0
