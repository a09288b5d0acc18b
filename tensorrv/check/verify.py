"""Bit-for-bit comparison of a brushed kernel with the scalar code of the same source, on random data.

NaNs count as equal whatever their payload. Besides differences in arrays and result, a write outside an array is found. Where
there is a second opinion on what the source means, the scalar code is compared with that first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np

from rv.ir.types import F32
from tensorrv.check.buffers import LINE, ORDINARY, Buffer, Special, lengths, make_buffers, make_scalars, stored_buffer, take_back
from tensorrv.check.given.values import NOTHING, Given
from tensorrv.check.sizes import Sizes
from tensorrv.check.ulps import greatest_distance
from tensorrv.interface.reach import Reaches
from tensorrv.interface.signature import ArrayArgument, Signature
from tensorrv.interface.storage.runs import Storages
from tensorrv.pipeline.native import NativeFunction
from tensorrv.run.call import Array

MAX_RUNS: Final = 64
MAX_ELEMENTS: Final = 1 << 20
MAX_ITERATIONS: Final = 1 << 20
SMALL: Final = 4
"""Sizes below this are those beside a long one where more would take too many iterations."""
FEW: Final = 4
SEED: Final = 1
SPECIALS: Final = (ORDINARY, Special(0.05, 0.05), ORDINARY, Special(0.3, 0.3))


@dataclass(frozen=True, slots=True)
class Difference:
    """The first element that differs, or a write outside an array (`index` is None)."""

    sizes: Mapping[str, int]
    where: str
    index: tuple[int, ...] | None
    expected: str
    found: str

    def __str__(self) -> str:
        place = self.where + "".join(f"[{i}]" for i in self.index or ())
        sizes = ", ".join(f"{name}={value}" for name, value in self.sizes.items())
        return f"{place} is {self.found}, expected {self.expected}" + (f" (with {sizes})" if sizes else "")


@dataclass(frozen=True, slots=True)
class Verification:
    """`runs` calls were compared, `elements` numbers in total; `difference` is None when all were equal.

    `ulps` is the greatest distance between two floating-point numbers that should be equal, in units of the last place.
    `libm_ulps` is the distance from the scalar code with libm's functions where the kernel has vector functions. `compiler`
    is whose second opinion the scalar code was compared with, and `doubt` where that differs from it. `left_out` runs differ and
    do not count, since the source has undefined behaviour, first of all that described by `undefined`.
    """

    runs: int
    elements: int
    difference: Difference | None
    ulps: int
    libm_ulps: int | None = None
    compiler: str | None = None
    doubt: Difference | None = None
    left_out: int = 0
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """The source as another compiler reads it."""

    called: str
    function: NativeFunction


Whose = Literal["source", "compiler", "kernel"]
"""Whose code runs: ours for the source as it stands, another compiler's for it, or the kernel."""


Scalars = Mapping[str, int | float]


