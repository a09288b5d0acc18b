"""The polynomials of the vector functions in tensorrv/frontend/mathlib: computed here, written there by hand.

    python tools/polynomials.py              all of them
    python tools/polynomials.py exp log      those whose names begin so

For every polynomial P(x) = c0 + c1 x + c2 x^2 + ... the coefficients are printed as C constants, lowest first, with the greatest
relative error that they leave in the function. They are the least squares fit of the weighted errors on Chebyshev points, which
is near the best there is for the greatest error, in 60 digits. They are rounded to the format of the function one after the
other, lowest first, and those that are left are fitted again after each rounding.

Needs mpmath.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf

mp.dps = 60
Real = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Fit:
    """P approximates `target` on [low, high]; an error e of P at x makes a relative error e * weight(x) in the function."""

    name: str
    bits: int
    target: Real
    weight: Real
    low: mpf
    high: mpf
    terms: int
    pinned: tuple[mpf, ...] = ()
    """The lowest coefficients, where they are to be these; code has what these lack as numbers of their own."""


def rounded(x: mpf, bits: int) -> mpf:
    """The nearest number with so many significant bits."""
    with mp.workprec(bits):
        return +x


def literal(x: mpf, bits: int) -> str:
    digits, power = float(rounded(x, bits)).hex().split("p")
    return f"{digits.rstrip('0')}p{power}" + ("f" if bits == 24 else "")


def fitted(fit: Fit) -> tuple[list[mpf], mpf]:
    """Coefficients in the function's format and the relative error that they leave."""
    count = 12 * fit.terms
    middle, half = (fit.high + fit.low) / 2, (fit.high - fit.low) / 2
    grid = [middle - half * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    wanted = [fit.target(x) for x in grid]
    weights = [fit.weight(x) for x in grid]
    rows = [[x**k * w for k in range(fit.terms)] for x, w in zip(grid, weights, strict=True)]
    found = list(fit.pinned)
    while len(found) < fit.terms:
        known = [sum((c * r for c, r in zip(found, row, strict=False)), mpf(0)) for row in rows]
        rest = [v * w - k for v, w, k in zip(wanted, weights, known, strict=True)]
        found.append(rounded(least_squares([row[len(found) :] for row in rows], rest)[0], fit.bits))
    errors = (abs(v - mp.polyval(found[::-1], x)) * abs(w) for x, v, w in zip(grid, wanted, weights, strict=True))
    return found, max(errors)


def least_squares(rows: list[list[mpf]], wanted: list[mpf]) -> list[mpf]:
    """The coefficients of the columns whose combination is nearest to `wanted`."""
    size = range(len(rows[0]))
    matrix = mp.matrix([[sum((row[a] * row[b] for row in rows), mpf(0)) for b in size] for a in size])
    right = mp.matrix([sum((row[a] * w for row, w in zip(rows, wanted, strict=True)), mpf(0)) for a in size])
    return list(mp.lu_solve(matrix, right))


def series(z: mpf, coefficient: Callable[[int], mpf]) -> mpf:
    """sum of coefficient(k) z^k, for |z| < 1/2."""
    return mp.nsum(lambda k: coefficient(int(k)) * z ** int(k), [0, 260], method="d")


def _pow_rest(z: mpf) -> mpf:
    """(log((1+s)/(1-s)) / 2 - s - s^3 / 3) / s^5 for z = s^2."""
    return series(z, lambda k: mpf(1) / (2 * k + 5))


def _tan_rest(z: mpf) -> mpf:
    """(tan r - r) / r^3 for z = r^2."""
    r = mp.sqrt(z)
    return (mp.tan(r) - r) / r**3


def _atan_rest(z: mpf) -> mpf:
    """(atan t - t) / t^3 for z = t^2."""
    t = mp.sqrt(z)
    return (mp.atan(t) - t) / t**3


def _asin_rest(z: mpf) -> mpf:
    """(asin t - t) / t^3 for z = t^2."""
    t = mp.sqrt(z)
    return (mp.asin(t) - t) / t**3


def _sinh_rest(z: mpf) -> mpf:
    """(sinh r - r) / r^3 for z = r^2."""
    return sum((z**k / mp.factorial(2 * k + 3) for k in range(30)), mpf(0))


def _cosh_rest(z: mpf) -> mpf:
    """(cosh r - 1) / r^2 for z = r^2."""
    return sum((z**k / mp.factorial(2 * k + 2) for k in range(30)), mpf(0))


def _share(rest: Real) -> Real:
    """The weight for f = t + t^3 P(t^2)."""
    return lambda z: z / (1 + z * rest(z))


LN2 = mp.log(2)
HALF = LN2 / 2 * mpf("1.0001")
S = 3 - 2 * mp.sqrt(2)  # (sqrt 2 - 1) / (sqrt 2 + 1)


def _exp_rest(r: mpf) -> mpf:
    return series(r, lambda k: 1 / mp.factorial(k + 2))


def _sin_rest(z: mpf) -> mpf:
    """(sin r - r) / r^3 for z = r^2."""
    return sum(((-1) ** (k + 1) * z**k / mp.factorial(2 * k + 3) for k in range(40)), mpf(0))


def _log_rest(f: mpf) -> mpf:
    """(log(1+f) - f + f^2/2) / f^3."""
    if abs(f) < mpf("1e-12"):
        return mpf(1) / 3 - f / 4
    return (mp.log1p(f) - f + f * f / 2) / f**3


def _erf_rest(z: mpf) -> mpf:
    """(erf x - 2 x / sqrt pi) / x^3 for z = x^2."""
    return 2 / mp.sqrt(mp.pi) * sum(((-1) ** (k + 1) * z**k / mp.factorial(k + 1) / (2 * k + 3) for k in range(40)), mpf(0))


def _erfc_rest(t: mpf) -> mpf:
    """e^(x^2) erfc x (x + 3) / 6 for t = (x - 3) / (x + 3)."""
    x = 3 * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x) * (x + 3) / 6


