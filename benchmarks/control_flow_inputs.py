"""Inputs of `control_flow.py`: what each kernel is called with, from fixed seeds. Trees are arrays of C structs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Argument = int | float | Array

TWIG = np.dtype([("key", "f4"), ("low", "i4"), ("high", "i4")])
BOX = np.dtype([("least", "f4", 2), ("most", "f4", 2), ("cut", "f4"), ("axis", "i4"), ("low", "i4"), ("high", "i4"),
                ("first", "i4"), ("count", "i4")])  # fmt: skip
SHELL = np.dtype([("at", "f4", 2), ("radius", "f4"), ("inside", "i4"), ("outside", "i4")])
CELL = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("mass", "f4"), ("reach", "f4"), ("single", "i4"), ("child", "i4", 8)])


@dataclass(frozen=True, slots=True)
class Task:
    """A kernel and its arguments, the results last; `items` are what times are per, `aim` the speed-up that is aimed at.

    `sums`: the loop that is brushed although it adds up floating-point numbers, which takes `--fp fast`. `math`: it calls libm.
    """

    name: str
    kernel: str
    file: str
    make: Callable[[np.random.Generator], tuple[Argument, ...]]
    items: Callable[[tuple[Argument, ...]], int]
    aim: float | None = None
    results: int = 1
    sums: str = ""
    math: bool = False


def first(arguments: tuple[Argument, ...]) -> int:
    assert isinstance(arguments[0], int)
    return arguments[0]


def product(arguments: tuple[Argument, ...]) -> int:
    assert isinstance(arguments[0], int) and isinstance(arguments[1], int)
    return arguments[0] * arguments[1]


# -- trees ------------------------------------------------------------------------------------------------------------------


def search_tree(keys: Array) -> Array:
    """The binary tree that inserting the keys in order gives: a key's parent is the later one of its neighbours by value."""
    tree = np.zeros(len(keys), TWIG)
    tree["key"] = keys
    by_key = np.argsort(keys, kind="stable")
    before, after = {}, {}
    for k, own in enumerate(by_key):
        before[int(own)] = int(by_key[k - 1]) if k else -1
        after[int(own)] = int(by_key[k + 1]) if k + 1 < len(keys) else -1
    for node in range(len(keys) - 1, 0, -1):
        low, high = before[node], after[node]
        tree[low]["high"] = node if low > high else tree[low]["high"]
        if low < high:
            tree[high]["low"] = node
        if high >= 0:
            before[high] = low
        if low >= 0:
            after[low] = high
    return tree


def box_tree(points: Array) -> tuple[Array, Array]:
    """A k-d tree with up to four points in a leaf, and the points in its order."""
    boxes: list[Any] = []
    order = np.arange(len(points))

    def build(start: int, end: int) -> int:
        own = points[order[start:end]]
        least, most = own.min(0), own.max(0)
        node = len(boxes)
        boxes.append((least, most, 0.0, 0, -1, -1, start, end - start))
        if end - start > 4:
            axis = int(np.argmax(most - least))
            order[start:end] = order[start:end][np.argsort(own[:, axis], kind="stable")]
            middle = (start + end) // 2
            cut = points[order[middle], axis]
            boxes[node] = (least, most, cut, axis, build(start, middle), build(middle, end), start, end - start)
        return node

    build(0, len(points))
    return np.array(boxes, BOX), np.ascontiguousarray(points[order])


