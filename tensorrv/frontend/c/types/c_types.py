"""C's types as far as kernels need them, for an LP64 machine (x86-64 and AArch64 Linux) on which plain `char` is signed.

`const` is part of a scalar or pointer type; a const array is an array of const elements. Conversions, promotions and
ranks follow C11 sections 6.2.5 and 6.3.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from rv.ir.types import F32, F64, I8, PTR, VOID, IntType, Type

if TYPE_CHECKING:
    from tensorrv.frontend.c.analyse.scope import Variable
    from tensorrv.report.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class VoidC:
    """`void`."""

    const: bool = False


@dataclass(frozen=True, slots=True)
class IntegerC:
    """An integer type, `_Bool` included (which has rank 0 and one value bit)."""

    name: str
    bits: int
    signed: bool
    rank: int
    const: bool = False


@dataclass(frozen=True, slots=True)
class FloatingC:
    """`float` or `double`."""

    name: str
    bits: int
    const: bool = False


@dataclass(frozen=True, slots=True)
class PointerC:
    """A pointer; `const` is the pointer's own, that of what it points to is in `target`."""

    target: CType
    const: bool = False
    restrict: bool = False


@dataclass(frozen=True, slots=True)
class ArrayC:
    """An array of `extent` elements: a number, a hidden variable that was set where the type was declared, or unknown."""

    element: CType
    extent: int | Variable | None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct at a byte offset; one without a name is a struct whose members count as the outer one's."""

    name: str
    type: CType
    offset: int


@dataclass(eq=False, slots=True)
class Record:
    """A struct, laid out by the C ABI of x86-64 and AArch64; `members` is None until it is complete.

    `tag` is the name after `struct`, or that of the typedef of a struct without one. `problem`: why its members cannot be
    accessed, if one of them is outside the subset and its room is not known. `hidden` has such reasons for single members.
    """

    tag: str
    tagged: bool = True
    members: tuple[Member, ...] | None = None
    size: int = 0
    alignment: int = 1
    problem: Diagnostic | None = None
    hidden: dict[str, Diagnostic] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StructC:
    """A struct type: two are the same when their records are."""

    record: Record
    const: bool = False

    @property
    def name(self) -> str:
        return f"struct {self.record.tag}" if self.record.tagged else self.record.tag or "struct"


@dataclass(frozen=True, slots=True)
class FunctionC:
    """A function; `parameters` is None when it was declared without a prototype."""

    result: CType
    parameters: tuple[CType, ...] | None
    variadic: bool = False
    unsupported: str = field(default="", compare=False)


CType = VoidC | IntegerC | FloatingC | PointerC | ArrayC | StructC | FunctionC
ArithmeticC = IntegerC | FloatingC

BOOL: Final = IntegerC("_Bool", 8, False, 0)
CHAR: Final = IntegerC("char", 8, True, 1)
INT: Final = IntegerC("int", 32, True, 3)
UINT: Final = IntegerC("unsigned int", 32, False, 3)
LONG: Final = IntegerC("long", 64, True, 4)
ULONG: Final = IntegerC("unsigned long", 64, False, 4)
LLONG: Final = IntegerC("long long", 64, True, 5)
ULLONG: Final = IntegerC("unsigned long long", 64, False, 5)
FLOAT: Final = FloatingC("float", 32)
DOUBLE: Final = FloatingC("double", 64)
VOIDC: Final = VoidC()

# sorted words of the declaration specifiers -> type (C11 6.7.2)
SPECIFIERS: Final[dict[tuple[str, ...], CType]] = {
    tuple(sorted(words.split())): type_
    for spellings, type_ in (
        ("void", VOIDC),
        ("_Bool", BOOL),
        ("char", CHAR),
        ("signed char", IntegerC("signed char", 8, True, 1)),
        ("unsigned char", IntegerC("unsigned char", 8, False, 1)),
        ("short|signed short|short int|signed short int", IntegerC("short", 16, True, 2)),
        ("unsigned short|unsigned short int", IntegerC("unsigned short", 16, False, 2)),
        ("int|signed|signed int", INT),
        ("unsigned|unsigned int", UINT),
        ("long|signed long|long int|signed long int", LONG),
        ("unsigned long|unsigned long int", ULONG),
        ("long long|signed long long|long long int|signed long long int", LLONG),
        ("unsigned long long|unsigned long long int", ULLONG),
        ("float|_Float32", FLOAT),
        ("double|_Float64|_Float32x", DOUBLE),
    )
    for words in spellings.split("|")
}

OTHER_TYPES: Final = frozenset({"_Float16", "_Float128", "_Float64x", "__float128", "__float80", "__bf16", "__builtin_va_list"})
"""Names of builtin types whose values are not supported."""


def unqualified(type_: CType) -> CType:
    """The type without its own const (and restrict)."""
    match type_:
        case PointerC(target):
            return PointerC(target)
        case VoidC() | IntegerC() | FloatingC() | StructC():
            return replace(type_, const=False)
        case _:
            return type_


def with_const(type_: CType) -> CType:
    """The const version; of an array, the array of const elements."""
    match type_:
        case ArrayC(element, extent):
            return ArrayC(with_const(element), extent)
        case VoidC() | IntegerC() | FloatingC() | PointerC() | StructC():
            return replace(type_, const=True)
        case FunctionC():
            return type_


