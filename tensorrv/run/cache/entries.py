"""Compiled kernels on disk: the next start of a program takes the shared library instead of compiling.

An entry is found by everything its making depends on: the kernel's text, macros, plan, the processor, the versions of this
package and of LLVM; and it is taken only while all files that the kernel includes have the contents they had. Entries are
directories that appear whole, by renaming, so that any number of processes may read and write at the same time. What a file
system has damaged is found by digests and is like an entry that there is not: code with one wrong bit gives wrong results.

The directory is `$TENSORRV_CACHE`, by default `tensorrv` in the user's cache directory; TENSORRV_CACHE=off turns caching off.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

PACKAGES: Final = ("rv", "layouts", "tensorrv")
USED: Final = ("llvmlite", "islpy", "pycparser", "pcpp")
FACTS: Final = "facts"
"""The file of an entry with the description and dependencies of its code."""
CHECK: Final = 32
"""Bytes of the digest that this file begins with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel that was compiled before: what is known about it, and its code."""

    facts: Any
    library: Path


def cache_directory() -> Path | None:
    """Where entries are; None when caching is off."""
    chosen = os.environ.get("TENSORRV_CACHE")
    if chosen is not None:
        return None if chosen in ("", "off") else Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tensorrv"


def entry_key(*parts: object) -> str:
    """The name of the entry for these parts, in this version of the tool on this processor. Parts are compared by `repr`."""
    return hashlib.sha256(repr((versions(), processor(), parts)).encode()).hexdigest()


def find_entry(key: str) -> Entry | None:
    """The entry, if there is one that is undamaged and whose files are as they were."""
    directory = cache_directory()
    if directory is None:
        return None
    place = directory / key
    try:
        stored = (place / FACTS).read_bytes()
    except OSError:
        return None
    content = stored[CHECK:]
    if hashlib.sha256(content).digest() != stored[:CHECK]:
        return None
    files, facts, library = pickle.loads(content)  # written by this version of the tool, and undamaged
    if any(digest(Path(name)) != known for name, known in files.items()):
        return None
    path = place / library
    return Entry(facts, path) if digest(path) == path.stem else None


def digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


@functools.cache
def versions() -> tuple[object, ...]:
    """This tool and LLVM as they are installed: names, sizes and times of the files."""
    origins = [origin for name in PACKAGES if (origin := _origin(name)) is not None]
    own = [fact for origin in origins for fact in _files(origin.parent)]
    used = [origin for name in USED if (origin := _origin(name)) is not None]
    return (*own, *map(_stamp, used))


def _origin(name: str) -> Path | None:
    spec = find_spec(name)
    return None if spec is None or spec.origin is None else Path(spec.origin)


def _files(directory: Path) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    with os.scandir(directory) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    found += _files(Path(entry.path))
            elif not entry.name.endswith(".pyc"):
                stat = entry.stat()
                found.append((entry.name, stat.st_size, stat.st_mtime_ns))
    return found


def _stamp(path: Path) -> tuple[str, int, int]:
    stat = path.stat()
    return str(path), stat.st_size, stat.st_mtime_ns


@functools.cache
def processor() -> Mapping[str, str]:
    """What makes code for this machine differ: name and features of the first processor, where Linux reports them."""
    wanted = ("model name", "flags", "CPU implementer", "CPU part", "Features")
    found = {"machine": os.uname().machine}
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                break  # the end of the first processor
            if name.strip() in wanted:
                found[name.strip()] = value.strip()
    return found
