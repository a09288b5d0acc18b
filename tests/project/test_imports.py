"""The packages build on each other in one direction, and LLVM is touched in one place."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDER = ["rv", "layouts", "tensorrv", "autotune"]
FILES = [path for package in ORDER for path in sorted((ROOT / package).rglob("*.py"))]


def imported(path):
    """The modules that a file imports anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    own = path.relative_to(ROOT).parts[0]
    later = ORDER[ORDER.index(own) + 1 :]
    assert [m for m in imported(path) if m.split(".")[0] in later] == []
    if path.parent != ROOT / "rv" / "target":
        assert [m for m in imported(path) if m.split(".")[0] == "llvmlite"] == []


READER = "tensorrv/frontend/llvm_ir"
SPELLINGS = ("getelementptr", "insertelement", "shufflevector", "extractvalue", "zeroinitializer", "alwaysinline", "ret void")


def written(path):
    """The strings that a file contains, without texts."""
    tree = ast.parse(path.read_text())
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in texts]


def test_llvm_is_spelled_in_one_folder():
    """The front end that reads it knows the words as well."""
    spelling = {path for path in FILES if any(word in text for text in written(path) for word in SPELLINGS)}
    assert {str(path.parent.relative_to(ROOT)).removesuffix("/lower") for path in spelling} == {"rv/emit", READER}


def test_llvm_text_is_not_read_back():
    """What holds it is LLVM's parser, and no file beside that looks for anything in it."""
    behind = [path for path in FILES if path.is_relative_to(ROOT / "rv/emit") or path.is_relative_to(ROOT / "rv/target")]
    assert [str(path) for path in behind if "re" in imported(path)] == []
    assert [str(p.relative_to(ROOT)) for p in FILES if "parse_assembly" in p.read_text()] == ["rv/target/llvm.py"]
    words = ("llvm.masked", "call void", "!alias.scope", "target-cpu")
    holding = {path for path in FILES if any(w in text for text in written(path) for w in words) and READER not in str(path)}
    assert {str(path.parent.relative_to(ROOT)) for path in holding} == {"rv/emit"}


def test_no_later_package_is_looked_up_by_name():
    named = [
        str(path.relative_to(ROOT))
        for path in FILES
        for later in ORDER[ORDER.index(path.relative_to(ROOT).parts[0]) + 1 :]
        if re.search(rf'"{later}[."]', path.read_text())
    ]
    assert named == []


CHOOSES_A_FRONT_END = ("tensorrv/frontend", "tensorrv/cli", "tensorrv/api", "autotune/api.py", "autotune/search/source.py",
                       "autotune/model/machine.py")  # fmt: skip
"""The front ends, and what takes a file or text from users; the machine's own kernels are C as well."""


def test_nothing_behind_the_unit_knows_a_front_end():
    names = {str(path.relative_to(ROOT)): path for path in FILES}
    behind = {name: path for name, path in names.items() if not name.startswith(CHOOSES_A_FRONT_END)}
    assert len(behind) > 300
    assert [name for name, path in behind.items() if any(m.startswith("tensorrv.frontend") for m in imported(path))] == []
