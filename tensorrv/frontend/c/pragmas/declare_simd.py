"""`#pragma omp declare simd` before a function, checked against its parameters (OpenMP 5.2, section 7.7)."""

from __future__ import annotations

from typing import Any

from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.pragmas.clause_checks import check_aligned, check_linear
from tensorrv.frontend.c.pragmas.clause_values import expression, only_number, read_pragma, refuse_at, variable
from tensorrv.frontend.c.pragmas.text import Clause, Directive, Piece
from tensorrv.frontend.c.tree.nodes import Literal
from tensorrv.frontend.c.types.c_types import IntegerC
from tensorrv.unit.simd_declaration import SimdDeclaration


def declare_simd(a: Analysis, node: Any) -> SimdDeclaration | None:
    """The meaning of a pragma before a function; None for other pragmas. The function's parameters are in scope.

    Refuses wrong clauses. Alignments without a number add nothing to the type's.
    """
    directive = read_pragma(a, node)
    if directive is None or directive.words != ("declare", "simd"):
        return None
    uniform = [item for clause in directive.all("uniform") for item in clause.items]
    for item in uniform:
        variable(a, node, item)
    names = tuple(item.text for item in uniform)
    linear = tuple(found for clause in directive.all("linear") for found in _linear(a, node, clause, names))
    _each_once(a, node, [*uniform, *(item for clause in directive.all("linear") for item in clause.items)])
    aligned = tuple(found for clause in directive.all("aligned") for found in _aligned(a, node, clause))
    lengths = directive.all("simdlen")
    if len(lengths) > 1:
        refuse_at(a, node, "'simdlen' is given twice", lengths[1].whole, "a second time")
    simdlen = only_number(a, node, lengths[0]) if lengths else None
    return SimdDeclaration(names, linear, aligned, simdlen, _inbranch(a, node, directive))


def _linear(a: Analysis, node: Any, clause: Clause, uniform: tuple[str, ...]) -> list[tuple[str, int | str]]:
    check_linear(a, node, clause)
    if clause.modifier in ("ref", "uval"):
        message = f"'{clause.modifier}' is for references, which C does not have"
        refuse_at(a, node, message, clause.whole, "not in C", "write linear(x: step)")
    step = 1 if clause.tail is None else _step(a, node, clause.tail, uniform)
    return [(item.text, step) for item in clause.items]


def _step(a: Analysis, node: Any, piece: Piece, uniform: tuple[str, ...]) -> int | str:
    value = expression(a, node, piece)
    if isinstance(value, Literal) and isinstance(value.type, IntegerC) and isinstance(value.value, int):
        return value.value
    if piece.text not in uniform:
        refuse_at(a, node, "the step of 'linear' must be a constant or a uniform parameter", piece, "may differ between lanes")
    return piece.text


def _aligned(a: Analysis, node: Any, clause: Clause) -> list[tuple[str, int]]:
    bytes_ = check_aligned(a, node, clause)
    return [] if bytes_ is None else [(item.text, bytes_) for item in clause.items]


def _inbranch(a: Analysis, node: Any, directive: Directive) -> bool | None:
    given = [clause for clause in directive.clauses if clause.name in ("inbranch", "notinbranch")]
    if len({clause.name for clause in given}) > 1:
        refuse_at(a, node, "'inbranch' and 'notinbranch' exclude each other", given[-1].whole, "contradicts the other one")
    return given[0].name == "inbranch" if given else None


def _each_once(a: Analysis, node: Any, items: list[Piece]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.text in seen:
            refuse_at(a, node, f"'{item.text}' is listed twice", item, "a parameter is either uniform or linear, with one step")
        seen.add(item.text)
