"""Instructions of the vector IR, as frozen values with their operands and their type.

Arithmetic works lane by lane on operands of one type, scalars or vectors. Floating-point modes: "strict" allows nothing,
"contract" fuses a multiplication into an addition, "fast" also reassociates; none of them assumes that there are no NaNs or
infinities. Integer operations have no `nsw` flags: signed overflow is undefined in C, but it must not become a
wild access.

Masks are truth values for each lane; None stands for all lanes. No access touches memory outside its mask.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import gcd
from typing import Final, Literal, get_args

from rv.ir.instructions import BinaryOp, ConvertOp, FloatPredicate, IntPredicate
from rv.ir.types import I32, I64, PTR, VOID, FloatMode, FloatType, IntType, Type, VoidType, bits_of
from rv.vector.types import DataType, TupleType, ValueType, VectorType, element_of, lanes_of, truth_of, vector_of, with_element
from rv.vector.values import Operand

Promise = Literal["", "exact", "disjoint"]
ElementwiseName = Literal[
    "sqrt", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "copysign", "fma", "minnum", "maxnum",
    "smin", "smax", "umin", "umax", "ctpop", "cttz", "ctlz",
]  # fmt: skip
NativeName = Literal["rcp14", "rsqrt14", "getexp", "getmant", "fma_up", "not_finite", "pdep"]
NeighboursOp = Literal["differences", "products", "unsigned", "signed"]
ReduceOp = Literal["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax", "fadd", "fmul"]

ELEMENTWISE: Final[tuple[str, ...]] = get_args(ElementwiseName)

@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A run of `length` elements of an array from the element `start` on; ordered by address."""

    start: tuple[int, ...]
    array: str
    length: int


@dataclass(frozen=True, slots=True)
class Access:
    """What is known of the memory that an instruction touches.

    `memory` names what may overlap: accesses of different memories need no order. `align` is in bytes, of each element for
    gathers and scatters. `array`: the pointer parameter, when nothing that is accessed through another one overlaps; else "".
    `place` is the run of elements of an access group, if it is known. `written`: the same loops store to this memory.
    """

    memory: str
    align: int
    array: str = ""
    place: Place | None = field(default=None, compare=False)
    written: bool = False

    def part(self, start: int, length: int, size: int) -> Access:
        """What is known of `length` of the elements, of `size` bytes each, from the element `start` on."""
        align, place = gcd(self.align, start * size), self.place
        if place is not None:
            place = replace(place, start=(*place.start[:-1], place.start[-1] + start), length=length)
        return replace(self, align=align, place=place)


@dataclass(frozen=True, slots=True)
class Binary:
    """`op left, right`. "exact": the division has no remainder; "disjoint": the operands of `or` have no bit in common."""

    op: BinaryOp
    left: Operand
    right: Operand
    mode: FloatMode = "strict"
    promise: Promise = ""

    @property
    def type(self) -> ValueType:
        return self.left.type


@dataclass(frozen=True, slots=True)
class Negate:
    """The opposite of a floating-point number."""

    value: Operand
    mode: FloatMode = "strict"

    @property
    def type(self) -> ValueType:
        return self.value.type


@dataclass(frozen=True, slots=True)
class Compare:
    """A truth value for each lane: of floating-point numbers by a FloatPredicate, of integers and pointers by an IntPredicate."""

    predicate: IntPredicate | FloatPredicate
    left: Operand
    right: Operand

    @property
    def type(self) -> ValueType:
        return truth_of(self.left.type)


@dataclass(frozen=True, slots=True)
class Select:
    """`then` where the condition holds, else `otherwise`; a scalar condition decides about all lanes."""

    condition: Operand
    then: Operand
    otherwise: Operand

    @property
    def type(self) -> ValueType:
        return self.then.type


@dataclass(frozen=True, slots=True)
class Convert:
    """A conversion to `type`; `bitcast` may also change the number of lanes."""

    op: ConvertOp
    value: Operand
    type: DataType


@dataclass(frozen=True, slots=True)
class Freeze:
    """The operand, with some value instead of poison and undefined ones, the same at every use."""

    value: Operand

    @property
    def type(self) -> ValueType:
        return self.value.type


@dataclass(frozen=True, slots=True)
class Hide:
    """The operand as a value that the optimizer does not recognize (`rv.target.llvm_defects`)."""

    value: Operand

    @property
    def type(self) -> ValueType:
        return self.value.type


