"""What a fork waits for.

A child has only the thread that forked. A lock that another thread held stays taken in it for ever: that of a module which was
just being imported, or llvmlite's, which is held during calls and when objects are disposed of. So `ALONE` is held while
compilers are loaded and used, and a fork takes it first, and llvmlite's lock after it. The handlers are registered once, before
anything is loaded: those that are registered while a fork waits would be called behind it and not before.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

ALONE: Final = threading.RLock()
"""Held by the one thread that loads or uses LLVM."""

_taken: Final[list[Any]] = []
_loaded: Final[set[str]] = set()


@contextmanager
def loading(what: str) -> Iterator[None]:
    """Around work that imports modules, its own and those that libraries import late: alone until it was done once."""
    if what in _loaded:
        yield
        return
    with ALONE:
        yield
    _loaded.add(what)


def _before() -> None:
    ALONE.acquire()
    llvmlite = sys.modules.get("llvmlite.binding.ffi")
    # the library gives no other access to its lock
    if (lock := getattr(getattr(llvmlite, "lib", None), "_lock", None)) is not None:
        lock.__enter__()
        _taken.append(lock)


def _after() -> None:
    if _taken:
        _taken.pop().__exit__(None, None, None)
    ALONE.release()


os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
