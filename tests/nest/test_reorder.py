"""What orders, tiles and fusions do to loops, and what stands in their way."""

from __future__ import annotations

import pytest

from tensorrv.nest.legality.meetings import Compared
from tensorrv.nest.reorder.outcome import Reordered
from tensorrv.nest.reorder.reorder import reordered
from tensorrv.schedule.plan import Plan, parse_order, parse_skew, parse_tile
from tests.nest.c_text import nests_of, prepared

GRID = "void f(int n, int m, double A[restrict n][m], double B[restrict n][m], double s[restrict n])"
SWEEP = f"{GRID} {{ for (int j = 1; j < n - 1; j++) for (int i = 1; i < m - 1; i++) "
PRODUCT = "void f(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n])"
LOOPS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)"


def moved(text: str, *, order: str = "", tile: str = "none", fuse: bool = False, skew: str = "") -> Reordered:
    plan = Plan(order=parse_order(order), tile=parse_tile(tile), fuse=fuse, skew=parse_skew(skew))
    return reordered(prepared(text), plan)


def schedules(result: Reordered) -> list[str]:
    return [str(schedule.named(lambda label: label.removeprefix("for."))) for schedule in result.changed.values()]


@pytest.mark.parametrize(
    ("order", "tile", "schedule"),
    [
        ("k,i,j", "none", "k sequential; i sequential; j sequential"),
        ("k,j", "none", "k sequential; j sequential"),
        ("", "8x16", "j tile 8; k tile 16; i sequential; j sequential; k sequential"),
        ("", "4x1x1", "i tile 4; i sequential"),
        ("i,k,j", "k=8,j=4", "k tile 8; j tile 4; i sequential; k sequential; j sequential"),
    ],
)
def test_the_schedule_that_a_plan_gives(order: str, tile: str, schedule: str) -> None:
    text = f"{PRODUCT} {{ {LOOPS} C[i][j] += A[i][k] * B[k][j]; }}"
    assert schedules(moved(text, order=order, tile=tile)) == [schedule]


def product_after(statement: str) -> str:
    loops = f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ {statement} for (int k = 0; k < n; k++)"
    return f"{PRODUCT} {{ {loops} C[i][j] += A[i][k] * B[k][j]; }} }}"


@pytest.mark.parametrize(
    ("bounds", "order", "tile", "schedule"),
    [
        ("int i = 0; i <= j; i++", "i,j", "none", "i sequential; j sequential"),
        ("int i = j; i < m; i++", "i,j", "none", "i sequential; j sequential"),
        ("int i = j; i < 2 * j + 1; i++", "i,j", "j=4,i=8", "i tile 8; j tile 4; i sequential; j sequential"),
    ],
)
def test_triangles(bounds: str, order: str, tile: str, schedule: str) -> None:
    text = f"{GRID} {{ for (int j = 0; j < n; j++) for ({bounds}) A[j][i] += B[j][i]; }}"
    assert schedules(moved(text, order=order, tile=tile)) == [schedule]


ROWS = "for (int j = 0; j < n; j++) {"


@pytest.mark.parametrize(
    ("text", "order", "tile", "expected"),
    [
        (product_after("C[i][j] = 0;"), "i,k,j", "none", ["k.1 sequential; j.1 sequential"]),
        (product_after("C[i][j] *= 3;"), "", "j=8,k=16",
         ["j.1 tile 8; k.1 tile 16; i.1 sequential; j.1 sequential; k.1 sequential", "j tile 8; i sequential; j sequential"]),
        (f"{GRID} {{ {ROWS} s[j] *= 3; for (int i = 1; i < m; i++) A[j][i] = A[j][i - 1] + s[j]; }} }}", "i,j", "none",
         ["i.1 sequential; j.1 sequential"]),
        (f"{GRID} {{ {ROWS} for (int i = 0; i < m; i++) A[j][i] = 1; s[j] = A[j][0]; }} }}", "i,j", "none",
         ["i sequential; j sequential"]),
        (f"{GRID} {{ {ROWS} if (s[j] > 0) s[j] = 0; for (int i = 0; i < m; i++) A[j][i] = s[j]; }} }}", "i,j", "none",
         ["i.1 sequential; j.1 sequential"]),
        (f"{GRID} {{ {ROWS} for (int i = 0; i < m; i++) A[j][i] = 1; for (int i = 1; i < m; i++) B[j][i] = B[j][i - 1]; }} }}",
         "i,j", "none", ["i sequential; j sequential", "i.1.1 sequential; j.1 sequential"]),
    ],
)  # fmt: skip
def test_loops_are_distributed_over_what_is_between_them(text: str, order: str, tile: str, expected: list[str]) -> None:
    result = moved(text, order=order, tile=tile)
    assert not result.refusals and schedules(result) == expected


