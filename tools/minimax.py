"""The polynomials of the vector functions in tensorrv/mathlib: computed here, written there by hand.

    python tools/minimax.py              all of them
    python tools/minimax.py exp log      those whose names begin so

For every polynomial P(x) = c0 + c1 x + c2 x^2 + ... the coefficients are printed as C constants, lowest first, with the greatest
relative error that they leave in the function. Remez's algorithm in 60 digits finds the best real coefficients; they are rounded
to the format of the function one after the other, lowest first, and those that are left are fitted again after each rounding.

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


def rounded(x: mpf, bits: int) -> mpf:
    """The nearest number with so many significant bits."""
    with mp.workprec(bits):
        return +x


def literal(x: mpf, bits: int) -> str:
    digits, power = float(x).hex().split("p")
    return f"{digits.rstrip('0')}p{power}" + ("f" if bits == 24 else "")


def fitted(fit: Fit) -> tuple[list[mpf], mpf]:
    """Coefficients in the function's format and the relative error that they leave."""
    count = 24 * fit.terms + 1
    middle, half = (fit.high + fit.low) / 2, (fit.high - fit.low) / 2
    grid = [middle - half * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    wanted = [fit.target(x) for x in grid]
    weights = [fit.weight(x) for x in grid]
    found: list[mpf] = []
    while len(found) < fit.terms:
        rest = [w - sum((c * x**k for k, c in enumerate(found)), mpf(0)) for x, w in zip(grid, wanted, strict=True)]
        powers = range(len(found), fit.terms)
        found.append(rounded(remez(grid, rest, weights, powers)[0], fit.bits))
    errors = (abs(w - mp.polyval(found[::-1], x)) * v for x, w, v in zip(grid, wanted, weights, strict=True))
    return found, max(errors)


def remez(grid: list[mpf], wanted: list[mpf], weights: list[mpf], powers: range) -> list[mpf]:
    """Coefficients of `powers` that make the greatest weighted error on the grid smallest."""
    size = len(powers) + 1
    chosen = [round((len(grid) - 1) * (1 - mp.cos(mp.pi * k / (size - 1))) / 2) for k in range(size)]
    for _ in range(30):
        matrix = mp.matrix(size, size)
        right = mp.matrix(size, 1)
        for row, index in enumerate(chosen):
            for column, power in enumerate(powers):
                matrix[row, column] = grid[index] ** power * weights[index]
            matrix[row, size - 1] = (-1) ** row
            right[row] = wanted[index] * weights[index]
        solution = mp.lu_solve(matrix, right)
        coefficients = list(solution)[:-1]
        errors = [
            (w - sum(c * x**p for c, p in zip(coefficients, powers, strict=True))) * v
            for x, w, v in zip(grid, wanted, weights, strict=True)
        ]
        following = extrema(errors, size)
        if following == chosen or max(map(abs, errors)) <= abs(solution[size - 1]) * mpf("1.001"):
            break
        chosen = following
    return coefficients


def extrema(errors: list[mpf], size: int) -> list[int]:
    """Indices of `size` errors of alternating sign, as great as possible, in ascending order."""
    runs: list[int] = []
    for index, error in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (error > 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = index
        else:
            runs.append(index)
    while len(runs) > size:
        if len(runs) == size + 1:
            del runs[0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1]
        else:
            smallest = min(range(1, len(runs)), key=lambda k: min(abs(errors[runs[k]]), abs(errors[runs[k - 1]])))
            del runs[smallest - 1 : smallest + 1]
    while len(runs) < size:  # fewer than it should be while rounding errors dominate
        free = max(range(len(errors)), key=lambda k: -1 if k in runs else abs(errors[k]))
        runs = sorted([*runs, free])
    return runs


def _atanh_rest(z: mpf) -> mpf:
    """(log((1+s)/(1-s)) - 2 s) / s^3 for z = s^2."""
    return series(z, lambda k: mpf(2) / (2 * k + 3))


def series(z: mpf, coefficient: Callable[[int], mpf]) -> mpf:
    """sum of coefficient(k) z^k, for |z| < 1/2."""
    return mp.nsum(lambda k: coefficient(int(k)) * z ** int(k), [0, 260], method="d")


LN2 = mp.log(2)
HALF = LN2 / 2 * mpf("1.0001")
S = 3 - 2 * mp.sqrt(2)  # (sqrt 2 - 1) / (sqrt 2 + 1)


def _exp_rest(r: mpf) -> mpf:
    return series(r, lambda k: 1 / mp.factorial(k + 2))


def _sin_rest(z: mpf) -> mpf:
    """(sin r - r) / r^3 for z = r^2."""
    return sum(((-1) ** (k + 1) * z**k / mp.factorial(2 * k + 3) for k in range(40)), mpf(0))


def _sinc(z: mpf) -> mpf:
    return 1 + z * _sin_rest(z)


def _log_rest(f: mpf) -> mpf:
    """(log(1+f) - f + f^2/2) / f^3."""
    if abs(f) < mpf("1e-12"):
        return mpf(1) / 3 - f / 4
    return (mp.log1p(f) - f + f * f / 2) / f**3


def _relative_log(f: mpf) -> mpf:
    return mpf(1) / 3 if f == 0 else f**3 / mp.log1p(f)


PI = mp.pi
FITS = [
    # 1 + r + r^2 P(r) = e^r
    Fit("exp", 53, _exp_rest, lambda r: r * r / mp.exp(r), -HALF, HALF, 10),
    Fit("expf", 24, _exp_rest, lambda r: r * r / mp.exp(r), -HALF, HALF, 5),
    # r + r^2 P(r) = e^r - 1
    Fit("expm1", 53, _exp_rest, lambda r: r * r / mp.expm1(r), -HALF, HALF, 11),
    Fit("expm1f", 24, _exp_rest, lambda r: r * r / mp.expm1(r), -HALF, HALF, 6),
    # 1 + r P(r) = 2^r
    Fit("exp2", 53, lambda r: mp.expm1(r * LN2) / r, lambda r: r / mp.mpf(2) ** r, mpf("-0.5001"), mpf("0.5001"), 12),
    Fit("exp2f", 24, lambda r: mp.expm1(r * LN2) / r, lambda r: r / mp.mpf(2) ** r, mpf("-0.5001"), mpf("0.5001"), 6),
    # 2 s + s^3 P(s^2) = log((1 + s) / (1 - s))
    Fit("log", 53, _atanh_rest, lambda z: z / (2 + z), mpf(0), S * S * mpf("1.0001"), 7),
    # f - f^2 / 2 + f^3 P(f) = log(1 + f)
    Fit("logf", 24, _log_rest, _relative_log, mp.sqrt(0.5) - 1, mp.sqrt(2) - 1, 8),
    # r + r^3 P(r^2) = sin r
    Fit("sin", 53, _sin_rest, lambda z: z / _sinc(z), mpf(0), (PI / 2) ** 2 * mpf("1.0001"), 9),
    Fit("sinf", 24, _sin_rest, lambda z: z / _sinc(z), mpf(0), (PI / 2) ** 2 * mpf("1.0001"), 4),
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
