"""What has to be known of a compiled kernel to call it: a value that is stored beside its code.

A program that finds a kernel in the cache imports what this value is made of, and nothing else: no analysis, no compiler.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rv.target.process_forks import loading
from tensorrv.interface.signature import Signature
from tensorrv.schedule.plan import Plan

if TYPE_CHECKING:
    from tensorrv.interface.footprint.check import Violation
    from tensorrv.interface.reach import KernelReaches, Reach
    from tensorrv.interface.storage.runs import Storages
    from tensorrv.pipeline.kernel import Kernel
    from tensorrv.report.diagnostics import Diagnostic


class StoredReaches:
    """The function `tensorrv.interface.reach.Reaches` of a kernel, loaded when it is first called."""

    def __init__(self, pickled: bytes) -> None:
        self.pickled = pickled

    def __call__(self, values: Mapping[str, int]) -> Mapping[str, Reach | None]:
        return self._loaded(values)

    def __reduce__(self) -> tuple[type[StoredReaches], tuple[bytes]]:
        return StoredReaches, (self.pickled,)

    def violation(self, values: Mapping[str, int], sizes: Mapping[str, int]) -> Violation | None:
        """An access outside of arrays of `sizes` bytes: see `tensorrv.interface.footprint.check`."""
        return self._loaded.violation(values, sizes)

    @cached_property
    def _loaded(self) -> KernelReaches:
        loaded: KernelReaches = pickle.loads(self.pickled)
        return loaded


@dataclass(frozen=True, slots=True)
class KernelFacts:
    prototype: str
    plan: Plan
    target: str
    signature: Signature
    reaches: StoredReaches
    storages: Storages
    diagnostics: tuple[Diagnostic, ...]


def facts_of(kernel: Kernel) -> KernelFacts:
    """The facts about a kernel."""
    with loading("interface"):
        from tensorrv.interface.facts import interface_of

    interface = interface_of(kernel.source)
    return KernelFacts(
        prototype=prototype_of(kernel),
        plan=kernel.plan,
        target=kernel.target.label,
        signature=interface.signature,
        reaches=StoredReaches(pickle.dumps(interface.reaches)),
        storages=kernel.storages,
        diagnostics=kernel.diagnostics,
    )


def prototype_of(kernel: Kernel) -> str:
    """The kernel's declaration in C, without the semicolon."""
    return kernel.source.prototype.removesuffix(";")