def is_const(type_: CType) -> bool:
    """Whether an object of this type may not be modified."""
    match type_:
        case ArrayC(element):
            return is_const(element)
        case FunctionC():
            return False
        case _:
            return type_.const


def promote(type_: IntegerC) -> IntegerC:
    """Integer promotion (6.3.1.1): everything of lower rank than int fits int here."""
    promoted = INT if type_.rank < INT.rank else unqualified(type_)
    assert isinstance(promoted, IntegerC)
    return promoted


def common_type(left: ArithmeticC, right: ArithmeticC) -> ArithmeticC:
    """The usual arithmetic conversions (6.3.1.8)."""
    if isinstance(left, FloatingC) or isinstance(right, FloatingC):
        bits = max(t.bits for t in (left, right) if isinstance(t, FloatingC))
        return DOUBLE if bits == 64 else FLOAT
    a, b = promote(left), promote(right)
    if a.signed == b.signed:
        return a if a.rank >= b.rank else b
    unsigned, signed = (b, a) if a.signed else (a, b)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.bits > unsigned.bits:
        return signed
    return ULLONG if signed.rank == LLONG.rank else ULONG


def machine_type(type_: CType) -> Type:
    """The P-LLVM type of a value of this type (a `_Bool` is a byte that holds 0 or 1).

    A struct is no value: its type is an integer as wide as its alignment, in which addresses of structs are counted.
    """
    match type_:
        case IntegerC(bits=bits):
            return I8 if bits == 8 else IntType(bits)
        case FloatingC(bits=bits):
            return F64 if bits == 64 else F32
        case VoidC():
            return VOID
        case StructC(record):
            return I8 if record.alignment == 1 else IntType(8 * record.alignment)
        case _:
            return PTR


def innermost(type_: CType) -> CType:
    """The element type below all array dimensions."""
    while isinstance(type_, ArrayC):
        type_ = type_.element
    return type_


def size_of_type(type_: CType) -> int | None:
    """How many bytes an object of this type takes; None when that is not a constant, or there are no such objects."""
    match type_:
        case IntegerC(bits=bits) | FloatingC(bits=bits):
            return bits // 8
        case PointerC():
            return 8
        case ArrayC(element, int() as extent):
            size = size_of_type(element)
            return None if size is None else size * extent
        case StructC(record):
            return record.size if record.members is not None and record.problem is None else None
        case _:
            return None


def alignment_of(type_: CType) -> int:
    """The alignment of an object in bytes: scalars are aligned to their size."""
    match type_:
        case ArrayC(element):
            return alignment_of(element)
        case StructC(record):
            return record.alignment
        case _:
            return size_of_type(type_) or 1


def spell(type_: CType) -> str:
    """The type as a user would write it in a message."""
    match type_:
        case PointerC(FunctionC(result)):
            return f"{spell(result)} (*)(...)"
        case PointerC(PointerC() as pointer):
            return f"{spell(pointer)}*"
        case PointerC(target):
            inner = innermost(target)
            dimensions = ""
            while isinstance(target, ArrayC):
                extent = target.extent
                dimensions += f"[{extent if isinstance(extent, int) else extent.text if extent else ''}]"
                target = target.element
            star = "(*)" + dimensions if dimensions else "*"
            return f"{spell(inner)} {star}" + (" const" if type_.const else "")
        case ArrayC():
            dimensions = ""
            element: CType = type_
            while isinstance(element, ArrayC):
                extent = element.extent
                dimensions += f"[{extent if isinstance(extent, int) else extent.text if extent else ''}]"
                element = element.element
            return f"{spell(element)} {dimensions}"
        case FunctionC(result):
            return f"{spell(result)} (...)"
        case VoidC(const):
            return "const void" if const else "void"
        case _:
            return ("const " if type_.const else "") + type_.name


def compatible_targets(left: CType, right: CType) -> bool:
    """Whether pointers to these types may be assigned to each other without a cast, apart from const (6.7.6.1, 6.7.6.2)."""
    match left, right:
        case (VoidC(), _) | (_, VoidC()):
            return True
        case ArrayC(a, m), ArrayC(b, n):
            return compatible_targets(a, b) and (m == n or not isinstance(m, int) or not isinstance(n, int))
        case _:
            return same_type(left, right)


def same_type(left: CType, right: CType) -> bool:
    """Compatible types, apart from qualifiers."""
    match left, right:
        case IntegerC(bits=a, signed=s, rank=r), IntegerC(bits=b, signed=t, rank=q):
            return (a, s, r) == (b, t, q) and (left.name == right.name or "char" not in left.name)
        case FloatingC(bits=a), FloatingC(bits=b):
            return a == b
        case PointerC(a), PointerC(b):
            return same_type(a, b)
        case ArrayC(), ArrayC():
            return compatible_targets(left, right)
        case FunctionC(result, parameters), FunctionC(other, others):
            if not same_type(result, other):
                return False
            if parameters is None or others is None:
                return True
            return len(parameters) == len(others) and all(map(same_type, parameters, others))
        case VoidC(), VoidC():
            return True
        case StructC(record), StructC(another):
            return record is another
        case _:
            return False
