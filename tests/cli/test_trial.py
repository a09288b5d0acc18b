"""Which sizes a kernel is run with when the user gives none."""

import numpy as np
import pytest

from rv.target.machine import resolve_target
from tensorrv.check.buffers import PAGE, make_buffers
from tensorrv.check.trial import bench_kernel, complete_sizes
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.interface.facts import interface_of
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import parse_plan


@pytest.mark.parametrize(
    ("kernel", "given", "expected"),
    [
        ("jacobi5", {}, {"rows": 1024, "cols": 1024}),
        ("jacobi5", {"rows": 10, "depth": 3}, {"rows": 10, "cols": 1 << 17}),
        ("matmul", {}, {"rows": 256, "cols": 256, "inner": 256}),
        ("heat3d", {}, {"planes": 128, "rows": 128, "cols": 128}),
    ],
)
def test_default_sizes(kernel, given, expected):
    function = parse_c(find_kernel(kernel)).function(kernel)
    assert complete_sizes(interface_of(function), given) == expected


def test_arrays_that_are_placed_together_have_equal_offsets_in_their_pages():
    interface = interface_of(parse_c(find_kernel("jacobi5")).function("jacobi5"))
    sizes, random = {"rows": 66, "cols": 66}, np.random.default_rng(1)
    found = {p: make_buffers(interface.signature, interface.reaches, sizes, random, placement=p) for p in ("spread", "together")}
    offsets = {p: {buffer.address % PAGE for buffer in buffers.values()} for p, buffers in found.items()}
    assert offsets["together"] == {16} and len(offsets["spread"]) == 2
    assert all(buffer.guards_intact() for buffers in found.values() for buffer in buffers.values())


def test_benchmarks_time_both_placements():
    function = parse_c(find_kernel("jacobi5")).function("jacobi5")
    kernel = compile_function(function, parse_plan("brush=4x8"), resolve_target("native"))
    (found,) = bench_kernel(kernel, ({"rows": 18, "cols": 18},), None)
    assert all(timing.together is not None and timing.together > 0 for timing in found.timings)
