"""TensorRV: C loop nests to SIMD code that works on a brush of iterations at once.

    import tensorrv as trv

    k = trv.compile("jacobi5.c", brush=(4, 8))
    k(A, B)

Names are imported when they are first used, so that `import tensorrv` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tensorrv.api import CompiledKernel, compile
    from tensorrv.automatic import tune
    from tensorrv.diagnostics import Diagnostic, Refused
    from tensorrv.drivers.parameters import Linear, Uniform, Varying
    from tensorrv.drivers.vector_function import VectorFunction, vectorize_function
    from tensorrv.drivers.vector_loop import VectorLoop, vectorize_loop
    from tensorrv.packing import pack, unpack
    from tensorrv.symbolic.formula_kernel import FormulaKernel
    from tensorrv.symbolic.kernels import from_sympy, stencil

__version__ = "0.1.0"

__all__ = [
    "CompiledKernel",
    "Diagnostic",
    "FormulaKernel",
    "Linear",
    "Refused",
    "Uniform",
    "Varying",
    "VectorFunction",
    "VectorLoop",
    "compile",
    "from_sympy",
    "pack",
    "stencil",
    "tune",
    "unpack",
    "vectorize_function",
    "vectorize_loop",
]

_MODULES: Final = {
    "CompiledKernel": "tensorrv.api",
    "Diagnostic": "tensorrv.diagnostics",
    "FormulaKernel": "tensorrv.symbolic.formula_kernel",
    "Linear": "tensorrv.drivers.parameters",
    "Refused": "tensorrv.diagnostics",
    "Uniform": "tensorrv.drivers.parameters",
    "Varying": "tensorrv.drivers.parameters",
    "VectorFunction": "tensorrv.drivers.vector_function",
    "VectorLoop": "tensorrv.drivers.vector_loop",
    "compile": "tensorrv.api",
    "from_sympy": "tensorrv.symbolic.kernels",
    "pack": "tensorrv.packing",
    "stencil": "tensorrv.symbolic.kernels",
    "tune": "tensorrv.automatic",
    "unpack": "tensorrv.packing",
    "vectorize_function": "tensorrv.drivers.vector_function",
    "vectorize_loop": "tensorrv.drivers.vector_loop",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'tensorrv' has no attribute '{name}'")
