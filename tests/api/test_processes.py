"""Kernels in several threads and forked processes at once."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import tensorrv as trv

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


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_another_thread_compiles(monkeypatch):
    """The child compiles, though a thread that it does not have was in the middle of it."""
    monkeypatch.setenv("TENSORRV_CACHE", "off")
    done = threading.Event()

    def compile_and_call():
        number = 100
        while not done.is_set():
            number += 1
            works(trv.compile(TEXT % number, brush=8), number)

    thread = threading.Thread(target=compile_and_call)
    thread.start()
    try:
        for number in range(4):
            time.sleep(0.1)
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                os._exit(0 if works(trv.compile(TEXT % number, brush=8), number) else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        thread.join()
