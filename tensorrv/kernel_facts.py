"""What has to be known of a compiled kernel to call it: a value that is stored beside its code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorrv.diagnostics import Diagnostic
from tensorrv.plan import Plan
from tensorrv.reach import KernelReaches
from tensorrv.signature import Signature
from tensorrv.storage.runs import Storages

if TYPE_CHECKING:
    from tensorrv.kernel import Kernel


@dataclass(frozen=True, slots=True)
class KernelFacts:
    prototype: str
    plan: Plan
    target: str
    signature: Signature
    reaches: KernelReaches
    storages: Storages
    diagnostics: tuple[Diagnostic, ...]


def facts_of(kernel: Kernel) -> KernelFacts:
    """The facts about a kernel."""
    from tensorrv.interface import interface_of

    interface = interface_of(kernel.source)
    return KernelFacts(
        prototype=prototype_of(kernel),
        plan=kernel.plan,
        target=kernel.target.name,
        signature=interface.signature,
        reaches=interface.reaches,
        storages=kernel.storages,
        diagnostics=kernel.diagnostics,
    )


def prototype_of(kernel: Kernel) -> str:
    """The kernel's declaration in C, without the semicolon."""
    return kernel.source.prototype.removesuffix(";")
