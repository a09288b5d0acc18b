"""Calls of what is built into gcc and clang: `__builtin_...`.

Headers of C libraries and preprocessed programs are full of them. Those that compute something simple are written in C
(`prelude`), those of the C library stand for the function without the prefix, the others are here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from pycparser import c_ast

from rv.ir.libm import signature
from rv.ir.types import F32, F64, I32, I64, Type
from tensorrv.frontend.c.analyse.operators import kept
from tensorrv.frontend.c.analyse.scope import FunctionName, Unusable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import (
    Block,
    Classify,
    ClassifyOp,
    Comma,
    Compare,
    CompareOp,
    Conditional,
    Convert,
    Expression,
    Literal,
    StatementValue,
)
from tensorrv.frontend.c.types import generic
from tensorrv.frontend.c.types.c_types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    ULONG,
    VOIDC,
    CType,
    FloatingC,
    FunctionC,
    PointerC,
    common_type,
    spell,
    unqualified,
)
from tensorrv.frontend.c.types.conversions import arithmetic, convert
from tensorrv.frontend.c.types.declarations import constant_integer, has_effects

PREFIX: Final = "__builtin_"
_CLASSES: Final[dict[str, ClassifyOp]] = {
    "isnan": "nan", "isinf": "infinite", "isinf_sign": "signed infinite", "isfinite": "finite", "finite": "finite",
    "isnormal": "normal", "signbit": "negative",
}  # fmt: skip
_COMPARISONS: Final[dict[str, CompareOp]] = {
    "isgreater": ">", "isgreaterequal": ">=", "isless": "<", "islessequal": "<=",
}  # fmt: skip
_CONSTANTS: Final = {
    "inf": (DOUBLE, math.inf), "inff": (FLOAT, math.inf), "huge_val": (DOUBLE, math.inf), "huge_valf": (FLOAT, math.inf),
    "nan": (DOUBLE, math.nan), "nanf": (FLOAT, math.nan),
}  # fmt: skip
_C_TYPES: Final[dict[Type, CType]] = {F64: DOUBLE, F32: FLOAT, I32: INT, I64: LONG}


def of_compiler(name: str) -> bool:
    """Whether a name is one that compilers reserve for what is built into them."""
    return name.startswith((PREFIX, "__sync_", "__atomic_"))


def library_name(name: str) -> str:
    """The function of the C library that `__builtin_name` stands for."""
    return name.removeprefix(PREFIX)


def library_function(name: str) -> FunctionName | None:
    """A function of libm with its prototype, which compilers declare implicitly."""
    known = signature(name)
    if known is None or name.startswith("__"):
        return None
    result, parameters = known
    return FunctionName(name, FunctionC(_C_TYPES[result], tuple(_C_TYPES[p] for p in parameters)), None)


def built_in_call(a: Analysis, name: str, node: Any) -> Expression | None:
    """What a call of `__builtin_name` computes; None when it is a call of a function."""
    name = library_name(name)
    given = node.args.exprs if node.args is not None else []
    if name in _CONSTANTS:
        type_, value = _CONSTANTS[name]
        return Literal(type_, value, a.span(node))
    if name in _CLASSES or name.removesuffix("f") in _CLASSES:
        return _class_of(a, _CLASSES.get(name) or _CLASSES[name.removesuffix("f")], given, node)
    if name in _COMPARISONS or name in ("isunordered", "islessgreater"):
        return _comparison(a, name, given, node)
    special = _SPECIAL.get(name)
    return None if special is None else special(a, given, node)


def _arguments(a: Analysis, given: list[Any], wanted: int, node: Any) -> list[Expression]:
    if len(given) != wanted:
        count = f"{wanted} argument{'s' * (wanted != 1)}, but {len(given)} {'is' if len(given) == 1 else 'are'} given"
        a.refuse("TRV015", f"this takes {count}", node, "wrong number of arguments")
    return [a.expression(a, argument) for argument in given]


def _number(a: Analysis, value: Expression, node: Any) -> Expression:
    """An argument as the floating-point number that is classified; integers count as double."""
    type_ = arithmetic(value)
    if type_ is None:
        a.refuse("TRV012", f"a '{spell(value.type)}' is not a floating-point number", node, "not a number")
    return value if isinstance(type_, FloatingC) else convert(value, DOUBLE)


def _class_of(a: Analysis, op: ClassifyOp, given: list[Any], node: Any) -> Expression:
    (value,) = _arguments(a, given, 1, node)
    return Classify(INT, op, (_number(a, value, node),), a.span(node))


def _comparison(a: Analysis, name: str, given: list[Any], node: Any) -> Expression:
    """Comparisons that raise no exceptions, which do not exist here anyway."""
    left, right = (_number(a, value, node) for value in _arguments(a, given, 2, node))
    assert isinstance(left.type, FloatingC) and isinstance(right.type, FloatingC)
    type_ = common_type(left.type, right.type)
    left, right = convert(left, type_), convert(right, type_)
    if name in _COMPARISONS:
        return Compare(INT, _COMPARISONS[name], left, right, a.span(node))
    op: ClassifyOp = "unordered" if name == "isunordered" else "different"
    return Classify(INT, op, (left, right), a.span(node))


def _kind(a: Analysis, given: list[Any], node: Any) -> Expression:
    """`fpclassify`: one of five answers."""
    *answers, value = _arguments(a, given, 6, node)
    number = _number(a, value, node)
    declared, read = kept(number)
    zero = Compare(INT, "==", read, Literal(number.type, 0.0, None), a.span(node))
    tests: list[Expression] = [*(Classify(INT, op, (read,), a.span(node)) for op in ("nan", "infinite", "normal")), zero]
    result = convert(answers[3], INT)  # subnormal: what is left
    for test, answer in zip(reversed(tests), (answers[4], answers[2], answers[1], answers[0]), strict=True):
        result = Conditional(INT, test, convert(answer, INT), result, a.span(node))
    return StatementValue(INT, Block((declared,)), result, a.span(node))


def _expected(a: Analysis, given: list[Any], node: Any) -> Expression:
    """`expect`: the first argument; the others are about probabilities."""
    value, *others = (a.expression(a, argument) for argument in given)
    for other in others:
        value = Comma(value.type, other, value, a.span(node)) if has_effects(other) else value
    return convert(value, LONG) if arithmetic(value) is not None else value


def _aligned(a: Analysis, given: list[Any], node: Any) -> Expression:
    """`assume_aligned`: the pointer, which may be assigned to any other."""
    pointer, *_ = (a.expression(a, argument) for argument in given)
    if not isinstance(pointer.type, PointerC):
        a.refuse("TRV016", f"this needs a pointer, not a '{spell(pointer.type)}'", node, "not a pointer")
    return Convert(PointerC(unqualified(pointer.type.target)), pointer, a.span(node))


def _known(a: Analysis, given: list[Any], node: Any) -> Expression:
    (value,) = _arguments(a, given, 1, node)
    return Literal(INT, int(isinstance(value, Literal)), a.span(node))


def _chosen(a: Analysis, given: list[Any], node: Any) -> Expression:
    condition = a.expression(a, given[0])
    if not isinstance(condition, Literal):
        a.refuse("TRV017", "an integer constant expression is required", given[0], "not a constant")
    return a.expression(a, given[1] if condition.value else given[2])


def _nothing(a: Analysis, given: list[Any], node: Any) -> Expression:
    """What has no effect on results: prefetches, and places that are declared unreachable."""
    result: Expression = Convert(VOIDC, Literal(INT, 0, a.span(node)), a.span(node))
    for argument in reversed([a.expression(a, argument) for argument in given]):
        result = Comma(VOIDC, argument, result, a.span(node)) if has_effects(argument) else result
    return result


def _size_unknown(a: Analysis, given: list[Any], node: Any) -> Expression:
    """`object_size` where it is not known."""
    return Literal(ULONG, (1 << 64) - 1 if constant_integer(a, given[1]) < 2 else 0, a.span(node))


def _of_type(a: Analysis, given: list[Any], node: Any) -> Expression:
    """`tgmath`: functions, then arguments; that function is called whose type the arguments have together."""
    symbols = [a.scope.find(argument.name) if isinstance(argument, c_ast.ID) else None for argument in given]
    count = next(k for k, found in enumerate([*symbols, None]) if not isinstance(found, FunctionName | Unusable))
    values = [a.expression(a, argument) for argument in given[count:]]
    wanted = FLOAT if all(arithmetic(value) == FLOAT for value in values) else DOUBLE
    for function in symbols[:count]:
        if isinstance(function, FunctionName) and function.type.parameters and function.type.parameters[0] == wanted:
            name = c_ast.ID(function.name, node.coord)
            return a.expression(a, c_ast.FuncCall(name, c_ast.ExprList(given[count:], node.coord), node.coord))
    a.give_up("TRV044", "no function of this group takes these arguments", node, "not supported")


_SPECIAL: Final[dict[str, Callable[[Analysis, list[Any], Any], Expression]]] = {
    "fpclassify": _kind,
    "expect": _expected,
    "expect_with_probability": _expected,
    "assume_aligned": _aligned,
    "constant_p": _known,
    "choose_expr": _chosen,
    "types_compatible_p": lambda a, given, node: generic.compatible(a, node),
    "unreachable": _nothing,
    "prefetch": _nothing,
    "object_size": _size_unknown,
    "dynamic_object_size": _size_unknown,
    "tgmath": _of_type,
}
