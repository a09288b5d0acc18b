"""Kernels on disk: found again, not found when anything they depend on has changed, never half there."""

import multiprocessing
import os
import pickle
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from tensorrv.api import carry_out
from tensorrv.api import compiled as api
from tensorrv.run.cache import entries as cache
from tensorrv.run.cache import writing as cache_store
from tensorrv.run.tuner import tuning_database

TWICE = """void twice(int n, const double A[restrict n], double B[restrict n])
{ for (int i = 0; i < n; i++) B[i] = FACTOR * A[i]; }
"""


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("TENSORRV_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compilations(monkeypatch):
    """The orders that were carried out, as a list that grows."""
    done = []
    monkeypatch.setattr(api, "made_of", lambda given: done.append(given) or carry_out.carry_out(given))
    return done


def run(factor="2", **options):
    kernel = trv.compile(TWICE, brush=8, defines={"FACTOR": factor}, **options)
    a, b = np.arange(20.0), np.zeros(20)
    kernel(a, b)
    return kernel, b / np.maximum(a, 1)


def test_the_second_compilation_is_none(directory, compilations):
    assert run()[1][1] == 2
    kernel, result = run()
    assert result[1] == 2 and len(compilations) == 1
    assert kernel.name == "twice" and kernel.plan.brush.sizes == (8,) and "twice" in repr(kernel)
    assert len(compilations) == 1
    assert "vmovup" in kernel.assembly or "ld" in kernel.assembly  # what was not stored is made when it is requested
    assert len(compilations) == 2


def test_what_is_never_called_is_not_stored(directory):
    trv.compile(TWICE, brush=8, defines={"FACTOR": 2})
    assert not directory.exists()


@pytest.mark.parametrize("change", [{"factor": "3"}, {"fp": "fast"}, {"tail": "scalar"}, {"assume_no_alias": True}])
def test_other_orders_are_other_entries(directory, compilations, change):
    run()
    run(**change)
    assert len(compilations) == 2


def test_changed_files_are_compiled_again(directory, compilations, tmp_path):
    header, source = tmp_path / "factor.h", tmp_path / "twice.c"
    header.write_text("#define FACTOR 2\n")
    source.write_text('#include "factor.h"\n' + TWICE)
    a, b = np.ones(9), np.zeros(9)
    for factor, text in ((2, None), (2, None), (3, "#define FACTOR 3\n"), (3, None)):
        if text:
            header.write_text(text)
        trv.compile(source, brush=8)(a, b)
        assert b[0] == factor
    assert len(compilations) == 2


def test_other_versions_and_processors_are_other_entries(directory, compilations, monkeypatch):
    run()
    monkeypatch.setattr(cache, "versions", lambda: ("next",))
    run()
    monkeypatch.setattr(cache, "processor", lambda: {"flags": "none"})
    run()
    assert len(compilations) == 3


TWO, THREE = struct.pack("d", 2), struct.pack("d", 3)


def flip(file, place):
    content = bytearray(file.read_bytes())
    content[place] ^= 8
    file.write_bytes(content)


def library(entry):
    (found,) = entry.glob("*.so")
    return found


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entry: (entry / "facts").write_bytes(b""),
        lambda entry: (entry / "facts").write_bytes(b"\x80garbage"),
        lambda entry: (entry / "facts").write_bytes(pickle.dumps(3)),
        lambda entry: (entry / "facts").unlink(),
        lambda entry: library(entry).unlink(),
        lambda entry: library(entry).write_bytes(b"no library"),
        lambda entry: os.truncate(library(entry), library(entry).stat().st_size // 2),
        lambda entry: library(entry).write_bytes(library(entry).read_bytes().replace(TWO, THREE)),
        lambda entry: flip(entry / "facts", 40),
        lambda entry: flip(entry / "facts", 275),
    ],
)
def test_spoiled_entries_are_compiled_again(directory, spoil):
    run()
    (entry,) = directory.iterdir()
    spoil(entry)
    # in a process of its own, in which the library is not loaded yet, and which a torn library would end
    assert process(target=_work, args=(str(directory),)) == 0
    assert run()[1][1] == 2


def process(**job):
    worker = multiprocessing.get_context("spawn").Process(**job)
    worker.start()
    worker.join()
    return worker.exitcode


