"""Searches of trees on behalf of many queries: what the queries have in common is found uniform, and is scalar code.

That the results are right is in `test_kernels`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import tensorrv as trv
from rv.ir.instructions import Horizontal, Load
from rv.widen.protocols import UNIFORM
from tensorrv.brush.tensorize import Tensorized

KERNELS = Path(__file__).parents[2] / "kernels"
WALK = {"stack", "top"}
# what is the same in all lanes while they walk, and what differs
COMMON = {
    "tree_search": (WALK | {"label", "left", "right"}, {"found"}),
    "kd_nearest": (WALK | {"node", "k"}, {"px", "py", "best", "found", "away", "distance"}),
    "point_correlation": (WALK | {"node", "k"}, {"cy", "ex", "ey", "count"}),
    "radii_correlation": (WALK | {"node", "k", "ex", "ey"}, {"radius", "limit", "count"}),
    "vantage_point": (WALK | {"at"}, {"px", "py", "best", "found", "distance", "dx", "dy"}),
    "barnes_hut": (WALK | {"cell", "c"}, {"px", "py", "ax", "ay", "distance", "pull", "awake_below"}),
}


def compiled(function: str, brush: int) -> Tensorized:
    file = "point_correlation" if function == "radii_correlation" else function
    return trv.compile(KERNELS / f"{file}.c", function=function, brush=brush, target="avx512").kernel.tensorized


def variables(tensorized: Tensorized) -> tuple[set[str], set[str]]:
    """The user's variables in the brushed loop: those that are uniform wherever they are assigned, and the others."""
    ((headers, found),) = tensorized.branching.items()
    blocks = found.shapes.nests.loops[headers[0]].blocks
    uniform, varying = set(), set()
    for block in found.function.blocks:
        for definition in (*block.phis, *block.body) if block.label in blocks else ():
            if definition.result is not None and definition.result.source_name != "t":
                varies = found.shapes.of(definition.result) != UNIFORM
                (varying if varies else uniform).add(definition.result.source_name)
    return uniform - varying, varying


@pytest.mark.parametrize("function", COMMON)
def test_what_queries_have_in_common_is_uniform(function: str) -> None:
    common, own = COMMON[function]
    tensorized = compiled(function, 16)
    uniform, varying = variables(tensorized)
    assert common <= uniform and own <= varying, (common - uniform, own - varying)
    ((headers, found),) = tensorized.branching.items()
    shapes = found.shapes
    assert not shapes.found.objects, "all lanes share the stack"
    # nodes are loaded by all lanes at once, and tests of any lane are uniform branches
    region = shapes.nests.loops[headers[0]].blocks
    inside = [i for block, i in found.function.instructions() if block.label in region]
    walking = [i for i in inside if isinstance(i, Load) and shapes.nests.objects.of(i.pointer).objects]
    assert walking and all(shapes.of(i.result) == UNIFORM for i in walking)
    assert all(shapes.of(i.result) == UNIFORM for i in inside if isinstance(i, Horizontal))


@pytest.mark.parametrize("function", COMMON)
@pytest.mark.parametrize("brush", [8, 32])
def test_nodes_are_not_gathered(function: str, brush: int) -> None:
    text = compiled(function, brush).llvm
    assert "masked.gather" not in text and "masked.scatter" not in text
    # one stack for all lanes of each copy of the loop
    stacks = [line for line in text.splitlines() if " = alloca " in line]
    assert stacks and all(f"[{256 if function == 'barnes_hut' else 64} x i32]" in line for line in stacks)