@dataclass(frozen=True, slots=True)
class Elementwise:
    """A function with an exact result, lane by lane.

    `minnum`, `maxnum`: C's fmin and fmax, with -0 below +0. `cttz`, `ctlz`: the number of zero bits below the lowest and above
    the highest set bit; poison for 0.
    """

    name: ElementwiseName
    operands: tuple[Operand, ...]
    mode: FloatMode = "strict"

    @property
    def type(self) -> ValueType:
        return self.operands[0].type


@dataclass(frozen=True, slots=True)
class Native:
    """An instruction of x86-64 that LLVM's own operations do not express.

    `rcp14`, `rsqrt14`: estimates of 1/x and 1/sqrt(x). `getexp`, `getmant`: the parts of a number (`rv.ir.libm`).
    `fma_up`: x y + z, rounded up. `not_finite`: which lanes hold an infinity or a NaN. `pdep`: the bits of the first operand at
    the places of the bits that are set in the second one. All but `pdep` are AVX-512's.
    """

    name: NativeName
    operands: tuple[Operand, ...]

    @property
    def type(self) -> ValueType:
        first = self.operands[0].type
        return truth_of(first) if self.name == "not_finite" else first


@dataclass(frozen=True, slots=True)
class Quotients:
    """Quotients of whole registers, for which multiplications take the place of the divider (`rv.vector.divider.quotients`).

    A group for each register: dividend, divisor, which lanes count; `half` of the root's reciprocal stands before these when the
    divisor is a root of `Roots`. `never_small`: dividends are +0 or not small. The result is a tuple of the registers. `mode`:
    that of the quotients that are left to the divider after all (`rv.vector.divider.offload`).
    """

    groups: tuple[tuple[Operand, ...], ...]
    never_small: bool = False
    mode: FloatMode = "strict"

    @property
    def type(self) -> TupleType:
        return _tuple_of(group[0] for group in self.groups)


@dataclass(frozen=True, slots=True)
class Roots:
    """Square roots of whole registers, likewise: for each the operand, and which lanes count.

    The result is a tuple of each root, and behind it half of its reciprocal, which only `Quotients` may read.
    """

    groups: tuple[tuple[Operand, ...], ...]
    mode: FloatMode = "strict"

    @property
    def type(self) -> TupleType:
        return _tuple_of(group[0] for group in self.groups for _ in range(2))


