"""The vector IR of all kernels and cases is well formed, and its text form is read back as what was printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rv.vector.parser import ParseError, parse_module
from rv.vector.printer import print_module
from rv.vector.verify import verify
from tests.run.test_cases import CASES
from tests.run.test_kernels import KERNELS
from tests.vector.modules import modules

PATHS = [*KERNELS, *CASES]


@pytest.mark.parametrize("number", range(len(PATHS)), ids=lambda k: PATHS[k].stem)
def test_round_trip(number: int) -> None:
    for name, module in modules(Path(PATHS[number]), number):
        text = print_module(verify(module))
        again = parse_module(text)
        assert again == module, name
        assert print_module(again) == text, name


BLOCK = "module arrays()\ndefine void @f() {\nb.0:\n  "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module arrays(", "line 1: expected a word"),
        (BLOCK + "%x: i64 = mystery %x\n  return\n}", "line 4: expected an instruction"),
        (BLOCK + "%x: i64 = add %y, i64 1\n  return\n}", "line 4: expected a definition of %y"),
        (BLOCK + "%x: i64 = add i64 1 ?", "line 4: unexpected"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_module(text)
