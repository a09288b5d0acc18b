"""Declarations: pycparser's type trees to C types (C11 6.7)."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from tensorrv.frontend.c.analyse.folding import fold_convert
from tensorrv.frontend.c.analyse.scope import Constant, FunctionName, Table, TypeName, Unusable, Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.failures import Unsupported
from tensorrv.frontend.c.tree.nodes import (
    Across,
    Assign,
    CallFunction,
    CompoundAssign,
    Convert,
    Declare,
    Expression,
    Increment,
    Literal,
    StatementValue,
)
from tensorrv.frontend.c.types import records
from tensorrv.frontend.c.types.c_text import expression_text
from tensorrv.frontend.c.types.c_types import (
    INT,
    LONG,
    OTHER_TYPES,
    SPECIFIERS,
    UINT,
    ArrayC,
    CType,
    FunctionC,
    IntegerC,
    PointerC,
    VoidC,
    with_const,
)


def type_of(a: Analysis, node: Any) -> CType:
    """The type that a declarator or type name describes.

    Raises Unsupported for structs, volatile and the like. Extents that are not constant become hidden variables.
    """
    match node:
        case c_ast.Typename(type=inner) | c_ast.Decl(type=inner):
            return type_of(a, inner)
        case c_ast.TypeDecl(type=inner, quals=quals):
            return _qualified(a, type_of(a, inner), quals or [], node)
        case c_ast.PtrDecl(type=inner, quals=quals):
            target = type_of(a, inner)
            if isinstance(target, ArrayC) and target.extent is None and not a.prototype:
                a.give_up("TRV044", "pointers to arrays of unknown length are not supported", node, "no length in the brackets")
            return _qualified(a, PointerC(target, restrict="restrict" in (quals or [])), quals or [], node)
        case c_ast.ArrayDecl(type=inner, dim=dim):
            element = type_of(a, inner)
            if isinstance(element, VoidC | FunctionC):
                a.refuse("TRV021", "an array of void or of functions", node, "not a valid array type")
            require_length(a, element, node)
            return ArrayC(element, None if dim is None else extent(a, dim))
        case c_ast.FuncDecl():
            return function_type(a, node)
        case c_ast.IdentifierType(names=names):
            return _named(a, names, node)
        case c_ast.TypeOf(expr=operand):
            return operand_type(a, operand)
        case c_ast.Enum():
            return _enumeration(a, node)
        case c_ast.Struct():
            return records.struct_type(a, node)
        case c_ast.Union():
            a.give_up("TRV030", "unions are not supported", node, "this is a union", hint="copy bits with memcpy")
        case _:
            a.give_up("TRV044", "this declaration is outside the supported C subset", node, "not supported here")


def operand_type(a: Analysis, node: Any) -> CType:
    """The type of a type name, or of an expression that is not evaluated, with its qualifiers if it is an object."""
    if isinstance(node, c_ast.Typename):
        return type_of(a, node)
    if isinstance(node, c_ast.ID) and isinstance(found := a.scope.find(node.name), Variable | Table | FunctionName):
        return found.type
    return a.unevaluated_type(a, node)


def require_length(a: Analysis, element: CType, node: Any) -> None:
    """The elements of an array must have a size: inner dimensions need a length, which may be `[*]` in prototypes."""
    if isinstance(element, ArrayC) and element.extent is None and not a.prototype:
        a.refuse("TRV021", "only the first dimension of an array may be without a length", node, "a length is missing")


def _qualified(a: Analysis, type_: CType, quals: list[str], node: Any) -> CType:
    for name in ("volatile", "_Atomic"):
        if name in quals:
            a.give_up("TRV031", f"{name} objects are not supported", node, f"declared {name}")
    return with_const(type_) if "const" in quals else type_


def _named(a: Analysis, names: list[str], node: Any) -> CType:
    known = SPECIFIERS.get(tuple(sorted(names)))
    if known is not None:
        return known
    if {"_Complex", "__int128", *OTHER_TYPES} & set(names) or sorted(names) == ["double", "long"]:
        spelled = " ".join(names)
        hint = "use long long, or two of them" if "__int128" in names else "use double or float"
        a.give_up("TRV032", f"{spelled} is not supported", node, f"a {spelled} is used here", hint=hint)
    if len(names) == 1:
        symbol = a.scope.find(names[0])
        if isinstance(symbol, TypeName):
            return symbol.type
        if isinstance(symbol, Unusable):
            raise Unsupported(symbol.reason)
    a.refuse("TRV021", f"'{' '.join(names)}' is not a type", node, "no such type")


def extent(a: Analysis, dim: Any) -> int | Variable | None:
    """The extent of an array type: its number, or the hidden variable that holds it."""
    value = extent_value(a, dim)
    if value is None:
        return None
    if isinstance(value, Literal):
        return int(value.value)
    if a.hidden is None:
        a.refuse("TRV017", "the extent of an array outside a function must be a constant", dim, "not a constant")
    variable = Variable("", LONG, a.span(dim), expression_text(value))
    a.hidden.append(Declare(variable, Convert(LONG, value, a.span(dim)), a.span(dim)))
    return variable


def extent_value(a: Analysis, dim: Any) -> Expression | None:
    """The expression between an array's brackets; None for `[*]`."""
    if isinstance(dim, c_ast.ID) and dim.name == "*":
        if not a.prototype:
            a.refuse("TRV017", "[*] is allowed in the prototypes of functions only", dim, "a length is missing")
        return None
    value = a.expression(a, dim)
    if not isinstance(value.type, IntegerC):
        a.refuse("TRV012", "the extent of an array must be an integer", dim, "not an integer")
    if has_effects(value):
        a.give_up("TRV044", "an array extent with side effects is not supported", dim, "changes something or calls a function")
    if isinstance(value, Literal) and value.value <= 0:
        a.refuse("TRV017", "the extent of an array must be positive", dim, f"this is {value.value}")
    return value


