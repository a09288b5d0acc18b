"""Tasks in forked children: a task that faults, hangs or exits takes only its child with it."""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

Outcome = dict[str, Any]


def run_apart(tasks: Sequence[Callable[[], Outcome]], seconds: float) -> list[Outcome]:
    """The outcome of every task, each of which may take `seconds` of processor time.

    {"status": "killed", "signal": n} for those that take longer or end their process.
    """
    outcomes: list[Outcome] = []
    while len(outcomes) < len(tasks):
        read, write = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(read)
            _work(tasks[len(outcomes) :], write, seconds)
        os.close(write)
        with os.fdopen(read) as lines:
            received = [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        outcomes += received
        if len(outcomes) < len(tasks):
            outcomes.append(
                {"status": "killed", "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status)}
            )
    return outcomes


def _work(tasks: Sequence[Callable[[], Outcome]], write: int, seconds: float) -> None:
    """The child: never returns."""
    faulthandler.disable()
    gc.freeze()
    gc.set_threshold(20_000)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        for task in tasks:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                outcome = task()
            except Exception as error:
                frames = traceback.extract_tb(error.__traceback__)
                where = f"{os.path.basename(frames[-1].filename)}:{frames[-1].name}"
                detail = "".join(traceback.format_exception(error))[-3000:]
                complaint = next((line for line in str(error).splitlines() if " error: " in line), "")
                outcome = {
                    "status": "exception",
                    "kind": f"{type(error).__name__} in {where}{complaint.partition('error')[2]}",
                    "detail": detail,
                }
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.write(write, (json.dumps(outcome) + "\n").encode())
    finally:
        os._exit(0)
