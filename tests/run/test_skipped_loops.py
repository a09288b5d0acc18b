"""Machine code does not enter loops inside divergent branches that no lane enters: what they would read is not there, and they
would not end.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
from typing import Literal

import numpy as np
import pytest

import tensorrv as trv

READ = "s ^= missing[k & 1023];"
LOOPS = {
    "uniform": f"if (x[i] > 0) for (long k = 0; k < n; k++) {READ}",
    "divergent": f"if (x[i] > 0) for (long k = 0; k < n + x[i] && s != x[i]; k++) {READ}",
    "in the other arm": f"if (x[i] <= 0) s = 1; else for (long k = 0; k < n; k++) {READ}",
    "nested": f"if (x[i] > 0) for (long j = 0; j < n; j++) for (long k = 0; k < j + x[i]; k++) {READ}",
    "behind two tests": f"if (x[i] > -5) if (x[i] > 0) for (long k = 0; k < n; k++) {READ}",
    "in a divergent loop": f"for (int t = 0; t < 3 + x[i]; t++) if (x[i] > 0) for (long k = 0; k < n; k++) {READ}",
    "left early": f"if (x[i] > 0) for (long k = 0; k < n; k++) {{ {READ} if (s == x[i]) break; }}",
}
TEXT = """void f(int m, long n, const int *missing, const int *restrict x, int *restrict r) {
    #pragma omp simd
    for (int i = 0; i < m; i++) { int s = 3; LOOP r[i] = s; }
}"""
LANES, SECONDS = 37, 10
MANY = 1 << 39  # turns; beyond 2**40 the scalar code runs


def ends_well(kernel: trv.Kernel, x: np.ndarray) -> bool:
    """Whether a call returns, in a process of its own, in which `missing` is the address 0."""
    function = ctypes.CFUNCTYPE(None)(kernel.kernel.module.jit().address("f"))
    found = np.zeros_like(x)
    child = os.fork()
    if not child:
        faulthandler.disable()
        signal.alarm(SECONDS)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, found)]
        function(ctypes.c_int(len(x)), ctypes.c_long(MANY), ctypes.c_void_p(0), *pointers)
        os._exit(0 if set(found) <= {1, 3} else 1)
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("boscc", ["auto", "none"])
@pytest.mark.parametrize("lanes", [8, 32])
@pytest.mark.parametrize("loop", LOOPS)
def test_loops_that_no_lane_enters(loop: str, lanes: int, boscc: Literal["auto", "none"]) -> None:
    kernel = trv.compile(TEXT.replace("LOOP", LOOPS[loop]), brush=f"i={lanes}", boscc=boscc)
    none_left = -np.arange(LANES, dtype="i4")
    assert ends_well(kernel, none_left)
    if lanes == 8 and boscc == "auto":
        none_left[-1] = 1
        assert not ends_well(kernel, none_left)  # as it does in C