def test_results_of_the_tuner_are_heeded(directory, compilations, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def automatic():
        trv.compile("jacobi5")(np.ones((9, 9)), np.zeros((9, 9)))

    automatic()
    automatic()
    assert len(compilations) == 1
    database = tuning_database()
    database.parent.mkdir(parents=True)
    database.write_bytes(b"")
    automatic()
    assert len(compilations) == 2


def test_off(directory, compilations, monkeypatch):
    monkeypatch.setenv("TENSORRV_CACHE", "off")
    run()
    run()
    assert len(compilations) == 2 and not directory.exists()


def test_a_directory_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TENSORRV_CACHE", str(tmp_path / "file" / "cache"))
    assert run()[1][1] == 2


def _work(directory):
    os.environ["TENSORRV_CACHE"] = directory
    for _ in range(3):
        assert run()[1][1] == 2


def test_processes_store_the_same_kernel_at_once(directory):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_work, args=(str(directory),)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert [entry.name for entry in directory.iterdir() if entry.name.startswith(".")] == []
    assert len(list(directory.iterdir())) == 1


def test_what_killed_writers_left_goes(directory):
    cache_store.store_entry("one", 1, b"", ())
    for name, age in ((".new-old", 7200), (".new-young", 60)):
        (directory / name).mkdir()
        os.utime(directory / name, (time.time() - age,) * 2)
    cache_store.store_entry("two", 2, b"", ())
    assert sorted(entry.name for entry in directory.iterdir()) == [".new-young", "one", "two"]


def test_home_is_understood(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TENSORRV_CACHE", "~/kernels")
    assert cache.cache_directory() == tmp_path / "kernels"


def test_the_oldest_entries_go(directory, monkeypatch):
    monkeypatch.setattr(cache_store, "MOST_ENTRIES", 8)
    for k in range(12):
        cache_store.store_entry(f"{k:02}", k, b"", ())
        os.utime(directory / f"{k:02}", (k, k))
    names = sorted(entry.name for entry in directory.iterdir())
    assert len(names) <= 8 and names[-1] == "11" and "00" not in names


CALLS = {
    "rv.evolution.polynomial", "rv.ir.types", "rv.late", "rv.target.process_forks", "rv.target.native_types",
    "rv.widen.policies",
    "tensorrv.api.compiled", "tensorrv.api.formula_kernel", "tensorrv.frontend.shipped", "tensorrv.interface.reach",
    "tensorrv.interface.footprint.check", "tensorrv.interface.footprint.evaluation", "tensorrv.interface.footprint.facts",
    "tensorrv.interface.footprint.intervals", "tensorrv.interface.footprint.program", "tensorrv.interface.footprint.search",
    "tensorrv.interface.footprint.trips", "tensorrv.interface.signature", "tensorrv.pipeline.native", "tensorrv.run.tuner",
    "tensorrv.run.cache.entries", "tensorrv.run.cache.kernels", "tensorrv.run.call", "tensorrv.run.kernel_facts",
    "tensorrv.run.order", "tensorrv.run.repeated", "tensorrv.schedule.plan", "tensorrv.unit.elements",
}  # fmt: skip
"""What a program imports whose kernel is in the cache, beside the packages around these."""
LAYOUTS = {
    "layouts.address", "layouts.layout", "layouts.lengths", "layouts.moving", "layouts.packing", "rv.cost.copies",
    "tensorrv.interface.storage.arguments", "tensorrv.interface.storage.runs",
}  # fmt: skip


def with_packages(modules):
    """Modules and the packages that they are in."""
    return {".".join(parts[:k]) for parts in (name.split(".") for name in modules) for k in range(1, len(parts) + 1)}


@pytest.mark.parametrize(
    "given, called, imported",
    [
        ('"jacobi5", brush=(4, 8)', "a, b", CALLS),
        ('"jacobi5", brush=(4, 8)', "9, a, b, rows=9", CALLS),
        ('"void f(int n, double a[], double b[]) {for (int i = 0; i < n; ++i) b[i] = a[i];}"', "3, a[0], b[0]", CALLS),
        ('"jacobi5", brush=(4, 8), layouts={"A": "2x2"}', "pack(Blocked(2, 2), a), b", CALLS | LAYOUTS),
    ],
)
def test_a_start_from_the_cache_imports_what_a_call_needs(directory, given, called, imported):
    packing = "from layouts.layout import Blocked\nfrom layouts.packing import pack" if "layouts" in given else ""
    program = f"""
import sys, numpy as np, tensorrv as trv
{packing}
k = trv.compile({given})
a, b = np.ones((9, 9)), np.zeros((9, 9))
k({called})
assert b[0, 1] == 1 or b[1, 1] == 1
ours = {{"rv", "layouts", "tensorrv", "autotune"}}
others = {{"llvmlite", "islpy", "pycparser", "pcpp", "sympy", "rich"}}
print(*sorted(m for m in sys.modules if m.split(".")[0] in ours or m in others))
"""
    loaded = []
    for _ in range(2):
        root = Path(__file__).parents[2]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        loaded.append(set(done.stdout.split()))
    assert "llvmlite" in loaded[0] and loaded[1] == with_packages(imported)


def test_kernels_can_be_pickled(tmp_path):
    source = tmp_path / "twice.c"
    (tmp_path / "factor.h").write_text("#define FACTOR 2\n")
    source.write_text('#include "factor.h"\n' + TWICE.replace("for (", "\n#pragma omp simd\nfor (", 1))
    kernel = trv.compile(source, brush=8)
    stored = pickle.dumps(kernel)
    source.unlink()
    copy = pickle.loads(stored)
    a, b = np.arange(20.0), np.zeros(20)
    copy(a, b)
    np.testing.assert_array_equal(b, 2 * a)
    assert copy.plan == kernel.plan
    formula = pickle.loads(pickle.dumps(trv.stencil({0: 2.0}).compile(brush=8)))
    formula(a, b)
    np.testing.assert_array_equal(b, 2 * a)


def test_documentation():
    kernel, _ = run()
    assert kernel.__doc__.startswith("void twice(int n, const double A[restrict n], double B[restrict n])\n")
