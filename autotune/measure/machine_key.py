"""The key of results made here: which processor, which LLVM, which version of this tool."""

from __future__ import annotations

from autotune.measure.subject import Subject, kernel_key
from autotune.store.record import Key
from rv.target.host import host, llvm_version
from tensorrv import __version__


def sizes_text(sizes: tuple[tuple[str, int], ...]) -> str:
    return ",".join(f"{name}={value}" for name, value in sizes)


def key_of(subject: Subject) -> Key:
    """The key for a subject that is measured on this machine."""
    sizes = sizes_text(subject.sizes)
    return Key(kernel_key(subject.function), sizes, host().cpu, subject.target, llvm_version(), __version__)
