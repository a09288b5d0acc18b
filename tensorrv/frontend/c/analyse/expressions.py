"""Semantic analysis of expressions (C11 6.5): names to objects, operators to typed operations, conversions made explicit."""

from __future__ import annotations

import difflib
from typing import Any, Final, Never

from pycparser import c_ast

from tensorrv.frontend.c.analyse import across_lanes, bit_copies, builtins, initialisers, libm, statements
from tensorrv.frontend.c.analyse.operators import (
    arithmetic_operation,
    binary,
    conditional,
    folded,
    invalid_operands,
    pointer_target,
    require_scalar,
)
from tensorrv.frontend.c.analyse.scope import Constant, FunctionName, Symbol, Table, TypeName, Unusable, Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.failures import Unsupported
from tensorrv.frontend.c.parse import texts
from tensorrv.frontend.c.parse.lexer import ASSEMBLY
from tensorrv.frontend.c.parse.literals import character_literal, floating_literal, integer_literal
from tensorrv.frontend.c.preprocess import prelude
from tensorrv.frontend.c.tree.nodes import (
    AddressOf,
    Arithmetic,
    ArithmeticOp,
    Assign,
    CallFunction,
    Comma,
    Complement,
    CompoundAssign,
    Decay,
    Element,
    Expression,
    Increment,
    Literal,
    Minus,
    Not,
    Offset,
    PartOf,
    Place,
    Read,
    TablePlace,
    TableRow,
    Text,
    VariablePlace,
)
from tensorrv.frontend.c.tree.tables import count_of
from tensorrv.frontend.c.types import conversions, generic, members
from tensorrv.frontend.c.types.c_types import (
    DOUBLE,
    INT,
    LONG,
    ULONG,
    ArrayC,
    CType,
    FloatingC,
    IntegerC,
    PointerC,
    StructC,
    is_const,
    promote,
    size_of_type,
    spell,
    unqualified,
)
from tensorrv.frontend.c.types.conversions import arithmetic, assigned, convert, promoted
from tensorrv.frontend.c.types.declarations import operand_type, type_of
from tensorrv.frontend.c.types.object_parts import has_const
from tensorrv.report.diagnostics import Diagnostic, Related

_VALUES: Final = (c_ast.FuncCall, c_ast.CompoundLiteral, c_ast.Assignment, c_ast.ExprList)
"""Expressions that may be structs without being objects."""
_FUNCTION_NAMES: Final = frozenset({"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"})


def expression(a: Analysis, node: Any) -> Expression:
    """The value of an expression: arrays decayed to pointers, objects read."""
    match node:
        case c_ast.Constant(type="string"):
            return texts.string_literal(a, node)
        case c_ast.Constant():
            return _constant(a, node)
        case c_ast.ID():
            return _name(a, node)
        case c_ast.ArrayRef():
            return _value_of(a, place(a, node), node)
        case c_ast.UnaryOp():
            return _unary(a, node)
        case c_ast.BinaryOp():
            return binary(a, node)
        case c_ast.Assignment():
            return _assignment(a, node)
        case c_ast.TernaryOp():
            return conditional(a, node)
        case c_ast.Cast(to_type=to_type, expr=operand):
            return conversions.cast(a, expression(a, operand), type_of(a, to_type), node)
        case c_ast.FuncCall():
            return _call(a, node)
        case c_ast.ExprList(exprs=exprs):
            return _comma(a, exprs, node)
        case c_ast.StructRef(type=".", name=record) if isinstance(record, _VALUES):
            return members.of_value(a, expression(a, record), node)
        case c_ast.StructRef():
            return _value_of(a, place(a, node), node)
        case c_ast.CompoundLiteral(type=of_type, init=init):
            return initialisers.compound_literal(a, type_of(a, of_type), init, node)
        case c_ast.GenericSelection():
            return expression(a, generic.selected(a, node))
        case c_ast.Compound():
            return statements.statement_value(a, node)
        case c_ast.InitList():
            a.refuse("TRV016", "a scalar cannot be initialised by a list in braces", node, "an initialiser list")
        case _:
            a.give_up("TRV044", "this expression is outside the supported C subset", node, "not supported")


