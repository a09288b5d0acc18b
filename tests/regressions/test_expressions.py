"""C functions that LLVM once made something else of, under several plans, against gcc -O0."""

from __future__ import annotations

from pathlib import Path

import pytest

from rv.target.llvm_defects.known import Fences
from tests.expressions.batch import Case, check
from tests.run.toolchain import installed

FILES = sorted((Path(__file__).parent / "expressions").glob("*.c"))
TARGETS = ("avx512", "avx2", "neon", "x86-64")
PLANS = ("none", "8", "16 boscc=all tail=scalar")
X86 = {"zero_of_converted_choice", "minimum_of_converted", "minimum_of_same_minimum", "zero_that_llvm_finds"}
ARM = {"zero_of_converted_choice", "minimum_with_zero", "negated_fma", "comparisons_with_one_number", "maximum_of_few",
       "minimum_of_minimum", "any_comparison", "choice_of_kept_operand", "joined_branches", "selects_of_one_value",
       "branches_to_one_store", "minimum_of_same_minimum", "zero_that_llvm_finds", "choice_that_is_always_one",
       "comparisons_with_widened_number"}  # fmt: skip


def cases(target: str) -> list[tuple[str, Case]]:
    """Those for a target, by name; the comment that a file begins with lists its targets."""
    found = [(path.stem, path.read_text()) for path in FILES]
    own = [(name, text) for name, text in found if target in _targets(text)]
    return [(f"{name} {plan}", Case(text, plan, signalling=True)) for name, text in own for plan in PLANS]


def _targets(text: str) -> list[str]:
    return text.removeprefix("/* ").partition(":")[0].split()


@pytest.mark.parametrize("target", TARGETS)
def test_expressions_that_once_differed(target: str, tmp_path: Path) -> None:
    names, given = zip(*cases(target), strict=True)
    found = check(given, installed(target), tmp_path)
    assert {names[k]: what for k, what in found.failures.items()} == {}


@pytest.mark.parametrize(("target", "wrong"), [("avx2", X86), ("neon", ARM)])
def test_they_differ_without_fences(target: str, wrong: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorrv.brush.widening.fences", lambda function, architecture: Fences({}, frozenset()))
    names, given = zip(*cases(target), strict=True)
    found = check(given, installed(target), tmp_path)
    assert {names[k].split()[0] for k in found.failures} == wrong
