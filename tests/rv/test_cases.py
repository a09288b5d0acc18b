"""Passes, text in and text out. The folder of a case names the pass; `pytest --bless` rewrites what is expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rv.analysis.memory.alias import EVERYWHERE
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.printer import print_function
from rv.transform.bare_tests import bare_tests
from rv.transform.leading_tests import lead_with_tests
from rv.transform.loops.hoist import hoist_invariants
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from rv.transform.loops.promote import promote
from rv.transform.narrow.absolute import compare_subtracted
from rv.transform.narrow.trees import narrow
from rv.transform.prepare import prepare
from rv.transform.scalar.common_arms import join_common_code
from rv.transform.scalar.select import convert_branches
from rv.transform.scalar.sink_stores import sink_stores
from rv.transform.simplify import simplify

CASES = Path(__file__).parent / "cases"
PASSES: dict[str, Callable[[Function], Function]] = {
    "simplify": simplify,
    "loop_simplify": simplify_loops,
    "lcssa": lambda function: close_loops(simplify_loops(function)),
    "hoist": lambda function: hoist_invariants(simplify_loops(function)),
    "select": convert_branches,
    "join_common_code": join_common_code,
    "sink_stores": sink_stores,
    "bare_tests": lambda function: close_loops(bare_tests(simplify_loops(function))),
    "leading_tests": lambda function: lead_with_tests(close_loops(simplify_loops(function))),
    "narrow": lambda function: simplify(narrow(compare_subtracted(function))),
    "promote": lambda function: promote(prepare(function), EVERYWHERE),
}


@pytest.mark.parametrize("path", sorted(CASES.glob("*/*.pllvm")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_case(path: Path, check_case) -> None:
    def produce(text: str) -> str:
        function = verify(parse_function(text))
        return print_function(verify(PASSES[path.parent.name](function)))

    check_case(path, produce)
