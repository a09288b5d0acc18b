"""Kernels in the cache: the key of an order, and what is stored of a kernel."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rv.target.process_forks import loading
from tensorrv.run.cache.entries import Entry, cache_directory, entry_key, find_entry
from tensorrv.run.order import Order
from tensorrv.run.tuner import state_of_knowledge, the_tuner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorrv.pipeline.kernel import Kernel
    from tensorrv.run.kernel_facts import KernelFacts


def find_kernel_entry(order: Order) -> Entry | None:
    """The kernel of this order, if it was compiled before and none of its files has changed."""
    return None if cache_directory() is None else find_entry(_key(order))


def store_kernel(order: Order, kernel: Kernel, facts: KernelFacts, files: Sequence[str]) -> None:
    """Stores a kernel for later runs; without effect where there is no C compiler to link it."""
    with loading("linker"):
        from rv.target.link import NoLinker, shared_library
        from tensorrv.run.cache.writing import store_entry

    if cache_directory() is None:
        return
    with suppress(NoLinker):
        library = shared_library(kernel.module.object, kernel.target, openmp=kernel.plan.threads == "openmp")
        store_entry(_key(order), facts, library, (*files, *_chosen_by(order)))


def _chosen_by(order: Order) -> tuple[str, ...]:
    """The files of the tuner, where it has chosen the brush."""
    return () if order.brush is not None else tuple(map(str, the_tuner().sources()))


def _key(order: Order) -> str:
    # the same relative name means another file elsewhere
    path = order.path if order.text is not None else str(Path(order.path).absolute())
    directories = tuple(str(Path(directory).absolute()) for directory in order.include_dirs)
    where = str(Path.cwd()) if order.text is not None and "include" in order.text else ""
    made_of = (path, order.text, where, order.defines, directories)
    known = state_of_knowledge() if order.brush is None else None
    return entry_key(made_of, order.function, str(order.brush), known, str(order.plan), order.target)
