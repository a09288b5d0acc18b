"""What C becomes, text in and text out: each example holds C and the P-LLVM of its functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rv.analysis.verify import verify
from rv.ir.parser import parse_functions
from rv.ir.printer import print_functions
from tensorrv.frontend.c.module import parse_c

EXAMPLES = sorted((Path(__file__).parent / "lowering").glob("*.txt"))


def lowered(text: str) -> str:
    """The P-LLVM of every function in a C text."""
    module = parse_c("example.c", text=text)
    assert module.passed_over == ()
    printed = print_functions(verify(f.function) for f in module.functions)
    assert print_functions(parse_functions(printed)) == printed
    return printed


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, check_case: Callable[[Path, Callable[[str], str]], None]) -> None:
    check_case(path, lowered)


def test_lowering_is_deterministic() -> None:
    text = (EXAMPLES[0].read_text()).partition("; becomes")[0]
    assert lowered(text) == lowered(text)
