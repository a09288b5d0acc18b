"""What makes a brush legal, what is refused, and what the refusal says."""

from __future__ import annotations

import re
import time
from pathlib import Path

import islpy as isl
import pytest

import tensorrv.nest
from rv.evolution.facts import Legal
from rv.evolution.polynomial import Polynomial, counter, signed
from rv.ir.parser import parse_function
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.codes import CODES
from tensorrv.nest.legality.conflict_system import ConflictSystem
from tensorrv.nest.legality.proof import check_brush
from tensorrv.nest.reorder.codes import CODES as REORDER
from tensorrv.report.diagnostics import Diagnostic
from tests.nest.c_text import brush_of, nests_of

GRID = "void f(int n, int m, double A[restrict n][m], double B[restrict n][m])"
LOOPS = "for (int j = 4; j < n - 4; j++) for (int i = 13; i < m - 13; i++)"


def check(text: str, *, fp: str = "strict", parallel: str = "", alias: bool = False, **sizes: int) -> Legal | Diagnostic:
    nests = nests_of(text)
    names = frozenset({parallel} if parallel else ())
    assert fp in ("strict", "contract", "fast")
    return check_brush(nests, brush_of(nests, **sizes), fp=fp, assume_no_alias=alias, assume_parallel=names)  # type: ignore[arg-type]


def refused(text: str, **options: object) -> Diagnostic:
    outcome = check(text, **options)  # type: ignore[arg-type]
    assert isinstance(outcome, Diagnostic), "the brush was accepted"
    return outcome


@pytest.mark.parametrize("end", ["for (int k = 0; k < m; k++) {", "for (int k = 0;; k++) { if (k >= m) break;"])
def test_what_follows_an_inner_loop_comes_behind_all_of_it_however_that_ends(end: str) -> None:
    carried = "void f(int n, int m, double A[restrict n][m], double B[restrict n]) { for (int j = 1; j < n; j++) {"
    diagnostic = refused(f"{carried} {end} A[j][k] = B[j - 1] + k; }} B[j] = A[j][0]; }} }}", j=8)
    assert diagnostic.code == "TRV305"


@pytest.mark.parametrize(
    ("body", "legal"),
    [
        ("B[j][i] = A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i];", True),
        ("A[j][i] = A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i];", False),
        ("A[j][i] = 2 * A[j][i];", True),
        ("A[j][i] = A[j][i + 1];", True),
        ("A[j][i] = A[j + 1][i];", True),
        ("A[j][i] = A[j + 1][i - 1];", False),
        ("A[j][i] = A[j - 1][i];", False),
        ("A[j][i] = A[j - 4][i];", True),
        ("A[j][i] = A[j - 1][i + 8];", False),
        ("A[j][i] = A[j - 4][i + 1];", True),
        ("A[j][i] = A[j][i - 8];", True),
        ("A[j][i] = A[j][i - 7];", False),
        ("A[j][0] += B[j][i];", False),
        ("B[j][i] = A[j][i]; A[j][i] = B[j][i - 1];", True),
        ("B[j][i] = A[j][i]; A[j][i] = B[j][i + 1];", False),
    ],
)
def test_dependences_of_a_4x8_brush(body: str, legal: bool) -> None:
    assert isinstance(check(f"{GRID} {{ {LOOPS} {{ {body} }} }}", j=4, i=8), Legal) == legal


def test_transposition_in_place_is_refused() -> None:
    text = "void f(int n, double A[n][n]) { for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) A[j][i] += A[i][j]; }"
    assert refused(text, j=4, i=8).code == "TRV305"


@pytest.mark.parametrize("work", ["x = rv_any(B[i] > 0)", "A[i] = rv_any(B[i] > 0)"])
def test_work_that_cannot_leave_the_test_of_a_loop_is_refused(work: str) -> None:
    """What depends on the lanes that run the test has no value behind the loop."""
    loop = f"int x = 0;\n#pragma omp simd\nfor (int i = 0; {work}, i < n; i++) A[i + 1] = 2;\nA[0] = x;"
    found = refused(f'#include "rv.h"\nvoid f(int n, int *restrict A, const int *restrict B) {{ {loop} }}', i=4)
    assert (found.code, found.span and found.span.line) == ("TRV322", 4)


