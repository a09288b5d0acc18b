"""Semantic analysis of operators: the types of operands and results, and constant operands folded (C11 6.5.3 to 6.5.15)."""

from __future__ import annotations

from typing import Any, Never, cast

from tensorrv.frontend.c.analyse.folding import fold_arithmetic, fold_compare
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import (
    Arithmetic,
    ArithmeticOp,
    Block,
    Compare,
    CompareOp,
    Conditional,
    Declare,
    Difference,
    Expression,
    Literal,
    Logical,
    NullPointer,
    Offset,
    Read,
    StatementValue,
    VariablePlace,
)
from tensorrv.frontend.c.types.c_types import (
    INT,
    LONG,
    VOIDC,
    CType,
    FloatingC,
    FunctionC,
    IntegerC,
    PointerC,
    StructC,
    VoidC,
    common_type,
    compatible_targets,
    is_const,
    size_of_type,
    spell,
    unqualified,
    with_const,
)
from tensorrv.frontend.c.types.conversions import arithmetic, convert, is_null, promoted
from tensorrv.report.diagnostics import Related

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def folded(type_: CType, op: ArithmeticOp, left: Expression, right: Expression, span: Any) -> Literal | None:
    """The value of an operation on two literals; None when it is left for run time."""
    if isinstance(left, Literal) and isinstance(right, Literal) and isinstance(type_, IntegerC | FloatingC):
        value = fold_arithmetic(type_, op, left.value, right.value)
        return None if value is None else Literal(type_, value, span)
    return None


def binary(a: Analysis, node: Any) -> Expression:
    """An expression with a binary operator."""
    if node.op in ("&&", "||"):
        return _logical(a, node)
    if node.op == "...":
        a.refuse("TRV004", "a range stands in a case or a designator", node, "not an expression")
    left, right = a.expression(a, node.left), a.expression(a, node.right)
    if node.op in _COMPARISONS:
        return _compare(a, node.op, left, right, node)
    if isinstance(left.type, PointerC) or isinstance(right.type, PointerC):
        return _pointer_arithmetic(a, node.op, left, right, node)
    return arithmetic_operation(a, node.op, left, right, node)


def _logical(a: Analysis, node: Any) -> Expression:
    left, right = a.expression(a, node.left), a.expression(a, node.right)
    require_scalar(a, left, node.left)
    require_scalar(a, right, node.right)
    if isinstance(left, Literal):
        decided = bool(left.value) == (node.op == "||")
        if decided or isinstance(right, Literal):
            return Literal(INT, int(bool(left.value) if decided else bool(cast(Literal, right).value)), a.span(node))
    return Logical(INT, node.op, left, right, a.span(node))


def require_scalar(a: Analysis, value: Expression, node: Any) -> None:
    """Refuse what cannot be compared with zero."""
    if not isinstance(value.type, IntegerC | FloatingC | PointerC):
        a.refuse("TRV012", "a truth value is required, but this has no value", node, f"this is '{spell(value.type)}'")


def condition(a: Analysis, node: Any) -> Expression:
    """An expression that decides about control flow."""
    value = a.expression(a, node)
    require_scalar(a, value, node)
    return value


def invalid_operands(a: Analysis, op: str, left: Expression, right: Expression, node: Any) -> Never:
    """The operator is not defined for these types."""
    a.refuse(
        "TRV012",
        f"'{op}' is not defined for '{spell(left.type)}' and '{spell(right.type)}'",
        node,
        f"'{spell(left.type)}' {op} '{spell(right.type)}'",
    )


def _compare(a: Analysis, op: CompareOp, left: Expression, right: Expression, node: Any) -> Expression:
    span = a.span(node)
    x, y = arithmetic(left), arithmetic(right)
    if x is not None and y is not None:
        type_ = common_type(x, y)
        left, right = convert(left, type_), convert(right, type_)
        if isinstance(left, Literal) and isinstance(right, Literal):
            return Literal(INT, fold_compare(op, left.value, right.value), span)
        return Compare(INT, op, left, right, span)
    match left.type, right.type:
        case PointerC(), _ if is_null(right):
            return Compare(INT, op, left, NullPointer(left.type, right.span), span)
        case _, PointerC() if is_null(left):
            return Compare(INT, op, NullPointer(right.type, left.span), right, span)
        case PointerC(s), PointerC(t) if compatible_targets(s, t):
            return Compare(INT, op, left, right, span)
        case _:
            invalid_operands(a, op, left, right, node)


def _pointer_arithmetic(a: Analysis, op: str, left: Expression, right: Expression, node: Any) -> Expression:
    if op == "+" and isinstance(left.type, IntegerC):
        left, right = right, left
    match left.type, right.type:
        case PointerC(), IntegerC() if op in ("+", "-"):
            pointer_target(a, left, node, "moved")
            return Offset(left.type, left, promoted(right), op == "-", False, a.span(node))
        case PointerC(), PointerC() if op == "-":
            return _difference(a, left, right, node)
        case _:
            invalid_operands(a, op, left, right, node)


