"""Heat in a plate: the explicit scheme, from its equation. `python examples/python/heat.py [points] [steps]`"""

import sys

import numpy as np
from sympy import Derivative, Eq, Function, Idx, symbols

import tensorrv as trv


def kernel():
    """One step of u_t = kappa (u_xx + u_yy)."""
    rows, cols = symbols("rows cols", integer=True)
    j, i = Idx("j", (1, rows - 2)), Idx("i", (1, cols - 2))
    x, y, h, dt, kappa = symbols("x y h dt kappa", positive=True)
    u, new = Function("u"), Function("new")
    laplacian = Derivative(u(x, y), (x, 2)) + Derivative(u(x, y), (y, 2))
    step = Eq(new(x, y), u(x, y) + dt * kappa * laplacian)
    return trv.from_sympy(step, grid={y: (j, h), x: (i, h)}, name="heat")


def main(points=200, steps=200):
    h = 1 / (points - 1)
    u = np.zeros((points, points))
    u[0] = 1.0
    new = u.copy()
    step = kernel().compile()
    for _ in range(steps):
        step(u, new, h=h, dt=0.2 * h * h, kappa=1.0)
        u, new = new, u
    return u


if __name__ == "__main__":
    print(f"mean temperature {main(*map(int, sys.argv[1:])).mean():.6f}")