HALVES = {
    "n / 2": lambda n: int(n / 2),
    "n >> 1": lambda n: n >> 1,
    "n / 3": lambda n: int(n / 3),
    "n / 2 + 1": lambda n: int(n / 2) + 1,
    "n - n / 2": lambda n: n - int(n / 2),
    "n - n / 3": lambda n: n - int(n / 3),
    "-(-n / 2)": lambda n: -int(-n / 2),
    "-(-n >> 1)": lambda n: -(-n >> 1),
    "(n / 2 + 1) / 2": lambda n: int((int(n / 2) + 1) / 2),
    "(n + 5) / 2 - n / 2": lambda n: int((n + 5) / 2) - int(n / 2),
}


@pytest.mark.parametrize("offset", range(-2, 4))
@pytest.mark.parametrize("bound", HALVES)
def test_halves_of_an_array(bound: str, offset: int) -> None:
    text = f"void f(int n, double *A) {{ for (int i = 0; i < {bound}; i++) A[i] = A[n - i - ({offset})]; }}"
    trips = [(n, HALVES[bound](n)) for n in range(-20, 40)]
    swapped = any(
        n - later - offset == i for n, trip in trips for i in range(trip) for later in range(i + 1, min(trip, i // 4 * 4 + 4))
    )
    assert isinstance(check(text, i=4), Legal) == (not swapped)


def story(found: Diagnostic) -> str:
    """The sizes of the witness, and what its two iterations do."""
    sizes = found.message.partition(": ")[2].partition("it runs")[0]
    return f"{sizes}{found.label} {' '.join(related.label for related in found.related)}"


def test_a_witness_has_no_quotients_of_its_own() -> None:
    found = refused("void f(int n, double *A) { for (int i = 0; i < n / 2; i++) A[i] = A[n - 3 - i]; }", i=4)
    assert "with n=4, iteration (i=0) writes A[0] and iteration (i=1) reads it" in story(found)


@pytest.mark.parametrize("type_", ["int", "unsigned", "unsigned short", "size_t", "long"])
@pytest.mark.parametrize(
    ("part", "offset", "legal"), [("n / 2", "n / 2", True), ("n >> 1", "(n >> 1)", True), ("n / 3", "n / 3", True),
    ("n / 2", "n / 2 - 2", False), ("n / 2", "n / 3", False)],
)  # fmt: skip
def test_halves_of_an_array_are_apart(type_: str, part: str, offset: str, legal: bool) -> None:
    """For unsigned numbers as well, whose quotients are known."""
    loop = f"for ({type_} i = 0; i < {part}; i++) A[i + {offset}] = A[i];"
    outcome = check(f"#include <stddef.h>\nvoid f({type_} n, double *restrict A) {{ {loop} }}", i=8)
    assert isinstance(outcome, Legal) == legal


def test_a_violated_dependence_is_shown_with_two_iterations() -> None:
    loops = "  for (int j = 1; j < n; j++)\n    for (int i = 1; i < m; i++)\n"
    text = f"void f(int n, int m, double A[n][m]) {{\n{loops}      A[j][i] = A[j - 1][i];\n}}"
    found = refused(text, j=4, i=8)
    assert found.code == "TRV305"
    assert "with m=2, n=3, iteration (j=1, i=1) writes A[1][1] and iteration (j=2, i=1) reads it" in story(found)
    assert "it runs iterations" in found.message and "at once" in found.message
    assert found.span is not None and (found.span.line, found.span.column) == (4, 7)
    assert [(r.span.line, r.span.column) for r in found.related] == [(4, 17)]
    assert found.hint == "the brush 1x8 is legal"


def test_witness_of_a_loop_that_counts_down_by_two() -> None:
    found = refused("void f(int n, double *A) { for (int i = n; i > 1; i -= 2) A[i] = A[i + 2]; }", i=4)
    assert "with n=4, iteration (i=4) writes A[4] and iteration (i=2) reads it" in story(found)


def test_loops_around_the_brush_are_fixed() -> None:
    text = (
        "void f(int T, int n, double A[T][n]) { for (int t = 0; t < T; t++) for (int i = 1; i < n; i++) A[t][i] = A[t][i - 1]; }"
    )
    assert "with T=1, n=3, t=0, iteration (i=1) writes A[0][1]" in story(refused(text, i=8))
    assert isinstance(check(text.replace("= A[t][i - 1]", "= A[t - 1][i - 1]"), i=8), Legal)


def test_inner_loops_run_in_lock_step() -> None:
    text = (
        "void f(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n]) { for (int i = 0; i < n; i++)"
    )
    product = " for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }"
    assert isinstance(check(text + product, i=4, j=8), Legal)
    assert isinstance(check(text + product, i=4), Legal)
    assert refused(text + product, j=4, k=8).code == "TRV305"


def test_no_condition_is_needed_where_everything_is_proved() -> None:
    outcome = check(f"{GRID} {{ {LOOPS} B[j][i] = A[j][i]; }}", j=4, i=8)
    assert outcome == Legal((), ())


def test_arrays_without_restrict_are_guarded_once_per_pair() -> None:
    text = "void f(int n, double *A, double *B, double *C) { for (int i = 1; i < n - 1; i++) C[i] = A[i - 1] + A[i + 1] + B[i]; }"
    outcome = check(text, i=8)
    assert isinstance(outcome, Legal)
    shown = [
        (a.array.name, a.low.readable(), a.high.readable(), b.array.name, b.low.readable(), b.high.readable())
        for a, b in outcome.overlaps
    ]
    assert shown == [("A", "0", "n - 1", "C", "1", "n - 2"), ("B", "1", "n - 2", "C", "1", "n - 2")]
    assert [(a.written, b.written) for a, b in outcome.overlaps] == [(False, True)] * 2
    assert check(text, alias=True, i=8) == Legal((), ())


def test_a_read_anywhere_may_meet_a_write() -> None:
    text = "void f(int n, const int *at, const double *A, double *B) { for (int i = 0; i < n; i++) B[i] = A[at[i]]; }"
    found = refused(text, i=8)
    assert found.code == "TRV308" and "--assume-no-alias" in found.hint and "`A`" in found.message
    assert isinstance(check(text, alias=True, i=8), Legal)
    assert isinstance(check(text.replace("double *B", "double *restrict B"), i=8), Legal)


def test_pointers_that_are_swapped_stay_guarded() -> None:
    text = (
        "void f(int T, int n, double *A, double *B) { for (int t = 0; t < T; t++) {"
        " for (int i = 1; i < n - 1; i++) B[i] = A[i - 1] + A[i + 1]; double *x = A; A = B; B = x; } }"
    )
    outcome = check(text, alias=True, i=8)
    assert isinstance(outcome, Legal) and len(outcome.overlaps) == 1


@pytest.mark.parametrize("pragma", ["omp simd", "ivdep", "omp parallel for", ""])
def test_writes_anywhere_are_the_users_word(pragma: str) -> None:
    loop = "for (int i = 0; i < n; i++) h[a[i] % 16] += 1;"
    assert refused(f"void f(int n, const int *a, int *h) {{ {loop} }}", i=8).code == "TRV306"
    if pragma:
        assert isinstance(check(f"void f(int n, const int *a, int *h) {{\n#pragma {pragma}\n{loop} }}", i=8), Legal)
    else:
        assert isinstance(check(f"void f(int n, const int *a, int *h) {{ {loop} }}", parallel="i", i=8), Legal)


def test_the_users_word_covers_only_the_loop_it_is_about() -> None:
    text = f"{GRID} {{ {LOOPS} A[j][i] = A[j - 1][i - 1]; }}"
    assert refused(text, parallel="i", j=4, i=8).code == "TRV305"
    assert isinstance(check(text.replace("j - 1", "j"), parallel="i", j=4, i=8), Legal)


@pytest.mark.parametrize(
    ("code", "text", "sizes"),
    [
        ("TRV301", "void f(int n, double *A) { for (int i = 0; i < n; i++) if (A[i] < 0) break; else A[i] = 1; }", {"i": 8}),
        ("TRV301", "void f(int n, double *A) { for (int i = 0; i < n; i++) if (A[i] < 0) for (;;) ; }", {"i": 8}),
        ("TRV301", "void f(int n, int t, double *A) { for (int i = 0; i < n; i++) { if (t) for (;;) A[i] = 1; } }", {"i": 8}),
        (
            "TRV302",
            "double f(int n, double *A) { double s = 0; for (int i = 0; i < n; i++) { s += A[i]; A[i] = s; } return s; }",
            {"i": 8},
        ),
        (
            "TRV303",
            "void f(int n, double A[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) A[i][j] = 0; }",
            {"i": 4, "j": 8},
        ),
        ("TRV309", "double f(int n, double *A) { double s = 0; for (int i = 0; i < n; i++) s += A[i]; return s; }", {"i": 8}),
    ],
)
def test_refusals(code: str, text: str, sizes: dict[str, int]) -> None:
    assert refused(text, **sizes).code == code


@pytest.mark.parametrize("sizes", [(1, 1), (1, 4), (2, 1)])
def test_loops_between_brushed_ones_are_countable_in_brushes_of_one_lane_too(sizes: tuple[int, int]) -> None:
    text = (
        "void f(int n, int m, double *restrict A) { for (int z = 0; z < n; z++)"
        " for (int j = 0; (j + z) * j < m; j++) for (int i = 0; i < 5; i++) A[z * 99 + j * 5 + i] = 1; }"
    )
    found = refused(text, z=sizes[0], i=sizes[1])
    assert found.code == "TRV303" and "`j` may differ between iterations of `z`" in found.message


@pytest.mark.parametrize(
    "fold", ["s += A[i]", "s *= A[i]", "s ^= A[i]", "s = A[i] > s ? A[i] : s", "s = s < A[i] ? s : A[i]", "s -= A[i]"]
)
def test_integer_reductions_are_legal(fold: str) -> None:
    text = f"int f(int n, int *A) {{ int s = 1; for (int i = 0; i < n; i++) {fold}; return s; }}"
    assert isinstance(check(text, i=8), Legal)
    if "^" not in fold:
        floating = text.replace("int *A", "float *A").replace("int s", "float s")
        assert isinstance(check(floating, fp="fast", i=8), Legal)


@pytest.mark.parametrize("fold", ["s += A[i]", "s *= A[i]", "s = s < A[i] ? s : A[i]", "s -= A[i]"])
def test_floating_reductions_are_reordered_under_fast_only(fold: str) -> None:
    """The minimum takes a NaN there: `s` is kept where it is smaller, and a NaN is not."""
    text = f"float f(int n, float *A) {{ float s = 1; for (int i = 0; i < n; i++) {fold}; return s; }}"
    assert isinstance(check(text, fp="fast", i=8), Legal)
    assert refused(text, i=8).code == "TRV309"


def test_reductions_over_two_loops_are_legal() -> None:
    text = (
        "int f(int n, int A[n][n]) { int s = 0; for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) s += A[j][i]; return s; }"
    )
    assert isinstance(check(text, j=4, i=8), Legal)
    assert refused(text.replace("s += A[j][i]", "{ s += A[j][i]; A[j][i] = s; }"), j=4, i=8).code == "TRV302"


def test_unsigned_bounds_and_sizes_become_conditions() -> None:
    text = "void f(unsigned n, double *restrict A) { for (unsigned i = 0; i < n - 1; i++) A[i] = 1; }"
    outcome = check(text, i=8)
    assert isinstance(outcome, Legal)
    assert [c.polynomial.readable() for c in outcome.conditions] == ["n - 1"]
    outcome = check(text.replace("unsigned", "unsigned long"), i=8)
    assert isinstance(outcome, Legal)
    assert {c.polynomial.readable() for c in outcome.conditions} == {"n - 1", "-n + 1099511627776"}


def test_a_proof_that_takes_too_long_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{GRID} {{ {LOOPS} A[j + i][i] = A[i][j]; }}"
    assert refused(text, j=4, i=8).code == "TRV305"
    monkeypatch.setattr("tensorrv.nest.legality.dependence.MOST_OPERATIONS", 10)
    found = refused(text, j=4, i=8)
    assert found.code == "TRV307" and "exceeds its operation limit" in found.message and found.span is not None


@pytest.mark.parametrize(("callee", "legal"), [("sqrt", True), ("expf", True), ("rand", False), ("frexp", False)])
def test_calls(callee: str, legal: bool) -> None:
    text = f"""
    define void @f(ptr %A, i64 %n) {{
    entry:
      jump loop
    loop:
      %i = phi i64 [0, entry], [%i.next, body]
      %more = icmp slt i64 %i, %n
      branch %more, body, done
    body:
      %p = elemptr double, %A [%i]
      %x = load double, %p
      %y = call double @{callee}(double %x)
      store double %y, %p
      %i.next = add nsw i64 %i, 1
      jump loop
    done:
      return void
    }}"""
    outcome = check_brush(analyze_nests(parse_function(text)), (("loop", 8),))
    assert isinstance(outcome, Legal) if legal else isinstance(outcome, Diagnostic) and outcome.code == "TRV304"


def test_every_code_is_listed() -> None:
    folder = Path(tensorrv.nest.__file__).parent
    files = [*(file for file in folder.rglob("*.py") if file.name != "codes.py"), folder.parent / "brush" / "strips.py"]
    used = {code for file in files for code in re.findall(r"TRV\d+", file.read_text())}
    assert used == CODES.keys() | REORDER.keys()


def test_the_chain_must_be_nested() -> None:
    nests = nests_of(f"{GRID} {{ {LOOPS} B[j][i] = A[j][i]; }}")
    with pytest.raises(ValueError, match="is not inside"):
        check_brush(nests, tuple(reversed(brush_of(nests, j=4, i=8))))


@pytest.mark.parametrize("radius", [1, 2])
def test_a_stencil_is_checked_in_milliseconds(radius: int) -> None:
    """Measured: 0.5 ms for 25 points; the bound is for slow and busy machines."""
    offsets = range(-radius, radius + 1)
    points = " + ".join(f"A[j + {a}][i + {b}]" for a in offsets for b in offsets)
    nests = nests_of(f"{GRID} {{ {LOOPS} B[j][i] = {points}; }}")
    brush = brush_of(nests, j=4, i=8)
    start = time.perf_counter()
    assert isinstance(check_brush(nests, brush), Legal)
    assert time.perf_counter() - start < 0.2


@pytest.mark.parametrize(
    ("loop", "called"),
    [
        ("for (int k = 0; A[k] > x; k += 2) A[k] *= x;", "loop over `k`"),
        ("while (A[k] > x) k += 2;", "loop over `k`"),
        ("for (double *p = A; *p > x; p += 2) *p *= x;", "loop over `p`"),
        ("while (*A++ > x) ;", "loop over `A`"),
        ("while (x > 1) x *= A[0];", "loop over `x`"),
        ("do { A[0] += x; x *= 0.5; } while (x > 1);", "loop at line 2"),
        ("for (;;) { x *= 0.5; if (x < 1) break; A[0] += x; }", "loop at line 2"),
        ("again: A[0] += x; x *= 0.5; if (x > 1) goto again;", "loop at line 2"),
    ],
)
def test_loops_are_called_as_the_source_calls_them(loop: str, called: str) -> None:
    nests = nests_of(f"void f(int k, double *A, double x) {{\n{loop} }}")
    (found,) = nests.loops.values()
    assert found.called == called
    diagnostic = check_brush(nests, ((found.header, 8),))
    assert isinstance(diagnostic, Diagnostic) and f"the trip count of the {called}" in diagnostic.message


def test_isl_errors_are_isls_wherever_its_operations_run_out() -> None:
    """`dependence` takes these for proofs that are too hard; a TypeError of the binding would be an internal error."""
    endings: set[object] = set()
    i = counter("i")
    for operations in range(1, 400, 3):
        context = isl.Context()
        context.set_max_operations(operations)
        system = ConflictSystem(frozenset({i}), frozenset({i}))
        system.equal(Polynomial.symbol(i) * 2, Polynomial.symbol(i) * 2 + 1)
        system.nonnegative("source", Polynomial.symbol(signed("n")) - Polynomial.symbol(i))
        system.before(i)
        try:
            endings.add(system.smallest_point(context) is None)
        except isl.Error:
            endings.add("error")
    assert endings == {"error", True}
