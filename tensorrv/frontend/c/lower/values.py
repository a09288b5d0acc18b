"""Lowering of typed expressions to instructions, in the order in which C evaluates them."""

from __future__ import annotations

from collections.abc import Callable

from rv.internal_error import InternalError
from rv.ir.instructions import (
    BinaryOp,
    CompareFloat,
    CompareInt,
    FloatPredicate,
    IntPredicate,
    Load,
    Negate,
    Select,
    Store,
)
from rv.ir.source import Span
from rv.ir.types import I1, I8, I32, PTR, FloatType, IntType, PointerType
from rv.ir.values import FALSE, TRUE, Const, Value, const_float, const_i64, const_int
from tensorrv.frontend.c.lower import across as lower_across
from tensorrv.frontend.c.lower import addresses as lower_addresses
from tensorrv.frontend.c.lower import calls as lower_calls
from tensorrv.frontend.c.lower import classes as lower_classes
from tensorrv.frontend.c.lower import records as lower_records
from tensorrv.frontend.c.lower import statements as lower_statements
from tensorrv.frontend.c.lower import tables as lower_tables
from tensorrv.frontend.c.lower.ssa import OpenBlock, Slot
from tensorrv.frontend.c.lower.state import Lowering, plain_name
from tensorrv.frontend.c.tree.nodes import (
    Across,
    AddressOf,
    AggregateLiteral,
    Arithmetic,
    ArithmeticOp,
    Assign,
    CallFunction,
    Classify,
    Comma,
    Compare,
    CompareOp,
    Complement,
    CompoundAssign,
    Conditional,
    Convert,
    Decay,
    Difference,
    Element,
    Expression,
    Increment,
    Literal,
    Logical,
    MemberValue,
    Minus,
    Not,
    NullPointer,
    Offset,
    PartOf,
    Place,
    Read,
    Reinterpret,
    StatementValue,
    TablePlace,
    TableRow,
    Text,
    VariablePlace,
)
from tensorrv.frontend.c.tree.totality import is_total
from tensorrv.frontend.c.types.c_types import CType, FloatingC, IntegerC, PointerC, StructC, VoidC, machine_type
from tensorrv.unit.symbols import TextSymbol

_INTEGER_OPS: dict[ArithmeticOp, tuple[BinaryOp, BinaryOp]] = {  # signed, unsigned
    "+": ("add", "add"),
    "-": ("sub", "sub"),
    "*": ("mul", "mul"),
    "/": ("sdiv", "udiv"),
    "%": ("srem", "urem"),
    "<<": ("shl", "shl"),
    ">>": ("ashr", "lshr"),
    "&": ("and", "and"),
    "|": ("or", "or"),
    "^": ("xor", "xor"),
}
_FLOAT_OPS: dict[ArithmeticOp, BinaryOp] = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INTEGER_TESTS: dict[CompareOp, tuple[IntPredicate, IntPredicate]] = {
    "==": ("eq", "eq"),
    "!=": ("ne", "ne"),
    "<": ("slt", "ult"),
    "<=": ("sle", "ule"),
    ">": ("sgt", "ugt"),
    ">=": ("sge", "uge"),
}
_FLOAT_TESTS: dict[CompareOp, FloatPredicate] = {"==": "oeq", "!=": "une", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}


