"""Runs the functions of a C text in the interpreter and as gcc compiles them, on the same arguments, and compares all bytes.

Parameters called `n` get the requested sizes, other scalars and arrays random contents; arrays have `ELEMENTS`
elements, so that sizes up to that are safe.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rv.analysis.verify import verify
from rv.ir.parser import parse_functions
from rv.ir.printer import print_functions
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from tensorrv.frontend.c.module import parse_c
from tensorrv.run.call import dtype_of, record_dtype
from tensorrv.unit.elements import Record
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.unit import Unit

ELEMENTS = 64
Array = np.ndarray[Any, Any]


def compare_with_gcc(
    text: str, directory: Path, sizes: Iterable[int], *, repeat: int = 2, cpp: str | None = None
) -> set[str]:
    """Compares every function of a C text; returns the names of the irreducible ones, which are passed over."""
    source, library = directory / "case.c", directory / "case.so"
    source.write_text(text)
    options = ["-std=gnu11", "-w", "-O0", "-fwrapv", "-ffp-contract=off", "-fPIC", "-shared"]
    subprocess.run(["gcc", *options, "-o", library, source, "-lm"], check=True)
    module = parse_c(source, cpp=cpp)
    assert {reason.code for _, reason in module.passed_over} <= {"TRV033"}, module.passed_over
    loaded = ctypes.CDLL(str(library))
    random = np.random.default_rng(5)
    public = [f for f in module.functions if not f.internal]
    for function in public:
        verify(function.function)
        printed = print_functions([function.function])
        assert print_functions(parse_functions(printed)) == printed
        for n in sizes:
            for _ in range(repeat):
                _compare(getattr(loaded, function.name), function, n, random)
    return {name for name, _ in module.passed_over}


def _compare(entry: Any, function: Unit, n: int, random: np.random.Generator) -> None:
    memory = Memory()
    passed: list[Any] = []
    arguments: list[Any] = []
    arrays: list[tuple[Array, Array]] = []
    for parameter in function.parameters:
        dtype = dtype_of_parameter(parameter)
        if parameter.rank:
            ours = contents(dtype, ELEMENTS, random)
            theirs = ours.copy()
            arrays.append((ours, theirs))
            arguments.append(memory.map(parameter.name, ours.view(np.uint8)))
            passed.append(ctypes.c_void_p(theirs.ctypes.data))
        else:
            value = dtype.type(n) if parameter.name == "n" else contents(dtype, 1, random)[0]
            arguments.append(value.item())
            passed.append(np.ctypeslib.as_ctypes_type(dtype)(value.item()))
    kind = None
    if function.result is not None:
        signed = function.result is not None and function.result.signed
        kind = np.ctypeslib.as_ctypes_type(dtype_of(function.function.result, signed))
    entry.restype = kind
    expected = entry(*passed)
    actual: Any = run(function.function, arguments, memory, fuel=1_000_000)
    where = f"{function.name}(n={n})"
    if kind is not None:
        actual = kind(actual).value
        equal = actual == expected or (math.isnan(actual) and math.isnan(expected))
        assert equal, f"{where} gives {actual} instead of {expected}"
    for ours, theirs in arrays:
        for name in ours.dtype.names or ("",):  # what is between the members of a struct does not matter
            left, right = (array[name] if name else array for array in (ours, theirs))
            assert left.tobytes() == right.tobytes(), f"{where} {name}: {left} instead of {right}"


def dtype_of_parameter(parameter: Parameter) -> np.dtype[Any]:
    element = parameter.element
    if isinstance(element, Record):
        return record_dtype(element)
    return dtype_of(element.type, element.signed, element.c_type)


def contents(dtype: np.dtype[Any], count: int, random: np.random.Generator) -> Array:
    """Small numbers of an element type, also in each member of a struct."""
    if dtype.fields is not None:
        whole = np.zeros(count, dtype)
        for name, (inner, *_) in dtype.fields.items():
            whole[name] = contents(inner, count, random)
        return whole
    if dtype.kind == "f":
        return random.uniform(-4, 4, count).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, count).astype(dtype)
    return random.integers(0 if dtype.kind == "u" else -40, 100, count).astype(dtype)
