"""What fills registers, and what it costs where they do not suffice."""

from __future__ import annotations

from typing import Final

SHARED_NUMBERS: Final = 16
"""Numbers in vector operations that all lanes share from which on these fill registers: half of those of AVX-512."""
SPILL: Final = 3.0
"""How many times as long as a use from a register one takes of a vector that has left them: it is stored and loaded, and
compilers keep others than the best. (5 x 5 filters on Zen 4 take 1.5 times as long with 8 registers of results as with 4.)
"""
TEMPORARY: Final = 2
"""Registers for numbers that are used at once."""
RESULTS: Final = 8
"""Registers of results of a brush of two loops, but for squares, which transpose: operands take as many, and half of sixteen."""
ELEMENTS_OF_OBJECT: Final = 16
"""Elements up to which an object is expected to be taken apart into registers: as many as the fewest registers there are."""
