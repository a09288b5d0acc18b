"""The examples in docstrings and in the documentation of the Python interface run as shown."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("rv", "layouts", "tensorrv", "autotune")
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text()
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    failed, attempted = doctest.testmod(importlib.import_module(name))
    assert attempted and not failed


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md") if ">>> " in path.read_text()))
def test_pages(page):
    failed, attempted = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
    assert attempted and not failed
