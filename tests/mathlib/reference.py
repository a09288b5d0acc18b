"""True results, and distances from them in units of the last place.

The reference is the C library's `long double` function, which has 64 bits and an error below one of its own units: a distance is
known to about a thousandth of a double's unit.
"""

from __future__ import annotations

import ctypes
import functools
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tensorrv.run.call import Array
from tests.mathlib.functions import arity, dtype_of

WIDE = np.longdouble
NOT_IN_NUMPY = ("erf", "erfc")
_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power",
          "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}  # fmt: skip


def true_result(name: str, *arrays: Array) -> Array:
    """The function's value in 80-bit numbers."""
    base = name.removesuffix("f") if dtype_of(name) is np.float32 else name
    with np.errstate(all="ignore"):
        wide = [array.astype(WIDE) for array in arrays]
        return c_library(base)(*wide) if base in NOT_IN_NUMPY else getattr(np, _NAMES.get(base, base))(*wide)


@functools.cache
def c_library(name: str) -> Callable[[Array], Array]:
    """A `long double` function of the C library that NumPy lacks."""
    text = f"""
#include <math.h>
void run(long n, const long double *x, long double *result)
{{
    for (long i = 0; i < n; ++i)
        result[i] = {name}l(x[i]);
}}
"""
    with tempfile.TemporaryDirectory() as directory:
        source, library = Path(directory) / "wide.c", Path(directory) / "wide.so"
        source.write_text(text)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))

    def run(x: Array) -> Array:
        given, result = np.ascontiguousarray(x), np.empty_like(x)
        loaded.run(ctypes.c_long(len(x)), ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(result.ctypes.data))
        return result

    return run


def distances(found: Array, true: Array) -> Array:
    """|found - true| in units of the last place of the true result; infinite where NaN, infinity or the sign of zero differ.

    An infinity stands for the power of two behind the greatest number, as in rounding.
    """
    kind = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        limit = np.ldexp(WIDE(1), int(kind.maxexp))
        size = np.minimum(np.abs(true), limit)
        exponent = np.frexp(np.where(np.isfinite(true), size, WIDE(1)))[1] - 1
        unit = np.ldexp(WIDE(1), np.clip(exponent, kind.minexp, kind.maxexp - 1) - kind.nmant)
        wide = np.copysign(np.minimum(np.abs(found.astype(WIDE)), limit), found.astype(WIDE))
        error = np.abs(wide - np.copysign(size, true)) / unit
        wrong = np.isnan(found) != np.isnan(true)
        wrong |= np.isinf(true) & (found != true)
        wrong |= (true == 0) & ((found != 0) | (np.signbit(found) != np.signbit(true)))
        error = np.where(np.isnan(found) & np.isnan(true), 0, error)
        return np.where(wrong, np.inf, error).astype(np.float64)


def numbers(name: str, count: int, random: np.random.Generator) -> tuple[Array, ...]:
    """Arguments: all bit patterns, all scales, and where functions have their difficulties."""
    dtype = dtype_of(name)
    bits = np.uint64 if dtype is np.float64 else np.uint32
    kind = np.finfo(dtype)
    share = count // 8
    patterns = random.integers(0, np.iinfo(bits).max, 2 * share, dtype=bits, endpoint=True).view(dtype)
    unit = random.uniform(-1, 1, share)
    scales = unit * 2.0 ** random.uniform(-60, 11, share)
    near_one = np.copysign(1 + unit * 2.0 ** random.uniform(-kind.nmant, 0, share), random.permutation(unit))
    turns = (random.integers(-5000, 5000, share) * (np.pi / 2)).astype(dtype) * (1 + random.integers(-2, 3, share) * kind.eps)
    far = random.integers(-(1 << 30), 1 << 30, share) * (np.pi / 2)
    parts = (patterns, special_numbers(dtype), unit, unit * 4, unit * 28, scales, near_one, turns, far)
    first = np.concatenate([part.astype(dtype) for part in parts])
    if arity(name) == 1:
        return (first,)
    second = random.permutation(first)
    if name.startswith("pow"):
        with np.errstate(all="ignore"):
            results = random.uniform(kind.minexp - kind.nmant - 2, kind.maxexp + 1, len(first))
            exponents = results / np.log2(np.abs(first.astype(np.float64)))
            second = np.where(random.random(len(first)) < 0.7, exponents, second).astype(dtype)
    else:
        with np.errstate(all="ignore"):
            second[::2] = first[::2] * random.uniform(-4, 4, len(first[::2])).astype(dtype)
    return first, second


def special_numbers(dtype: type[np.floating]) -> Array:
    """Zeros, infinities, NaN, subnormals, and what functions treat separately, of both signs."""
    kind = np.finfo(dtype)
    sizes = [0, np.inf, kind.smallest_subnormal, kind.tiny / 2, kind.tiny, kind.max, kind.eps, 0.5, 1 - kind.epsneg, 1,
             1 + kind.eps, 1.5, 2, 3, 4, 8, 9, 27, 64, 100, 126, 127, 128, 149, 150, 710, 746, 1023, 1024, 1074, 1075, 1e5,
             2.0**24 - 1, 2.0**24, 2.0**30, 2.0**53 - 1, 2.0**53, 2.0**60, 1e30]  # fmt: skip
    positive = np.array(sizes, dtype)
    return np.concatenate([positive, -positive, np.array([np.nan], dtype)])
