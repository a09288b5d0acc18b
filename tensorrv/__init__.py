"""TensorRV: C loop nests to SIMD code that works on a brush of iterations at once.

    import tensorrv as trv

    k = trv.compile("jacobi5.c", brush=(4, 8))
    k(A, B)

Names are imported when they are first used, so that `import tensorrv` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rv.late import importing

if TYPE_CHECKING:
    from rv.argument_shapes import Linear, Uniform, Varying
    from rv.internal_error import InternalError
    from rv.vectorize import Vectorized
    from tensorrv.api.compiled import CompiledKernel, compile
    from tensorrv.api.formula_kernel import FormulaKernel
    from tensorrv.api.formulas import from_sympy, stencil
    from tensorrv.api.packing import pack, unpack
    from tensorrv.api.tuning import tune
    from tensorrv.pipeline.drivers.vector_function import vectorize_function
    from tensorrv.pipeline.drivers.vector_loop import vectorize_loop
    from tensorrv.report.diagnostics import Diagnostic, Refused

__version__ = "0.1.0"

__all__ = [
    "CompiledKernel",
    "Diagnostic",
    "FormulaKernel",
    "InternalError",
    "Linear",
    "Refused",
    "Uniform",
    "Varying",
    "Vectorized",
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
    "CompiledKernel": "tensorrv.api.compiled",
    "Diagnostic": "tensorrv.report.diagnostics",
    "FormulaKernel": "tensorrv.api.formula_kernel",
    "InternalError": "rv.internal_error",
    "Linear": "rv.argument_shapes",
    "Refused": "tensorrv.report.diagnostics",
    "Uniform": "rv.argument_shapes",
    "Varying": "rv.argument_shapes",
    "Vectorized": "rv.vectorize",
    "compile": "tensorrv.api.compiled",
    "from_sympy": "tensorrv.api.formulas",
    "pack": "tensorrv.api.packing",
    "stencil": "tensorrv.api.formulas",
    "tune": "tensorrv.api.tuning",
    "unpack": "tensorrv.api.packing",
    "vectorize_function": "tensorrv.pipeline.drivers.vector_function",
    "vectorize_loop": "tensorrv.pipeline.drivers.vector_loop",
}

__getattr__ = importing(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