def _middle(x: str) -> mpf:
    return (mpf(x) - 3) / (mpf(x) + 3)


PI = mp.pi
FITS = [
    # 1 + r + r^2 P(r) = e^r
    Fit("exp", 53, _exp_rest, lambda r: r * r / mp.exp(r), -HALF, HALF, 10, (mpf(0.5),)),
    Fit("expf", 24, _exp_rest, lambda r: r * r / mp.exp(r), -HALF, HALF, 5, (mpf(0.5),)),
    # r + r^2 P(r) = e^r - 1
    Fit("expm1", 53, _exp_rest, lambda r: r * r / mp.expm1(r), -HALF, HALF, 11, (mpf(0.5),)),
    Fit("expm1f", 24, _exp_rest, lambda r: r * r / mp.expm1(r), -HALF, HALF, 6, (mpf(0.5),)),
    # 1 + r P(r) = 2^r
    Fit("exp2", 53, lambda r: mp.expm1(r * LN2) / r, lambda r: r / mp.mpf(2) ** r, mpf("-0.5001"), mpf("0.5001"), 12),
    Fit("exp2f", 24, lambda r: mp.expm1(r * LN2) / r, lambda r: r / mp.mpf(2) ** r, mpf("-0.5001"), mpf("0.5001"), 6),
    # f - f^2 / 2 + f^3 P(f) = log(1 + f)
    Fit("log", 53, _log_rest, lambda f: f**3 / mp.log1p(f), mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 20),
    # f - f^2 / 2 + f^3 P(f) = log(1 + f)
    Fit("logf", 24, _log_rest, lambda f: f**3 / mp.log1p(f), mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 8),
    # r + r^3 P(r^2) = sin r
    Fit("sin", 53, _sin_rest, _share(_sin_rest), mpf(0), (PI / 2) ** 2 * mpf("1.0001"), 8),
    Fit("sinf", 24, _sin_rest, _share(_sin_rest), mpf(0), (PI / 2) ** 2 * mpf("1.0001"), 4),
    # r + r^3 P(r^2) = tan r
    Fit("tan", 53, _tan_rest, _share(_tan_rest), mpf(0), (PI / 4) ** 2 * mpf("1.0001"), 15),
    Fit("tanf", 24, _tan_rest, _share(_tan_rest), mpf(0), (PI / 4) ** 2 * mpf("1.0001"), 7),
    # t + t^3 P(t^2) = atan t
    Fit("atan", 53, _atan_rest, _share(_atan_rest), mpf(0), mpf(1), 22),
    Fit("atanf", 24, _atan_rest, _share(_atan_rest), mpf(0), mpf(1), 9),
    # t + t^3 P(t^2) = asin t
    Fit("asin", 53, _asin_rest, _share(_asin_rest), mpf(0), mpf(1) / 4, 13),
    Fit("asinf", 24, _asin_rest, _share(_asin_rest), mpf(0), mpf(1) / 4, 6),
    # r + r^3 P(r^2) = sinh r, 1 + r^2 P(r^2) = cosh r
    Fit("sinh", 53, _sinh_rest, _share(_sinh_rest), mpf(0), HALF**2, 6),
    Fit("sinhf", 24, _sinh_rest, _share(_sinh_rest), mpf(0), HALF**2, 3),
    Fit("cosh", 53, _cosh_rest, lambda z: z, mpf(0), HALF**2, 6, (mpf(0.5),)),
    Fit("coshf", 24, _cosh_rest, lambda z: z, mpf(0), HALF**2, 4, (mpf(0.5),)),
    # s + s^3 / 3 + s^5 P(s^2) = log((1 + s) / (1 - s)) / 2
    Fit("pow", 53, _pow_rest, lambda z: z * z, mpf(0), S * S * mpf("1.0001"), 7),
    Fit("powf", 24, _pow_rest, lambda z: z * z, mpf(0), S * S * mpf("1.0001"), 3),
    # 2 x / sqrt pi + x^3 P(x^2) = erf x
    Fit("erf", 53, _erf_rest, lambda z: z / (2 / mp.sqrt(PI) + z * _erf_rest(z)), mpf(0), mpf(1) / 4, 11),
    Fit("erff", 24, _erf_rest, lambda z: z / (2 / mp.sqrt(PI) + z * _erf_rest(z)), mpf(0), mpf(1) / 4, 5),
    # 6 P((x - 3) / (x + 3)) / (x + 3) = e^(x^2) erfc x, with P's first coefficient in two parts
    Fit("erfc", 53, _erfc_rest, lambda t: 1 / _erfc_rest(t), _middle("0.499"), _middle("27.6"), 24, (_erfc_rest(mpf(0)),)),
    Fit("erfcf", 24, _erfc_rest, lambda t: 1 / _erfc_rest(t), _middle("0.499"), _middle("10.4"), 12, (_erfc_rest(mpf(0)),)),
    # P(m) = 1 / cbrt(m), a first guess
    Fit("cbrt", 53, lambda m: 1 / mp.cbrt(m), mp.cbrt, mpf(1), mpf(2), 5),
    Fit("cbrtf", 24, lambda m: 1 / mp.cbrt(m), mp.cbrt, mpf(1), mpf(2), 4),
]


def main() -> None:
    wanted = tuple(sys.argv[1:])
    for fit in FITS:
        if not wanted or fit.name.startswith(wanted):
            coefficients, error = fitted(fit)
            print(f"{fit.name}: relative error 2^{float(mp.log(error, 2)):.1f}")
            print("    " + ",\n    ".join(literal(c, fit.bits) for c in coefficients), flush=True)


if __name__ == "__main__":
    main()