def place(a: Analysis, node: Any) -> Place:
    """The object that an expression names; refuses what is no object."""
    match node:
        case c_ast.ID(name=name):
            symbol = _find(a, node)
            if isinstance(symbol, Variable):
                if symbol.symbol and name in a.threadprivate:
                    message = f"every thread has its own '{name}'"
                    a.give_up("TRV037", message, node, "threadprivate", also=_declared(symbol))
                return VariablePlace(symbol.type, symbol, a.span(node))
            if isinstance(symbol, Table):
                return TablePlace(symbol.type, symbol, Literal(LONG, 0, a.span(node)), a.span(node))
            if isinstance(symbol, Constant) and is_const(symbol.type):
                a.refuse("TRV014", f"'{name}' is const", node, "cannot be modified", also=_declared(symbol))
        case c_ast.ArrayRef(name=array, subscript=subscript):
            return _subscript(a, expression(a, array), expression(a, subscript), node)
        case c_ast.UnaryOp(op="*", expr=c_ast.UnaryOp(op="&", expr=operand)):
            return place(a, operand)
        case c_ast.UnaryOp(op="*", expr=operand):
            return _dereference(a, expression(a, operand), node)
        case c_ast.StructRef(type="->", name=pointer):
            return members.part(a, _dereference(a, expression(a, pointer), pointer), node)
        case c_ast.StructRef(name=record):
            return members.part(a, place(a, record), node)
        case c_ast.BinaryOp():
            expression(a, node)  # `type *name = 0` with a type that is not declared
    a.refuse("TRV013", "this expression is not an object", node, "only variables, A[i] and *p can be assigned to")


def _value_of(a: Analysis, where: Place, node: Any) -> Expression:
    match where:
        case VariablePlace(type=ArrayC(element)) | Element(type=ArrayC(element)) | PartOf(type=ArrayC(element)):
            return Decay(PointerC(element), where, where.span)
        case TablePlace(type=ArrayC(element)):
            return TableRow(PointerC(element), where, where.span)
        case TablePlace(table=table, index=Literal(value=int() as index)):
            if not 0 <= index < len(table.values):
                a.refuse("TRV017", f"'{table.name}' has {len(table.values)} elements", node, f"this is number {index}")
            return Literal(unqualified(where.type), table.values[index], where.span)
        case _:
            return Read(unqualified(where.type), where, where.span)


def _constant(a: Analysis, node: Any) -> Literal:
    span = a.span(node)
    match node.type:
        case "char" | "int" if "'" in node.value:
            return character_literal(node.value, span)
        case "float" | "double" | "long double":
            return floating_literal(node.value, span)
        case _:
            return integer_literal(node.value, span)


def _find(a: Analysis, node: Any) -> Symbol:
    """What a name stands for; refuses unknown names, gives up on unusable ones."""
    symbol = a.scope.find(node.name)
    if symbol is None:
        close = difflib.get_close_matches(node.name, sorted(a.scope.visible()), n=1)
        a.refuse(
            "TRV010", f"'{node.name}' is not declared", node, "not declared", hint=f"did you mean '{close[0]}'?" if close else ""
        )
    if isinstance(symbol, Unusable):
        reason = symbol.reason
        raise Unsupported(
            Diagnostic(
                "note",
                reason.code,
                f"'{node.name}' cannot be used: {reason.message}",
                a.span(node),
                "used here",
                _declared(symbol),
                reason.hint,
            )
        )
    return symbol


def _declared(symbol: Symbol) -> tuple[Related, ...]:
    return (Related(symbol.span, "declared here"),) if symbol.span is not None else ()


def _name(a: Analysis, node: Any) -> Expression:
    if node.name in _FUNCTION_NAMES and a.function and a.scope.find(node.name) is None:
        return texts.text(a, a.function.encode(), node)
    match _find(a, node):
        case Variable() | Table():
            return _value_of(a, place(a, node), node)
        case Constant(type=type_, value=value):
            return Literal(unqualified(type_), value, a.span(node))
        case FunctionName():
            a.give_up("TRV036", "pointers to functions are not supported", node, "a function is used as a value")
        case TypeName() | Unusable():
            a.refuse("TRV012", f"'{node.name}' is a type, not a value", node, "a type name")


