"""The one function of a C file that is to be tuned."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tensorrv.frontend.read import read_module
from tensorrv.frontend.shipped import find_kernel
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.callable_units import opened_module
from tensorrv.unit.unit import Module, Unit


def read_function(
    kernel: str, name: str | None, defines: Iterable[tuple[str, str]], include: Iterable[Path], cpp: str | None = None
) -> Unit:
    """The function called `name`, or the only one of the file. Raises Refused."""
    module = read_module(find_kernel(kernel), defines=list(defines), include_dirs=list(include), cpp=cpp)
    return only_function(opened_module(module), name)


def only_function(module: Module, name: str | None) -> Unit:
    """The function called `name`, or the only one with external linkage. Raises Refused."""
    try:
        if name is not None:
            return module.function(name)
        visible = [function for function in module.functions if not function.internal]
        if len(visible) == 1:
            return visible[0]
        if visible:
            message = f"the file has several functions: {', '.join(function.name for function in visible)}"
            raise Refused(Diagnostic("error", "TRV082", message, hint="choose one with --function"))
        raise Refused(*(reason for _, reason in module.passed_over)) if module.passed_over else _empty()
    except Refused as refusal:
        refusal.sources = module.sources
        raise


def _empty() -> Refused:
    return Refused(Diagnostic("error", "TRV086", "the file defines no function that could be compiled"))
