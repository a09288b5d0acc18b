"""Names that come from formulas as names in C."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

KEYWORDS: Final = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof asm bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual""".split()
)
"""Of all editions of C, and gcc's."""
MACROS: Final = frozenset(
    """INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL MATH_ERRNO MATH_ERREXCEPT math_errhandling float_t double_t fpclassify
    isfinite isinf isnan isnormal signbit isgreater isgreaterequal isless islessequal islessgreater isunordered linux unix
    i386""".split()
)
"""Names that math.h or gcc itself gives a meaning, besides those with a reserved beginning."""
FUNCTIONS: Final = frozenset(
    name + suffix
    for name in """acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10
    log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint
    round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma""".split()
    for suffix in ("", "f", "l")
)
"""The functions of math.h."""
OTHER_FUNCTIONS: Final = frozenset("main j0 j1 jn y0 y1 yn gamma drem significand scalb exp10 pow10".split())
"""Functions that the C library has besides, or that have a meaning as functions only."""
RESERVED: Final = ("_", "M_", "FP_", "rv_")
"""How names begin that belong to C, math.h or rv.h."""


def checked_name(name: str) -> str:
    """The name, if it can be one in C. Raises ValueError."""
    if not (name.isascii() and name.isidentifier()) or name in KEYWORDS | MACROS | FUNCTIONS or name.startswith(RESERVED):
        raise ValueError(f"'{name}' is not a name in C that is free to use")
    return name


def checked_function(name: str) -> str:
    """The name of a kernel, if it can be one in C. Raises ValueError."""
    if name in OTHER_FUNCTIONS:
        raise ValueError(f"'{name}' is a function of C's, and not free to use")
    return checked_name(name)


def check_distinct(names: Iterable[str]) -> None:
    """Raises ValueError where two of the parameters and loop variables of a function have one name."""
    seen: set[str] = set()
    for name in names:
        if checked_name(name) in seen:
            raise ValueError(f"'{name}' names two things: arrays, lengths, numbers and indices need names of their own")
        seen.add(name)
