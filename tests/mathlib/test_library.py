"""The library of vector functions in P-LLVM is what the front end makes of the C sources (`python tools/vector_math.py`)."""

from __future__ import annotations

import pytest

from rv.ir.printer import print_function
from tensorrv.frontend.vector_functions import vector_function
from tensorrv.unit.vector_math import LIBRARY, PROVIDED


@pytest.mark.parametrize("file", sorted(set(PROVIDED.values())))
def test_the_library_is_made_of_its_sources(file: str) -> None:
    made = "\n".join(print_function(vector_function(name)) for name, own in PROVIDED.items() if own == file)
    assert (LIBRARY / f"{file}.pllvm").read_text() == made
