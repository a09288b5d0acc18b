"""C text of typed expressions and types: for prototypes, parameter descriptions and messages."""

from __future__ import annotations

from tensorrv.frontend.c.tree.nodes import (
    Arithmetic,
    Compare,
    Complement,
    Conditional,
    Convert,
    Expression,
    Literal,
    Logical,
    Minus,
    Not,
    Read,
    TypedParameter,
    VariablePlace,
)
from tensorrv.frontend.c.types.c_types import (
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    ArrayC,
    CType,
    PointerC,
    StructC,
    is_const,
    unqualified,
)

_SUFFIXES = {INT: "", UINT: "u", LONG: "l", ULONG: "ul", LLONG: "ll", ULLONG: "ull"}


def expression_text(value: Expression) -> str:
    """C text that computes `value` from variables of the same names; fully parenthesised where it matters."""
    match value:
        case Literal(type, number) if type in (FLOAT, DOUBLE):
            return float(number).hex() + ("f" if type == FLOAT else "")
        case Literal(type, number):
            suffix = _SUFFIXES.get(type, "") if abs(number) >= 1 << 31 else ""  # type: ignore[arg-type]
            return f"{number}{suffix}" if number >= 0 else f"({number}{suffix})"
        case Read(place=VariablePlace(variable=variable)):
            return variable.name or f"({variable.text})"
        case Convert(type, inner):
            # implicit conversions need no text, and explicit ones that widen neither
            return expression_text(inner) if _widens(inner.type, type) else f"({type_text(type)}){_operand(inner)}"
        case (
            Arithmetic(op=op, left=left, right=right)
            | Compare(op=op, left=left, right=right)
            | Logical(op=op, left=left, right=right)
        ):
            return f"{_operand(left)} {op} {_operand(right)}"
        case Minus(value=inner):
            return f"-{_operand(inner)}"
        case Complement(value=inner):
            return f"~{_operand(inner)}"
        case Not(value=inner):
            return f"!{_operand(inner)}"
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"{_operand(condition)} ? {_operand(then)} : {_operand(otherwise)}"
        case _:
            return "..."


def _operand(value: Expression) -> str:
    text = expression_text(value)
    return (
        text
        if text.replace("_", "a").isalnum() or (text.startswith("(") and text.endswith(")") and text.count("(") == 1)
        else f"({text})"
    )


def _widens(source: CType, target: CType) -> bool:
    return getattr(target, "rank", 9) >= getattr(source, "rank", 0) and type(source) is type(target)


def type_text(type_: CType) -> str:
    """A type's C name without qualifiers; a struct that has no tag is known to the file it is in only, here it is void."""
    match unqualified(type_):
        case StructC(record):
            return f"struct {record.tag}" if record.tagged else "void"
        case PointerC() | ArrayC():
            return declarator_text(type_, "")
        case other:
            return getattr(other, "name", "void")


def declarator_text(type_: CType, name: str) -> str:
    """`type_ name` as C declares it."""
    inner = type_
    text = name
    while True:
        match inner:
            case PointerC(target, const, restrict):
                text = "*" + "restrict " * restrict + "const " * const + text
                if isinstance(target, ArrayC):
                    text = f"({text.rstrip()})"
                inner = target
            case ArrayC(element, size):
                text += f"[{size if isinstance(size, int) else size.text if size is not None else ''}]"
                inner = element
            case _:
                prefix = "const " if is_const(inner) else ""
                return f"{prefix}{type_text(inner)} {text}".rstrip()


def parameter_text(parameter: TypedParameter) -> str:
    """The declaration of one parameter, arrays written as arrays."""
    variable = parameter.variable
    type_ = variable.type
    if isinstance(type_, StructC):
        return f"{type_.name} {variable.name}"
    if not isinstance(type_, PointerC):
        return f"{type_text(type_)} {variable.name}"
    if not parameter.array and parameter.extents[0] is None:
        return declarator_text(PointerC(type_.target, False, type_.restrict), variable.name)
    target = type_.target
    while isinstance(target, ArrayC):
        target = target.element
    element = target
    if isinstance(element, StructC) and (not element.record.tagged or len(parameter.extents) == 1):
        # headers only declare that there is such a struct, and C has no arrays of incomplete types
        return declarator_text(PointerC(element, False, type_.restrict), variable.name)
    first = parameter.extents[0]
    words = ["restrict"] * type_.restrict + (["static"] if parameter.static else [])
    inner = " ".join([*words, *([expression_text(first)] if first is not None else [])])
    rest = "".join(f"[{expression_text(e)}]" if e is not None else "[]" for e in parameter.extents[1:])
    const = "const " if is_const(element) else ""
    return f"{const}{type_text(element)} {variable.name}[{inner}]{rest}"


def prototype_text(name: str, result: CType, parameters: tuple[TypedParameter, ...]) -> str:
    """The prototype of a function for a C header."""
    inside = ", ".join(parameter_text(p) for p in parameters) or "void"
    return f"{declarator_text(result, name)}({inside})"
