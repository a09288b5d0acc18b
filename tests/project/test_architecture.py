"""docs/architecture.md shows what the tool prints, and pages name files that are there."""

import re
from pathlib import Path

import pytest

from tensorrv.cli.gen import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
OPTIONS = ("jacobi5", "--brush", "2x8", "--target", "avx512", "--tail", "scalar")
QUOTED = re.findall(r"```text (after \S+|explained)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("what", "text"), QUOTED, ids=[what for what, _ in QUOTED])
def test_what_is_quoted_is_printed(what, text, capsys):
    """The lines, in this order, perhaps with others in between."""
    arguments = ("--print-after", what.removeprefix("after ")) if what.startswith("after") else ("--explain",)
    assert main([*OPTIONS, *arguments]) == 0
    printed = iter(capsys.readouterr().out.splitlines())
    assert [line for line in text.splitlines() if line not in printed] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_paths_exist(page):
    paths = set(re.findall(r"`((?:rv|layouts|tensorrv|autotune|tests|docs|benchmarks)/[\w/.-]+)`", page.read_text()))
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