def value(s: Lowering, e: Expression) -> Value:
    """The value of an expression that has one."""
    match e:
        case Literal(type=type_, value=number):
            return constant(type_, number)
        case NullPointer():
            return Const(PTR, 0)
        case Read(place=TablePlace(table=table, index=index)):
            return lower_tables.element(s, table, value(s, index), e.span)
        case TableRow(place=place):
            lower_tables.refuse_pointer(place.table, e.span)
        case Read(place=PartOf(type=PointerC(), whole=Element(), name=name) as place):
            where = locate(s, place)
            assert not isinstance(where, Slot)
            loaded = s.builder.named(plain_name(name), PTR)  # what is reported about it names the member
            s.builder.emit(Load(loaded, where, e.span))
            return loaded
        case Read(place=place):
            return load(s, locate(s, place), place.type, e.span, untyped=_is_untyped(place))
        case Decay() | Offset() | AddressOf() | Convert(type=PointerC()):
            return lower_addresses.pointer(s, e)
        case Convert(type=type_, value=inner):
            return _convert(s, inner, type_, e.span)
        case Reinterpret(type=type_, value=inner):
            return s.convert("bitcast", value(s, inner), machine_type(type_), e.span)
        case MemberValue(type=type_, value=inner, offset=offset):
            return lower_records.scalar(s, inner, offset)
        case AggregateLiteral():
            raise InternalError("a struct is used as a number")
        case Classify():
            return lower_classes.value(s, e)
        case Text(data=data):
            return s.symbol("text", TextSymbol(data))
        case StatementValue(block=block, value=inner):
            lower_statements.statement(s, block)
            if inner is None:
                raise InternalError("the value of a void expression is used")
            return value(s, inner)
        case Difference():
            return lower_addresses.difference(s, e)
        case Arithmetic(type=type_, op=op, left=left, right=right):
            return arithmetic(s, op, value(s, left), value(s, right), type_, right.type, e.span)
        case Minus(type=type_, value=inner):
            return _negative(s, value(s, inner), type_, e.span)
        case Complement(value=inner):
            operand = value(s, inner)
            assert isinstance(operand.type, IntType)
            return s.binary("xor", operand, const_int(operand.type, -1), e.span)
        case Compare() | Logical() | Not():
            return s.resize(truth(s, e), I32, False, e.span)
        case Conditional():
            return _conditional(s, e)
        case Comma(first=first, second=second):
            effect(s, first)
            return value(s, second)
        case Assign(place=place, value=assigned):
            return _assign(s, place, assigned, e.span)
        case CompoundAssign() | Increment():
            return _update(s, e)
        case CallFunction():
            result = lower_calls.call(s, e)
            if result is None:
                raise InternalError(f"the value of a void function is used: {e.function.name}")
            return result
        case Across():
            return lower_across.value(s, e)


def effect(s: Lowering, e: Expression) -> None:
    """Evaluate an expression whose value is not needed."""
    match e:
        case _ if isinstance(e.type, StructC):
            lower_records.values(s, e)
        case Convert(type=VoidC(), value=inner):
            effect(s, inner)
        case Comma(first=first, second=second):
            effect(s, first)
            effect(s, second)
        case CallFunction():
            lower_calls.call(s, e)
        case StatementValue(block=block, value=inner):
            lower_statements.statement(s, block)
            if inner is not None:
                effect(s, inner)
        case Conditional(type=VoidC(), condition=test, then=then, otherwise=otherwise):
            _either(s, test, lambda: effect(s, then), lambda: effect(s, otherwise), e.span)
        case _:
            value(s, e)


def constant(type_: CType, number: int | float) -> Const:
    """A literal's bits."""
    machine = machine_type(type_)
    if isinstance(machine, FloatType):
        return const_float(machine, float(number))
    assert isinstance(machine, IntType) and isinstance(number, int)
    return const_int(machine, number)


# objects


def locate(s: Lowering, place: Place) -> Slot | Value:
    """A variable's slot, or the address of an element; computed once even if it is read and written."""
    match place:
        case VariablePlace(variable=variable) | PartOf(whole=VariablePlace(variable=variable)) if s.in_memory(variable):
            return lower_addresses.place_pointer(s, lower_addresses.place_address(s, place), place.type, place.span)
        case VariablePlace(variable=variable):
            return s.frame.slot(variable)
        case Element(pointer=pointer):
            return lower_addresses.element_pointer(s, pointer, place.span)
        case PartOf(type=type_, whole=VariablePlace(variable=variable), offset=offset, name=name):
            return s.frame.part(variable, offset, type_, f"{variable.name}_{name}")
        case PartOf(type=type_):
            return lower_addresses.place_pointer(s, lower_addresses.place_address(s, place), type_, place.span)
        case TablePlace():
            raise InternalError("a constant array is no place in memory")


def load(s: Lowering, where: Slot | Value, type_: CType, span: Span | None, *, untyped: bool = False) -> Value:
    """Read an object."""
    if isinstance(where, Slot):
        return s.builder.read(where)
    result = s.builder.temp(machine_type(type_))
    s.builder.emit(Load(result, where, span, untyped))
    return result


def store(s: Lowering, where: Slot | Value, new: Value, span: Span | None, *, untyped: bool = False) -> Value:
    """Write an object; the value it has afterwards."""
    if isinstance(where, Slot):
        named = s.builder.write(where, new)
        lower_addresses.remember(s, new, named)
        return named
    s.builder.emit(Store(new, where, span, untyped))
    return new


def _is_untyped(place: Place) -> bool:
    return isinstance(place, Element) and place.as_bytes


