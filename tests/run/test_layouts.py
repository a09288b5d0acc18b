"""Kernels with their arrays in layouts, against gcc on row-major arrays: layouts, brushes, targets, tails, element types."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from layouts.address import address_map
from layouts.layout import LayoutError, parse_layout
from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import TARGETS, installed

ROOT = Path(__file__).parents[2]
KERNELS = sorted((ROOT / "kernels").glob("*.c"))
CASES = sorted((Path(__file__).parent / "cases").glob("*.c"))
LAYOUTS = ("2x2", "4x4", "1x8", "8x8", "4x2", "col", "3x5", "pad:3", "8x8+2x2", "1x8+0,2,1", "align:8", "2x2x2")
TAILS = ("auto", "mask", "peel", "scalar")
STORES = ("stream", "cached")
BRUSHES = ("8", "2x8", "4x4", "4x8", "1x8", "8x8", "3x5", "2x16")
CHOSEN = ("jacobi5", "jacobi9_f32", "transpose", "seidel9", "matmul", "life", "conv5x5", "fdtd2d", "heat3d", "upwind")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CHOSEN)
def test_layouts(name: str, target: str, tmp_path: Path) -> None:
    shift = TARGETS.index(target) + CHOSEN.index(name)
    plans = [
        f"brush={BRUSHES[(shift + k) % len(BRUSHES)]} tail={TAILS[(shift + k) % 4]} stores={STORES[(shift + k // 2) % 2]}"
        for k in range(0, 6, 2)
    ]
    layout = LAYOUTS[shift % len(LAYOUTS)]
    path = ROOT / "kernels" / f"{name}.c"
    used = check_layout(path, layout, target, tmp_path, plans)
    assert used == any(fits(layout, p.rank) for f in read_subject(path).functions for p in f.parameters if p.rank)


@pytest.mark.parametrize(("target", "layout"), list(zip(TARGETS, ("2x2", "4x8", "3x5"), strict=True)))
def test_loops(target: str, layout: str, tmp_path: Path) -> None:
    plans = [f"brush={brush} tail={tail} stores=stream" for brush, tail in zip(("4x8", "2x8", "3x6"), TAILS, strict=False)]
    check_layout(Path(__file__).parent / "cases" / "blocked_loops.c", layout, target, tmp_path, plans)


@pytest.mark.parametrize(
    ("case", "layout", "target", "plan"),
    [
        # contiguous registers of two lengths, of which longer ones are assembled
        ("volumes", "pad:3", "avx2", "brush=3x2x3 tail=peel"),
    ],
)
def test_found_before(case: str, layout: str, target: str, plan: str, tmp_path: Path) -> None:
    check_layout(Path(__file__).parent / "cases" / f"{case}.c", layout, target, tmp_path, [plan])


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("path", [*KERNELS, *CASES], ids=lambda path: path.stem)
def test_all_layouts(path: Path, layout: str, target: str, tmp_path: Path) -> None:
    brushes = read_subject(path).brushes or BRUSHES
    plans = [f"brush={b} tail={tail} stores={s}" for b, tail, s in itertools.product(brushes, TAILS, STORES)]
    check_layout(path, layout, target, tmp_path, [*plans, "brush=none"])


def fits(layout: str, rank: int) -> bool:
    """Whether the layout is one for arrays of this rank."""
    try:
        address_map(parse_layout(layout), rank)
    except LayoutError:
        return False
    return True


def check_layout(path: Path, layout: str, target: str, scratch: Path, plans: list[str]) -> bool:
    """Whether any array had the layout."""
    tools = installed(target)
    subject = read_subject(path)
    outcome = run_plans(subject, parse_plans(f"{plan} {subject.plan}" for plan in plans), tools, scratch, layout)
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    return any(entry.tensorized is not None and entry.tensorized.arrays for entry in outcome.entries)
