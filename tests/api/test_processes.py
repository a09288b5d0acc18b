"""Kernels in several threads and forked processes at once."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv

ROOT = Path(__file__).parents[2]
TEXT = """void scale(int n, double w, const double a[restrict n], double b[restrict n])
{ for (int i = 0; i < n; i++) b[i] = (w + %d) * a[i]; }
"""


def works(kernel, factor):
    a, b = np.arange(37.0), np.zeros(37)
    kernel(a, b, w=0.0)
    return np.array_equal(b, factor * a)


def test_the_first_calls_of_many_threads(monkeypatch):
    monkeypatch.setenv("TENSORRV_CACHE", "off")
    kernel, wrong, barrier = trv.compile(TEXT % 3, brush=8), [], threading.Barrier(8)

    def call():
        barrier.wait()
        if not all(works(kernel, 3) for _ in range(20)):
            wrong.append(threading.current_thread())

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def children_of_a_process_that_compiles():
    """Forks while another thread loads the compiler, compiles and calls; children do the same. Exits with 1 when one fails."""
    done = threading.Event()

    def compile_and_call():
        number = 100
        while not done.is_set():
            number += 1
            works(trv.compile(TEXT % number, brush=8), number)

    thread = threading.Thread(target=compile_and_call)
    thread.start()
    ends = []
    for number in range(8):
        time.sleep(0.08)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if works(trv.compile(TEXT % number, brush=8), number) else 1)
        ends.append(os.waitpid(child, 0)[1])
    done.set()
    thread.join()
    sys.exit(any(ends))


@pytest.mark.parametrize("cache", ["off", "kernels"])
def test_a_fork_while_another_thread_compiles(cache, tmp_path):
    """The child compiles, though a thread that it does not have was in the middle of it: of importing a module, of using LLVM."""
    environment = os.environ | {"TENSORRV_CACHE": cache if cache == "off" else str(tmp_path / cache)}
    program = "from tests.api.test_processes import children_of_a_process_that_compiles as run; run()"
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment, check=True, cwd=ROOT)