def _subscript(a: Analysis, array: Expression, index: Expression, node: Any) -> Place:
    if isinstance(array.type, IntegerC) and isinstance(index.type, PointerC):
        array, index = index, array
    target = pointer_target(a, array, node, "subscripted")
    if not isinstance(index.type, IntegerC):
        a.refuse("TRV012", f"a subscript must be an integer, not a '{spell(index.type)}'", node.subscript, "not an integer")
    span = a.span(node)
    if isinstance(array, Decay) and isinstance(array.array, PartOf):
        inside = members.element(a, array.array, target, index, node)
        if inside is not None:
            return inside
    if isinstance(array, TableRow):
        return _table_element(a, array, target, index, node)
    return Element(target, Offset(array.type, array, promoted(index), False, True, span), span)


def _table_element(a: Analysis, row: TableRow, target: CType, index: Expression, node: Any) -> TablePlace:
    """Element `index` of an array of constants; elements are counted through all dimensions."""
    count = Literal(LONG, count_of(target) or 1, a.span(node))
    scaled = arithmetic_operation(a, "*", convert(index, LONG), count, node)
    return TablePlace(target, row.place.table, arithmetic_operation(a, "+", row.place.index, scaled, node), a.span(node))


def _dereference(a: Analysis, pointer: Expression, node: Any) -> Place:
    if isinstance(pointer, TableRow):
        target = pointer_target(a, pointer, node, "dereferenced")
        return TablePlace(target, pointer.place.table, pointer.place.index, a.span(node))
    return Element(pointer_target(a, pointer, node, "dereferenced"), pointer, a.span(node))


def _unary(a: Analysis, node: Any) -> Expression:
    match node.op:
        case "sizeof":
            return _size(a, node)
        case "_Alignof" | "__alignof__" | "__alignof" | "alignof":
            return generic.alignment(a, node)
        case "&":
            return _address(a, node)
        case "*":
            return _value_of(a, place(a, node), node)
        case "++" | "--" | "p++" | "p--":
            return _increment(a, node)
        case "+" | "-" | "~" | "!":
            return _sign(a, node.op, expression(a, node.expr), node)
        case other:
            a.give_up("TRV044", f"'{other}' is not supported", node, "not supported")


def _sign(a: Analysis, op: str, value: Expression, node: Any) -> Expression:
    span = a.span(node)
    if op == "!":
        require_scalar(a, value, node)
        return Literal(INT, int(not value.value), span) if isinstance(value, Literal) else Not(INT, value, span)
    if arithmetic(value) is None or (op == "~" and not isinstance(value.type, IntegerC)):
        a.refuse("TRV012", f"'{op}' is not defined for a '{spell(value.type)}'", node, f"the operand is a '{spell(value.type)}'")
    value = promoted(value)
    if op == "+":
        return value
    if op == "-":
        return _negated(value, node, a)
    if isinstance(value, Literal) and isinstance(value.type, IntegerC):
        return folded(value.type, "^", value, Literal(value.type, -1, span), span) or Complement(value.type, value, span)
    return Complement(value.type, value, span)


def _negated(value: Expression, node: Any, a: Analysis) -> Expression:
    if isinstance(value, Literal):
        match value.type:
            case FloatingC():
                return Literal(value.type, -float(value.value), a.span(node))
            case IntegerC():
                negative = folded(value.type, "-", Literal(value.type, 0, None), value, a.span(node))
                if negative is not None:
                    return negative
            case _:
                pass
    return Minus(value.type, value, a.span(node))


def _size(a: Analysis, node: Any) -> Expression:
    return _size_of_type(a, operand_type(a, node.expr), node)


def unevaluated_type(a: Analysis, node: Any) -> CType:
    """The type of an expression; that of an object may be an array, and keeps its qualifiers."""
    if _names_object(a, node):
        return place(a, node).type
    value = expression(a, node)
    return texts.text_type(value) if isinstance(value, Text) else value.type


def _names_object(a: Analysis, node: Any) -> bool:
    """Whether an expression stands for an object whose type may be an array, which must not decay."""
    match node:
        case c_ast.ID(name=name):
            return isinstance(a.scope.find(name), Variable | Table)
        case c_ast.UnaryOp(op="*") | c_ast.ArrayRef() | c_ast.StructRef():
            return True
        case _:
            return False


