"""Random C functions mean to us what they mean to gcc: results and all memory, bit for bit (any NaN equals any NaN)."""

from __future__ import annotations

import ctypes
import math
import random
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rv.analysis.verify import verify
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.transform.prepare import prepare
from tensorrv.frontend.c.module import parse_c
from tensorrv.unit.unit import Unit
from tests.frontend.random_c import FLOATS, INTEGERS, PRELUDE, Generator

C_TYPES: dict[str, Any] = {
    "_Bool": ctypes.c_bool,
    "char": ctypes.c_int8,
    "signed char": ctypes.c_int8,
    "unsigned char": ctypes.c_uint8,
    "short": ctypes.c_int16,
    "unsigned short": ctypes.c_uint16,
    "int": ctypes.c_int32,
    "unsigned int": ctypes.c_uint32,
    "long": ctypes.c_int64,
    "unsigned long": ctypes.c_uint64,
    "long long": ctypes.c_int64,
    "unsigned long long": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}
EDGES = (0, 1, -1, 2, 7, 100, 127, 128, 255, -128, 32767, 65535, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**63 - 1, -(2**63))
FLOAT_EDGES = (0.0, -0.0, 1.0, -1.5, 0.1, 1e-40, 1e30, -3e38, math.inf, math.nan, 49.9, 1e300, 16777217.0)


def arrays(rng: random.Random) -> list[np.ndarray[Any, Any]]:
    """D, F, I, U, L, B, H, S (3 + 1 by 5), P."""
    floats = [rng.choice(FLOAT_EDGES) if rng.random() < 0.3 else rng.uniform(-60, 60) for _ in range(40)]
    integers = [rng.choice(EDGES) if rng.random() < 0.3 else rng.randrange(-300, 300) for _ in range(60)]
    wide = np.array(integers, dtype=np.int64)
    with np.errstate(all="ignore"):
        single = np.array(floats[8:16]).astype(np.float32)
    return [
        np.array(floats[:8]),
        single,
        wide[:8].astype(np.int32),
        wide[8:16].astype(np.uint8),
        wide[16:24].copy(),
        (wide[24:32] & 1).astype(np.uint8),
        wide[32:40].astype(np.uint16),
        wide[40:60].astype(np.int16).reshape(4, 5),
        np.array(floats[16:24]).reshape(2, 4),
    ]


def scalar(rng: random.Random, name: str) -> int | float:
    if name in FLOATS:
        value = rng.choice(FLOAT_EDGES) if rng.random() < 0.4 else rng.uniform(-60, 60)
        return ctypes.c_float(value).value if name == "float" else value
    value = rng.choice(EDGES) if rng.random() < 0.5 else rng.randrange(-300, 300)
    return int(C_TYPES[name](bool(value) if name == "_Bool" else value).value)


def same(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> bool:
    if left.dtype.kind == "f":
        nan = np.isnan(left) & np.isnan(right)
        width = {4: np.uint32, 8: np.uint64}[left.itemsize]
        return bool(np.all(nan | (left.view(width) == right.view(width))))
    return bool(np.array_equal(left, right))


def as_result(function: Unit, value: Any) -> int | float | None:
    """The interpreter's result as the C type says."""
    if function.result is None:
        return None
    return C_TYPES[function.result.c_type](value).value  # type: ignore[no-any-return]


def check(library: ctypes.CDLL, function: Unit, rng: random.Random, source: str) -> None:
    ours, theirs = arrays(rng), None
    theirs = [array.copy() for array in ours]
    scalars = [p for p in function.parameters if p.rank == 0]
    values = {p.name: 4 if p.name == "n" else scalar(rng, p.element.c_type) for p in scalars}
    memory = Memory()
    regions, native = iter([memory.map(f"a{k}", array) for k, array in enumerate(ours)]), iter(theirs)
    arguments: list[Any] = []
    passed: list[Any] = []
    for p in function.parameters:
        if p.rank:
            arguments.append(next(regions))
            passed.append(ctypes.c_void_p(next(native).ctypes.data))
        else:
            arguments.append(values[p.name])
            passed.append(C_TYPES[p.element.c_type](values[p.name]))
    entry = getattr(library, function.name)
    entry.restype = None if function.result is None else C_TYPES[function.result.c_type]
    expected = entry(*passed)
    actual = as_result(function, run(function.function, arguments, memory, fuel=1_000_000))
    equal = actual == expected or (isinstance(expected, float) and math.isnan(expected) and math.isnan(float(actual or 0)))
    if isinstance(expected, float) and isinstance(actual, float) and not math.isnan(expected):
        equal = math.copysign(1, actual) == math.copysign(1, expected) and equal
    where = f"{source}\n// called with {values}"
    assert equal, f"{actual} instead of gcc's {expected} from\n{where}"
    for number, (left, right) in enumerate(zip(ours, theirs, strict=True)):
        assert same(left, right), f"array {number}: {left} instead of gcc's {right} after\n{where}"


def compare(seed: int, count: int, directory: Path) -> None:
    generator = Generator(seed)
    texts = [generator.function(f"f{k}") for k in range(count)]
    source, library = directory / "random.c", directory / "random.so"
    source.write_text(PRELUDE + "\n".join(texts))
    options = ["-std=gnu11", "-w", "-O0", "-fwrapv", "-ffp-contract=off", "-fPIC", "-shared"]
    subprocess.run(["gcc", *options, "-o", library, source, "-lm"], check=True)
    module = parse_c(source)
    assert module.passed_over == ()
    loaded = ctypes.CDLL(str(library))
    rng = random.Random(seed)
    for text, name in zip(texts, (f"f{k}" for k in range(count)), strict=True):
        function = module.function(name)
        verify(function.function)
        for _ in range(2):
            check(loaded, function, rng, text)
        check(loaded, replace(function, function=prepare(function.function)), rng, text)


@pytest.mark.parametrize("seed", range(3))
def test_random_functions_agree_with_gcc(seed: int, tmp_path: Path) -> None:
    compare(seed, 30, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 160))
def test_many_random_functions_agree_with_gcc(seed: int, tmp_path: Path) -> None:
    compare(seed, 100, tmp_path)


def test_the_generator_covers_every_type() -> None:
    generator = Generator(0)
    text = "".join(generator.function(f"f{k}") for k in range(60))
    for name in (*INTEGERS, *FLOATS):
        assert f" {name} " in text
