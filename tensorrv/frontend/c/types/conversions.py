"""Implicit and explicit conversions of typed expressions (C11 6.3, 6.5.16.1, 6.5.4), with the checks that C demands."""

from __future__ import annotations

from typing import Any

from tensorrv.frontend.c.analyse.folding import fold_convert
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import Convert, Expression, Literal, NullPointer
from tensorrv.frontend.c.types.c_types import (
    BOOL,
    VOIDC,
    ArithmeticC,
    CType,
    FloatingC,
    IntegerC,
    PointerC,
    StructC,
    VoidC,
    compatible_targets,
    innermost,
    is_const,
    promote,
    same_type,
    spell,
    unqualified,
)


def convert(value: Expression, type_: CType) -> Expression:
    """`value` as another arithmetic type; no node when it has that type already."""
    type_ = unqualified(type_)
    if value.type == type_:
        return value
    if isinstance(value, Literal):
        folded = fold_convert(type_, value)
        if folded is not None:
            return folded
    return Convert(type_, value, value.span)


def promoted(value: Expression) -> Expression:
    """Integer promotion of an integer; other values as they are."""
    return convert(value, promote(value.type)) if isinstance(value.type, IntegerC) else value


def is_null(value: Expression) -> bool:
    """A null pointer constant: 0, or 0 cast to `void *`."""
    match value:
        case Literal(IntegerC(), 0):
            return True
        case NullPointer(PointerC(VoidC())):
            return True
        case _:
            return False


def assigned(a: Analysis, value: Expression, type_: CType, node: Any, what: str) -> Expression:
    """`value` converted as if by assignment to an object of `type_`; `what` names the place in messages."""
    target = unqualified(type_)
    match target, value.type:
        case (IntegerC() | FloatingC(), IntegerC() | FloatingC()):
            return convert(value, target)
        case (PointerC(), _) if is_null(value):
            return NullPointer(target, value.span)
        case (PointerC(wanted), PointerC(given)) if compatible_targets(wanted, given):
            if is_const(given) and not is_const(wanted):
                a.refuse(
                    "TRV014",
                    f"{what} loses const",
                    node,
                    f"this is a '{spell(value.type)}'",
                    hint=f"declare it '{spell(value.type)}'",
                )
            return value if value.type == target else Convert(target, value, value.span)
        case (IntegerC(name="_Bool"), PointerC()):
            return Convert(BOOL, value, value.span)
        case (StructC(wanted), StructC(given)) if wanted is given:
            return value
        case (VoidC(), _) | (_, VoidC()):
            a.refuse("TRV016", f"{what} needs a value, but this has none", node, "this is void")
        case _:
            a.refuse(
                "TRV016",
                f"{what} has type '{spell(target)}', but the value is a '{spell(value.type)}'",
                node,
                f"this is a '{spell(value.type)}'",
                hint="write a cast if this is intended",
            )


def cast(a: Analysis, value: Expression, type_: CType, node: Any) -> Expression:
    """An explicit conversion."""
    target = unqualified(type_)
    match target, value.type:
        case (VoidC(), _):
            return Convert(VOIDC, value, a.span(node))
        case (IntegerC() | FloatingC(), IntegerC() | FloatingC()):
            return convert(value, target)
        case (IntegerC(name="_Bool"), PointerC()):
            return Convert(BOOL, value, a.span(node))
        case (PointerC(), _) if is_null(value):
            return NullPointer(target, value.span)
        case (PointerC(wanted), PointerC(given)):
            _check_reinterpretation(a, wanted, given, node)
            return Convert(target, value, a.span(node))
        case (PointerC(), IntegerC()) | (IntegerC(), PointerC()):
            a.give_up("TRV043", "conversions between pointers and integers are not supported", node, "this cast")
        case _:
            a.refuse("TRV012", f"a '{spell(value.type)}' cannot be cast to '{spell(target)}'", node, "invalid cast")


def _check_reinterpretation(a: Analysis, wanted: CType, given: CType, node: Any) -> None:
    to, source = innermost(wanted), innermost(given)
    if not isinstance(to, VoidC) and not isinstance(source, VoidC) and not _same_layout(to, source):
        a.give_up(
            "TRV043",
            f"a cast from '{spell(PointerC(given))}' to '{spell(PointerC(wanted))}' reinterprets memory",
            node,
            "elements would change their type",
            hint="cast the values instead of the pointer, or copy the bits of one number with memcpy",
        )
    if is_const(given) and not is_const(wanted):
        a.give_up(
            "TRV014",
            "this cast removes const from what the pointer points to",
            node,
            "const is lost here",
            hint="drop const from the parameter if the function writes through it",
        )


def _same_layout(left: CType, right: CType) -> bool:
    if isinstance(left, IntegerC) and isinstance(right, IntegerC):
        return left.bits == right.bits and (left.rank == 0) == (right.rank == 0)
    return same_type(left, right)


def arithmetic(value: Expression) -> ArithmeticC | None:
    """The type of a value that is a number."""
    return value.type if isinstance(value.type, IntegerC | FloatingC) else None