def _size_of_type(a: Analysis, type_: CType, node: Any) -> Expression:
    span = a.span(node)
    match type_:
        case IntegerC(bits=bits) | FloatingC(bits=bits):
            return Literal(ULONG, bits // 8, span)
        case PointerC():
            return Literal(ULONG, 8, span)
        case StructC() if (bytes_ := size_of_type(type_)) is not None:
            return Literal(ULONG, bytes_, span)
        case ArrayC(element, size) if size is not None:
            inner = _size_of_type(a, element, node)
            count: Expression = (
                Literal(ULONG, size, span)
                if isinstance(size, int)
                else convert(Read(LONG, VariablePlace(LONG, size, span), span), ULONG)
            )
            return folded(ULONG, "*", count, inner, span) or Arithmetic(ULONG, "*", count, inner, span)
        case _:
            a.refuse("TRV012", f"sizeof is not defined for '{spell(type_)}'", node, "has no size")


def _address(a: Analysis, node: Any) -> Expression:
    where = place(a, node.expr)
    if isinstance(where, TablePlace):
        a.give_up("TRV037", f"the address of a part of '{where.table.name}' is taken", node, "constant arrays have no address")
    return AddressOf(PointerC(where.type), where, a.span(node))


def _increment(a: Analysis, node: Any) -> Expression:
    where = _modifiable(a, node.expr, node)
    delta = 1 if node.op.endswith("++") else -1
    match where.type:
        case PointerC():
            _step_pointer(a, where, node)
            computed: CType = unqualified(where.type)
        case IntegerC() as integer:
            computed = promote(integer)
        case FloatingC() as floating:
            computed = unqualified(floating)
        case other:
            a.refuse("TRV012", f"'{node.op[-2:]}' is not defined for a '{spell(other)}'", node, "not a number")
    return Increment(unqualified(where.type), where, delta, node.op.startswith("p"), computed, a.span(node))


def _step_pointer(a: Analysis, where: Place, node: Any) -> None:
    pointer_target(a, Read(unqualified(where.type), where, where.span), node, "moved")


def _modifiable(a: Analysis, target: Any, node: Any) -> Place:
    """The object that an assignment changes."""
    where = place(a, target)
    if isinstance(where.type, ArrayC):
        a.refuse("TRV013", "an array cannot be assigned to", target, "this is a whole row or array")
    if is_const(where.type) or (isinstance(where.type, StructC) and has_const(where.type)):
        related = _declared(where.variable) if isinstance(where, VariablePlace) else ()
        what = f"'{where.variable.name}'" if isinstance(where, VariablePlace) else "this element"
        a.refuse("TRV014", f"{what} is const", target, "cannot be modified", also=related)
    return where


def _assignment(a: Analysis, node: Any) -> Expression:
    where = _modifiable(a, node.lvalue, node)
    value = expression(a, node.rvalue)
    type_ = unqualified(where.type)
    span = a.span(node)
    if node.op == "=":
        return Assign(type_, where, assigned(a, value, type_, node.rvalue, "the assignment"), span)
    op = node.op[:-1]
    if isinstance(type_, PointerC):
        if op not in ("+", "-") or not isinstance(value.type, IntegerC):
            invalid_operands(a, node.op, Read(type_, where, span), value, node)
        _step_pointer(a, where, node)
        return CompoundAssign(type_, where, op, promoted(value), type_, span)
    return _compound(a, op, where, value, node)


def _compound(a: Analysis, op: ArithmeticOp, where: Place, value: Expression, node: Any) -> Expression:
    """`x op= y` is x = x op y with x evaluated once: the operation happens in the common type."""
    before = Read(unqualified(where.type), where, where.span)
    combined = arithmetic_operation(a, op, before, value, node)
    assert isinstance(combined, Arithmetic)
    return CompoundAssign(before.type, where, op, combined.right, combined.type, a.span(node))


def _comma(a: Analysis, nodes: list[Any], node: Any) -> Expression:
    result = expression(a, nodes[0])
    for following in nodes[1:]:
        second = expression(a, following)
        result = Comma(second.type, result, second, a.span(node))
    return result


def _call(a: Analysis, node: Any) -> Expression:
    callee = _called(a, node.name)
    if not isinstance(callee, c_ast.ID):
        a.give_up("TRV036", "calls through pointers to functions are not supported", node, "not a function's name")
    name = callee.name
    if name in ASSEMBLY:
        a.give_up("TRV041", "inline assembly is not supported", callee, "assembly")
    if name in ("offsetof", "__builtin_offsetof"):
        return generic.member_offset(a, node)
    if name.startswith(builtins.PREFIX) and (built_in := builtins.built_in_call(a, name, node)) is not None:
        return built_in
    symbol = _function_called(a, callee)
    name = symbol.name
    if name == "memcpy" and isinstance(symbol, FunctionName) and (copied := bit_copies.copy_bits(a, node, place)) is not None:
        return copied
    if not isinstance(symbol, FunctionName):
        a.refuse("TRV012", f"'{name}' is not a function", callee, "called here", also=_declared(symbol))
    if symbol.type.parameters is None and name in across_lanes.NAMES:
        return across_lanes.across_lanes(a, name, node)
    given = node.args.exprs if node.args is not None else []
    wanted = symbol.type.parameters or ()
    more = symbol.type.variadic or symbol.type.parameters is None
    if len(given) < len(wanted) or (len(given) > len(wanted) and not more):
        a.refuse(
            "TRV015",
            f"'{name}' takes {len(wanted)} argument{'s' * (len(wanted) != 1)}, but {len(given)} "
            f"{'is' if len(given) == 1 else 'are'} given",
            node,
            "wrong number of arguments",
            also=_declared(symbol),
        )
    arguments = tuple(
        assigned(a, expression(a, argument), type_, argument, f"argument {number} of '{name}'")
        for number, (argument, type_) in enumerate(zip(given, wanted, strict=False), 1)
    )
    others = tuple(_passed_as_it_is(a, expression(a, argument), argument) for argument in given[len(wanted) :])
    return CallFunction(unqualified(symbol.type.result), symbol, arguments + others, a.span(node))


def _passed_as_it_is(a: Analysis, value: Expression, node: Any) -> Expression:
    """An argument for which the callee has no prototype, after the default promotions (6.5.2.2)."""
    match value.type:
        case FloatingC():
            return convert(value, DOUBLE)
        case IntegerC():
            return promoted(value)
        case PointerC():
            return value
        case _:
            a.give_up("TRV040", f"a '{spell(value.type)}' is passed where no prototype has a parameter", node, "passed here")


def _called(a: Analysis, node: Any) -> Any:
    """What names the function of a call: `f`, `*f`, `&f`, or what `_Generic` chooses."""
    match node:
        case c_ast.GenericSelection():
            return _called(a, generic.selected(a, node))
        case c_ast.UnaryOp(op="*" | "&", expr=c_ast.ID(name=name) as inner) if isinstance(a.scope.find(name), FunctionName):
            return inner
        case _:
            return node


def _function_called(a: Analysis, node: Any) -> Symbol:
    """What a called name stands for, which may be built into compilers."""
    name = node.name
    if a.scope.find(name) is not None:
        return _find(a, node)
    if name.startswith(builtins.PREFIX):
        plain = builtins.library_name(name)
        known = prelude.prelude().names.get(name) or a.scope.find(plain) or prelude.prelude().names.get(plain)
        found = known if isinstance(known, FunctionName) else builtins.library_function(plain)
        if found is not None:
            return found
    _undeclared_function(a, name, node)


def _undeclared_function(a: Analysis, name: str, node: Any) -> Never:
    header = libm.header_of(name)
    functions = [other for other in sorted(a.scope.visible()) if isinstance(a.scope.find(other), FunctionName | Unusable)]
    close = difflib.get_close_matches(name, functions, n=1)
    if builtins.of_compiler(name):
        a.give_up("TRV044", f"the compiler builtin '{name}' is not supported", node, "called here", hint="write it in C")
    if header:
        hint = f"add #include <{header}>"
    else:
        hint = f"did you mean '{close[0]}'?" if close else "declare it before its first use"
    a.refuse("TRV018", f"the function '{name}' is not declared", node, "called here", hint=hint)
