"""Which sizes a kernel is run with when the user gives none."""

import pytest

from tensorrv.frontend.module import parse_c
from tensorrv.interface import interface_of
from tensorrv.shipped import find_kernel
from tensorrv.trial import complete_sizes


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
