"""Kernels that are given by formulas: `trv.from_sympy` and `trv.stencil`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import copysign
from operator import index
from typing import Any

from tensorrv.api.formula_kernel import FormulaKernel
from tensorrv.frontend.symbolic.boxes import BOUNDARIES, Boundary, Reach
from tensorrv.frontend.symbolic.c_names import checked_function
from tensorrv.frontend.symbolic.c_numbers import any_number_text, number_text
from tensorrv.frontend.symbolic.program import Array, Element, Program, Statement, program_text

Weights = Mapping[tuple[int, ...] | int, float]
Ranges = Mapping[Any, tuple[Any, Any]]

OFFSETS = "the offsets of a stencil are tuples of integers, all of one length of at least 1"

C_TYPES = {"float64": "double", "float32": "float"}


def stencil(
    weights: Weights, dtype: Any = "float64", *, boundary: Boundary = "leave", outside: float = 0.0, name: str = "stencil"
) -> FormulaKernel:
    """The kernel `B[x] = sum of weight * A[x + offset]`, summed in the order of `weights`.

    Offsets are tuples of one length, outermost dimension first (an integer for one dimension). `boundary` defines A
    outside: "leave" computes no point that needs it; "constant" is `outside` everywhere, "periodic" repeats A,
    "reflect" mirrors it so that the elements at the edge occur twice, "nearest" repeats the elements at the edge.
    Raises ValueError, or TypeError for weights that are no dictionary of real numbers.

    >>> print(stencil({(0, -1): 0.5, (0, 1): 0.5}, name="mean").c)
    #include <math.h>
    <BLANKLINE>
    void mean(int n0, int n1, const double A[restrict n0][n1], double B[restrict n0][n1])
    {
        for (int j = 0; j < n0; ++j)
            for (int i = 1; i < n1 - 1; ++i)
                B[j][i] = 0.5 * A[j][i - 1] + 0.5 * A[j][i + 1];
    }
    <BLANKLINE>
    """
    points = {_offsets(key): _weight(weight) for key, weight in _weights(weights).items()}
    if len(points) < len(weights):
        raise ValueError("an offset of a stencil has two weights")
    rank = len(next(iter(points), ()))
    if not rank or any(len(point) != rank for point in points):
        raise ValueError(OFFSETS)
    element = _element_type(dtype)
    counters = ("i",) if rank == 1 else ("j", "i") if rank == 2 else ("k", "j", "i") if rank == 3 else _numbered("i", rank)
    lengths = _numbered("n", rank)
    terms = [(weight, _shifted("A", counters, point)) for point, weight in points.items()]
    reaches = tuple(Reach(max(0, *(-p[d] for p in points)), max(0, *(p[d] for p in points))) for d in range(rank))
    program = Program(
        name=checked_function(name),
        arrays=(Array("A", lengths, element, False), Array("B", lengths, element, True)),
        sizes=lengths,
        scalars=(),
        counters=counters,
        ranges=tuple((str(r.below), f"{n} - {r.above}" if r.above else n) for n, r in zip(lengths, reaches, strict=True)),
        statements=(Statement(Element("B", counters), _weighted_sum(terms, element)),),
        boundary=_checked(boundary),
        reaches=reaches,
        lengths=lengths,
        outside=any_number_text(outside, element),
    )
    return FormulaKernel(program.name, program_text(program))


def _weights(weights: Any) -> Mapping[Any, Any]:
    if not isinstance(weights, Mapping):
        kind = type(weights).__name__
        raise TypeError(f"the weights of a stencil are a dictionary such as {{(0, -1): 0.5, (0, 1): 0.5}}, not of type {kind}")
    return weights


def _weight(weight: Any) -> float:
    try:
        return float(weight)
    except (TypeError, ValueError):
        raise TypeError(f"the weights of a stencil are real numbers, unlike {weight!r}") from None


def _offsets(key: Any) -> tuple[int, ...]:
    """The key of a weight: integers of any kind, NumPy's as well."""
    try:
        return tuple(map(index, key if isinstance(key, tuple) else (key,)))
    except TypeError:
        raise ValueError(f"{OFFSETS}, unlike {key!r}") from None


def _weighted_sum(terms: Sequence[tuple[float, Element]], element: str) -> Callable[[Callable[[Element], str]], str]:
    def text(read: Callable[[Element], str]) -> str:
        result = ""
        for weight, point in terms:
            # a factor of 1 changes nothing, and a sign is a sign
            size = read(point) if abs(weight) == 1 else f"{number_text(abs(weight), element)} * {read(point)}"
            negative = copysign(1, weight) < 0  # -0.0 is
            sign = "-" if negative else "+"
            result += (f" {sign} " if result else "-" if negative else "") + size
        return result

    return text