IN_PLACE = SWEEP + "A[j][i] = A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i]; }"
TIME_LOOPS = "for (int t = 0; t < 9; t++) for (int i = 1; i < n - 1; i++)"


def in_buffers(new: str, old: str, far: int) -> str:
    """A sweep in time steps over buffers that are used in turn."""
    loops = f"for (int t = 0; t < T; t++) for (int i = {far}; i < n - {far}; i++)"
    return f"void f(int T, int n, double u[restrict 3][n]) {{ {loops} u{new}[i] = u{old}[i - {far}] + u{old}[i + {far}]; }}"


IN_TIME = f"void f(int n, double A[restrict n]) {{ {TIME_LOOPS} A[i] += A[i - 1] + A[i + 1]; }}"


@pytest.mark.parametrize(
    ("text", "skew", "tile", "schedule"),
    [
        (IN_PLACE, "i+j", "none", "i skewed 1 by 1*j; j sequential"),
        (IN_PLACE, "j+2*i", "none", "j skewed 1 by 2*i; i sequential"),
        (IN_PLACE, "i+j", "j=4,i=8", "j tile 4; i skewed 8 by 1*j; j sequential; i sequential"),
        (IN_TIME, "i+t", "t=4,i=8", "t tile 4; i skewed 8 by 1*t; t sequential; i sequential"),
        (IN_TIME, "i+2*t", "none", "i skewed 1 by 2*t; t sequential"),
        (f"{GRID} {{ for (int j = n - 2; j > 0; j--) for (int i = 1; i < m - 1; i += 2) A[j][i] = A[j + 1][i] + A[j][i - 2]; }}",
         "i+j", "none", "i skewed 1 by 1*j; j sequential"),
        (in_buffers("[(t + 1) % 3]", "[t % 3]", 1), "i+t", "t=4,i=8", "t tile 4; i skewed 8 by 1*t; t sequential; i sequential"),
        (in_buffers("[(t + 1) & 1]", "[t & 1]", 2), "i+2*t", "none", "i skewed 1 by 2*t; t sequential"),
    ],
)  # fmt: skip
def test_the_schedule_of_a_slope(text: str, skew: str, tile: str, schedule: str) -> None:
    assert schedules(moved(text, skew=skew, tile=tile)) == [schedule]


@pytest.mark.parametrize(
    ("text", "skew", "code", "message"),
    [
        (SWEEP + "A[j][i] = A[j - 1][i + 2]; }", "i+j", "TRV305", "iterations (j=2, i=1) before (j=1, i=3)"),
        (f"{GRID} {{ for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) A[j][i] = 1; }}", "i+j", "TRV330",
         "a bound depends on `j`"),
        (in_buffers("[(t + 1) % 2]", "[t % 2]", 2), "i+t", "TRV305", "it runs iterations (t=1, i=2) before (t=0, i=4)"),
    ],
)  # fmt: skip
def test_slopes_that_are_refused(text: str, skew: str, code: str, message: str) -> None:
    (refusal,) = moved(text, skew=skew).refusals
    assert refusal.code == code and message in refusal.message


def test_tiles_stay_inside_of_a_loop_that_carries_a_dependence() -> None:
    inside = "for (int j = 0; j < n; j++) for (int i = 0; i < m - 1; i++) A[j][i] += A[j][i + 1];"
    text = f"{GRID} {{ for (int t = 0; t < 9; t++) {inside} }}"
    assert schedules(moved(text, tile="j=8,i=8")) == ["j tile 8; i tile 8; j sequential; i sequential"]


def test_a_nest_that_may_overlap_keeps_the_order_of_the_source_behind_a_test() -> None:
    loops = "for (int j = 0; j < n; j++) for (int i = 0; i < 8; i++)"
    text = f"void f(int n, double *A, double *B) {{ {loops} A[8 * j + i] = B[8 * j + i]; }}"
    result = moved(text, order="i,j")
    scalar = [block.label for block in result.function.blocks if block.hints.novector]
    assert schedules(result) and scalar == ["for.j.slow", "for.i.slow"]