def _assign(s: Lowering, place: Place, assigned: Expression, span: Span | None) -> Value:
    new = value(s, assigned)
    return store(s, locate(s, place), new, span, untyped=_is_untyped(place))


def _update(s: Lowering, e: CompoundAssign | Increment) -> Value:
    """`op=`, `++` and `--`: compute in the wider type, convert back, store."""
    where = locate(s, e.place)
    amount = value(s, e.value) if isinstance(e, CompoundAssign) else None
    before = load(s, where, e.type, e.place.span)
    if isinstance(e.type, PointerC):
        after = _move_pointer(s, e, before, amount)
    else:
        widened = _convert_value(s, before, e.type, e.computed, e.span)
        if isinstance(e, CompoundAssign):
            assert amount is not None
            result = arithmetic(s, e.op, widened, amount, e.computed, e.value.type, e.span)
        else:
            result = arithmetic(s, "+", widened, constant(e.computed, e.delta), e.computed, e.computed, e.span)
        after = _convert_value(s, result, e.computed, e.type, e.span)
    after = store(s, where, after, e.span)
    return before if isinstance(e, Increment) and e.post else after


def _move_pointer(s: Lowering, e: CompoundAssign | Increment, before: Value, amount: Value | None) -> Value:
    assert isinstance(e.type, PointerC)
    if isinstance(e, Increment) or amount is None:
        index: Value = const_i64(e.delta if isinstance(e, Increment) else 0)
    else:
        assert isinstance(e.value.type, IntegerC)
        index = s.index(amount, e.value.type.signed, e.value.span)
        if e.op == "-":
            index = s.binary("sub", const_i64(0), index, e.span)
    return lower_addresses.moved_pointer(s, before, e.type.target, index, e.span)


# arithmetic


def arithmetic(
    s: Lowering, op: ArithmeticOp, left: Value, right: Value, type_: CType, right_type: CType, span: Span | None
) -> Value:
    """`left op right` in `type_`; C's signed +, - and * do not overflow."""
    if isinstance(type_, FloatingC):
        return s.binary(_FLOAT_OPS[op], left, right, span)
    assert isinstance(type_, IntegerC) and isinstance(left.type, IntType)
    signed, unsigned = _INTEGER_OPS[op]
    if op in ("<<", ">>"):
        assert isinstance(right_type, IntegerC)
        right = s.resize(right, left.type, right_type.signed, span)
    return s.binary(signed if type_.signed else unsigned, left, right, span, nsw=type_.signed and op in ("+", "-", "*"))


def _negative(s: Lowering, operand: Value, type_: CType, span: Span | None) -> Value:
    if isinstance(operand.type, FloatType):
        result = s.builder.temp(operand.type)
        s.builder.emit(Negate(result, operand, span))
        return result
    assert isinstance(operand.type, IntType) and isinstance(type_, IntegerC)
    return s.binary("sub", const_int(operand.type, 0), operand, span, nsw=type_.signed)


def _convert(s: Lowering, inner: Expression, type_: CType, span: Span | None) -> Value:
    if isinstance(type_, IntegerC) and type_.rank == 0:
        return s.resize(truth(s, inner), I8, False, span)
    return _convert_value(s, value(s, inner), inner.type, type_, span)


def _convert_value(s: Lowering, operand: Value, source: CType, target: CType, span: Span | None) -> Value:
    """An arithmetic conversion (C11 6.3.1)."""
    machine = machine_type(target)
    match source, target:
        case _, IntegerC(rank=0) if source != target:
            return s.resize(_nonzero(s, operand, span), I8, False, span)
        case IntegerC(signed=signed), IntegerC():
            assert isinstance(machine, IntType)
            return s.resize(operand, machine, signed, span)
        case IntegerC(signed=signed), FloatingC():
            return s.convert("sitofp" if signed else "uitofp", operand, machine, span)
        case FloatingC(), IntegerC(bits=bits) if bits < 32:
            # undefined when the number does not fit, but every C compiler goes through int, and programs rely on it
            assert isinstance(machine, IntType)
            return s.resize(s.convert("fptosi", operand, I32, span), machine, True, span)
        case FloatingC(), IntegerC(signed=signed):
            return s.convert("fptosi" if signed else "fptoui", operand, machine, span)
        case FloatingC(bits=a), FloatingC(bits=b) if a != b:
            return s.convert("fpext" if a < b else "fptrunc", operand, machine, span)
        case _:
            return operand


# truth values and control flow