def _shifted(array: str, counters: Sequence[str], offsets: tuple[int, ...]) -> Element:
    indices = tuple(f"{c} {'+' if o > 0 else '-'} {abs(o)}" if o else c for c, o in zip(counters, offsets, strict=True))
    return Element(array, indices, offsets)


def _numbered(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{k}" for k in range(count))


def _checked(boundary: Boundary) -> Boundary:
    if boundary not in BOUNDARIES:
        raise ValueError(f"'{boundary}' is not a boundary mode; choose one of {', '.join(BOUNDARIES)}")
    return boundary


def _element_type(dtype: Any) -> str:
    """The C type of float32 or float64, given in any way that NumPy takes, and meaning what NumPy means. Raises ValueError."""
    if isinstance(dtype, str) and dtype in C_TYPES:  # without importing NumPy
        return C_TYPES[dtype]
    import numpy as np

    try:
        found = np.dtype(dtype)
    except TypeError:
        raise ValueError(f"{dtype!r} is not a type of NumPy's") from None
    if found.name not in C_TYPES or not found.isnative:
        raise ValueError(f"formulas are computed in float32 or float64, not {found}")
    return C_TYPES[found.name]


def from_sympy(
    assignments: Any,
    ranges: Ranges | None = None,
    *,
    dtype: Any = "float64",
    boundary: Boundary = "leave",
    outside: float = 0.0,
    name: str = "kernel",
    simplify: bool = True,
    grid: Mapping[Any, tuple[Any, Any]] | None = None,
    staggered: Mapping[Any, Mapping[Any, Any]] | None = None,
) -> FormulaKernel:
    """The kernel of one or several sympy assignments `B[j, i] <- expression`, executed in order at each point.

    Elements are sympy's `Indexed`; lengths are the `shape` of their `IndexedBase` or, without one, what the loops' upper
    bounds name. `ranges` maps indices to (first, behind the last), outermost loop first; without it the indices are `Idx` with
    ranges of their own. Names that are no index and no length are numbers passed to the kernel. Parameters: lengths, numbers,
    arrays that are only read, arrays that are written. `boundary`: see `stencil`; then every element is read at a constant
    distance from the point that is computed, and all points of the array are computed. Raises ValueError.

    An assignment to a `Symbol` is a temporary of the point; `CodeBlock`, `Eq`, and vector equations between matrices are taken as
    well. `simplify`: in formulas that divide by names which are the same at all points, coefficients are computed once, in front
    of the loops; without it formulas are printed as they are. `grid={y: (j, h), x: (i, h)}` gives coordinates, outermost
    dimension first, their indices and distances: functions `f(x, y)` are arrays, and `Derivative`s central differences.
    `staggered={E: {x: Rational(1, 2)}}`: element `i` of `E` is at `x + h/2`.

    >>> from sympy import Idx, IndexedBase, Rational, symbols
    >>> from sympy.codegen.ast import Assignment
    >>> n, i = symbols("n i", integer=True)
    >>> A, B = IndexedBase("A", shape=(n,)), IndexedBase("B", shape=(n,))
    >>> print(from_sympy(Assignment(B[i], Rational(1, 2) * (A[i - 1] + A[i + 1])), {i: (1, n - 1)}, name="mean"))
    #include <math.h>
    <BLANKLINE>
    void mean(int n, const double A[restrict n], double B[restrict n])
    {
        for (int i = 1; i < n - 1; ++i)
            B[i] = (1.0/2.0)*A[i + 1] + (1.0/2.0)*A[i - 1];
    }
    <BLANKLINE>
    """
    from tensorrv.frontend.symbolic.from_sympy import program_of

    several = assignments if isinstance(assignments, (list, tuple)) else (assignments,)
    element = _element_type(dtype)
    if grid is not None:
        from tensorrv.frontend.symbolic.grid import Grid

        several = tuple(map(Grid(grid, staggered or {}).discrete, several))
    program = program_of(
        tuple(several),
        ranges,
        element=element,
        simplify=simplify,
        boundary=_checked(boundary),
        outside=any_number_text(outside, element),
        name=checked_function(name),
    )
    return FormulaKernel(program.name, program_text(program))
