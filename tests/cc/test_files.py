"""Programs with nests of all kinds print what they print when gcc compiles them without optimization.

With the brush `none` every nest that can be outlined is, as scalar code: that tests how variables come in and out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cc.compilers import FILES, compiled, needs_gcc, output, reference

pytestmark = needs_gcc

STRICT = ("-w", "-O3", "-march=native", "-ffp-contract=off")
REPLACED = {"leaving.c": 6, "passing.c": 20, "tables.c": 3, "threads.c": 7}


@pytest.mark.parametrize("brush", ["none", "auto", "4"])
@pytest.mark.parametrize("name", sorted(REPLACED))
def test_a_program_with_unusual_nests(tmp_path: Path, name: str, brush: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = compiled(tmp_path, f"--tensorrv-brush={brush}", *STRICT, str(FILES / name), "-o", "program", "-lm")
    assert output(tmp_path / "program") == reference(tmp_path, FILES / name)
    replaced = int(report.split(": ")[2].split()[0])
    assert replaced >= (REPLACED[name] if brush == "none" else 3), report


@pytest.mark.parametrize("brush", ["none", "auto"])
def test_nests_inside_of_parallel_regions(tmp_path: Path, brush: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    report = compiled(tmp_path, f"--tensorrv-brush={brush}", *STRICT, "-fopenmp", str(FILES / "threads.c"), "-o", "program")
    assert output(tmp_path / "program") == reference(tmp_path, FILES / "threads.c", "-fopenmp")
    assert "10 of 10" in report or brush == "auto"
