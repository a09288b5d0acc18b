"""Trees for the kernels that search them: balanced or lopsided, with as many nodes as the sizes say, and queries for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

Arrays = dict[str, Any]
Columns = Mapping[str, list[Any]]
Sizes = Mapping[str, int]


def tree_inputs(kernel: str, sizes: Sizes, seed: int) -> Arrays:
    """The array parameters of a kernel that searches a tree, by name; nothing for other kernels.

    Trees are given as mappings from members to columns.
    """
    build = _BUILDERS.get(kernel)
    return {} if build is None else build(sizes, np.random.default_rng([13, seed]))


def _binary(sizes: Sizes, random: np.random.Generator) -> Arrays:
    count = sizes["nodes"]
    tree: dict[str, list[Any]] = {"key": [0.0] * count, "left": [0] * count, "right": [0] * count}
    labels = sorted(random.uniform(-9, 9, count).astype(np.float32).tolist())
    made = iter(range(count))

    def build(low: int, high: int) -> int:
        if low >= high:
            return 0
        at, middle = next(made), _middle(low, high, random)
        tree["key"][at] = labels[middle]
        tree["left"][at] = build(low, middle)
        tree["right"][at] = build(middle + 1, high)
        return at

    build(0, count)
    others = random.uniform(-10, 10, sizes["keys"])
    present = random.random(sizes["keys"]) < 0.6 if count else np.zeros(sizes["keys"], bool)
    keys = np.where(present, random.choice(np.array(labels or [0.0]), sizes["keys"]), others)
    return {"tree": tree, "key": keys.astype(np.float32)}


def _middle(low: int, high: int, random: np.random.Generator) -> int:
    return int(random.integers(low, high)) if random.random() < 0.3 else (low + high) // 2


def _boxes(sizes: Sizes, random: np.random.Generator) -> Arrays:
    """A tree of boxes over points, split until the nodes are used up."""
    points = _points(random, sizes["points"])
    parts: list[np.ndarray[Any, Any]] = [np.arange(sizes["points"])]
    tree: dict[str, list[Any]] = {name: [] for name in ("low", "high", "left", "right", "first", "count", "axis", "split")}
    order: list[int] = []
    children: dict[int, tuple[int, int]] = {}
    splits: dict[int, tuple[int, float]] = {}
    for at, part in enumerate(parts):
        axis = at % 2
        if len(parts) + 2 <= sizes["nodes"] and len(part) > 1 and random.random() < 0.9:
            sorted_ = part[np.argsort(points[part, axis], kind="stable")]
            half = len(part) // 2
            children[at], splits[at] = (len(parts), len(parts) + 1), (axis, float(points[sorted_[half], axis]))
            parts += [sorted_[:half], sorted_[half:]]
    for at, part in enumerate(parts[: sizes["nodes"]]):
        inside = points[part] if len(part) else np.zeros((1, 2), np.float32)
        left, right = children.get(at, (-1, -1))
        axis, split = splits.get(at, (0, 0.0))
        first = len(order)
        if left < 0:
            order += part.tolist()
        values = (inside.min(0), inside.max(0), left, right, first, len(part) if left < 0 else 0, axis, split)
        for name, value in zip(tree, values, strict=True):
            tree[name].append(value)
    order += [k for k in range(sizes["points"]) if k not in set(order)]
    placed = points[order] if order else points
    for name in tree:
        tree[name] += tree[name][:1] * (sizes["nodes"] - len(tree[name]))
    found: Arrays = {"tree": tree, "x": placed[:, 0].copy(), "y": placed[:, 1].copy()}
    count = sizes.get("queries", sizes.get("centres", 0))
    asked = _points(random, count)
    found |= {"qx": asked[:, 0].copy(), "qy": asked[:, 1].copy(), "cx": asked[:, 0].copy(), "cy": asked[:, 1].copy()}
    return found | {"radius": random.uniform(0.1, 3, sizes.get("radii", 0)).astype(np.float32)}


def _points(random: np.random.Generator, count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Points of the plane, some of them equal."""
    points = random.uniform(-2, 2, (count, 2)).astype(np.float32)
    same = random.random(count) < 0.2
    points[same] = np.round(points[same])
    return points


def _vantage(sizes: Sizes, random: np.random.Generator) -> Arrays:
    count = sizes["nodes"]
    points = _points(random, count).astype(np.float64)
    tree: dict[str, list[Any]] = {name: [0.0] * count for name in ("x", "y", "radius")}
    tree |= {"inside": [-1] * count, "outside": [-1] * count}
    made = iter(range(count))

    def build(part: list[int]) -> int:
        if not part:
            return -1
        at, (chosen, *rest) = next(made), part
        far = {k: float(np.hypot(*(points[k] - points[chosen]))) for k in rest}
        rest.sort(key=far.__getitem__)
        half = len(rest) // 2
        tree["x"][at], tree["y"][at] = points[chosen]
        tree["radius"][at] = (far[rest[half - 1]] + far[rest[half]]) / 2 if half else 0.0
        tree["inside"][at] = build(rest[:half])
        tree["outside"][at] = build(rest[half:])
        return at

    build(list(range(count)))
    asked = _points(random, sizes["queries"])
    return {"tree": tree, "qx": asked[:, 0].copy(), "qy": asked[:, 1].copy()}


def _cells(sizes: Sizes, random: np.random.Generator) -> Arrays:
    count = sizes["cells"]
    tree: dict[str, list[Any]] = {"child": [[-1] * 4 for _ in range(count)], "near": [0.0] * count}
    for at in range(1, count):
        parent = int(random.integers(max(0, (at - 1) // 3 - 1), (at - 1) // 3 + 1))
        free = [c for c in range(4) if tree["child"][parent][c] < 0] or [3]
        tree["child"][parent][int(random.choice(free))] = at
        tree["near"][parent] = float(random.uniform(0, 12))
    places, bodies = _points(random, count), _points(random, sizes["bodies"])
    tree |= {"x": list(places[:, 0]), "y": list(places[:, 1]), "mass": list(random.uniform(0.1, 2, count))}
    return {"tree": tree, "x": bodies[:, 0].copy(), "y": bodies[:, 1].copy()}


_BUILDERS: Final[Mapping[str, Callable[[Sizes, np.random.Generator], Arrays]]] = {
    "tree_search": _binary,
    "kd_nearest": _boxes,
    "point_correlation": _boxes,
    "vantage_point": _vantage,
    "barnes_hut": _cells,
}
