"""Prefetches and fences: which there are, and where."""

from __future__ import annotations

import re

import pytest

from tensorrv.brush.memory.chunks import Chunk
from tensorrv.brush.memory.prefetch import _new_lines
from tests.run.assembly import all_lines, assembly_of
from tests.run.test_code import KERNELS, brushes, main_loop


@pytest.mark.parametrize(
    ("chunks", "move", "expected"),
    [
        # one row at three offsets: the brush before ended at -1 + 8, and this one is the first in the line of its end
        ([((0, -1), 8), ((0, 0), 8), ((0, 1), 8)], 8, [(0, 8)]),
        ([((0, -1), 8), ((1, 2), 8)], 8, [(0, 6), (1, 9)]),
        # two registers a row
        ([((0, 0), 8), ((0, 8), 8)], 16, [(0, 15), (0, 7)]),
        # less than a line a brush is a line every now and then
        ([((0, 0), 4)], 4, [(0, 3)]),
        # backwards
        ([((0, 0), 8), ((0, -8), 8)], -16, [(0, -8), (0, 0)]),
        # every second element
        ([((0, 0), 15)], 16, [(0, 14), (0, 6)]),
        # what lies between lanes is not read
        ([((0, 65536 * k), 1) for k in range(4)], 4 * 65536, [(0, 65536 * k) for k in (3, 2, 1, 0)]),
        ([((0, -100 * k), 1) for k in range(3)], -300, [(0, -200), (0, -100), (0, 0)]),
        # of two accesses the one behind reads what the other one has read
        ([((0, 0), 8), ((0, 1000), 8)], 8, [(0, 1007)]),
    ],
)
def test_lines_that_a_brush_is_the_first_to_read(chunks, move, expected):
    assert _new_lines([Chunk(start, length) for start, length in chunks], move, 8) == expected


@pytest.mark.parametrize(
    ("kernel", "plan", "distance", "target", "reads", "stores"),
    [
        ("jacobi9", "brush=8x8", 2, "avx512", 12, 8),
        ("jacobi9", "brush=8x8 stores=stream", 2, "avx512", 12, 8),
        ("jacobi9", "brush=4x16", 1, "avx512", 16, 8),
        ("jacobi9", "brush=4x8", 2, "neon", 8, 16),
        ("transpose", "brush=8x8", 2, "avx512", 8, 8),
    ],
)
def test_every_row_that_is_read_is_prefetched(kernel, plan, distance, target, reads, stores):
    with_reads, without = (
        main_loop(assembly_of(KERNELS / f"{kernel}.c", f"{plan} prefetch={number}", target)) for number in (distance, 0)
    )
    assert _prefetches(with_reads.lines) - _prefetches(without.lines) == reads * brushes(with_reads, stores)


def test_lanes_far_apart_cost_one_prefetch_each(tmp_path):
    source = tmp_path / "column.c"
    head = "void f(int n, const double *restrict a, double *restrict b)"
    source.write_text(f"{head} {{ for (int i = 0; i < n; i++) b[i] = a[i * 1000000L]; }}")
    assert _prefetches(main_loop(assembly_of(source, "brush=8 prefetch=1", "avx512")).lines) == 8


def test_what_loops_inside_the_brush_read_is_not_prefetched():
    with_reads, without = (all_lines(assembly_of(KERNELS / "conv5x5.c", f"brush=4x16 prefetch={n}", "avx512")) for n in (2, 0))
    assert _prefetches(with_reads) == _prefetches(without)


def _prefetches(lines):
    return sum(line.mnemonic.startswith(("prefetch", "prfm")) for line in lines)


def test_prefetches_are_as_far_ahead_as_the_plan_says():
    found = []
    for distance in (1, 3):
        loop = main_loop(assembly_of(KERNELS / "jacobi9.c", f"brush=1x8 prefetch={distance}", "avx512"))
        found.append([int(re.search(r"(-?\d*)\(", line.text)[1] or 0) for line in loop.lines if "prefetcht0" in line.text])
    near, far = found
    assert near and [b - a for a, b in zip(near, far, strict=True)] == [2 * 64] * len(near)


@pytest.mark.parametrize("plan", ["brush=1x8", "brush=8x8", "brush=8x8 tail=peel", "brush=8", "brush=4x8 threads=openmp"])
def test_one_fence_ends_a_nest_that_streams(plan):
    assembly = assembly_of(KERNELS / "jacobi9.c", f"{plan} stores=stream", "avx512")
    assert sum(line.mnemonic == "sfence" for line in all_lines(assembly)) == 1
    before = assembly[: assembly.index("sfence")]
    block = before[max(before.rfind("\n.LBB"), before.rfind("# %bb.")) :]
    # LLVM says at the head of a block which loop it is in; a brush of one dimension streams row by row
    assert ("Depth=" in block) == (plan == "brush=8"), block


def test_clauses_choose_the_arrays_that_are_streamed():
    path = KERNELS.parent / "tests" / "run" / "cases" / "aligned_rows.c"
    lines = all_lines(assembly_of(path, "brush=8", "avx512", "one_of_two"))
    assert {line.mnemonic for line in lines if line.mnemonic.startswith("vmovnt")} == {"vmovntpd"}
    lines = all_lines(assembly_of(path, "brush=8 stores=stream", "avx512", "one_of_two"))
    assert {line.mnemonic for line in lines if line.mnemonic.startswith("vmovnt")} == {"vmovntpd", "vmovntps"}
