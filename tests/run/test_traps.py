"""Known traps of vectorizers, and the functions of `cases` that walk into them: on all targets at several brushes, between
unmapped pages, against gcc (`test_cases`). Here: they are there, they are brushed, and one may not be.

    a value used after a divergent loop                     a phi after a divergent if of several blocks
    constants from a divergent and a uniform exit           a uniform value of a loop, used past a divergent exit
    a store after all lanes have left                       division under a mask, zeros on inactive lanes
    a masked load next to an unmapped page                  a store in a called function under a varying condition
    loops that count down                                   a second induction variable with its own step
    narrow induction variables that wrap                    conditional minimum
    the partial sum read inside a reduction loop (stays scalar)
"""

from __future__ import annotations

import pytest

import tensorrv as trv
from tests.run.subject import read_subject
from tests.run.test_cases import CASES

TRAPS = {
    "a value used after a divergent loop": "divergent_exits.used_after",
    "a phi after a divergent if of several blocks": "divergent_ifs.several_blocks",
    "constants from a divergent and a uniform exit": "divergent_exits.constants",
    "a uniform value of a loop, used past a divergent exit": "divergent_exits.counter_after",
    "a store after all lanes have left": "divergent_exits.store_after_leaving",
    "division under a mask, zeros on inactive lanes": "divergent_ifs.divided_where_nonzero",
    "a masked load next to an unmapped page": "divergent_ifs.chosen_where_inside",
    "a store in a called function under a varying condition": "called_stores.called_store",
    "loops that count down": "divergent_induction.down",
    "a second induction variable with its own step": "divergent_induction.second_variable",
    "narrow induction variables that wrap": "divergent_induction.narrow_wraps",
    "conditional minimum": "conditional_reductions.conditional_minimum",
    "the partial sum read inside a reduction loop": "conditional_reductions.partial_sum",
}
SCALAR = "the partial sum read inside a reduction loop"


@pytest.mark.parametrize("target", ["avx512", "avx2", "neon"])
@pytest.mark.parametrize("trap", TRAPS)
def test_traps_are_walked_into(trap: str, target: str) -> None:
    file, _, name = TRAPS[trap].partition(".")
    (path,) = (path for path in CASES if path.stem == file)
    assert len(read_subject(path).brushes) >= 3
    try:
        trv.compile(path, function=name, brush=8, target=target)
    except trv.Refused:
        assert trap == SCALAR
    else:
        assert trap != SCALAR
