"""Writing entries of the cache, which `tensorrv.run.cache.entries` finds."""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tensorrv.run.cache.entries import FACTS, cache_directory, digest

MOST_ENTRIES: Final = 1000
"""More than that many kernels are not kept; those that were stored first go first."""

ABANDONED: Final = 3600.0
"""Seconds after which an unfinished entry counts as abandoned."""


def store_entry(key: str, facts: object, library: bytes, files: Iterable[str]) -> None:
    """Stores an entry that depends on `files`; without effect where nothing can be stored."""
    directory = cache_directory()
    if directory is None:
        return
    digests = {name: found for name in files if (found := digest(Path(name))) is not None}
    with suppress(OSError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=directory))
        try:
            # the loader takes a path that it has loaded before for the same library
            name = f"{hashlib.sha256(library).hexdigest()}.so"
            (scratch / name).write_bytes(library)
            content = pickle.dumps((digests, facts, name))
            (scratch / FACTS).write_bytes(hashlib.sha256(content).digest() + content)
            _replace(scratch, directory / key)
            _trim(directory)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _replace(new: Path, place: Path) -> None:
    """Renames a directory to `place`, where an outdated entry or one that another process has just stored may be."""
    try:
        new.rename(place)
    except OSError:
        outdated = Path(tempfile.mkdtemp(prefix=".old-", dir=place.parent))
        with suppress(OSError):
            place.rename(outdated)
        with suppress(OSError):
            new.rename(place)
        shutil.rmtree(outdated, ignore_errors=True)


def _trim(directory: Path) -> None:
    """Removes the oldest entries where there are too many, and what processes left that were killed while they wrote."""
    everything = list(os.scandir(directory))
    long_ago = time.time() - ABANDONED
    for entry in everything:
        if entry.name.startswith(".") and entry.stat().st_mtime < long_ago:
            shutil.rmtree(entry.path, ignore_errors=True)
    entries = [entry for entry in everything if not entry.name.startswith(".")]
    if len(entries) > MOST_ENTRIES:
        oldest = sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[: MOST_ENTRIES // 4]
        for entry in oldest:
            shutil.rmtree(entry.path, ignore_errors=True)
