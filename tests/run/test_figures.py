"""Programs of the thesis's figures as whole kernels: what they compute, and what becomes of their branches.

The figures of chapters 3 to 5 that are about lock step are in `tests/rv/test_lockstep_figures.py`; figure 13.2 is in
`test_tree_searches.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rv
import tensorrv as trv
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.explain.branches import BranchReport
from tensorrv.pipeline.explain.nests import explain
from tests.run.search_trees import tree_inputs

KERNELS = Path(__file__).parents[2] / "kernels"
BOX = np.dtype([("low", "f4", 2), ("high", "f4", 2), *((name, "i4") for name in ("left", "right", "first", "count"))])


def branches(kernel: trv.CompiledKernel) -> dict[str, BranchReport]:
    (nest,) = explain(kernel.kernel.tensorized, kernel.kernel.source.sources)
    return {branch.text: branch for branch in nest.branches}


def roots_of() -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Numbers of every size; runs of sixteen that need scaling up, down, both or none."""
    chosen = np.random.default_rng(3)
    exponents = [chosen.uniform(*span, 16) for span in ((-140, -90), (90, 127), (-60, 60), (-140, 127)) * 4]
    special = [0.0, -0.0, np.inf, -1.0, np.nan, 1e-45, 3.4e38]
    return np.concatenate([*(np.exp2(e) for e in exponents), special]).astype(np.float32)


@pytest.mark.parametrize("brush", [8, 16, 32])
def test_scaling_for_those_who_need_it(brush: int) -> None:  # figures 3.17 and 3.18
    plain, asking = (trv.compile(name, brush=brush) for name in ("fast_sqrt", "fast_sqrt_any"))
    x = roots_of()
    results = [np.zeros_like(x) for _ in range(2)]
    for kernel, root in zip((plain, asking), results, strict=True):
        kernel(x.size, x, root)
    assert results[0].tobytes() == results[1].tobytes()
    fine = (x >= 1.2e-38) & (x < np.inf)
    assert (np.abs(results[0][fine] / np.sqrt(x[fine].astype(np.float64)) - 1) < 4e-7).all()
    assert branches(plain)["x < 0x1p-80f"].fate == branches(plain)["x > 0x1p+80f"].fate == "values"
    for condition in ("rv_any(tiny)", "rv_any(huge)"):
        found = branches(asking)[condition]
        assert (found.fate, found.differs_along) == ("branch", ())


@pytest.mark.parametrize("brush", [2, 8])
def test_how_often_the_logarithm_can_be_taken(brush: int) -> None:  # figure 3.20
    kernel = trv.compile("logstar", brush=brush)
    n = np.array([88.38, 1.5, 1.0, 0.3, -2.0, 1e300, np.inf, np.nan, 15.2, 2.72])
    times = np.full(n.size, -1, np.int32)
    kernel(n.size, n, times)
    assert times.tolist() == [3, 1, 0, 0, 0, 4, 0, 0, 3, 2]


def test_a_cascade_is_left_where_no_lane_goes_on() -> None:  # figures 9.4 and 9.6
    kernel = trv.compile("cutoffs", brush=8, boscc="auto")
    found = branches(kernel)
    arms = ("distance > rim - s", "distance > 4.0 * s", "distance > radius + s", "distance > fabs(radius - s)")
    for condition in ("square > (rim + s) * (rim + s)", *arms):
        assert found[condition].fate == "predicates" and found[condition].skips, condition
    n = 203
    x, y, z, size = np.random.default_rng(1).uniform(-3, 3, (4, n))
    taken = [np.full(n, -1.0) for _ in range(3)]
    for boscc, result in zip(("auto", "all", "none"), taken, strict=True):
        trv.compile("cutoffs", brush=8, boscc=boscc)(n, 1.0, 2.5, x, y, z, size, result)  # type: ignore[arg-type]
    assert taken[0].tobytes() == taken[1].tobytes() == taken[2].tobytes() and len(set(taken[0])) > 60


@pytest.mark.parametrize("varying", [("cx", "cy"), ("radius",)])
def test_one_correlation_in_two_forms(varying: tuple[str, ...]) -> None:
    """Many centres with one radius, or many radii around one centre: the function is the same, the shapes differ."""
    function = parse_c(KERNELS / "point_correlation.c").function("within").function
    shapes = {p.var.name: rv.Uniform() for p in function.parameters if p.var.name not in varying}
    version = rv.vectorize_function(function, width=8, shapes=shapes)
    given = tree_inputs("point_correlation", {"nodes": 31, "points": 60, "centres": 8, "radii": 8}, 5)
    tree = np.zeros(31, BOX)
    for name in BOX.names or ():
        tree[name] = given["tree"][name]
    values = {name: given[name] if name in varying else float(given[name][0]) for name in ("cx", "cy", "radius")}
    found = version(31, tree.view(np.int32), given["x"], given["y"], values["cx"], values["cy"], values["radius"])
    cx, cy, radius = (np.broadcast_to(np.float32(values[name]), 8)[:, None] for name in ("cx", "cy", "radius"))
    ex, ey = given["x"][None] - cx, given["y"][None] - cy
    expected = (ex * ex + ey * ey <= radius * radius).sum(1)
    assert found.tolist() == expected.tolist() and len(set(expected.tolist())) > 3