@dataclass(frozen=True, slots=True)
class SumNeighbours:
    """Sums of lanes next to each other, in lanes of a wider type.

    `differences`: of 8 bytes the absolute differences from those of the other operand, without sign, as i64. `products`: of 2
    shorts the products with those of the other operand, with sign, as i32, where -32768 four times wraps. Both are x86-64's.
    `unsigned`, `signed`: of 2 lanes of one operand, in twice the width, with or without sign; AArch64's.
    """

    op: NeighboursOp
    operands: tuple[Operand, ...]

    @property
    def together(self) -> int:
        """How many lanes make one."""
        return 8 if self.op == "differences" else 2

    @property
    def type(self) -> ValueType:
        own = self.operands[0].type
        wide = {"differences": I64, "products": I32}.get(self.op) or IntType(2 * bits_of(element_of(own)))
        return VectorType(wide, lanes_of(own) // self.together)


@dataclass(frozen=True, slots=True)
class AddDots:
    """`so_far`, words that wrap, with the products of the lanes in the same place: of 4 bytes, or of 2 shorts, to each.

    `signs`: whether the numbers of `left` and of `right` have one. For those that the target has (`Target.dots`).
    """

    so_far: Operand
    left: Operand
    right: Operand
    signs: tuple[bool, bool]

    @property
    def type(self) -> ValueType:
        return self.so_far.type


@dataclass(frozen=True, slots=True)
class Broadcast:
    """A scalar in every one of `lanes` lanes."""

    value: Operand
    lanes: int

    @property
    def type(self) -> ValueType:
        return VectorType(element_of(self.value.type), self.lanes)


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Lanes of the concatenation of two vectors of one type; a negative entry of the mask is a lane that may hold anything."""

    left: Operand
    right: Operand
    mask: tuple[int, ...]

    @property
    def type(self) -> ValueType:
        return VectorType(element_of(self.left.type), len(self.mask))


@dataclass(frozen=True, slots=True)
class Insert:
    """The vector with another scalar in one lane."""

    vector: Operand
    value: Operand
    lane: int

    @property
    def type(self) -> ValueType:
        return self.vector.type


@dataclass(frozen=True, slots=True)
class Extract:
    """The scalar in a lane, whose number is an integer operand; poison where there is no such lane."""

    vector: Operand
    lane: Operand

    @property
    def type(self) -> ValueType:
        return element_of(self.vector.type)


@dataclass(frozen=True, slots=True)
class Reduce:
    """All lanes of a vector as one number.

    Floating-point sums and products go on from `start`, in the order of the lanes unless the mode is "fast".
    """

    op: ReduceOp
    vector: Operand
    start: Operand | None = None
    mode: FloatMode = "strict"

    @property
    def type(self) -> ValueType:
        return element_of(self.vector.type)


@dataclass(frozen=True, slots=True)
class Address:
    """`base` moved by `index` units of `count` elements; with a vector as base or index an address for each lane."""

    base: Operand
    index: Operand
    element: Type
    count: int = 1

    @property
    def type(self) -> ValueType:
        return vector_of(PTR, max(lanes_of(self.base.type), lanes_of(self.index.type)))


@dataclass(frozen=True, slots=True)
class Field:
    """The address of a member of a tuple in memory."""

    base: Operand
    tuple: TupleType
    number: int

    @property
    def type(self) -> ValueType:
        return PTR


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a tuple."""

    tuple: Operand
    number: int

    @property
    def type(self) -> ValueType:
        assert isinstance(self.tuple.type, TupleType)
        return self.tuple.type.members[self.number]


@dataclass(frozen=True, slots=True)
class Join:
    """A tuple of values."""

    members: tuple[Operand, ...]

    @property
    def type(self) -> ValueType:
        return _tuple_of(self.members)


@dataclass(frozen=True, slots=True)
class Load:
    """A scalar, or a vector of neighbours. Lanes outside the mask hold zeros if it is `zeroing`, else anything."""

    pointer: Operand
    type: DataType
    access: Access
    mask: Operand | None = None
    zeroing: bool = False


@dataclass(frozen=True, slots=True)
class LoadApart:
    """Vectors whose lanes alternate in memory, as a tuple of 2 to 4 of one type; AArch64's."""

    pointer: Operand
    type: TupleType
    access: Access


@dataclass(frozen=True, slots=True)
class Gather:
    """An element from each of several addresses; zeros outside the mask."""

    pointers: Operand
    mask: Operand
    element: Type
    access: Access

    @property
    def type(self) -> ValueType:
        return with_element(self.pointers.type, self.element)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function by name: of another one of the module, or of an external one.

    A `pure` one neither reads nor writes memory, any other one may access all of it. A callee with a variable number of arguments
    has a prototype for the first `fixed` ones.
    """

    callee: str
    arguments: tuple[Operand, ...]
    type: ValueType
    pure: bool = True
    fixed: int | None = None


@dataclass(frozen=True, slots=True)
class CallAt:
    """A call of the function at an address, which may access all memory."""

    pointer: Operand
    arguments: tuple[Operand, ...]
    type: ValueType


@dataclass(frozen=True, slots=True)
class Store:
    """Writes a scalar, or a vector to neighbours; one that is `streaming` goes around the caches."""

    value: Operand
    pointer: Operand
    access: Access
    mask: Operand | None = None
    streaming: bool = False

    @property
    def type(self) -> VoidType:
        return VOID


@dataclass(frozen=True, slots=True)
class StoreTogether:
    """Writes 2 to 4 vectors of one type so that their lanes alternate; AArch64's."""

    values: tuple[Operand, ...]
    pointer: Operand
    access: Access

    @property
    def type(self) -> VoidType:
        return VOID


@dataclass(frozen=True, slots=True)
class Scatter:
    """Writes lane after lane, in order, each to its own address."""

    value: Operand
    pointers: Operand
    mask: Operand
    access: Access

    @property
    def type(self) -> VoidType:
        return VOID


@dataclass(frozen=True, slots=True)
class Begin:
    """The contents of a stack object become undefined."""

    pointer: Operand
    access: Access

    @property
    def type(self) -> VoidType:
        return VOID


@dataclass(frozen=True, slots=True)
class Fence:
    """What was streamed is visible before anything that follows."""

    @property
    def type(self) -> VoidType:
        return VOID


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Fetches the cache line of an address; it never faults."""

    pointer: Operand
    writing: bool

    @property
    def type(self) -> VoidType:
        return VOID


def _tuple_of(members: Iterable[Operand]) -> TupleType:
    found: list[DataType] = []
    for member in members:
        assert not isinstance(member.type, TupleType)
        found.append(member.type)
    return TupleType(tuple(found))


Pure = (
    Binary | Negate | Compare | Select | Convert | Freeze | Hide | Elementwise | Native | SumNeighbours | AddDots | Broadcast
    | Shuffle | Insert | Extract | Reduce | Address | Field | Member | Join | Quotients | Roots
)  # fmt: skip
MemoryInstruction = Load | LoadApart | Gather | Store | StoreTogether | Scatter | Begin | Fence | Prefetch
Instruction = Pure | MemoryInstruction | Call | CallAt


def operands(instruction: Instruction) -> tuple[Operand, ...]:
    """What an instruction reads; of a store the address first, as it is known first."""
    match instruction:
        case Binary(left=a, right=b) | Compare(left=a, right=b) | Shuffle(left=a, right=b):
            return (a, b)
        case Negate(value=a) | Convert(value=a) | Freeze(value=a) | Hide(value=a) | Broadcast(value=a):
            return (a,)
        case Select(condition=c, then=a, otherwise=b):
            return (c, a, b)
        case Elementwise(operands=values) | Native(operands=values) | Join(members=values) | Call(arguments=values):
            return values
        case SumNeighbours(operands=values):
            return values
        case AddDots(so_far=c, left=a, right=b):
            return (a, b, c)
        case Quotients(groups=groups) | Roots(groups=groups):
            return tuple(operand for group in groups for operand in group)
        case CallAt(pointer=a, arguments=values):
            return (a, *values)
        case Insert(vector=a, value=b) | Extract(vector=a, lane=b) | Address(base=a, index=b):
            return (a, b)
        case Reduce(vector=a, start=b):
            return (a,) if b is None else (b, a)
        case Field(base=a) | Member(tuple=a) | Begin(pointer=a) | Prefetch(pointer=a):
            return (a,)
        case Load(pointer=a, mask=b):
            return (a,) if b is None else (a, b)
        case LoadApart(pointer=a):
            return (a,)
        case StoreTogether(values=values, pointer=a):
            return (a, *values)
        case Gather(pointers=a, mask=b):
            return (a, b)
        case Store(value=v, pointer=a, mask=b):
            return (a, v) if b is None else (a, v, b)
        case Scatter(value=v, pointers=a, mask=b):
            return (a, v, b)
        case Fence():
            return ()


def access_of(instruction: Instruction) -> Access | None:
    """The memory that an instruction reads or writes; None when it touches none. Calls and fences touch the unnamed memory."""
    match instruction:
        case Load(access=access) | LoadApart(access=access) | Gather(access=access):
            return access
        case Store(access=access) | StoreTogether(access=access) | Scatter(access=access) | Begin(access=access):
            return access
        case Call(pure=False) | CallAt() | Fence():
            return ANY_MEMORY
        case _:
            return None


ANY_MEMORY: Final = Access("", 1)


def writes(instruction: Instruction) -> bool:
    """Whether other accesses of the same memory must keep their side of the instruction."""
    match instruction:
        case Store() | StoreTogether() | Scatter() | Begin() | Fence() | Call(pure=False) | CallAt():
            return True
        case _:
            return False


def is_division(instruction: Instruction) -> bool:
    """Whether the instruction takes the divider: quotients and square roots of floating-point numbers."""
    match instruction:
        case Binary(op="fdiv") | Elementwise(name="sqrt"):
            return True
        case _:
            return False


def is_floating(type_: ValueType) -> bool:
    return isinstance(element_of(type_), FloatType)


@dataclass(frozen=True, slots=True)
class Jump:
    """Go to block `target`; `vectorized`: back to the start of a loop that is not to be vectorized once more."""

    target: str
    vectorized: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """Go to `then` when the condition holds, else to `otherwise`; `likely`: it almost always holds."""

    condition: Operand
    then: str
    otherwise: str
    likely: bool = False


@dataclass(frozen=True, slots=True)
class Return:
    """Leave the function, with a value unless it gives none."""

    value: Operand | None = None


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Control never arrives here."""


Terminator = Jump | Branch | Return | Unreachable


def successors(terminator: Terminator) -> tuple[str, ...]:
    """Labels of the blocks that may run next, in order."""
    match terminator:
        case Jump(target=target):
            return (target,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Return() | Unreachable():
            return ()


def terminator_operands(terminator: Terminator) -> tuple[Operand, ...]:
    """What a terminator reads."""
    match terminator:
        case Branch(condition=value):
            return (value,)
        case Return(value=value) if value is not None:
            return (value,)
        case Return() | Jump() | Unreachable():
            return ()
