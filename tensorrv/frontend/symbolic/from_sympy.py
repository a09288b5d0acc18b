"""sympy's assignments as programs: which arrays and sizes there are, and where their elements are read and written."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import sympy
from sympy.codegen.ast import Assignment

from tensorrv.frontend.symbolic.boxes import Boundary, Reach
from tensorrv.frontend.symbolic.coefficients import Coefficients
from tensorrv.frontend.symbolic.equations import assignments_of, temporaries
from tensorrv.frontend.symbolic.formula import FormulaPrinter
from tensorrv.frontend.symbolic.names import check_names, check_ranges
from tensorrv.frontend.symbolic.outside import check_inside
from tensorrv.frontend.symbolic.program import Array, Element, Program, Statement
from tensorrv.frontend.symbolic.subscripts import index_text, length_text

Bounds = tuple[sympy.Expr, sympy.Expr]


@dataclass(frozen=True, slots=True)
class _Loops:
    """The indices, outermost loop first, with their bounds."""

    bounds: Mapping[sympy.Expr, Bounds]

    @property
    def indices(self) -> tuple[sympy.Expr, ...]:
        return tuple(self.bounds)

    def named_length(self, index: sympy.Expr) -> sympy.Expr | None:
        """The one name in the upper bound of the loop whose index occurs in a subscript: the array's length, by custom."""
        used = [own for own in self.bounds if index.has(own)]
        names = sorted(self.bounds[used[0]][1].free_symbols, key=str) if len(used) == 1 else []
        return names[0] if len(names) == 1 else None


def program_of(
    equations: Sequence[Any],
    ranges: Mapping[Any, tuple[Any, Any]] | None,
    *,
    element: str,
    simplify: bool,
    boundary: Boundary,
    outside: str,
    name: str,
) -> Program:
    """The program of sympy's assignments. Raises ValueError with the part that cannot be expressed."""
    assignments = assignments_of(equations)
    if not any(isinstance(a.lhs, sympy.Indexed) for a in assignments):
        raise ValueError("there is no assignment")
    own = temporaries(assignments)
    loops = _loops(assignments, ranges)
    bounds = [part for index, pair in loops.bounds.items() for part in (index, *pair)]
    check_names([*bounds, *(side for a in assignments for side in (a.lhs, a.rhs))])
    elements = [e for a in assignments for e in (*_read(a.rhs), *_read(a.lhs))]
    bases = dict.fromkeys(element.base for element in elements)
    shapes = {base: _shape(base, [e for e in elements if e.base == base], loops) for base in bases}
    written = {a.lhs.base for a in assignments if isinstance(a.lhs, sympy.Indexed)}
    order = sorted(shapes, key=lambda base: base in written)
    lengths = [length for base in order for length in shapes[base]]
    sizes = _names([*(b for pair in loops.bounds.values() for b in pair), *lengths], set(loops.indices))
    check_ranges(elements, [a.rhs for a in assignments], {*loops.indices, *sizes})
    if boundary == "leave":
        check_inside(assignments, shapes, loops.bounds)
    numbers = _names([a.rhs for a in assignments], {*loops.indices, *sizes, *(base.label for base in shapes), *own})
    varying = {*map(str, loops.indices), *map(str, own)}
    taken = {str(symbol) for a in assignments for symbol in (*a.lhs.free_symbols, *a.rhs.free_symbols)} | set(map(str, sizes))
    constants = Coefficients(lambda part: not part.is_Symbol or str(part) in varying, partial(_unused, taken))
    if simplify:
        assignments = tuple(Assignment(a.lhs, constants.simplified(a.rhs)) for a in assignments)
    counters = tuple(str(index_text(index)) for index in loops.indices)
    program = Program(
        name=name,
        arrays=tuple(Array(str(b.label), tuple(map(length_text, shapes[b])), element, b in written) for b in order),
        sizes=tuple(map(str, sizes)),
        scalars=tuple((str(number), element) for number in numbers),
        counters=counters,
        ranges=tuple((index_text(low), index_text(high)) for low, high in loops.bounds.values()),
        statements=tuple(_statement(a, loops, {*counters, *map(str, sizes)}, single=element == "float") for a in assignments),
        outside=outside,
        constants=tuple((str(c), _number_text(value, set(map(str, sizes)), element)) for value, c in constants.constants.items()),
        type=element,
    )
    return program if boundary == "leave" else _with_boundary(program, boundary, elements, loops)


def _unused(taken: set[str]) -> sympy.Symbol:
    """A new name for a constant."""
    name = next(name for k in itertools.count() if (name := f"c{k}") not in taken)
    taken.add(name)
    return sympy.Symbol(name)


def _number_text(value: sympy.Expr, integers: Collection[str], element: str) -> str:
    return FormulaPrinter(element == "float", integers, str).value(value)