def has_effects(value: Any) -> bool:
    """Whether evaluating a typed expression can change anything (calls count)."""
    if isinstance(value, Assign | CompoundAssign | Increment | CallFunction | Across | StatementValue):
        return True
    children = [
        getattr(value, name, None)
        for name in (
            "value",
            "left",
            "right",
            "condition",
            "then",
            "otherwise",
            "first",
            "second",
            "place",
            "pointer",
            "index",
            "array",
            "whole",
        )
    ]
    return any(has_effects(child) for child in children if hasattr(child, "span"))


def function_type(a: Analysis, node: Any) -> FunctionC:
    """The type of a declared function; parameter types are adjusted to pointers (6.7.6.3)."""
    result = type_of(a, node.type)
    if node.args is None:
        return FunctionC(result, None)
    types: list[CType] = []
    variadic = False
    with a.prototype_scope():
        for parameter in node.args.params:
            if isinstance(parameter, c_ast.EllipsisParam):
                variadic = True
            elif isinstance(parameter, c_ast.ID):
                a.give_up("TRV044", "old-style function definitions are not supported", parameter, "a parameter without a type")
            else:
                types.append(adjusted(type_of(a, parameter)))
                if parameter.name is not None:
                    a.scope.declare(Variable(parameter.name, types[-1], a.span(parameter)))
    if len(types) == 1 and isinstance(types[0], VoidC):
        types = []
    return FunctionC(result, tuple(types), variadic)


def adjusted(type_: CType) -> CType:
    """A parameter's type: arrays become pointers to their elements, functions become pointers."""
    match type_:
        case ArrayC(element):
            return PointerC(element)
        case FunctionC():
            return PointerC(type_)
        case _:
            return type_


def _enumeration(a: Analysis, node: Any) -> CType:
    if node.values is None:
        known = a.scope.find_tag(node.name)
        if known is None:
            a.refuse("TRV021", f"'enum {node.name}' is not declared", node, "no such enumeration")
        return known
    following = 0
    negative = False
    for enumerator in node.values.enumerators:
        if enumerator.value is not None:
            following = constant_integer(a, enumerator.value)
        if not -(1 << 31) <= following < 1 << 31:
            a.refuse("TRV017", "an enumeration constant must fit an int", enumerator, f"this is {following}")
        a.scope.declare(Constant(enumerator.name, INT, following, a.span(enumerator)))
        negative |= following < 0
        following += 1
    type_ = INT if negative else UINT  # as gcc and clang choose
    if node.name is not None:
        a.scope.tags[node.name] = type_
    return type_


def constant_integer(a: Analysis, node: Any) -> int:
    """The value of an integer constant expression (6.6)."""
    value = a.expression(a, node)
    if not isinstance(value, Literal) or not isinstance(value.value, int):
        a.refuse("TRV017", "an integer constant expression is required", node, "not an integer constant")
    return value.value


def constant_object(a: Analysis, node: Any, type_: CType) -> Constant | None:
    """The const scalar with static storage that `node` declares; None when it is no such thing."""
    match type_:
        case PointerC() | ArrayC() | FunctionC() | VoidC():
            return None
        case _ if not type_.const or node.init is None:
            return None
    value = a.expression(
        a, node.init.exprs[0] if isinstance(node.init, c_ast.InitList) and len(node.init.exprs) == 1 else node.init
    )
    literal = fold_convert(type_, value) if isinstance(value, Literal) else None
    if literal is None:
        a.refuse(
            "TRV017",
            f"the initialiser of '{node.name}' is not a constant",
            node.init,
            "not a constant",
            hint="objects with static storage need a constant initialiser",
        )
    return Constant(node.name, type_, literal.value, a.span(node))
