"""How many iterations after a store a load of the same element comes."""

from __future__ import annotations

import pytest

from tensorrv.nest.choice.carried_elements import carried_elements
from tests.nest.c_text import header, nests_of


@pytest.mark.parametrize(
    ("step", "statement", "expected"),
    [
        ("i++", "A[j][i] = A[j][i - 1] + A[j][i + 1] + A[j - 1][i];", [1]),
        ("i++", "A[j][i] = A[j][i - 3];", [3]),
        ("i += 2", "A[j][i] = A[j][i - 2] + A[j][i - 1];", [1]),
        ("i++", "A[j][i] = A[j][i];", []),
        ("i++", "A[j][i] = B[j][i - 1];", []),
        ("i++", "A[i][j] = A[i - 1][j];", [1]),
        ("i++", "A[j][2 * i] = A[j][i];", []),
        ("i++", "A[i][i] = A[i - 1][i - 2];", []),
    ],
)
def test_distances_in_iterations(step: str, statement: str, expected: list[int]) -> None:
    arrays = "double A[restrict n][n], double B[restrict n][n]"
    text = f"void f(int n, {arrays}) {{ for (int j = 3; j < n - 3; j++) for (int i = 3; i < n - 3; {step}) {statement} }}"
    nests = nests_of(text)
    assert [behind for *_, behind in carried_elements(nests, nests.loops[header(nests, "i")])] == expected
