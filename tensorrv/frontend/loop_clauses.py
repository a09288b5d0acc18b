"""What pragmas before a loop say about it (OpenMP 5.2, sections 10.4 and 5.4 to 5.5).

The loop's header carries promises as text, in one spelling: "omp simd simdlen(8) safelen(4) nontemporal(a b) aligned(a:64)",
"omp parallel for", "ivdep", "novector". Clauses that need no more than the program itself are checked and left out: in a
`reduction`, a `linear` or a `lastprivate` variable the statements say what happens, and analyses find it there. A promise that
does not hold always is left out as a whole: `ordered`, `if` with a condition that is not known here, a reduction of array
sections.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tensorrv.frontend.analysis import Analysis
from tensorrv.frontend.c_types import FloatingC, IntegerC, PointerC, spell
from tensorrv.frontend.clause_values import expression, only_number, positive, read_pragma, refuse_at, variable
from tensorrv.frontend.pragmas import Clause, Directive, LoopPragma
from tensorrv.frontend.tree import Literal

_REDUCTIONS: Final = frozenset({"+", "-", "*", "&", "|", "^", "&&", "||", "min", "max"})
_INTEGER_REDUCTIONS: Final = frozenset({"&", "|", "^"})


def loop_pragma(a: Analysis, node: Any) -> LoopPragma | None:
    """What a pragma says about the loop that follows; None when it says nothing about loops. Refuses wrong clauses."""
    directive = read_pragma(a, node)
    if directive is None or directive.words[0] == "declare":
        return None
    if directive.words in (("ivdep",), ("novector",)):
        return LoopPragma(directive.words, node=node)
    keeps = [_check(a, node, clause) for clause in directive.clauses]
    names = [name for name, words in (("omp parallel for", "for"), ("omp simd", "simd")) if words in directive.words]
    collapse = _number(a, node, directive, "collapse") or 1
    private = tuple(item.text for clause in directive.all("private") for item in clause.items)
    if not all(keeps):
        return LoopPragma((), (), collapse, private, node)
    simdlen, safelen = _number(a, node, directive, "simdlen"), _number(a, node, directive, "safelen")
    if simdlen is not None and safelen is not None and simdlen > safelen:
        whole = directive.all("simdlen")[0].whole
        refuse_at(a, node, "'simdlen' wants more than 'safelen' allows", whole, f"more than {safelen}")
    sizes = [f"{name}({n})" for name, n in (("simdlen", simdlen), ("safelen", safelen)) if n is not None]
    around = [item.text for clause in directive.all("nontemporal") for item in clause.items]
    sizes += [f"nontemporal({' '.join(around)})"] if around else []
    known = [(clause, check_aligned(a, node, clause)) for clause in directive.all("aligned")]
    aligned = [f"{item.text}:{bytes_}" for clause, bytes_ in known if bytes_ is not None for item in clause.items]
    sizes += [f"aligned({' '.join(aligned)})"] if aligned else []
    texts = tuple(" ".join((name, *sizes)) if name == "omp simd" else name for name in names)
    if collapse == 1:
        return LoopPragma(texts, (), 1, private, node)
    # lanes along an outer loop are whole rows apart, and rows may have any length
    outer = tuple(name for name in names if name != "omp simd" or not directive.all("safelen"))
    return LoopPragma(outer, texts, collapse, private, node)


def _number(a: Analysis, node: Any, directive: Directive, name: str) -> int | None:
    clauses = directive.all(name)
    if len(clauses) > 1:
        refuse_at(a, node, f"'{name}' is given twice", clauses[1].whole, "a second time")
    return only_number(a, node, clauses[0]) if clauses else None


def _check(a: Analysis, node: Any, clause: Clause) -> bool:
    """Whether the directive's promise holds with this clause; refuses a wrong one."""
    match clause.name:
        case "reduction":
            return _reduction(a, node, clause)
        case "linear":
            check_linear(a, node, clause)
        case "aligned":
            check_aligned(a, node, clause)
        case "private" | "lastprivate" | "firstprivate" | "shared" | "nontemporal":
            for item in clause.items:
                variable(a, node, item)
        case "if":
            return _holds(a, node, clause)
        case "order":
            if [item.text for item in clause.items] != ["concurrent"]:
                refuse_at(a, node, "'order' takes 'concurrent'", clause.whole, "not an order")
        case "ordered":
            return False
        case _:
            pass
    return True


def _reduction(a: Analysis, node: Any, clause: Clause) -> bool:
    if clause.modifier not in _REDUCTIONS:
        names = ", ".join(sorted(_REDUCTIONS))
        message = f"'{clause.modifier}' is not an operator of reductions" if clause.modifier else "a reduction needs an operator"
        refuse_at(a, node, message, clause.whole, "here", f"write reduction(+: x) with one of {names}")
    sections = [item for item in clause.items if "[" in item.text]
    for item in clause.items:
        if item in sections:
            continue
        type_ = variable(a, node, item).type
        allowed: tuple[type, ...] = (IntegerC,) if clause.modifier in _INTEGER_REDUCTIONS else (IntegerC, FloatingC)
        if not isinstance(type_, allowed):
            message = f"'{clause.modifier}' does not reduce a '{spell(type_)}'"
            refuse_at(a, node, message, item, f"this is a '{spell(type_)}'")
    return not sections


def check_linear(a: Analysis, node: Any, clause: Clause) -> None:
    """Integers and pointers that move by an integer step in every iteration."""
    for item in clause.items:
        type_ = variable(a, node, item).type
        if not isinstance(type_, IntegerC | PointerC):
            refuse_at(a, node, f"'{item.text}' cannot be linear", item, f"this is a '{spell(type_)}'")
    if clause.tail is not None and not isinstance(expression(a, node, clause.tail).type, IntegerC):
        refuse_at(a, node, "the step of 'linear' must be an integer", clause.tail, "not an integer")


def check_aligned(a: Analysis, node: Any, clause: Clause) -> int | None:
    """Pointers, and the alignment in bytes if one is given: a power of two."""
    for item in clause.items:
        type_ = variable(a, node, item).type
        if not isinstance(type_, PointerC):
            refuse_at(a, node, f"'{item.text}' is not a pointer or an array", item, f"this is a '{spell(type_)}'")
    if clause.tail is None:
        return None
    bytes_ = positive(a, node, clause, clause.tail)
    if bytes_ & (bytes_ - 1):
        refuse_at(a, node, "an alignment is a power of two", clause.tail, f"{bytes_} is none")
    return bytes_


def _holds(a: Analysis, node: Any, clause: Clause) -> bool:
    """Whether the condition of an `if` clause is known to hold; one for another directive of the pragma counts as known."""
    if clause.modifier not in ("", "simd"):
        return True
    condition = expression(a, node, clause.items[0])
    return isinstance(condition, Literal) and condition.value != 0


def texts_of(pragmas: Sequence[LoopPragma]) -> tuple[str, ...]:
    """The promises of several pragmas, each once."""
    return tuple(dict.fromkeys(text for pragma in pragmas for text in pragma.texts))
