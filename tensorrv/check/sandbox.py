"""Machine code that has not run before may crash or not terminate: it runs in a child process that can be killed.

A sandbox is one child that answers requests, one at a time, over pipes; what it has compiled stays with it from one request
to the next. While it works it may send notes of what it is about to do. When it dies, or exceeds the time limit, the caller gets
an exception that carries the last note, and the next request starts a new child.

The child gets no more memory than the machine has to spare: allocations fail in it before the system ends other processes.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import resource
import selectors
import signal
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from rv.internal_error import InternalError, internal_error, tracebacks_wanted

_LENGTH: Final = struct.Struct("<Q")
_SET_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG
_START: Final = "import sys; sys.path[:] = {path!r}; from tensorrv.check.sandbox import serve; serve({answers!r})"

STARTING: Final = 60.0
"""Seconds that a child may take to start, on a busy machine."""

Note = Callable[[object], None]
"""Sends a note to the caller: any value that can be pickled."""


class Failure(Exception):
    """The child gave no answer; `during` is the last note that it sent, None when there was none."""

    def __init__(self, how: str, during: object = None) -> None:
        super().__init__(how)
        self.during = during


class Crashed(Failure):
    """The child died; the text describes how. `signal` is None when it ended by itself."""

    def __init__(self, how: str, during: object = None, signal: int | None = None) -> None:
        super().__init__(how, during)
        self.signal = signal


class OutOfMemory(Crashed):
    """The child needed more memory than there is."""


class Hung(Failure):
    """The child was silent for too long and was killed."""


class Sandbox:
    """A child process that answers requests with `answers`, the dotted name `module:function` of a function of a request and
    a `Note`.
    """

    def __init__(self, answers: str) -> None:
        self.answers = answers
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, request: object, timeout: float) -> Any:
        """The child's answer. Raises Crashed, Hung after `timeout` seconds without answer or note, and InternalError for what the
        function raises.
        """
        ready = self._child is not None
        child = self._child or self._start()
        assert child.stdin is not None and child.stdout is not None
        note: object = None
        killed = _killed_for_memory()
        try:
            data = pickle.dumps(request)
            child.stdin.write(_LENGTH.pack(len(data)) + data)
            child.stdin.flush()
            while True:
                kind, value = _message(child.stdout.fileno(), timeout if ready else timeout + STARTING)
                match kind:
                    case "ready":
                        ready = True
                    case "note":
                        note = value
                    case "memory":
                        self.close()
                        raise OutOfMemory("memory was exhausted", note)
                    case "bug":
                        self.close()
                        raise InternalError(*value)
                    case _:
                        return value
        except TimeoutError:
            self.close()
            raise Hung(f"no answer within {timeout:g} s", note) from None
        except (EOFError, BrokenPipeError):
            self._child = None
            status = child.wait()
            if status == -signal.SIGKILL and killed != _killed_for_memory():
                raise OutOfMemory("memory was exhausted", note) from None
            raise Crashed(_death(status), note, -status if status < 0 else None) from None
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
    """The child's life: read a request, write notes and the answer, until the parent is gone."""
    _die_with_parent()
    _limit_memory()
    faulthandler.disable()
    module, _, name = answers.partition(":")
    # whatever is printed must not end up among the results
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def send(kind: str, value: object) -> None:
        data = pickle.dumps((kind, value))
        output.write(_LENGTH.pack(len(data)) + data)
        output.flush()

    try:
        answer: Callable[[Any, Note], Any] = getattr(import_module(module), name)
        send("ready", None)
        while True:
            header = sys.stdin.buffer.read(_LENGTH.size)
            if len(header) < _LENGTH.size:
                return
            request = pickle.loads(sys.stdin.buffer.read(_LENGTH.unpack(header)[0]))
            send("answer", answer(request, lambda value: send("note", value)))
    except MemoryError:
        send("memory", None)
    except Exception as error:
        if tracebacks_wanted():
            traceback.print_exception(error)
        bug = internal_error(error)
        send("bug", (bug.what, bug.detail))


def _limit_memory() -> None:
    """Lets allocations fail that the machine has no memory for, and writes no core files of crashes that are expected."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        available = _lines("/proc/meminfo")["MemAvailable"] * 1024
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limits = [limit for limit in (available, soft, hard) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))


def _killed_for_memory() -> int:
    """How many processes the system has ended so far because there was no memory left."""
    with contextlib.suppress(OSError):
        return _lines("/proc/vmstat").get("oom_kill", 0)
    return 0


def _lines(file: str) -> dict[str, int]:
    """The numbers in a file of `/proc`, by name."""
    with open(file, encoding="ascii") as lines:
        parts = [line.replace(":", " ").split() for line in lines]
    return {part[0]: int(part[1]) for part in parts if len(part) > 1 and part[1].isdigit()}


def _die_with_parent() -> None:
    """On Linux: a child that never ends must not outlive a parent that was killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, int(signal.SIGKILL))


def _message(descriptor: int, timeout: float) -> tuple[str, Any]:
    """The next message: its kind and value."""
    (size,) = _LENGTH.unpack(_read(descriptor, _LENGTH.size, timeout))
    kind, value = pickle.loads(_read(descriptor, size, timeout))
    return kind, value


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


def _death(status: int) -> str:
    if status >= 0:
        return f"the process ended with status {status}"
    try:
        return f"the process was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"the process was ended by signal {-status}"