def _loops(assignments: Sequence[Any], ranges: Mapping[Any, tuple[Any, Any]] | None) -> _Loops:
    if ranges is not None:
        return _given_loops(ranges)
    found: dict[sympy.Expr, Bounds] = {}
    targets = [a.lhs for a in assignments if isinstance(a.lhs, sympy.Indexed)]
    for index in (i for target in targets for subscript in target.indices for i in sorted(subscript.atoms(sympy.Idx), key=str)):
        if index.lower is None or index.upper is None:
            raise ValueError(f"index '{index}' has no range; give it one, or pass ranges=")
        found[index] = (index.lower, index.upper + 1)
    if not found:
        raise ValueError("the assignments have no Idx with a range; pass ranges={index: (first, behind the last)}")
    return _Loops(found)


def _given_loops(ranges: Mapping[Any, tuple[Any, Any]]) -> _Loops:
    try:
        pairs = dict(ranges)
        given = {index: (sympy.sympify(low), sympy.sympify(high)) for index, (low, high) in pairs.items()}
    except (TypeError, ValueError):
        raise ValueError(f"ranges is a dictionary of {{index: (first, behind the last)}}, not {ranges!r}") from None
    for index in given:
        if not isinstance(index, (sympy.Idx, sympy.Symbol)):
            raise ValueError(f"{index!r} in ranges is not an index, an Idx or a Symbol")
    return _Loops(given)


def _read(expr: sympy.Expr) -> list[sympy.Indexed]:
    """The elements that an expression reads, in the order in which it is written."""
    if isinstance(expr, sympy.Indexed):
        return [expr]
    arguments = expr.as_ordered_terms() if expr.is_Add else expr.args
    return [element for argument in arguments for element in _read(argument)]


def _shape(base: sympy.IndexedBase, elements: Sequence[sympy.Indexed], loops: _Loops) -> tuple[sympy.Expr, ...]:
    if base.shape is not None:
        return tuple(base.shape)
    ranks = {len(element.indices) for element in elements}
    if len(ranks) > 1:
        raise ValueError(f"'{base}' is used with different numbers of subscripts")
    lengths: list[sympy.Expr] = []
    for d in range(ranks.pop()):
        named = {loops.named_length(element.indices[d]) for element in elements}
        length = named.pop() if len(named) == 1 else None
        if length is None:
            raise ValueError(f"the length of dimension {d} of '{base}' is not known; give IndexedBase('{base}', shape=...)")
        lengths.append(length)
    return tuple(lengths)


def _names(expressions: Sequence[sympy.Expr], others: set[sympy.Expr]) -> tuple[sympy.Symbol, ...]:
    """The symbols in expressions, in order of appearance, without those of arrays, indices and `others`."""
    known = {str(other) for other in others}
    found: dict[str, sympy.Symbol] = {}
    for expression in expressions:
        arrays = {str(base.label) for base in expression.atoms(sympy.IndexedBase)}
        for symbol in sorted(expression.free_symbols, key=str):
            if symbol.is_Symbol and str(symbol) not in known | arrays:
                found.setdefault(str(symbol), symbol)
    return tuple(found.values())


def _statement(assignment: Any, loops: _Loops, integers: Collection[str], *, single: bool) -> Statement:
    def text(read: Callable[[Element], str]) -> str:
        return FormulaPrinter(single, integers, lambda indexed: read(_element(indexed, loops))).value(assignment.rhs)

    if isinstance(assignment.lhs, sympy.Symbol):
        return Statement(Element(str(assignment.lhs), ()), text)
    return Statement(_element(assignment.lhs, loops), text)


def _element(indexed: sympy.Indexed, loops: _Loops) -> Element:
    offsets: tuple[int, ...] | None = None
    if len(indexed.indices) == len(loops.indices):
        distances = [sympy.expand(own - index) for own, index in zip(indexed.indices, loops.indices, strict=True)]
        offsets = tuple(map(int, distances)) if all(d.is_Integer for d in distances) else None
    return Element(str(indexed.base.label), tuple(map(index_text, indexed.indices)), offsets)


def _with_boundary(program: Program, boundary: Boundary, elements: Sequence[sympy.Indexed], loops: _Loops) -> Program:
    """The program over all points of its arrays, which have one shape."""
    offsets: list[tuple[int, ...]] = []
    for indexed in elements:
        distance = _element(indexed, loops).offsets
        if distance is None:
            raise ValueError(f"boundary='{boundary}' needs elements at constant distances from the point, unlike {indexed}")
        offsets.append(distance)
    targets = {statement.target.array for statement in program.statements if not statement.is_temporary}
    if any(any(o) for indexed, o in zip(elements, offsets, strict=True) if str(indexed.base.label) in targets):
        raise ValueError(f"boundary='{boundary}' needs arrays that are written to be used at the point itself only")
    if len({array.extents for array in program.arrays}) > 1:
        raise ValueError(f"boundary='{boundary}' needs arrays of one shape")
    rank = len(program.counters)
    reaches = tuple(Reach(max(0, *(-o[d] for o in offsets)), max(0, *(o[d] for o in offsets))) for d in range(rank))
    return replace(program, boundary=boundary, reaches=reaches, lengths=program.arrays[0].extents)
