"""The comparison itself: wrong results, stray accesses and undefined behaviour are noticed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.fuzz.batch import add_calls, check_alone
from tests.fuzz.case import Case
from tests.fuzz.children import Outcome, run_apart
from tests.fuzz.compare import check_case, skeleton
from tests.fuzz.generate import generate
from tests.fuzz.native import build_reference
from tests.fuzz.tree import Array, Node, Program, block, expr, stmt

SIGSEGV = 11


def program(value: str, subscript: str = "i") -> Program:
    """for (i = 0; i < n; i++) A[i] = value, with B[subscript] as $0."""
    target, source = Node("access", "A", (expr("i"),)), Node("access", "B", (expr(subscript),))
    loop = stmt("for (int i = 0; i < n; i++) {\n$0\n}", block([stmt("$0 = $1;", target, expr(value, source))]))
    arrays = tuple(Array(name, "int", "vla", ("n",), True, False) for name in "AB")
    return Program("f", (("n", "int", 37.0),), arrays, block([loop]), None, ((1.0,), (0.0,)))


def case_of(subject: Program, directory: Path) -> Case:
    return add_calls([subject], [skeleton(subject, subject.text(), "brush=8", "native")], directory)[0]


def outcome_of(case: Case, reference: str, directory: Path) -> Outcome:
    library = build_reference([reference], directory / "reference")
    return run_apart([partial(check_case, case, library)], 60)[0]


def test_what_a_call_touches_is_found(tmp_path: Path) -> None:
    case = case_of(program("$0 + 1"), tmp_path)
    assert [call.reach for call in case.calls] == [
        {"A": (0, 36), "B": (0, 36)},
        {"A": (0, 0), "B": (0, 0)},
        {"A": None, "B": None},
    ]
    assert outcome_of(case, case.text, tmp_path)["status"] == "ok"


def test_a_wrong_result_is_noticed(tmp_path: Path) -> None:
    case = case_of(program("$0 + 1"), tmp_path)
    wrong = case.text.replace("+ 1", "+ (i == 36 ? 2 : 1)")
    assert "A[36] is" in outcome_of(case, wrong, tmp_path)["detail"]


@pytest.mark.parametrize("at_end", [True, False])
def test_an_access_beside_an_array_is_noticed(at_end: bool, tmp_path: Path) -> None:
    case = case_of(program("$0 + 1"), tmp_path)
    call = replace(case.calls[0], at_end=at_end)
    call.reach["B"] = (0, 35) if at_end else (1, 36)
    outcome = outcome_of(replace(case, calls=(call,)), case.text.replace("B[i]", "0"), tmp_path)
    assert (outcome["status"], outcome.get("signal")) == ("killed", SIGSEGV)


@pytest.mark.parametrize("value", ["$0 + 2147483647", "$0 / i", "$0 << 40", "(int)($0 * 1e20)"])
def test_undefined_programs_are_left_out(value: str, tmp_path: Path) -> None:
    _, outcome = check_alone(replace(program(value), others=()), "brush=4", "native", tmp_path)
    assert outcome["status"] == "undefined"


def test_programs_that_leave_their_arrays_are_left_out(tmp_path: Path) -> None:
    _, outcome = check_alone(replace(program("$0", "i + n * 9999"), others=()), "brush=4", "native", tmp_path)
    assert outcome["status"] == "undefined"


@pytest.mark.parametrize("inner", ["4", "m", "2 * m"])
@pytest.mark.parametrize(("last", "status"), [("3", "ok"), ("4", "undefined"), ("-1", "undefined")])
def test_an_inner_subscript_beyond_its_length_is_undefined(inner: str, last: str, status: str, tmp_path: Path) -> None:
    """There is memory, that of the neighbouring row, but C has no such element."""
    base = program("$0")
    loop = base.body.children[0].children[0]
    store = stmt("$0 = i;", Node("access", "A", (expr("i + 1"), expr(last))))
    subject = replace(
        base,
        scalars=(*base.scalars, ("m", "unsigned", 2.0 if "*" in inner else 4.0)),
        arrays=(Array("A", "int", "vla", ("n + 1", inner), True, False),),
        body=block([replace(base.body.children[0], children=(replace(loop, children=(store,)),))]),
        others=(),
    )
    _, outcome = check_alone(subject, "brush=4", "native", tmp_path)
    assert outcome["status"] == status


def test_a_seed_always_gives_the_same_program() -> None:
    assert [generate(seed, "f") for seed in range(20)] == [generate(seed, "f") for seed in range(20)]
