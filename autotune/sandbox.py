"""Machine code that nobody has run yet may crash or never end: it runs in a child process that can be killed.

A sandbox is one child that answers requests, one at a time, over pipes; what it has compiled stays with it from one request
to the next. When it dies or does not answer in time, the caller gets an exception and the next request starts a new child.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

_LENGTH: Final = struct.Struct("<Q")
_SET_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG
_START: Final = "import sys; sys.path[:] = {path!r}; from autotune.sandbox import serve; serve({answers!r})"


class Crashed(Exception):
    """The child died; the text says how."""


class Hung(Exception):
    """The child did not answer in time and was killed."""


class Sandbox:
    """A child process that answers requests with `answers`, the dotted name `module:function` of a function of one argument."""

    def __init__(self, answers: str) -> None:
        self.answers = answers
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, request: object, timeout: float) -> Any:
        """The child's answer. Raises Crashed or Hung; what the function raises is a crash too."""
        child = self._child or self._start()
        assert child.stdin is not None and child.stdout is not None
        try:
            data = pickle.dumps(request)
            child.stdin.write(_LENGTH.pack(len(data)) + data)
            child.stdin.flush()
            (size,) = _LENGTH.unpack(_read(child.stdout.fileno(), _LENGTH.size, timeout))
            return pickle.loads(_read(child.stdout.fileno(), size, timeout))
        except TimeoutError:
            self.close()
            raise Hung(f"no answer within {timeout:g} s") from None
        except (EOFError, BrokenPipeError):
            self._child = None
            raise Crashed(_death(child)) from None
        except BaseException:
            # an interrupt between question and answer would leave the answer to the next question
            self.close()
            raise

    def close(self) -> None:
        """Ends the child."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()

    def _start(self) -> subprocess.Popen[bytes]:
        program = _START.format(path=[os.path.abspath(entry) for entry in sys.path], answers=self.answers)
        # a session of its own: Ctrl-C reaches the parent, which keeps what it has and then ends the child
        self._child = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        return self._child


_local = threading.local()


def sandbox(answers: str) -> Sandbox:
    """The calling thread's sandbox, kept between calls: an executor's threads and processes call plain functions."""
    found = getattr(_local, "sandbox", None)
    if not isinstance(found, Sandbox) or found.answers != answers:
        found = _local.sandbox = Sandbox(answers)
    return found


def serve(answers: str) -> None:
    """The child's life: read a request, write the answer, until the parent is gone."""
    _die_with_parent()
    module, _, name = answers.partition(":")
    # whatever is printed must not end up among the answers
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answer: Callable[[Any], Any] = getattr(import_module(module), name)
    while True:
        header = sys.stdin.buffer.read(_LENGTH.size)
        if len(header) < _LENGTH.size:
            return
        request = pickle.loads(sys.stdin.buffer.read(_LENGTH.unpack(header)[0]))
        data = pickle.dumps(answer(request))
        output.write(_LENGTH.pack(len(data)) + data)
        output.flush()


def _die_with_parent() -> None:
    """On Linux: a child that never ends must not outlive a parent that was killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, int(signal.SIGKILL))


def _read(descriptor: int, size: int, timeout: float) -> bytes:
    """Exactly `size` bytes. Raises TimeoutError when the descriptor is silent for `timeout` seconds, EOFError at its end."""
    data = b""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while len(data) < size:
            if not selector.select(timeout):
                raise TimeoutError
            part = os.read(descriptor, size - len(data))
            if not part:
                raise EOFError
            data += part
    return data


def _death(child: subprocess.Popen[bytes]) -> str:
    status = child.wait()
    if status >= 0:
        return f"the process ended with status {status}"
    try:
        return f"the process was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"the process was ended by signal {-status}"
