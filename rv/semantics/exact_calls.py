"""Functions of the C library whose results are exact, and the operation that gives them in every lane."""

from __future__ import annotations

from typing import Final

_EXACT: Final[dict[str, str]] = {
    "sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint",
    "nearbyint": "nearbyint", "round": "round", "copysign": "copysign", "fma": "fma",
    "__exponent": "exponent", "__mantissa": "mantissa", "__reciprocal_root": "reciprocal_root",
}  # fmt: skip


def exact_name(callee: str) -> str | None:
    """What gives exactly the result of this function: an elementwise operation, or a part of a number."""
    return _EXACT.get(callee.removesuffix("f") if callee not in _EXACT else callee)