def _difference(a: Analysis, left: Expression, right: Expression, node: Any) -> Expression:
    """The distance of two elements of one array, a `ptrdiff_t`."""
    target = pointer_target(a, left, node, "subtracted")
    if not compatible_targets(target, pointer_target(a, right, node, "subtracted")):
        invalid_operands(a, "-", left, right, node)
    size = size_of_type(target)
    if size is None:
        a.give_up(
            "TRV043",
            "differences of pointers to rows of variable length are not supported",
            node,
            "two pointers are subtracted",
            hint="subtract pointers to elements",
        )
    return Difference(LONG, left, right, size, a.span(node))


def arithmetic_operation(a: Analysis, op: ArithmeticOp, left: Expression, right: Expression, node: Any) -> Expression:
    """An operator on numbers, after promotions and the usual conversions."""
    x, y = arithmetic(left), arithmetic(right)
    if x is None or y is None:
        invalid_operands(a, op, left, right, node)
    span = a.span(node)
    if op in ("%", "<<", ">>", "&", "|", "^") and not (isinstance(x, IntegerC) and isinstance(y, IntegerC)):
        invalid_operands(a, op, left, right, node)
    if op in ("<<", ">>"):
        left, right = promoted(left), promoted(right)
        type_: CType = left.type
    else:
        type_ = common_type(x, y)
        left, right = convert(left, type_), convert(right, type_)
    return folded(type_, op, left, right, span) or Arithmetic(type_, op, left, right, span)


def conditional(a: Analysis, node: Any) -> Expression:
    """`a ? b : c`, both alternatives in their common type."""
    if node.iftrue is None:
        return _first_unless_zero(a, node)
    test = condition(a, node.cond)
    then, otherwise = a.expression(a, node.iftrue), a.expression(a, node.iffalse)
    return _chosen(a, test, then, otherwise, node)


def _first_unless_zero(a: Analysis, node: Any) -> Expression:
    """`a ?: b`: `a` if that is not zero."""
    declared, read = kept(condition(a, node.cond))
    result = _chosen(a, read, read, a.expression(a, node.iffalse), node)
    return StatementValue(result.type, Block((declared,)), result, a.span(node))


def kept(value: Expression) -> tuple[Declare, Read]:
    """A hidden variable that holds a value which is needed several times, and its value."""
    type_ = unqualified(value.type)
    variable = Variable("", type_, value.span, "a value")
    return Declare(variable, value, value.span), Read(type_, VariablePlace(type_, variable, value.span), value.span)


def _chosen(a: Analysis, test: Expression, then: Expression, otherwise: Expression, node: Any) -> Expression:
    type_ = _conditional_type(a, then, otherwise, node)
    if isinstance(type_, IntegerC | FloatingC):
        then, otherwise = convert(then, type_), convert(otherwise, type_)
    elif isinstance(type_, PointerC):
        then = NullPointer(type_, then.span) if is_null(then) else then
        otherwise = NullPointer(type_, otherwise.span) if is_null(otherwise) else otherwise
    if isinstance(test, Literal) and isinstance(then, Literal) and isinstance(otherwise, Literal):
        return then if test.value else otherwise
    return Conditional(type_, test, then, otherwise, a.span(node))


def _conditional_type(a: Analysis, then: Expression, otherwise: Expression, node: Any) -> CType:
    x, y = arithmetic(then), arithmetic(otherwise)
    if x is not None and y is not None:
        return common_type(x, y)
    match then.type, otherwise.type:
        case VoidC(), VoidC():
            return VOIDC
        case StructC(s), StructC(t) if s is t:
            a.give_up("TRV030", "?: between structs is not supported", node, "two structs", hint="use if and assignments")
        case PointerC() as pointer, _ if is_null(otherwise):
            return unqualified(pointer)
        case _, PointerC() as pointer if is_null(then):
            return unqualified(pointer)
        case PointerC(s), PointerC(t) if compatible_targets(s, t):
            return PointerC(with_const(s) if is_const(t) else s)
        case _:
            invalid_operands(a, "?:", then, otherwise, node)


def pointer_target(a: Analysis, pointer: Expression, node: Any, action: str) -> CType:
    """What a pointer points to; refuses what cannot be accessed."""
    if not isinstance(pointer.type, PointerC):
        a.refuse("TRV012", f"a '{spell(pointer.type)}' cannot be {action}", node, "neither an array nor a pointer")
    target = pointer.type.target
    match target:
        case VoidC():
            a.refuse(
                "TRV012",
                f"a 'void *' cannot be {action}",
                node,
                "its elements have no type",
                hint="cast it to a pointer to its elements",
            )
        case FunctionC():
            a.give_up("TRV036", "pointers to functions are not supported", node, f"this is a '{spell(pointer.type)}'")
        case StructC(record):
            require_complete(a, target, node)
            if record.problem is not None:
                problem = record.problem
                a.give_up(
                    problem.code,
                    f"'{target.name}' cannot be used: {problem.message}",
                    node,
                    f"a '{spell(pointer.type)}'",
                    hint=problem.hint,
                    also=() if problem.span is None else (Related(problem.span, problem.label),),
                )
            return target
        case _:
            return target


def require_complete(a: Analysis, type_: StructC, node: Any) -> None:
    """Refuses a struct whose members are not declared."""
    if type_.record.members is None:
        a.refuse("TRV012", f"the members of '{type_.name}' are not declared", node, "an incomplete type")
