"""Every directive and clause of OpenMP: what the table in docs/openmp.md says, with results held against gcc.

gcc compiles the functions with and without -fopenmp; its programs run with one thread and with several, and must agree.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from tensorrv.frontend.openmp import OF_DECLARE_SIMD, OTHERS, PARTS
from tests.run.toolchain import Missing, toolchain

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "openmp.md"
SIZES = (0, 1, 7, 8, 9, 37, 64)
OTHERWISE_DIFFERENT = {"sections", "target_teams", "tasks_own"}
"""Functions that read variables which a construct has of its own behind it: without -fopenmp they would find other values."""
_FUNCTION = re.compile(r"// rows: (.*?)   (brushed|scalar): ?(.*)\n((?:.*\n)*?void (\w+)\((?:.*\n)*)")
_DRIVER = """
#include <stdio.h>
static int x[64], o[64];
static void run(const char *name, void (*f)(int, const int *, int *), int n)
{
    for (unsigned i = 0, s = 12345 + n; i < 64; i++) {
        s = s * 1103515245 + 12345; x[i] = (int)(s >> 8) - (1 << 22);
        s = s * 1103515245 + 12345; o[i] = (int)(s >> 20);
    }
    f(n, x, o);
    printf("%s", name);
    for (int i = 0; i < 64; i++) printf(" %d", o[i]);
    printf("\\n");
}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A function, the rows of the table that it is about, and the loops that are brushed, or are not."""

    file: str
    function: str
    text: str
    about: tuple[str, ...]
    brushed: bool
    loops: tuple[str, ...]


def _rows(file: str) -> list[Row]:
    prelude, *parts = re.split(r"^(?=// rows)", (HERE / file).read_text(), flags=re.MULTILINE)
    found = []
    for part in parts:
        match = _FUNCTION.fullmatch(part)
        assert match is not None, part
        about, kind, loops, text, name = match.groups()
        loops = tuple(filter(None, loops.split(", ")))
        found.append(Row(file, name, prelude + text, tuple(about.split(", ")), kind == "brushed", loops))
    return found


ROWS = [*_rows("rows.c"), *_rows("others.c")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.function)
def test_functions_hold_what_they_are_about(row: Row) -> None:
    pragmas = " ".join(line for line in row.text.splitlines() if line.startswith("#pragma"))
    words = pragmas.replace("\\\n", " ")
    assert [name for name in row.about if name not in words and name != "initializer"] == []


def test_the_page_has_a_row_for_everything() -> None:
    """First columns of its tables hold names in backquotes. What the front end knows is among them, and each has a function."""
    named = {name for line in PAGE.read_text().splitlines() if line.startswith("| `") for name in _names(line)}
    assert named == {about for row in ROWS for about in row.about}
    assert named >= {*PARTS, *OTHERS, *OF_DECLARE_SIMD, *frozenset().union(*PARTS.values())}


def _names(line: str) -> list[str]:
    return re.findall(r"`([^`]+)`", line.split("|")[1])


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[list[int]]]:
    """What gcc's programs leave in `o`, for each size."""
    try:
        toolchain("avx2")
    except Missing as reason:
        pytest.skip(str(reason))
    scratch = tmp_path_factory.mktemp("openmp")
    found: dict[str, list[list[int]]] = {}
    for file, ways in (("rows.c", ((), ("-fopenmp",))), ("others.c", ((),))):
        names = [row.function for row in ROWS if row.file == file]
        calls = "".join(f'    run("{name}", {name}, {n});\n' for name in names for n in SIZES)
        driver = scratch / f"main_{file}"
        driver.write_text(f'#include "{HERE / file}"\n{_DRIVER}int main(void)\n{{\n{calls}    return 0;\n}}\n')
        plain, *others = [text.splitlines() for way in ways for text in _outputs(driver, way)]
        for line, *with_threads in zip(plain, *others, strict=True):
            name, *values = (with_threads or [line])[0].split()
            assert len(set(with_threads)) <= 1, f"{name} depends on threads"
            assert (line not in with_threads) == (name in OTHERWISE_DIFFERENT) or not with_threads
            found.setdefault(name, []).append([int(value) for value in values])
    return found


def _outputs(driver: Path, way: tuple[str, ...]) -> list[str]:
    """What the program prints with one thread and with three."""
    program = driver.with_suffix(".openmp" if way else ".plain")
    subprocess.run(["gcc", "-O1", "-w", *way, str(driver), "-o", str(program)], check=True)
    counts = ("1", "3") if way else ("1",)
    environments = [{**os.environ, "OMP_NUM_THREADS": count} for count in counts]
    return [subprocess.run([program], env=env, check=True, capture_output=True, text=True).stdout for env in environments]


def _data(n: int) -> tuple[np.ndarray, np.ndarray]:
    x, o, s = np.zeros(64, np.int32), np.zeros(64, np.int32), 12345 + n
    for i in range(64):
        s = (s * 1103515245 + 12345) % 2**32
        x[i] = (s >> 8) - (1 << 22)
        s = (s * 1103515245 + 12345) % 2**32
        o[i] = s >> 20
    return x, o


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.function)
def test_row(row: Row, expected: Mapping[str, list[list[int]]]) -> None:
    for loop in row.loops if not row.brushed else ():
        with pytest.raises(trv.Refused):
            trv.compile(row.text, function=row.function, brush={loop: 8})
    brush = {loop: 8 if loop == row.loops[-1] else 2 for loop in row.loops} if row.brushed else "none"
    kernel = trv.compile(row.text, function=row.function, brush=brush)  # type: ignore[arg-type]
    for n, wanted in zip(SIZES, expected[row.function], strict=True):
        x, o = _data(n)
        kernel(n, x, o)
        assert o.tolist() == wanted, f"{row.function} with n={n}"
