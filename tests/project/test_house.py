"""The house: folders are few and small, and within a package they import in one direction."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_FILES, MOST_ENTRIES = 16, 12
ORDER = {
    "rv": ["internal_error", "ir", "analysis", "evolution", "target", "argument_shapes", "semantics", "cost", "transform",
           "dataflow", "vector", "emit", "widen", "drivers", "late", "vectorize", "pictures", "study"],
    "tensorrv": ["report", "unit", "schedule", "nest", "interface", "brush", "pipeline", "run", "check", "frontend",
                 "cli", "api"],
    "autotune": ["codes", "space", "model", "store", "measure", "search", "report", "options", "without_brush", "automatic",
                 "api", "tuner", "cli"],
}  # fmt: skip
"""The entries of each package: those in front are imported by those behind."""


def entries(package):
    paths = (ROOT / package).iterdir()
    return {p.stem for p in paths if p.stem not in ("__init__", "__pycache__", "py")}


def folders():
    return sorted({path.parent for package in (*ORDER, "layouts") for path in (ROOT / package).rglob("*.py")})


@pytest.mark.parametrize("package", ORDER)
def test_every_entry_of_a_package_has_its_place(package):
    assert entries(package) == set(ORDER[package])


def test_the_product_has_few_entries():
    assert len(entries("tensorrv")) <= MOST_ENTRIES


def test_folders_are_small():
    crowded = {str(f.relative_to(ROOT)) for f in folders() if len(list(f.glob("*.py"))) > MOST_FILES + 1}
    assert crowded == set()


def imports(path):
    """The modules that a file imports, `from a import b` as `a.b`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("package", ORDER)
def test_folders_import_in_one_direction(package):
    place = {f"{package}.{name}": k for k, name in enumerate(ORDER[package])}
    wrong = set()
    for path in (ROOT / package).rglob("*.py"):
        own = path.relative_to(ROOT).with_suffix("").parts
        above = place.get(".".join(own[:2]), len(place))
        for name in imports(path):
            used = ".".join(name.split(".")[:2])
            if place.get(used, -1) > above:
                wrong.add((".".join(own), used))
    assert wrong == set()


def test_tests_patch_no_private_names():
    """Errors are planted through the seam between steps (`tests/planted.py`)."""
    private = re.compile(r'setattr\([^"\n]*"(?:[\w.]*\.)?_[a-z]|setattr\(_')
    assert [str(path) for path in (ROOT / "tests").rglob("*.py") if private.search(path.read_text())] == []
