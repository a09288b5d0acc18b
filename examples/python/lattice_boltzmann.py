"""Flow in a periodic box by the lattice Boltzmann method, D2Q9. `python examples/python/lattice_boltzmann.py [points] [steps]`"""

import sys

import numpy as np
from sympy import Idx, IndexedBase, Mod, Rational, symbols
from sympy.codegen.ast import Assignment

import tensorrv as trv

VELOCITIES = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
WEIGHTS = [Rational(4, 9)] + 4 * [Rational(1, 9)] + 4 * [Rational(1, 36)]


def kernel():
    """Pull what streams to a point, and relax it to the local equilibrium."""
    rows, cols = symbols("rows cols", integer=True, positive=True)
    j, i = Idx("j", (0, rows - 1)), Idx("i", (0, cols - 1))
    f, g = (IndexedBase(name, shape=(9, rows, cols)) for name in "fg")
    omega, density, ux, uy, square = symbols("omega density ux uy square", real=True)
    pulled = symbols("p:9", real=True)
    steps = [
        Assignment(p, f[q, Mod(j - ey, rows), Mod(i - ex, cols)])
        for q, (p, (ex, ey)) in enumerate(zip(pulled, VELOCITIES, strict=True))
    ]
    steps += [
        Assignment(density, sum(pulled)),
        Assignment(ux, sum(ex * p for p, (ex, _) in zip(pulled, VELOCITIES, strict=True)) / density),
        Assignment(uy, sum(ey * p for p, (_, ey) in zip(pulled, VELOCITIES, strict=True)) / density),
        Assignment(square, Rational(3, 2) * (ux * ux + uy * uy)),
    ]
    for q, (p, w, (ex, ey)) in enumerate(zip(pulled, WEIGHTS, VELOCITIES, strict=True)):
        along = 3 * (ex * ux + ey * uy)
        equilibrium = w * density * (1 + along + along**2 / 2 - square)
        steps.append(Assignment(g[q, j, i], p + omega * (equilibrium - p)))
    return trv.from_sympy(steps, name="lattice_boltzmann")


def main(points=64, steps=100):
    wave = 0.05 * np.sin(2 * np.pi * np.arange(points) / points)
    f = np.empty((9, points, points))
    for q, (w, (ex, _)) in enumerate(zip(WEIGHTS, VELOCITIES, strict=True)):
        f[q] = float(w) * (1 + 3 * ex * wave[:, None])
    g = f.copy()
    step = kernel().compile()
    for _ in range(steps):
        step(f, g, omega=1.2)
        f, g = g, f
    return f


if __name__ == "__main__":
    f = main(*map(int, sys.argv[1:]))
    print(f"mass {f.sum():.6f}, greatest velocity {np.abs(f[[1, 5, 8]].sum(0) - f[[3, 6, 7]].sum(0)).max():.6f}")