@dataclass(frozen=True, slots=True)
class Comparer:
    """Calls functions with one signature on the same data. `tested` takes `storages` in layouts of their own; without it only
    the source is run. `opinion` is compared with the reference first.

    `exact`: floating-point numbers may not differ either. `specials` are the numbers of special values in the data
    of a run. `calling` gets the version before each call. `undefined` describes what the source does with these arrays and
    scalars that C leaves undefined; then differences do not count.
    """

    signature: Signature
    reaches: Reaches
    reference: NativeFunction
    tested: NativeFunction | None
    exact: bool = True
    specials: Sequence[Special] = SPECIALS
    storages: Storages = field(default_factory=dict)
    opinion: SecondOpinion | None = None
    calling: Callable[[Whose, Sizes], None] = lambda whose, sizes: None
    undefined: Callable[[Mapping[str, Buffer], Scalars], str | None] = lambda buffers, scalars: None
    given: Given = NOTHING

    def compare(self, run: int, sizes: Sizes) -> Verification:
        """One run."""
        buffers, scalars = self._data(run, sizes)
        expected = {name: _copy(buffer) for name, buffer in buffers.items()}
        self.calling("source", sizes)
        result = _call(self.signature, self.reference, expected, scalars)
        found = Verification(1, sum(buffer.elements.size for buffer in expected.values()), None, 0)
        if self.opinion is not None:
            found = replace(found, doubt=self._doubt(buffers, scalars, sizes, expected, result))
        if self.tested is not None and found.doubt is None:
            difference, ulps = self._difference(buffers, scalars, sizes, expected, result)
            found = replace(found, difference=difference, ulps=ulps)
        if found.doubt is None and found.difference is None:
            return found
        why = self.undefined(*self._data(run, sizes))
        return found if why is None else Verification(1, 0, None, 0, undefined=why)

    def _data(self, run: int, sizes: Sizes) -> tuple[dict[str, Buffer], Scalars]:
        """The arguments of a run, always the same ones."""
        random = np.random.default_rng([SEED, run])
        special = self.specials[run % len(self.specials)]
        buffers = make_buffers(self.signature, self.reaches, sizes, random, special, given=self.given)
        return buffers, make_scalars(self.signature, sizes, random, self.given)

    def _doubt(
        self, buffers: Mapping[str, Buffer], scalars: Scalars, sizes: Sizes, expected: Mapping[str, Buffer], result: Any
    ) -> Difference | None:
        """Where the second opinion differs."""
        assert self.opinion is not None
        second = {name: _copy(buffer) for name, buffer in buffers.items()}
        self.calling("compiler", sizes)
        other = _call(self.signature, self.opinion.function, second, scalars)
        return _compare(self.signature, sizes, expected, second, (result, other), exact=True)

    def _difference(
        self, buffers: Mapping[str, Buffer], scalars: Scalars, sizes: Sizes, expected: Mapping[str, Buffer], result: Any
    ) -> tuple[Difference | None, int]:
        """Where the tested function differs, and the greatest distance of floating-point numbers."""
        assert self.tested is not None
        found, stored = {name: _copy(buffer) for name, buffer in buffers.items()}, self.storages
        passed = {name: stored_buffer(stored[name], b, sizes) if name in stored else b for name, b in found.items()}
        self.calling("kernel", sizes)
        results = result, _call(self.signature, self.tested, passed, scalars)
        for name in stored.keys() & found.keys():
            if not take_back(stored[name], passed[name], found[name], sizes):
                where = f"memory beside '{name}' or its padding"
                return Difference(sizes, where, None, "unchanged", "overwritten"), 0
        ulps = _distance(self.signature, expected, found, results)
        return _compare(self.signature, sizes, expected, found, results, self.exact), ulps


def verify(comparer: Comparer, sizes: Sequence[Sizes]) -> Verification:
    """One run for each of the sizes, up to the first difference. Raises UnknownLength."""
    elements, ulps, left_out, why = 0, 0, 0, ""
    compiler = None if comparer.opinion is None else comparer.opinion.called
    for run, values in enumerate(sizes):
        found = comparer.compare(run, values)
        elements, ulps = elements + found.elements, max(ulps, found.ulps)
        left_out, why = left_out + bool(found.undefined), why or found.undefined
        if found.difference is not None or found.doubt is not None:
            return replace(found, runs=run + 1, elements=elements, ulps=ulps, compiler=compiler)
    return Verification(len(sizes), elements, None, ulps, None, compiler, left_out=left_out, undefined=why)


def _distance(
    signature: Signature, expected: Mapping[str, Buffer], found: Mapping[str, Buffer], results: tuple[Any, Any]
) -> int:
    """The greatest distance between two floating-point numbers."""
    pairs = [
        (left, right)
        for name in expected
        for (_, left), (_, right) in zip(columns(expected[name].elements), columns(found[name].elements), strict=True)
    ]
    pairs += [] if results[0] is None else [_as_returned(signature, results)]
    return max((greatest_distance(*pair) for pair in pairs), default=0)


def default_sizes(
    signature: Signature,
    reaches: Reaches,
    steps: Sequence[int],
    fixed: Sizes,
    accept: Callable[[Sizes], bool] = lambda _: True,
    iterations: Callable[[Sizes], int | None] = lambda _: None,
) -> tuple[Sizes, ...]:
    """Sizes from which trip counts take the residues of brush and tiles, the `steps`, from very small ones to two steps and more.

    The size arguments take the values 0, 1, 2, ... in different orders, so that residues meet in many combinations. Where
    all of them large at once would take too much memory, or too many `iterations`, one at a time is. `fixed` sizes stay as they
    are; sizes that `accept` turns down are left out. Where arrays of any sizes take more memory than that, there are a few all
    the same. Raises UnknownLength.
    """

    def fits(sizes: Sizes) -> bool:
        all_sizes = {**fixed, **sizes}
        return _elements(signature, reaches, all_sizes) <= MAX_ELEMENTS and (iterations(all_sizes) or 0) <= MAX_ITERATIONS

    names = sorted(signature.sizes - fixed.keys())
    if not names:
        return (dict(fixed),) * 4
    widest, *others = sorted((1, *steps), reverse=True)
    span, short = 2 * widest + 6, 2 * max(others, default=1) + 6
    candidates = [dict.fromkeys(names, size) for size in range(4)] + _mixed(dict.fromkeys(names, span))
    candidates = [sizes for sizes in candidates if accept({**fixed, **sizes})]
    chosen = [sizes for sizes in candidates if fits(sizes)]
    for others_span in (short, SMALL):
        if len(chosen) < len(candidates):
            one_long = [sizes for name in names for sizes in _mixed({**dict.fromkeys(names, others_span), name: span})]
            chosen += [sizes for sizes in one_long if accept({**fixed, **sizes}) and fits(sizes) and sizes not in chosen]
    return tuple({**fixed, **values} for values in chosen or candidates[:FEW])


