"""Every directive and clause of OpenMP: what the table in docs/openmp.md says, with results held against gcc.

gcc compiles the functions with and without -fopenmp; its programs run with one thread and with several, and must agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import tensorrv as trv
from tensorrv.frontend.c.pragmas.directives import OF_COMPILERS, OF_DECLARE_SIMD, OTHERS, PARTS
from tests.openmp.against_gcc import Outcomes, check_kernel, need_gcc, outcomes

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "openmp.md"
SIZES = (0, 1, 7, 8, 9, 37, 64)
OTHERWISE_DIFFERENT = {"sections", "target_teams", "tasks_own"}
"""Functions that read variables which a construct has of its own behind it: without -fopenmp they would find other values."""
_FUNCTION = re.compile(r"// rows: (.*?)   (brushed|scalar): ?(.*)\n((?:.*\n)*?void (\w+)\((?:.*\n)*)")


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
    """First columns of its tables hold names in backquotes. What is supported is among them, and each has a function."""
    named = {name for line in PAGE.read_text().splitlines() if line.startswith("| `") for name in _names(line)}
    assert named == {about for row in ROWS for about in row.about}
    assert named >= {*PARTS, *OTHERS, *OF_COMPILERS, *OF_DECLARE_SIMD, *frozenset().union(*PARTS.values())}


def _names(line: str) -> list[str]:
    return re.findall(r"`([^`]+)`", line.split("|")[1])


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """What gcc's programs give."""
    need_gcc()
    scratch = tmp_path_factory.mktemp("openmp")
    texts = {file: (HERE / file).read_text() for file in ("rows.c", "others.c")}
    names = {file: [row.function for row in ROWS if row.file == file] for file in texts}
    plain = outcomes(texts["rows.c"], names["rows.c"], SIZES, scratch, threads=())
    openmp = outcomes(texts["rows.c"], names["rows.c"], SIZES, scratch, threads=(1, 3))
    assert {name for name in plain if plain[name] != openmp[name]} == OTHERWISE_DIFFERENT
    return {**openmp, **outcomes(texts["others.c"], names["others.c"], SIZES, scratch, threads=())}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.function)
def test_row(row: Row, expected: Outcomes) -> None:
    for loop in row.loops if not row.brushed else ():
        with pytest.raises(trv.Refused):
            trv.compile(row.text, function=row.function, brush={loop: 8})
    brush = {loop: 8 if loop == row.loops[-1] else 2 for loop in row.loops} if row.brushed else "none"
    kernel = trv.compile(row.text, function=row.function, brush=brush)  # type: ignore[arg-type]
    check_kernel(kernel, expected[row.function], SIZES)
