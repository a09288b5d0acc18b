"""Clauses of pragmas before loops and functions, checked against the variables that they list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.pragmas.clause_values import expression, positive, refuse_at, variable
from tensorrv.frontend.c.pragmas.text import Clause, Directive, Piece
from tensorrv.frontend.c.types.c_types import ArrayC, CType, FloatingC, IntegerC, PointerC, innermost, spell

_REDUCTIONS: Final = frozenset({"+", "-", "*", "&", "|", "^", "&&", "||", "min", "max"})
_INTEGER_REDUCTIONS: Final = frozenset({"&", "|", "^"})


def check_clauses(a: Analysis, node: Any, directive: Directive) -> None:
    """Refuses wrong clauses."""
    for clause in directive.clauses:
        _CHECKS.get(clause.name, _no_check)(a, node, clause)


def reduces_plain(a: Analysis, node: Any, clause: Clause) -> bool:
    """Whether numbers are reduced by an operator of the language: then the statements contain it."""
    plain = not any("[" in item.text for item in clause.items) and clause.modifier in _REDUCTIONS
    return plain and all(isinstance(_type(a, node, clause, item), IntegerC | FloatingC) for item in clause.items)


def _type(a: Analysis, node: Any, clause: Clause, item: Piece) -> CType | None:
    found = variable(a, node, item)
    return None if found is None else found.type


def _check_reduction(a: Analysis, node: Any, clause: Clause) -> None:
    """An operator that the language has for these types, or one that the program declares."""
    if clause.modifier in a.reductions:
        return
    if clause.modifier not in _REDUCTIONS:
        names = ", ".join(sorted(_REDUCTIONS))
        message = f"'{clause.modifier}' is not an operator of reductions" if clause.modifier else "a reduction needs an operator"
        hint = f"write reduction(+: x) with one of {names}, or one that `omp declare reduction` declares before"
        refuse_at(a, node, message, clause.whole, "here", hint)
    allowed: tuple[type, ...] = (IntegerC,) if clause.modifier in _INTEGER_REDUCTIONS else (IntegerC, FloatingC)
    for item in clause.items:
        type_ = None if "[" in item.text else _type(a, node, clause, item)
        if type_ is not None and not isinstance(innermost(type_), allowed):
            message = f"'{clause.modifier}' does not reduce a '{spell(type_)}'"
            refuse_at(a, node, message, item, f"this is a '{spell(type_)}'")


def check_linear(a: Analysis, node: Any, clause: Clause) -> None:
    """Integers and pointers that move by an integer step in every iteration."""
    for item in clause.items:
        type_ = _type(a, node, clause, item)
        if type_ is not None and not isinstance(type_, IntegerC | PointerC):
            refuse_at(a, node, f"'{item.text}' cannot be linear", item, f"this is a '{spell(type_)}'")
    if clause.tail is not None and not isinstance(expression(a, node, clause.tail).type, IntegerC):
        refuse_at(a, node, "the step of 'linear' must be an integer", clause.tail, "not an integer")


def check_aligned(a: Analysis, node: Any, clause: Clause) -> int | None:
    """Pointers, and the alignment in bytes if one is given: a power of two."""
    for item in clause.items:
        type_ = _type(a, node, clause, item)
        if type_ is not None and not isinstance(type_, PointerC | ArrayC):
            refuse_at(a, node, f"'{item.text}' is not a pointer or an array", item, f"this is a '{spell(type_)}'")
    if clause.tail is None:
        return None
    bytes_ = positive(a, node, clause, clause.tail)
    if bytes_ & (bytes_ - 1):
        refuse_at(a, node, "an alignment is a power of two", clause.tail, f"{bytes_} is not")
    return bytes_


def _check_names(a: Analysis, node: Any, clause: Clause) -> None:
    for item in clause.items:
        variable(a, node, item)


def _check_order(a: Analysis, node: Any, clause: Clause) -> None:
    if [item.text for item in clause.items] != ["concurrent"]:
        refuse_at(a, node, "'order' takes 'concurrent'", clause.whole, "not an order")


def _check_alignments(a: Analysis, node: Any, clause: Clause) -> None:
    check_aligned(a, node, clause)


def _no_check(a: Analysis, node: Any, clause: Clause) -> None:
    pass


_CHECKS: Final[dict[str, Callable[[Analysis, Any, Clause], None]]] = {
    "reduction": _check_reduction,
    "linear": check_linear,
    "aligned": _check_alignments,
    "order": _check_order,
    **dict.fromkeys(("private", "firstprivate", "lastprivate", "shared", "nontemporal"), _check_names),
}
