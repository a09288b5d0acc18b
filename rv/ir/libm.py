"""The C library's functions, called through ctypes: the interpreter's results are the C library's own, to the bit.

The table names what a kernel may call: C name -> result and parameter types, "d" double, "f" float, "i" int, "l" long. Every
function in it is pure: it reads no memory, and errno and the floating-point flags do not exist for P-LLVM. `EXACT` are those that
IEEE defines to the bit and that cannot trap: cheap enough to be executed where the source would not. Not of the C library are the
parts of a number x, which vector functions begin with:

- `__exponent`: the k for which 2^k <= |x| < 2^(k+1), -inf for 0, inf for infinities.
- `__mantissa`: x / 2^k, at least 1 and less than 2; 1 for 0, -0 and inf, NaN for all negative numbers.

and, in fast modes only, `__reciprocal_root`, 1 / sqrt(x).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from rv.ir.types import F32, F64, I32, I64, Type

_UNARY: Final = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p log2 logb"
    " nearbyint rint round sin sinh sqrt tan tanh tgamma trunc"
).split()
_BINARY: Final = "atan2 copysign drem fdim fmax fmin fmod hypot nextafter pow remainder".split()
_EXACT_DOUBLE: Final = "sqrt fabs floor ceil trunc rint fma fmin fmax copysign __exponent __mantissa __reciprocal_root".split()
_TYPES: Final[dict[str, tuple[Type, Any]]] = {
    "d": (F64, ctypes.c_double),
    "f": (F32, ctypes.c_float),
    "i": (I32, ctypes.c_int32),
    "l": (I64, ctypes.c_int64),
}


def _signatures() -> dict[str, str]:
    """C name -> codes of result and parameters."""
    found = {"abs": "ii", "labs": "ll", "llabs": "ll"}
    for suffix, code in (("", "d"), ("f", "f")):
        found.update({name + suffix: code * 2 for name in (*_UNARY, *_OWN)})
        found.update({name + suffix: code * 3 for name in _BINARY})
        found["fma" + suffix] = code * 4
        found["ldexp" + suffix] = found["scalbn" + suffix] = code * 2 + "i"
        found["ilogb" + suffix] = "i" + code
        for name in ("lround", "lrint", "llround", "llrint"):
            found[name + suffix] = "l" + code
    return found


def _exponent(x: float) -> float:
    if x == 0 or not math.isfinite(x):
        return -math.inf if x == 0 else abs(x)
    return float(math.frexp(x)[1] - 1)


def _mantissa(x: float) -> float:
    if not x >= 0:
        return math.nan
    return 1.0 if x == 0 or x == math.inf else math.frexp(x)[0] * 2


def _reciprocal_root(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    return 1 / math.sqrt(x) if x > 0 else math.nan


_OWN: Final[dict[str, Callable[[float], float]]] = {
    "__exponent": _exponent,
    "__mantissa": _mantissa,
    "__reciprocal_root": _reciprocal_root,
}
SIGNATURES: Final = _signatures()
EXACT: Final = frozenset(name + suffix for name in _EXACT_DOUBLE for suffix in ("", "f"))


def signature(name: str) -> tuple[Type, tuple[Type, ...]] | None:
    """Result and parameter types of a function of the C library, None for a name that is not in the table."""
    codes = SIGNATURES.get(name)
    if codes is None:
        return None
    result, *parameters = (_TYPES[code][0] for code in codes)
    return result, tuple(parameters)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


@cache
def library_function(name: str) -> Callable[..., Any]:
    """The C function by name, with its types; takes and gives Python numbers."""
    if name.removesuffix("f") in _OWN:
        return _OWN[name.removesuffix("f")]
    function: Any = getattr(_library(), name)
    result, *parameters = (_TYPES[code][1] for code in SIGNATURES[name])
    function.restype, function.argtypes = result, parameters
    called: Callable[..., Any] = function
    return called
