"""The variables that a programmer of SPMD code would declare uniform are found uniform in every tree walk of the benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensorrv as trv
from rv.ir.instructions import Load
from rv.widen.protocols import UNIFORM
from tensorrv.brush.tensorize import Tensorized
from tensorrv.pipeline.explain.nests import explain

TREES = Path(__file__).parents[2] / "benchmarks" / "control_flow" / "trees.c"
WALK = {"pending", "top"}
# by hand, for every walk: what is the same for all queries of a brush, and how many numbers they read together
DECLARED = {
    "tree_search": (WALK | {"node", "here", "low", "high"}, 4),  # the stack's top and three members of a twig
    "nearest": (WALK | {"box", "k"}, 13),  # the top, ten members of a box, two coordinates
    "correlation": (WALK | {"box", "k"}, 11),
    "radii": (WALK | {"box", "k", "dx", "dy"}, 13),  # the place too
    "vantage": (WALK | {"node"}, 6),
    "gravity": (WALK | {"cell", "c"}, 8),
}


def walk(function: str) -> Tensorized:
    return trv.compile(TREES, function=function, brush=16, target="avx512", fp="contract").kernel.tensorized


@pytest.mark.parametrize("function", DECLARED)
def test_uniform_variables_are_found_without_declarations(function: str) -> None:
    declared, numbers = DECLARED[function]
    ((headers, found),) = walk(function).branching.items()
    shapes = found.shapes
    inside = [i for block, i in found.function.instructions() if block.label in shapes.nests.loops[headers[0]].blocks]
    known = [i.result for i in inside if i.result is not None]
    assert not {variable.source_name for variable in known if shapes.of(variable) != UNIFORM} & declared
    assert not shapes.found.objects, "all lanes share the stack"
    shared = [i for i in inside if isinstance(i, Load) and shapes.of(i.pointer) == UNIFORM]
    assert all(shapes.of(i.result) == UNIFORM for i in shared)
    assert len(shared) >= numbers
    apart = [i for i in inside if isinstance(i, Load) and shapes.of(i.pointer) != UNIFORM]
    assert len(apart) <= 3, "queries are read once, before the walk"


@pytest.mark.parametrize("function", DECLARED)
def test_walks_of_all_lanes_warn_that_they_go_where_any_wants_to(function: str) -> None:
    (report,) = explain(walk(function))
    assert report.together