def _mixed(spans: Mapping[str, int]) -> list[dict[str, int]]:
    """Values below their spans, each in an order of its own."""
    longest = max(spans.values())
    runs = range(longest) if longest <= MAX_RUNS else [round(k * (longest - 1) / (MAX_RUNS - 1)) for k in range(MAX_RUNS)]
    found = []
    for run in runs:
        sizes = {}
        for shift, (name, span) in enumerate(spans.items()):
            # multiplying by a number that is coprime to the span permutes its values
            factors = [factor for factor in (1, 5, 7, 11, 13, 17) if math.gcd(factor, span) == 1]
            sizes[name] = (run * factors[shift % len(factors)] + shift) % span
        found.append(sizes)
    return found


def _elements(signature: Signature, reaches: Reaches, sizes: Sizes) -> int:
    return sum(lengths(signature, reaches, sizes).values())


def _copy(buffer: Buffer) -> Buffer:
    """The same contents at an address that is the same relative to a cache line."""
    raw = np.empty(buffer.raw.size + LINE, dtype=np.uint8)
    shift = (int(buffer.raw.ctypes.data) - int(raw.ctypes.data)) % LINE
    aligned = raw[shift : shift + buffer.raw.size]
    aligned[:] = buffer.raw
    inside = aligned[buffer.start : buffer.start + buffer.elements.nbytes]
    return Buffer(aligned, buffer.start, inside.view(buffer.elements.dtype), buffer.origin)


def _call(signature: Signature, function: NativeFunction, buffers: Mapping[str, Buffer], scalars: Scalars) -> Any:
    return function(*(buffers[a.name].address if isinstance(a, ArrayArgument) else scalars[a.name] for a in signature.arguments))


def _compare(
    signature: Signature, sizes: Sizes, expected: Mapping[str, Buffer], found: Mapping[str, Buffer], results: tuple[Any, Any],
    exact: bool,
) -> Difference | None:  # fmt: skip
    for array in signature.arrays:
        wanted, got = expected[array.name], found[array.name]
        for (member, left), (_, right) in zip(columns(wanted.elements), columns(got.elements), strict=True):
            position = _first_difference(left, right) if exact or left.dtype.kind != "f" else None
            if position is not None:
                index = _index(array, sizes, position - wanted.origin)
                texts = [repr(numbers[position].item()) for numbers in (left, right)]
                name = f"{member} of {array.name}" if member else array.name
                return Difference(sizes, name, index, *texts)
        if not got.guards_intact():
            return Difference(sizes, f"memory beside '{array.name}'", None, "unchanged", "overwritten")
    compared = exact or not isinstance(results[0], float)
    if compared and results[0] is not None and _first_difference(np.array([results[0]]), np.array([results[1]])) is not None:
        return Difference(sizes, f"the result of {signature.name}()", None, repr(results[0]), repr(results[1]))
    return None


def columns(elements: Array) -> list[tuple[str, Array]]:
    """The numbers of an array: its elements, or each scalar of structs by its name."""
    names = elements.dtype.names
    return [("", elements)] if names is None else [(name, elements[name]) for name in names]


def _as_returned(signature: Signature, results: tuple[Any, Any]) -> tuple[Array, Array]:
    """The results in the type that the C function returns; Python widens a `float`."""
    dtype = np.float32 if signature.result == F32 else None
    return np.array([results[0]], dtype), np.array([results[1]], dtype)


def _first_difference(expected: Array, found: Array) -> int | None:
    width = expected.dtype.itemsize
    different = expected.view(f"u{width}") != found.view(f"u{width}")
    if expected.dtype.kind == "f":
        different &= ~(np.isnan(expected) & np.isnan(found))
    return int(np.argmax(different)) if different.any() else None


def _index(array: ArrayArgument, sizes: Sizes, position: int) -> tuple[int, ...]:
    index: list[int] = []
    for extent in reversed(array.inner_extents):
        position, remainder = divmod(position, max(1, extent.valued(sizes)))
        index.insert(0, remainder)
    return (position, *index)
