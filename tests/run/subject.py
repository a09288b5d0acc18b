"""What is run: the functions of a C file, with what the file says about its parameters.

Comments of the form `// KEY NAME: VALUE` in the file tell what types do not:

    // size n: 0..20            values of an integer parameter
    // length A: 3*n + 1        elements of an array without declared length
    // values idx: 0..n-1       range of the elements of an integer array, of an integer parameter, or of a member of structs
    // alias B: A + 2           B points into A
    // plan: fp=fast            what is added to every plan; a plan that is not strict is compared with a tolerance
    // brushes: 8 3 4x8         the brushes to run
    // stays scalar             no brush is legal
    // may stay scalar          a brush would be legal and is not requested
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rv.ir.types import FloatType, IntType, size_of
from tensorrv.frontend.c.module import parse_c
from tensorrv.run.call import Array, dtype_of, record_dtype
from tensorrv.unit.elements import Number, Record
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.unit import Unit
from tests.run.search_trees import tree_inputs

DIRECTIVE = re.compile(r"^// *(size|length|values|alias) +(\w+): *(.*?) *$", re.MULTILINE)
RANGES = {"rows": range(20), "cols": range(37), "planes": range(8), "steps": range(4), "inner": range(8)}
OTHER_RANGE = range(37)
KERNEL_RANGES = {("fdtd2d", "rows"): range(1, 20)}  # its first row is written whatever `rows` is
SPECIAL_SHARES = (0.0, 0.02, 0.15)


@dataclass(frozen=True, slots=True)
class Subject:
    path: Path
    functions: tuple[Unit, ...]
    directives: Mapping[tuple[str, str], str]
    plan: str
    brushes: tuple[str, ...]
    stays_scalar: bool
    may_stay_scalar: bool

    @property
    def tolerant(self) -> bool:
        return "fp=" in self.plan


@dataclass(frozen=True, slots=True)
class Case:
    """One call: `arguments` are numbers, or (buffer, byte offset) for pointers."""

    function: Unit
    sizes: Mapping[str, int]
    arguments: tuple[int | float | tuple[int, int], ...]
    buffers: tuple[Array, ...]

    def __str__(self) -> str:
        sizes = ", ".join(f"{name}={value}" for name, value in self.sizes.items())
        return f"{self.function.name}({sizes})"


@functools.cache
def read_subject(path: Path) -> Subject:
    """The subject in a C file."""
    text = path.read_text()
    module = parse_c(path)
    assert not module.passed_over, [str(diagnostic.message) for _, diagnostic in module.passed_over]
    plan = re.search(r"^// *plan: *(.*?) *$", text, re.MULTILINE)
    brushes = re.search(r"^// *brushes: *(.*?) *$", text, re.MULTILINE)
    return Subject(
        path=path,
        functions=tuple(function for function in module.functions if not function.internal),
        directives={(key, name): value for key, name, value in DIRECTIVE.findall(text)},
        plan=plan[1] if plan else "",
        brushes=tuple(brushes[1].split()) if brushes else (),
        stays_scalar=re.search(r"^// *stays scalar", text, re.MULTILINE) is not None,
        may_stay_scalar=re.search(r"^// *may stay scalar", text, re.MULTILINE) is not None,
    )


@functools.cache
def make_cases(path: Path) -> tuple[Case, ...]:
    """Calls of every function with sizes that leave every remainder of brushes up to 16, and with 0, 1, 2, ... for all sizes."""
    subject = read_subject(path)
    return tuple(
        _make_case(subject, function, sizes, number)
        for function in subject.functions
        for number, sizes in enumerate(_all_sizes(subject, function))
    )


def _all_sizes(subject: Subject, function: Unit) -> Sequence[dict[str, int]]:
    """Sizes paired at random, every value of each parameter at least once."""
    ranges = {p.name: _size_range(subject, p) for p in function.parameters if _is_size(subject, function, p)}
    if not ranges:
        return ({}, {}, {})
    random = np.random.default_rng(7)
    count = max(map(len, ranges.values()))
    columns = {}
    for name, values in ranges.items():
        shuffled = [int(x) for _ in range(-(-count // len(values))) for x in random.permutation(np.array(values))]
        columns[name] = shuffled[:count]
    equal = [{name: values[min(k, len(values) - 1)] for name, values in ranges.items()} for k in range(5)]
    return equal + [{name: column[k] for name, column in columns.items()} for k in range(count)]


def _is_size(subject: Subject, function: Unit, parameter: Parameter) -> bool:
    if parameter.rank:
        return False
    used = {symbol.name for p in function.parameters for e in p.extents if e is not None for symbol in e.symbols}
    known = parameter.name in used or parameter.name in RANGES
    return ("size", parameter.name) in subject.directives or (known and _is_integer(parameter))


def _is_integer(parameter: Parameter) -> bool:
    return isinstance(parameter.element, Number) and isinstance(parameter.element.type, IntType)


def _size_range(subject: Subject, parameter: Parameter) -> range:
    given = subject.directives.get(("size", parameter.name))
    usual = RANGES.get(parameter.name, OTHER_RANGE)
    return _range(given, {}) if given else KERNEL_RANGES.get((subject.path.stem, parameter.name), usual)


def _range(text: str, sizes: Mapping[str, int]) -> range:
    low, _, high = text.partition("..")
    return range(_number(low, sizes), _number(high, sizes) + 1)


def _number(text: str, sizes: Mapping[str, int]) -> int:
    return int(eval(text, {"max": max, "min": min}, dict(sizes)))


def _make_case(subject: Subject, function: Unit, sizes: dict[str, int], number: int) -> Case:
    random = np.random.default_rng([11, number])
    share = 0.0 if subject.tolerant else SPECIAL_SHARES[number % len(SPECIAL_SHARES)]
    buffers: list[Array] = []
    values: dict[str, int | float | tuple[int, int]] = {}
    given = tree_inputs(subject.path.stem, sizes, number)
    for parameter in function.parameters:
        if parameter.rank == 0:
            values[parameter.name] = _scalar(subject, parameter, sizes, random)
        elif ("alias", parameter.name) not in subject.directives:
            values[parameter.name] = (len(buffers), 0)
            made = given.get(parameter.name)
            buffers.append(_contents(subject, parameter, sizes, random, share) if made is None else _built(parameter, made))
    for parameter in function.parameters:
        alias = subject.directives.get(("alias", parameter.name), "")
        target, _, offset = alias.partition("+")
        place = values.get(target.strip())
        if isinstance(place, tuple):
            values[parameter.name] = (place[0], size_of(parameter.element.type) * _number(offset or "0", sizes))
    return Case(function, sizes, tuple(values[p.name] for p in function.parameters), tuple(buffers))


def _built(parameter: Parameter, made: Any) -> Array:
    """An array as `search_trees` makes it: numbers, or the columns of structs."""
    if not isinstance(parameter.element, Record):
        return np.asarray(made)
    whole = np.zeros(len(next(iter(made.values()))), record_dtype(parameter.element))
    for name in whole.dtype.names or ():
        member, _, index = name.removesuffix("]").partition("[")
        column = np.asarray(made[member])
        if len(whole):
            whole[name] = column[:, int(index)] if index else column
    return whole


def _scalar(subject: Subject, parameter: Parameter, sizes: Mapping[str, int], random: np.random.Generator) -> int | float:
    if parameter.name in sizes:
        return sizes[parameter.name]
    given = subject.directives.get(("values", parameter.name))
    if given is not None:
        return int(random.choice(_range(given, sizes)))
    dtype = dtype_of(parameter.element.type, _signed(parameter), parameter.element.c_type)
    if _is_integer(parameter):
        return int(_integers(dtype, 1, random)[0])
    return float(dtype.type(random.uniform(0.5, 1.5)))


def _signed(parameter: Parameter) -> bool:
    return isinstance(parameter.element, Number) and parameter.element.signed


def _contents(
    subject: Subject, parameter: Parameter, sizes: Mapping[str, int], random: np.random.Generator, share: float
) -> Array:
    count = _count(subject, parameter, sizes)
    if isinstance(parameter.element, Record):
        return _records(subject, parameter.element, count, random)
    type_ = parameter.element.type
    dtype = dtype_of(type_, _signed(parameter), parameter.element.c_type)
    given = subject.directives.get(("values", parameter.name))
    if given is not None:
        values = np.array(_range(given, sizes) or [0])
        return random.choice(values, count).astype(dtype)
    if isinstance(type_, IntType):
        return _integers(dtype, count, random)
    assert isinstance(type_, FloatType)
    if subject.tolerant:
        return random.uniform(0.5, 1.5, count).astype(dtype)
    numbers = (random.uniform(-1, 1, count) * 2.0 ** random.integers(-3, 4, count)).astype(dtype)
    kind = np.finfo(dtype)
    magnitudes = np.array([0.0, np.inf, np.nan, kind.smallest_subnormal, kind.tiny / 3, kind.max, 1.0], dtype=dtype)
    chosen = random.random(count) < share
    numbers[chosen] = random.choice(np.concatenate([magnitudes, -magnitudes]), int(chosen.sum()))
    return numbers


def _records(subject: Subject, struct: Record, count: int, random: np.random.Generator) -> Array:
    """Structs with moderate numbers: they are compared byte by byte. `values` of a member's name hold in all structs."""
    whole = np.zeros(count, record_dtype(struct))
    for name, (dtype, *_) in (whole.dtype.fields or {}).items():
        given = subject.directives.get(("values", name))
        if given is not None:
            whole[name] = random.choice(np.array(_range(given, {"count": count}) or [0]), count)
        elif dtype.kind == "f":
            whole[name] = random.uniform(-2, 2, count)
        else:
            whole[name] = _integers(dtype, count, random)
    return whole


def _integers(dtype: np.dtype[Any], count: int, random: np.random.Generator) -> Array:
    """All bit patterns, small numbers, and the ends of the range."""
    if dtype == np.bool_:
        return random.integers(0, 2, count).astype(dtype)
    limits = np.iinfo(dtype)
    numbers = random.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    small = random.random(count) < 0.3
    numbers[small] = random.integers(0, 5, int(small.sum())).astype(dtype)
    extreme = random.random(count) < 0.1
    numbers[extreme] = random.choice(np.array([limits.min, limits.max, limits.max // 2 + 1], dtype=dtype), int(extreme.sum()))
    return numbers


def _count(subject: Subject, parameter: Parameter, sizes: Mapping[str, int]) -> int:
    given = subject.directives.get(("length", parameter.name))
    if given is not None:
        return max(0, _number(given, sizes))
    count = 1
    for extent in parameter.extents:
        assert extent is not None, f"the file must say how long {parameter.name} is"
        count *= max(0, extent.valued(sizes))
    return count
