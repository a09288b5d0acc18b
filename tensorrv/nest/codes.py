"""The stable codes of why a brush is refused, in one place; the documentation of diagnostics is made from this table."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV301": "how often a loop runs is not known before it starts",
    "TRV302": "a variable carries a value from one iteration to the next",
    "TRV303": "an inner loop may run a different number of times in iterations that a brush takes at once",
    "TRV304": "a loop calls a function that is not a pure one of the math library",
    "TRV305": "a brush, an order of loops, tiles or a fusion would break a dependence between array elements",
    "TRV306": "an array is written, and one of its subscripts is not affine",
    "TRV307": "a dependence test is too hard",
    "TRV308": "arrays may overlap, and one of them is accessed at elements that are not known beforehand",
    "TRV309": "a floating-point reduction would be reordered",
    "TRV310": "iterations of a brushed loop share a local variable that they write",
    "TRV311": "an operation across lanes stands in a loop whose iterations are not said to be independent",
    "TRV312": "a ballot of more than 64 lanes",
    "TRV313": "a brush takes more iterations at once than `safelen` allows",
    "TRV314": "a pointer leads to a local variable or to other memory",
    "TRV315": "a loop that ends where it finds something would read on behind that",
    "TRV316": "whether a brush keeps the dependences through an array is not proved",
    "TRV317": "no legal brush on a nest is expected to be faster than scalar code",
    "TRV318": "the local variables of all lanes are too large for the stack",
    "TRV320": "a loop that carries a reduction is not divided among threads",
    "TRV321": "iterations of a loop that should be divided among threads touch the same element",
    "TRV322": "the test of a loop does more than testing",
}
