"""The forms in which a kernel is written to files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rv.target.link import NoLinker, shared_library
from rv.transform.prepare import prepare
from tensorrv.pipeline.header import header_text
from tensorrv.pipeline.kernel import Kernel
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.text import unit_text


def render_forms(kernel: Kernel, forms: Sequence[str]) -> dict[str, bytes]:
    """File names (`jacobi5.avx2.s`) and contents. Raises Refused when a shared library cannot be linked."""
    return {f"{kernel.name}.{kernel.target.label}.{SUFFIXES[form]}": RENDERERS[form](kernel) for form in forms}


def _shared_library(kernel: Kernel) -> bytes:
    try:
        return shared_library(kernel.module.object, kernel.target, openmp=kernel.plan.threads == "openmp")
    except NoLinker as error:
        hint = "install gcc (gcc-aarch64-linux-gnu for AArch64), or use --emit obj, which needs no C compiler"
        raise Refused(Diagnostic("error", "TRV085", f"cannot make a shared library: {error}", hint=hint)) from error


SUFFIXES: Final[dict[str, str]] = {
    "so": "so",
    "obj": "o",
    "asm": "s",
    "llvm": "ll",
    "pllvm": "pll",
    "header": "h",
    "dataflow": "dataflow",
}

RENDERERS: Final[dict[str, Callable[[Kernel], bytes]]] = {
    "so": _shared_library,
    "obj": lambda kernel: kernel.module.object,
    "asm": lambda kernel: kernel.module.assembly.encode(),
    "llvm": lambda kernel: kernel.module.ir.encode(),
    "pllvm": lambda kernel: unit_text(kernel.source).encode(),
    "header": lambda kernel: _header(kernel).encode(),
    "dataflow": lambda kernel: _dataflow(kernel).encode(),
}


def _dataflow(kernel: Kernel) -> str:
    from rv.dataflow.convert import AcrossLanes, dataflow

    try:
        return str(dataflow(prepare(kernel.source.function)))
    except AcrossLanes as error:
        hint = "functions without mask() and horizontal operations have one"
        raise Refused(Diagnostic("error", "TRV106", str(error), hint=hint)) from error


def _header(kernel: Kernel) -> str:
    return header_text(kernel.source, kernel.target.label, kernel.storages, openmp=kernel.plan.threads == "openmp")
