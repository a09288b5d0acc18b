"""TensorRV: C loop nests to SIMD code that works on a brush of iterations at once.

    import tensorrv as trv

    k = trv.compile("jacobi5.c", brush=(4, 8))
    k(A, B)

Names are imported when they are first used, so that `import tensorrv` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorrv.api import CompiledKernel, compile
    from tensorrv.diagnostics import Diagnostic, Refused

__all__ = ["CompiledKernel", "Diagnostic", "Refused", "compile"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in ("compile", "CompiledKernel"):
        return getattr(import_module("tensorrv.api"), name)
    if name in ("Diagnostic", "Refused"):
        return getattr(import_module("tensorrv.diagnostics"), name)
    raise AttributeError(f"module 'tensorrv' has no attribute '{name}'")
