"""The key of results made here: which processor, which LLVM, which version of this tool."""

from __future__ import annotations

from typing import Final

from autotune.measure.subject import Subject, kernel_key
from autotune.store.record import Key
from rv.target.host import host, llvm_version
from tensorrv import __version__

DATA: Final = "__data"
"""What data are called among sizes: no parameter may be."""


def sizes_text(sizes: tuple[tuple[str, int], ...]) -> str:
    return ",".join(f"{name}={value}" for name, value in sizes)


def key_of(subject: Subject) -> Key:
    """The key for a subject that is measured on this machine; data of the user's are part of the sizes."""
    digest = subject.given.digest
    sizes = sizes_text(subject.sizes if digest is None else (*subject.sizes, (DATA, digest)))
    return Key(kernel_key(subject.function), sizes, host().cpu, subject.target, llvm_version(), __version__)
