"""Waves on a membrane: leapfrog steps of fourth order in space. `python examples/python/wave.py [points] [steps]`"""

import sys

import numpy as np
from sympy import Eq, Function, Idx, apply_finite_diff, symbols

import tensorrv as trv


def kernel():
    """One step of u_tt = c^2 (u_xx + u_yy), from the two steps before."""
    rows, cols = symbols("rows cols", integer=True)
    j, i = Idx("j", (2, rows - 3)), Idx("i", (2, cols - 3))
    x, y, h, dt, c = symbols("x y h dt c", positive=True)
    u, old, new = map(Function, ("u", "old", "new"))

    def second(along):
        points = [along + k * h for k in range(-2, 3)]
        return apply_finite_diff(2, points, [u(x, y).subs(along, point) for point in points], along)

    step = Eq(new(x, y), 2 * u(x, y) - old(x, y) + (c * dt) ** 2 * (second(x) + second(y)))
    return trv.from_sympy(step, grid={y: (j, h), x: (i, h)}, name="wave")


def main(points=200, steps=200):
    h = 1 / (points - 1)
    x = np.linspace(0, 1, points)
    u = np.exp(-200 * ((x - 0.5) ** 2 + (x[:, None] - 0.5) ** 2))
    old, new = u.copy(), u.copy()
    step = kernel().compile()
    for _ in range(steps):
        step(u=u, old=old, new=new, h=h, dt=0.4 * h, c=1.0)
        old, u, new = u, new, old
    return u


if __name__ == "__main__":
    print(f"greatest amplitude {np.abs(main(*map(int, sys.argv[1:]))).max():.6f}")
