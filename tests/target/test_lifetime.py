"""Modules that are freed together with other objects in a cycle, as those in the frames of a traceback are."""

import subprocess
import sys

PROGRAM = """
import gc
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target
target = resolve_target("avx2")
for _ in range(20):
    cycle = [CompiledModule("define void @f() { ret void }", target) for _ in range(20)]
    cycle.append(cycle)
    del cycle
    gc.collect()
print("done")
"""


def test_modules_in_cycles() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr
