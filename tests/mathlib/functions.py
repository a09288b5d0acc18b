"""The vector functions as NumPy functions: each is compiled in a loop over arrays, as a kernel would have it."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

import tensorrv as trv
from rv.ir.libm import SIGNATURES
from rv.ir.types import FloatMode
from tensorrv.run.call import Array
from tensorrv.unit.vector_math import PROVIDED

NAMES = tuple(sorted(PROVIDED))


def dtype_of(name: str) -> type[np.floating]:
    return np.float64 if SIGNATURES[name][0] == "d" else np.float32


def arity(name: str) -> int:
    return len(SIGNATURES[name]) - 1


@functools.cache
def vector_function(name: str, fp: FloatMode = "strict") -> Callable[..., Array]:
    """`f(x)` or `f(x, y)` for arrays of one length."""
    type_ = "double" if dtype_of(name) is np.float64 else "float"
    operands = "xy"[: arity(name)]
    parameters = "".join(f", const {type_} {operand}[restrict n]" for operand in operands)
    call = f"{name}({', '.join(f'{operand}[i]' for operand in operands)})"
    text = f"""
#include <math.h>
void f(int n{parameters}, {type_} result[restrict n])
{{
    for (int i = 0; i < n; ++i)
        result[i] = {call};
}}
"""
    kernel = trv.compile(text, brush=8 if type_ == "double" else 16, fp=fp, math="vector")
    assert kernel.kernel.math.vector == (name,)

    def run(*arrays: Array) -> Array:
        result = np.empty_like(arrays[0])
        kernel(len(result), *arrays, result)
        return result

    return run