def shell_tree(rng: np.random.Generator, points: Array) -> Array:
    """A vantage-point tree: the nearer half of the other points inside, the farther one outside."""
    shells: list[Any] = []

    def build(own: Array) -> int:
        if not len(own):
            return -1
        node = len(shells)
        chosen = int(rng.integers(len(own)))
        at, others = own[chosen], np.delete(own, chosen, 0)
        distance = np.sqrt(((others - at) ** 2).sum(1))
        others = others[np.argsort(distance, kind="stable")]
        radius = float(np.sort(distance)[len(others) // 2]) if len(others) else 0.0
        shells.append(None)
        shells[node] = (at, radius, build(others[: len(others) // 2]), build(others[len(others) // 2 :]))
        return node

    build(points)
    return np.array(shells, SHELL)


def cell_tree(bodies: Array, masses: Array) -> tuple[Array, Array]:
    """An octree with centres of mass, and the order of the bodies in it."""
    cells: list[Any] = []
    order: list[int] = []

    def build(own: Array, centre: Array, half: float) -> int:
        node = len(cells)
        mass = masses[own]
        middle = (bodies[own] * mass[:, None]).sum(0) / mass.sum()
        single = len(own) == 1 or half < 1e-6
        cells.append(None)
        child = [-1] * 8
        if single:
            order.extend(map(int, own))
        else:
            above = bodies[own] >= centre
            octant = above[:, 0] + 2 * above[:, 1] + 4 * above[:, 2]
            for c in range(8):
                inside = own[octant == c]
                if len(inside):
                    shift = half / 2 * np.array([1 if c >> d & 1 else -1 for d in range(3)])
                    child[c] = build(inside, centre + shift, half / 2)
        cells[node] = (*middle, mass.sum(), (4 * half) ** 2, single, child)
        return node

    build(np.arange(len(bodies)), np.full(3, 0.5), 0.5)
    return np.array(cells, CELL), np.array(order)


def along_a_curve(points: Array) -> Array:
    """The points in the order of a Z-shaped curve, so that neighbours ask for much the same."""
    bits = (points / 100 * 65535).astype(np.int64)
    key = np.zeros(len(points), np.int64)
    for b in range(16):
        key |= (bits[:, 0] >> b & 1) << 2 * b + 1 | (bits[:, 1] >> b & 1) << 2 * b
    return np.ascontiguousarray(points[np.argsort(key, kind="stable")])


def plane(rng: np.random.Generator, count: int) -> Array:
    return (rng.random((count, 2)) * 100).astype("f4")


# -- arguments --------------------------------------------------------------------------------------------------------------


def ints(count: int) -> Array:
    return np.zeros(count, "i4")


def floats(count: int) -> Array:
    return np.zeros(count, "f4")


def sorted_keys(rng: np.random.Generator, tree_size: int) -> tuple[Argument, ...]:
    keys = np.unique(rng.random(tree_size).astype("f4"))
    rng.shuffle(keys)
    return len(keys), search_tree(keys), np.sort(keys), ints(len(keys))


def table(rng: np.random.Generator, entries: int, keys: int, *, present: bool) -> tuple[Argument, ...]:
    sorted_ = np.sort(rng.random(entries).astype("f4"))
    wanted = rng.choice(sorted_[1:-1], keys) if present else rng.random(keys).astype("f4")
    return keys, entries, sorted_, wanted, ints(keys)


def in_boxes(rng: np.random.Generator, queries: int, points: int = 50_000, radius: float | None = None) -> tuple[Argument, ...]:
    tree, stored = box_tree(plane(rng, points))
    asked = along_a_curve(plane(rng, queries))
    return (queries, *(() if radius is None else (radius,)), tree, stored, asked, ints(queries))


def many_radii(rng: np.random.Generator) -> tuple[Argument, ...]:
    tree, stored = box_tree(plane(rng, 50_000))
    return 4, 64, tree, stored, plane(rng, 4), (rng.random(256) * 14).astype("f4"), ints(256)


def in_shells(rng: np.random.Generator) -> tuple[Argument, ...]:
    return 4096, shell_tree(rng, plane(rng, 30_000)), along_a_curve(plane(rng, 4096)), ints(4096)


def in_cells(rng: np.random.Generator) -> tuple[Argument, ...]:
    bodies = rng.random((10_000, 3))
    tree, order = cell_tree(bodies, 0.5 + rng.random(10_000))
    x, y, z = (np.ascontiguousarray(bodies[order[:2048], d].astype("f4")) for d in range(3))
    return 2048, tree, x, y, z, floats(2048), floats(2048), floats(2048)


def atoms(rng: np.random.Generator) -> tuple[int, Array, Array, Array, Array]:
    """Atoms in a cube, the pairs of them within 17.5, and sizes; about 0.3 M pairs."""
    count = 1500
    at = rng.random((count, 3)) * 36
    distance = ((at[:, None, :] - at[None, :, :]) ** 2).sum(2)
    near = (distance < 17.5**2) & (distance > 0.3)
    start = np.concatenate([[0], np.cumsum(near.sum(1))]).astype("i4")
    return count, start, np.nonzero(near)[1].astype("i4"), at.ravel(), 1.2 + rng.random(count) * 0.6


def surfaces(rng: np.random.Generator) -> tuple[Argument, ...]:
    count, start, neighbour, at, size = atoms(rng)
    return count, 15.0, start, neighbour, at, size, 0.72 + rng.random(count) * 0.2, np.zeros(count)


def energies(rng: np.random.Generator) -> tuple[Argument, ...]:
    count, start, neighbour, at, size = atoms(rng)
    return count, 225.0, 0.1, start, neighbour, at, size, rng.random(count) - 0.5, np.zeros(count)


def pairs(arguments: tuple[Argument, ...]) -> int:
    return max(len(a) for a in arguments if isinstance(a, np.ndarray) and a.dtype == np.int32)


def prices(rng: np.random.Generator) -> tuple[Argument, ...]:
    n = 1 << 14
    low, wide = (50, 50, 0.1, 0.01, 0.1), (100, 100, 2, 0.1, 0.5)
    return (n, *((a + b * rng.random(n)).astype("f4") for a, b in zip(low, wide, strict=True)), floats(n))


def numbers(rng: np.random.Generator, n: int, low: float, high: float) -> Array:
    return (low + (high - low) * rng.random(n)).astype("f4")


NEWTON = np.array([1, -2, -5, 6, 0.5, -3, 1, 0.2], "f4")
CODE = np.array([0, 1, 3, 0, 2, 4, 1, 0, 3, 2, 0, 1], "i4")


def tasks() -> Iterator[Task]:
    """All kernels with their arguments, and the speed-ups over the better of two scalar compilers that are aimed at."""
    yield Task("dense binary tree", "tree_search", "trees", lambda r: sorted_keys(r, 1 << 16), first, 3.4)
    yield Task("search", "search", "loops", lambda r: table(r, 1 << 21, 1 << 14, present=False), first, 4.6)
    yield Task("lookup", "lookup", "loops", lambda r: table(r, 1 << 16, 1 << 14, present=True), first, 4.6)
    yield Task("k-d tree, sorted", "nearest", "trees", lambda r: in_boxes(r, 8192), first)
    yield Task("correlation, sorted", "correlation", "trees", lambda r: in_boxes(r, 2048, radius=2.8), first, 3.2)
    yield Task("correlation, many radii", "radii", "trees", many_radii, product, 11)
    yield Task("vantage points, sorted", "vantage", "trees", in_shells, first, 2.0)
    yield Task("Barnes-Hut", "gravity", "trees", in_cells, first, 6.7, results=3)
    yield Task("k-means", "assign", "loops", lambda r: (8192, 128, plane(r, 128), plane(r, 8192), ints(8192)), first, 8.9)
    yield Task("Mandelbrot", "escape", "loops",
               lambda r: (256, 512, 256, -2.0, -1.0, 3 / 512, 2 / 256, ints(256 * 512)), product, 8.0)  # fmt: skip
    yield Task("uniform loops", "either", "loops",
               lambda r: (1 << 14, 0, 16, 0.5, numbers(r, 1 << 14, 0, 1), numbers(r, 16, 0.5, 1.5), floats(1 << 14)),
               first, 5.0)  # fmt: skip
    yield Task("Newton", "newton", "loops",
               lambda r: (1 << 13, 8, 1, numbers(r, 1 << 13, -4, 4), NEWTON, ints(1 << 13)), first, 8.6)  # fmt: skip
    yield Task("byte code", "interpret", "loops",
               lambda r: (1 << 12, 12, 16, numbers(r, 1 << 12, 0, 4), CODE, numbers(r, 12, 0.1, 0.6), floats(1 << 12)),
               first, 16.0)  # fmt: skip
    yield Task("jumps", "wander", "loops",
               lambda r: (1 << 14, r.integers(0, 2**32, 1 << 14, "u4"), ints(1 << 14)), first, 13.6)  # fmt: skip
    yield Task("square root", "square_root", "loops",
               lambda r: (1 << 15, np.exp2(numbers(r, 1 << 15, -20, 20)), floats(1 << 15)), first)  # fmt: skip
    yield Task("logstar, double", "logstar", "loops",
               lambda r: (1 << 14, np.exp(r.random(1 << 14) * 600 - 2), ints(1 << 14)), first, math=True)  # fmt: skip
    yield Task("Black-Scholes", "prices", "loops", prices, first, 5.8, math=True)
    yield Task("cutoffs, double", "surfaces", "loops", surfaces, pairs, 4.4, sums="k", math=True)
    yield Task("pair energies, double", "energies", "loops", energies, pairs, 2.2, sums="k", math=True)