def truth(s: Lowering, e: Expression) -> Value:
    """Whether an expression compares unequal to zero, as a truth value."""
    match e:
        case Literal(value=number):
            return TRUE if number != 0 else FALSE
        case Compare(op=op, left=left, right=right):
            return _compare(s, op, value(s, left), value(s, right), left.type, e.span)
        case Not(value=inner):
            return s.binary("xor", truth(s, inner), TRUE, e.span)
        case Logical(op=op, left=left, right=right) if is_total(right):
            first, second = truth(s, left), truth(s, right)
            return select(s, first, second, FALSE, e.span) if op == "&&" else select(s, first, TRUE, second, e.span)
        case Logical():
            slot = Slot("", I1, e.span)
            _either(s, e, lambda: store(s, slot, TRUE, None), lambda: store(s, slot, FALSE, None), e.span)
            return s.builder.read(slot)
        case Convert(type=IntegerC(rank=0), value=inner):
            return truth(s, inner)
        case Convert(type=IntegerC(bits=bits), value=inner) if isinstance(inner.type, IntegerC) and inner.type.bits <= bits:
            return truth(s, inner)
        case Classify():
            return lower_classes.truth(s, e)
        case Across() if (found := lower_across.truth(s, e)) is not None:
            return found
        case _:
            return _nonzero(s, value(s, e), e.span)


def _nonzero(s: Lowering, operand: Value, span: Span | None) -> Value:
    result = s.builder.temp(I1)
    match operand.type:
        case FloatType() as type_:
            s.builder.emit(CompareFloat(result, "une", operand, const_float(type_, 0.0), span))
        case IntType() as integer:
            s.builder.emit(CompareInt(result, "ne", operand, const_int(integer, 0), span))
        case PointerType():
            s.builder.emit(CompareInt(result, "ne", operand, Const(PTR, 0), span))
        case other:
            raise InternalError(f"the truth of a {other}")
    return result


def _compare(s: Lowering, op: CompareOp, left: Value, right: Value, type_: CType, span: Span | None) -> Value:
    result = s.builder.temp(I1)
    if isinstance(type_, FloatingC):
        s.builder.emit(CompareFloat(result, _FLOAT_TESTS[op], left, right, span))
    else:
        signed, unsigned = _INTEGER_TESTS[op]
        is_signed = isinstance(type_, IntegerC) and type_.signed
        s.builder.emit(CompareInt(result, signed if is_signed else unsigned, left, right, span))
    return result


def select(s: Lowering, test: Value, then: Value, otherwise: Value, span: Span | None) -> Value:
    """Emit a select."""
    result = s.builder.temp(then.type)
    s.builder.emit(Select(result, test, then, otherwise, span))
    return result


def condition(s: Lowering, e: Expression, then: OpenBlock, otherwise: OpenBlock) -> None:
    """Go to `then` when `e` holds, else to `otherwise`; `&&` and `||` evaluate their right side only when it decides."""
    match e:
        case Literal(value=number):
            s.builder.jump(then if number != 0 else otherwise, e.span)
        case Not(value=inner):
            condition(s, inner, otherwise, then)
        case Logical(op=op, left=left, right=right):
            middle = s.builder.new_block("and" if op == "&&" else "or")
            if op == "&&":
                condition(s, left, middle, otherwise)
            else:
                condition(s, left, then, middle)
            s.builder.place(middle)
            condition(s, right, then, otherwise)
        case _:
            s.builder.branch(truth(s, e), then, otherwise, e.span)


def _conditional(s: Lowering, e: Conditional) -> Value:
    if is_total(e.then) and is_total(e.otherwise):
        test = truth(s, e.condition)
        return select(s, test, value(s, e.then), value(s, e.otherwise), e.span)
    slot = Slot("", machine_type(e.type), e.span)
    _either(
        s,
        e.condition,
        lambda: store(s, slot, value(s, e.then), None),
        lambda: store(s, slot, value(s, e.otherwise), None),
        e.span,
    )
    return s.builder.read(slot)


def _either(
    s: Lowering, test: Expression, then: Callable[[], object], otherwise: Callable[[], object], span: Span | None
) -> None:
    """Run one of two pieces of lowering, depending on `test`, and continue behind both."""
    builder = s.builder
    yes, no, join = builder.new_block("then"), builder.new_block("else"), builder.new_block("join")
    condition(s, test, yes, no)
    for block, action in ((yes, then), (no, otherwise)):
        builder.place(block)
        action()
        builder.jump(join, span)
    builder.place(join)
