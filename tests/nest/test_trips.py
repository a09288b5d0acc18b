"""Trip counts: every kind of test on 8-bit variables around their limits, against execution; and the forms that C writes."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from rv.ir.parser import parse_function
from tensorrv.nest.analyze import analyze_nests
from tests.nest.c_text import nests_of
from tests.nest.machine import Undefined
from tests.nest.test_closed_forms_fuzz import check

PREDICATES = ("slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "ne")
EXTENSIONS = ("", "sext", "zext")


def _loop(predicate: str, extension: str, step: int, start: int, nsw: str) -> str:
    width = 16 if extension else 8
    tested = "%wide" if extension else "%i"
    return "\n".join(
        [
            f"define void @f(i{width} %n) {{",
            "entry:",
            "  jump head",
            "head:",
            f"  %i = phi i8 [{start}, entry], [%i.next, body]",
            *([f"  %wide = {extension} i8 %i to i16"] if extension else []),
            f"  %more = icmp {predicate} i{width} {tested}, %n",
            "  branch %more, body, done",
            "body:",
            "  %used = zext i8 %i to i32",
            "  %read = sext i8 %i to i32",
            f"  %i.next = add {nsw}i8 %i, {step}",
            "  jump head",
            "done:",
            "  return void",
            "}",
        ]
    )


def _run(predicate: str, steps: tuple[int, ...], starts: tuple[int, ...], bounds: tuple[int, ...]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for extension, step, start, nsw in product(EXTENSIONS, steps, starts, ("", "nsw ")):
        function = parse_function(_loop(predicate, extension, step, start, nsw))
        for bound in bounds:
            try:
                check(function, {"n": bound % (1 << (16 if extension else 8))}, seen, most=540)
            except Undefined:
                seen["undefined"] += 1
    return seen


@pytest.mark.parametrize("predicate", PREDICATES)
def test_narrow_variables_near_their_limits(predicate: str) -> None:
    assert _run(predicate, (1, 3, -1), (120,), (-129, -2, 0, 127, 128, 254, 255))["trips"] > 20


@pytest.mark.long
@pytest.mark.parametrize("predicate", PREDICATES)
def test_narrow_variables_near_their_limits_for_long(predicate: str) -> None:
    _run(
        predicate,
        (1, 2, 3, -1, -2, -3),
        (0, 1, 5, -128, 120),
        (-129, -128, -127, -3, -2, 0, 1, 6, 126, 127, 128, 253, 254, 255, 256),
    )


@pytest.mark.parametrize(
    ("loop", "distance", "conditions"),
    [
        ("for (int i = 0; i < n; i++)", "n", []),
        ("for (int i = 2; i <= n - 3; i += 2)", "n - 4", []),
        ("for (int i = n; i > 0; i--)", "n", []),
        ("for (int i = n - 1; i >= 0; --i)", "n", []),
        ("for (int i = 0; n > i; i++)", "n", []),
        ("for (int i = 0; !(i >= n); i++)", "n", []),
        ("for (int i = 0; i != n; i++)", "n", ["n"]),
        ("for (int i = n; i--; )", "n", ["n"]),
        ("for (long i = 0; i < n; i++)", "n", []),
        ("for (unsigned i = 0; i < u; i++)", "u", []),
        ("for (unsigned i = 0; i < u - 1; i++)", "u - 1", ["u - 1"]),
        ("for (unsigned i = 0; i <= u; i++)", "u + 1", ["-u + 4294967294"]),
        ("for (unsigned i = u; i-- > 0; )", "u", []),
        ("for (unsigned i = 0; i < u; i += 4)", "u", ["-u + 4294967292"]),
        ("for (unsigned char i = 0; i < n; i++)", "n", ["-n + 255"]),
        ("for (short i = 0; i < n; i += 2)", "n", ["-n + 32766"]),
        ("for (int i = 0; i < u; i++)", "u", []),
        ("for (int i = 0; i + 1 < n; i++)", "n - 1", []),
    ],
)
def test_loops_of_c(loop: str, distance: str, conditions: list[str]) -> None:
    nests = nests_of(f"void f(int n, unsigned u, double *A) {{ {loop} A[i] = 1; }}")
    (found,) = nests.loops.values()
    assert found.trip is not None
    assert found.name == "i" and found.trip.distance.readable() == distance
    assert [c.polynomial.readable() for c in found.conditions] == conditions


@pytest.mark.parametrize(
    "loop",
    [
        "while (A[i] > 0) i++;",
        "for (i = 1; i < n; i *= 2) A[i] = 1;",
        "for (i = 0; i > n; i++) A[i] = 1;",
        "for (; i < n; i += i) A[i] = 1;",
    ],
)
def test_loops_that_cannot_be_counted(loop: str) -> None:
    nests = nests_of(f"void f(int n, double *A) {{ int i = 1; {loop} }}")
    assert [found.trip for found in nests.loops.values()] == [None]


def test_analysis_of_hand_written_text_needs_no_front_end() -> None:
    nests = analyze_nests(parse_function(_loop("slt", "sext", 1, 0, "nsw ")))
    assert nests.loops["head"].trip is not None and nests.loops["head"].trip.distance.readable() == "n"
