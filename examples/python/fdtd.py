"""Electromagnetic waves on Yee's staggered grid. `python examples/python/fdtd.py [points] [steps]`"""

import sys

import numpy as np
from sympy import Eq, Function, Idx, Matrix, Rational, symbols

import tensorrv as trv

HALF = Rational(1, 2)


def kernels():
    """The steps of the electric field (Ex, Ey), and of the magnetic field Hz."""
    rows, cols = symbols("rows cols", integer=True)
    j, i = Idx("j", (1, rows - 2)), Idx("i", (1, cols - 2))
    x, y, h, dt = symbols("x y h dt", positive=True)
    Ex, Ey, Hz = map(Function, ("Ex", "Ey", "Hz"))
    places = {
        "grid": {y: (j, h), x: (i, h)},
        "staggered": {Ex: {x: HALF}, Ey: {y: HALF}, Hz: {x: HALF, y: HALF}},
    }
    here, there, cell = Ex(x + h / 2, y), Ey(x, y + h / 2), Hz(x + h / 2, y + h / 2)
    by_y = (cell - cell.subs(y, y - h)) / h
    by_x = (cell - cell.subs(x, x - h)) / h
    electric = Eq(Matrix([here, there]), Matrix([here + dt * by_y, there - dt * by_x]))
    curl = (here.subs(y, y + h) - here) / h - (there.subs(x, x + h) - there) / h
    magnetic = Eq(cell, cell + dt * curl)
    return trv.from_sympy(electric, name="electric", **places), trv.from_sympy(magnetic, name="magnetic", **places)


def main(points=200, steps=200):
    h = 1 / (points - 1)
    Ex, Ey, Hz = (np.zeros((points, points)) for _ in range(3))
    Hz[points // 2, points // 2] = 1.0
    electric, magnetic = (kernel.compile() for kernel in kernels())
    for _ in range(steps):
        electric(Ex=Ex, Ey=Ey, Hz=Hz, h=h, dt=0.5 * h)
        magnetic(Ex=Ex, Ey=Ey, Hz=Hz, h=h, dt=0.5 * h)
    return Ex, Ey, Hz


if __name__ == "__main__":
    print(f"magnetic energy {np.square(main(*map(int, sys.argv[1:]))[2]).sum():.6f}")
