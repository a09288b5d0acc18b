"""The vector functions as P-LLVM: from their C sources in tensorrv/frontend/mathlib to tensorrv/unit/mathlib.

    python tools/vector_math.py              all of them
    python tools/vector_math.py exp log      some

To be run when a source has changed, or when the front end lowers it to other code; `tests/mathlib` tells.
"""

from __future__ import annotations

import sys

from rv.ir.printer import print_function
from tensorrv.frontend.vector_functions import vector_function
from tensorrv.unit.vector_math import LIBRARY, PROVIDED


def text_of(file: str) -> str:
    """The text of one file of the library."""
    return "\n".join(print_function(vector_function(name)) for name, own in PROVIDED.items() if own == file)


if __name__ == "__main__":
    for file in sys.argv[1:] or dict.fromkeys(PROVIDED.values()):
        (LIBRARY / f"{file}.pllvm").write_text(text_of(file))
