"""Local arrays in brushed loops: which brushes they allow, and what the refusals say."""

from __future__ import annotations

import pytest

from rv.evolution.facts import Legal
from rv.widen.protocols import Dimensions
from tensorrv.brush.shapes import analyze_shapes
from tensorrv.nest.legality.proof import check_brush
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic
from tests.nest.c_text import brush_of, header, nests_of

ROWS = """void f(int n, int m, const int A[restrict n][m], int B[restrict n][m]) {{
    for (int j = 0; j < n; j++) {{
        int table[40];
        for (int d = 0; d < 40; d++) table[d] = d * {stored};
        for (int i = 0; i < m; i++) {{
            {inside}
            B[j][i] = table[A[j][i] & 31];
        }}
    }}
}}"""


def refusal(nests: Nests, **sizes: int) -> Diagnostic:
    outcome = check_brush(nests, brush_of(nests, **sizes))
    assert isinstance(outcome, Diagnostic)
    return outcome


def test_an_object_of_a_row_is_read_in_all_its_columns() -> None:
    nests = nests_of(ROWS.format(stored="j", inside=""))
    for sizes in ({"j": 4}, {"i": 8}, {"j": 4, "i": 8}):
        assert isinstance(check_brush(nests, brush_of(nests, **sizes)), Legal)


def test_writes_to_an_object_of_a_row() -> None:
    nests = nests_of(ROWS.format(stored="j", inside="table[A[j][i] & 15] = i;"))
    assert isinstance(check_brush(nests, brush_of(nests, j=4)), Legal)
    found = refusal(nests, j=4, i=8)
    assert found.code == "TRV310" and "`table` is declared outside of the loop over `i`" in found.message
    assert found.hint == "declare `table` in the body of the loop over `i`"
    assert [related.span.line for related in found.related] == [3]
    # when only columns are brushed, it is an array like any other
    assert refusal(nests, i=8).code == "TRV306"


def test_an_object_or_other_memory() -> None:
    nests = nests_of("""void f(int n, int k, const int *restrict A, int *restrict B) {
        for (int i = 0; i < n; i++) {
            int table[40];
            for (int d = 0; d < 40; d++) table[d] = A[i] + d;
            const int *p = k ? table : A;
            B[i] = p[i & 15];
        }
    }""")
    found = refusal(nests, i=8)
    assert found.code == "TRV314" and "`table`" in found.message


def test_objects_alias_nothing() -> None:
    """Neither parameters that are not `restrict`, nor one another."""
    nests = nests_of("""void f(int n, const int *A, int *restrict B) {
        for (int i = 0; i < n; i++) {
            int left[40], right[40];
            for (int d = 0; d < 40; d++) { left[d] = A[i + d]; right[39 - d] = left[d] + A[i]; }
            B[i] = right[A[i] & 31];
        }
    }""")
    outcome = check_brush(nests, brush_of(nests, i=8))
    assert isinstance(outcome, Legal) and not outcome.overlaps


def objects(nests: Nests, *names: str) -> dict[str, Dimensions]:
    headers = tuple(header(nests, name) for name in names)
    found = analyze_shapes(nests_within(nests, headers[0]), headers, (4,) * len(names)).found.objects
    return {name.partition(".")[0]: dimensions for name, dimensions in found.items()}


@pytest.mark.parametrize(("stored", "expected"), [("j", {"table": {0}}), ("m", {}), ("A[j][d]", {"table": {0}})])
def test_objects_vary_in_some_dimensions(stored: str, expected: dict[str, set[int]]) -> None:
    assert objects(nests_of(ROWS.format(stored=stored, inside="")), "j", "i") == expected


def test_objects_of_all_lanes_fit_on_the_stack() -> None:
    nests = nests_of("""void f(int n, const int *restrict A, int *restrict B) {
        for (int i = 0; i < n; i++) {
            int table[20000];
            for (int d = 0; d < 20000; d++) table[d] = A[i] + d;
            B[i] = table[A[i] & 15];
        }
    }""")
    assert isinstance(check_brush(nests, brush_of(nests, i=8)), Legal)
    found = refusal(nests, i=16)
    assert found.code == "TRV318" and "take 1280000 bytes" in found.message and "`table`" in found.label
