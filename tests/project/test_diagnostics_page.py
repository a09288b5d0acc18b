"""docs/diagnostics.md lists every code; `pytest --bless` writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autotune.codes import CODES as TUNER
from tensorrv.brush.codes import CODES as BRUSH
from tensorrv.frontend.c.codes import CODES as FRONTEND
from tensorrv.frontend.llvm_ir.codes import CODES as LLVM
from tensorrv.frontend.outline.codes import CODES as OUTLINE
from tensorrv.frontend.pllvm.codes import CODES as PLLVM
from tensorrv.interface.storage.codes import CODES as STORAGE
from tensorrv.nest.codes import CODES as NEST
from tensorrv.nest.reorder.codes import CODES as REORDER
from tensorrv.report.codes import CODES as COMMAND

ROOT = Path(__file__).parents[2]
SECTIONS = {
    "Reading C": FRONTEND,
    "Reading P-LLVM": PLLVM,
    "Reading LLVM IR": LLVM,
    "The command": COMMAND,
    "Tensorization": BRUSH,
    "Loops and legality": NEST,
    "Order of loops": REORDER,
    "Layouts": STORAGE,
    "Tuning": TUNER,
    "Outlining": OUTLINE,
}


def page() -> str:
    """The text of the page."""
    lines = ["# Diagnostics", "", "Codes are stable: the meaning of a code does not change, and codes are never reused.", ""]
    for title, codes in SECTIONS.items():
        lines += [f"## {title}", "", "| code | meaning |", "|---|---|"]
        lines += [f"| {code} | {meaning} |" for code, meaning in sorted(codes.items())]
        lines.append("")
    return "\n".join(lines)


def test_the_page_lists_every_code(request: pytest.FixtureRequest) -> None:
    path = ROOT / "docs" / "diagnostics.md"
    if request.config.getoption("--bless"):
        path.write_text(page())
    assert path.read_text() == page()


def test_every_code_that_is_used_has_a_meaning() -> None:
    known = {code for codes in SECTIONS.values() for code in codes}
    used = {
        code
        for package in ("tensorrv", "autotune")
        for path in (ROOT / package).rglob("*.py")
        for code in re.findall(r'"(TRV\d{3})"', path.read_text())
    }
    assert used == known