@pytest.mark.parametrize(
    ("text", "order", "tile", "code", "message"),
    [
        (SWEEP + "A[j][i] = A[j - 1][i + 1]; }", "i,j", "none", "TRV305", "iterations (j=2, i=1) before (j=1, i=2)"),
        (SWEEP + "A[j][i] = A[j - 1][i + 1]; }", "", "8x8", "TRV305", "before"),
        (f"{GRID} {{ for (int j = 0; j < n; j++) for (int i = 0; i < j * j; i++) A[j][i] = 1; }}", "i,j", "none", "TRV330",
         "a bound of the loop over `i` is not a sum"),
        (f"{GRID} {{ for (int j = 0; j < n; j++) {{ double x = 0; for (int i = 0; i < m; i++) x += A[j][i]; s[j] = x; }} }}",
         "i,j", "none", "TRV330", "carries `x`"),
        (f"{GRID} {{ for (int j = 0; j < n; j++) {{ s[j] = 0; for (int i = 0; i < m; i++) s[i] += A[j][i]; }} }}", "i,j", "none",
         "TRV305", "which breaks a dependence through `s`: with m=2, n=2, it runs iterations (j=1) before (j=0, i=1)"),
        (f"{GRID} {{ {ROWS} double x = s[j + 1]; s[j] = 0; for (int i = 0; i < m; i++) A[j][i] = x; }} }}",
         "i,j", "none", "TRV330", "`x` is computed in the loop over `j` and used in the loop over `i` or behind it"),
        (f"{GRID} {{ for (int j = 0; j < n; j++) if (s[j] > 0) for (int i = 0; i < m; i++) A[j][i] = 0; }}", "i,j", "none",
         "TRV330", "not every iteration of the loop over `j` executes"),
        (f"{GRID} {{ for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) if (A[j][i] > 0) break; }}", "i,j", "none",
         "TRV330", "not computable"),
    ],
)  # fmt: skip
def test_refused(text: str, order: str, tile: str, code: str, message: str) -> None:
    result = moved(text, order=order, tile=tile)
    (refusal,) = result.refusals
    assert not result.changed and refusal.code == code and message in refusal.message
    assert refusal.span is not None


def two(start: int, first: str, other: int, second: str) -> str:
    return f"{GRID} {{ for (int j = {start}; j < n; j++) {first} for (int j = {other}; j < n; j++) {second} }}"


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ("A[j][0] = B[j][0];", "B[j][1] = A[j][0];", ""),
        ("A[j][0] = B[j][0];", "s[j] = A[j - 1][0];", ""),
        ("A[j][0] = B[j][0];", "if (j < n - 1) s[j] = A[j + 1][0];", "TRV305"),
        ("for (int i = 0; i < m; i++) A[j][i] = B[j][i];", "for (int i = 0; i < m; i++) B[j][i] = A[j][i];", ""),
        ("for (int i = 0; i < m; i++) A[j][i] = B[j][i];", "for (int i = 0; i < n; i++) B[j][i] = A[j][i];", "TRV331"),
        ("for (int i = 0; i < m; i++) A[j][i] = B[j][i];", "s[j] = A[j][0];", "TRV331"),
    ],
)
def test_fusion(first: str, second: str, what: str) -> None:
    result = moved(two(1, first, 1, second), fuse=True)
    assert [refusal.code for refusal in result.refusals] == ([what] if what else [])
    assert bool(result.changed) == (not what)


def test_nests_with_other_bounds_are_not_fused() -> None:
    (refusal,) = moved(two(0, "s[j] = 1;", 1, "s[j] += 1;"), fuse=True).refusals
    assert refusal.code == "TRV331" and "different bounds" in refusal.message


def test_three_nests_become_one() -> None:
    loops = " ".join(f"for (int {v} = 0; {v} < n; {v}++) s[{v}] += {k};" for k, v in enumerate("ijk"))
    result = moved(f"{GRID} {{ {loops} }}", fuse=True)
    assert not result.refusals
    assert schedules(result) == ["i+j+k sequential"]


def test_the_text_that_is_tested_has_the_loops_it_says() -> None:
    assert len(nests_of(f"{PRODUCT} {{ {LOOPS} C[i][j] += A[i][k] * B[k][j]; }}").loops) == 3


def test_promises_about_iterations_do_not_tell_arrays_apart() -> None:
    loops = "for (int j = 0; j < n; j++) { double x = B[j]; for (int i = 0; i < 8; i++) A[8 * j + i] = x; }"
    text = f"void f(int n, double *A, double *B) {{ {loops} }}"
    plan = Plan(order=("i", "j"), assume_parallel=("i", "j"))
    result = reordered(prepared(text), plan)
    assert result.changed and any(block.hints.novector for block in result.function.blocks)


PERFECT = f"{PRODUCT} {{ {LOOPS} C[i][j] += A[i][k] * B[k][j]; }}"


@pytest.mark.parametrize(
    ("text", "orders", "proofs"),
    [(PERFECT, ("k,i,j", "k,j,i", "j,k,i", "j,i,k"), 1), (product_after("C[i][j] = 0;"), ("k,i,j",), 2)],
)
def test_dependences_are_found_once_for_all_orders(text: str, orders: tuple[str, ...], proofs: int) -> None:
    function = prepared(text)
    before = Compared.of.cache_info().misses
    for order in orders:
        for tile in ("none", "k=8", "k=16"):
            assert reordered(function, Plan(order=parse_order(order), tile=parse_tile(tile))).changed
    assert Compared.of.cache_info().misses == before + proofs
