"""The stable codes of why a brush is refused, in one place; the documentation of diagnostics is made from this table."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV301": "the trip count of a loop is not computable before the loop",
    "TRV302": "a variable carries a value from one iteration to the next",
    "TRV303": "the trip count of an inner loop may differ between the iterations of one brush",
    "TRV304": "a loop calls a function that is not a pure function of the math library",
    "TRV305": "a brush, an order of loops, tiles or a fusion would break a dependence between array elements",
    "TRV306": "an array is written, and one of its subscripts is not affine",
    "TRV307": "a dependence test exceeds the operation limit of the integer set library",
    "TRV308": "arrays may overlap, and the accessed elements of one of them are not known before the loops",
    "TRV309": "a floating-point reduction would be reordered",
    "TRV310": "iterations of a brushed loop share a local variable that they write",
    "TRV311": "an operation across lanes is used in a loop whose iterations are not declared independent",
    "TRV312": "a ballot covers more than 64 lanes",
    "TRV313": "a brush takes more iterations at once than `safelen` allows",
    "TRV314": "a pointer may point either to a local variable or to other memory",
    "TRV315": "a brush on a search loop might read elements that the source does not read and that may not exist",
    "TRV316": "it is not proved that a brush preserves the dependences through an array",
    "TRV317": "no legal brush on a nest is expected to be faster than scalar code",
    "TRV318": "the local variables of all lanes are too large for the stack",
    "TRV320": "a loop that carries a reduction is not divided among threads",
    "TRV321": "iterations of a loop that should be divided among threads access the same element",
    "TRV322": "the condition of a loop has side effects, or computes values that are used after the loop",
}
