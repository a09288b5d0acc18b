"""A test case that needs nothing but its text: C source, plan, target and calls with the elements that each call touches."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

DTYPES: dict[str, str] = {
    "double": "f8", "float": "f4", "int": "i4", "unsigned": "u4", "char": "i1", "signed char": "i1", "unsigned char": "u1",
    "short": "i2", "unsigned short": "u2", "long": "i8", "unsigned long": "u8", "size_t": "u8",
    "_Bool": "u1",
}  # fmt: skip
PATTERN = 4099


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """An array parameter; elements are below `fill` when that is positive, and 1..-`fill` when it is negative."""

    name: str
    element: str
    const: bool
    fill: int


@dataclass(frozen=True, slots=True)
class Call:
    """Values of the scalar parameters, and for every array the lowest and highest element touched (or None).

    `aliases`: array -> [other array, offset in elements]. `at_end`: the last element of every array is followed by an
    inaccessible page, otherwise the first one is preceded by one.
    """

    values: tuple[float, ...]
    reach: dict[str, tuple[int, int] | None]
    aliases: dict[str, tuple[str, int]]
    at_end: bool
    seed: int


@dataclass(frozen=True, slots=True)
class Case:
    function: str
    text: str
    scalars: tuple[tuple[str, str], ...]
    arrays: tuple[ArrayInfo, ...]
    result: str | None
    plan: str
    target: str
    calls: tuple[Call, ...]

    def file(self) -> str:
        """The C file with everything else in its first comment; `read_case` reads it back."""
        facts = asdict(self)
        text = facts.pop("text")
        return f"/* {json.dumps(facts)} */\n{text}"


def read_case(file: str) -> Case:
    """The case in a file written by `Case.file`."""
    comment, _, text = file.partition(" */\n")
    facts: dict[str, Any] = json.loads(comment.removeprefix("/* "))
    calls = tuple(
        Call(
            tuple(c["values"]),
            {k: None if v is None else (v[0], v[1]) for k, v in c["reach"].items()},
            {k: (v[0], v[1]) for k, v in c["aliases"].items()},
            c["at_end"],
            c["seed"],
        )
        for c in facts["calls"]
    )
    return Case(
        facts["function"], text, tuple((s[0], s[1]) for s in facts["scalars"]), tuple(ArrayInfo(**a) for a in facts["arrays"]),
        facts["result"], facts["plan"], facts["target"], calls,
    )  # fmt: skip


def contents(array: ArrayInfo, low: int, high: int, seed: int) -> np.ndarray[Any, Any]:
    """Elements low..high: random, the same for the same array and seed whatever part is requested."""
    rng = np.random.default_rng([seed, sum(map(ord, array.name))])
    dtype = np.dtype(DTYPES[array.element])
    if array.element == "_Bool":
        pattern = rng.integers(0, 2, PATTERN).astype(dtype)
    elif dtype.kind == "f":
        pattern = (rng.uniform(-4, 4, PATTERN) * 2.0 ** rng.integers(-3, 3, PATTERN)).astype(dtype)
        if seed % 2:
            special = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 1.0], PATTERN)
            pattern = np.where(rng.random(PATTERN) < 0.08, special, pattern).astype(dtype)
    elif array.fill < 0:
        pattern = rng.integers(1, 1 - array.fill, PATTERN).astype(dtype)
    elif array.fill:
        pattern = rng.integers(0, array.fill, PATTERN).astype(dtype)
    elif dtype.kind == "i" and dtype.itemsize >= 4:
        pattern = rng.integers(-300, 300, PATTERN).astype(dtype)
    else:
        pattern = rng.integers(0, 256, PATTERN * dtype.itemsize, dtype=np.uint8).view(dtype)
    repeated = np.tile(pattern, -(-(high - low + 1) // PATTERN) + 1)
    return repeated[low % PATTERN : low % PATTERN + high - low + 1]
