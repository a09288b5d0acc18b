"""Instructions, phis and terminators of P-LLVM (thesis, figure 4.2).

Every instruction is a frozen dataclass; `result` is the variable that it defines (stores and void calls define none).
Integer operations wrap modulo 2**bits; `nsw`: by the front end's guarantee the exact signed result fits (C's signed
arithmetic), which analyses may use and code generation never does. A `precise` floating-point operation is performed as it is
written even where the user allows others to be reassociated or fused: error compensation in mathematical functions needs that.

Threads execute a block actively or passively (definition 8). A passive thread performs no instruction: what becomes of the
result variable is the interpretation's matter (`rv.semantics.lockstep`). Exceptions: a `total` instruction is performed by all
threads, and a phi with a `shadow` takes the shadow for threads that have not come to its block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from rv.ir.source import Span
from rv.ir.types import Type
from rv.ir.values import Value, Var

IntBinaryOp = Literal[
    "add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "and", "or", "xor", "sadd_sat", "ssub_sat"
]  # fmt: skip
FloatBinaryOp = Literal["fadd", "fsub", "fmul", "fdiv"]
BinaryOp = IntBinaryOp | FloatBinaryOp
IntPredicate = Literal["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
# o...: false when an operand is a NaN; u...: true when one is. C's `!=` is "une", its other comparisons are ordered.
FloatPredicate = Literal["oeq", "one", "olt", "ole", "ogt", "oge", "ueq", "une", "ult", "ule", "ugt", "uge", "ord", "uno"]
HorizontalOp = Literal[
    "any", "all", "ballot", "popcount", "lane", "lanes", "first", "last", "shuffle",
    "reduce_add", "reduce_mul", "reduce_smin", "reduce_smax", "reduce_umin", "reduce_umax", "reduce_and", "reduce_or",
    "reduce_xor", "reduce_fadd", "reduce_fmul", "reduce_fmin", "reduce_fmax",
]  # fmt: skip
ConvertOp = Literal[
    "trunc", "zext", "sext", "fptosi", "fptoui", "sitofp", "uitofp", "fptrunc", "fpext", "bitcast", "ptrtoint"
]  # fmt: skip

INT_BINARY_OPS: Final[tuple[str, ...]] = get_args(IntBinaryOp)
FLOAT_BINARY_OPS: Final[tuple[str, ...]] = get_args(FloatBinaryOp)
INT_PREDICATES: Final[tuple[str, ...]] = get_args(IntPredicate)
FLOAT_PREDICATES: Final[tuple[str, ...]] = get_args(FloatPredicate)
CONVERT_OPS: Final[tuple[str, ...]] = get_args(ConvertOp)
HORIZONTAL_OPS: Final[tuple[str, ...]] = get_args(HorizontalOp)


@dataclass(frozen=True, slots=True)
class Binary:
    """`result = op left, right`; all three have one type. Shifts by the width or more and division by zero are undefined.

    `sadd_sat` and `ssub_sat`: the signed number of the type that is nearest to the sum or difference.
    """

    result: Var
    op: BinaryOp
    left: Value
    right: Value
    nsw: bool = False
    span: Span | None = field(default=None, compare=False)
    total: bool = False
    precise: bool = False


@dataclass(frozen=True, slots=True)
class Negate:
    """`result = fneg value`: flips the sign bit of a floating-point number."""

    result: Var
    value: Value
    span: Span | None = field(default=None, compare=False)
    total: bool = False
    precise: bool = False


@dataclass(frozen=True, slots=True)
class Freeze:
    """`result = freeze value`: the value, or one that stays the same wherever it is read in place of an undefined one."""

    result: Var
    value: Value
    span: Span | None = field(default=None, compare=False)
    total: bool = False


@dataclass(frozen=True, slots=True)
class CompareInt:
    """`result = icmp predicate left, right` on integers or pointers; the result is a truth value."""

    result: Var
    predicate: IntPredicate
    left: Value
    right: Value
    span: Span | None = field(default=None, compare=False)
    total: bool = False


@dataclass(frozen=True, slots=True)
class CompareFloat:
    """`result = fcmp predicate left, right`; the result is a truth value."""

    result: Var
    predicate: FloatPredicate
    left: Value
    right: Value
    span: Span | None = field(default=None, compare=False)
    total: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """`result = condition ? then : otherwise`, both evaluated."""

    result: Var
    condition: Value
    then: Value
    otherwise: Value
    span: Span | None = field(default=None, compare=False)
    total: bool = False


@dataclass(frozen=True, slots=True)
class Convert:
    """`result = op value`, from the type of `value` to the type of `result`.

    Floating point to integer rounds toward zero; a value that does not fit is undefined. `bitcast` keeps the bits between an
    integer and a floating-point number of one width; `ptrtoint` gives an address as an i64.
    """

    result: Var
    op: ConvertOp
    value: Value
    span: Span | None = field(default=None, compare=False)
    total: bool = False


@dataclass(frozen=True, slots=True)
class ElementPointer:
    """The address of an element of an array of rank len(indices).

    `result = elemptr element, base [i0, i1, ..., ik] extents [e1, ..., ek]` is
    base + size_of(element) * ((i0*e1 + i1)*e2 + ... + ik). Indices and extents are i64, and signed. Wherever the element is
    accessed the front end promises that nothing of this wraps, so that different elements have different places, and with
    more than one index that 0 <= iN < eN for N >= 1 (C's array bounds).
    """

    result: Var
    element: Type
    base: Value
    indices: tuple[Value, ...]
    extents: tuple[Value, ...]
    span: Span | None = field(default=None, compare=False)
    total: bool = False


@dataclass(frozen=True, slots=True)
class Alloca:
    """`result = alloca element x count`: the address of this thread's own object of `count` elements (C's local variables).

    Each alloca has one object for each thread, which lives until the function returns; `result` is its address, always the
    same, so the instruction is total. Where a thread executes it actively, the contents of the thread's object become
    undefined: nothing passes from one execution to the next, and an object whose alloca is in a loop is private to the
    iteration. No pointer but those computed from `result` leads to the object, and none of them leaves the function.
    """

    result: Var
    element: Type
    count: int
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Load:
    """`result = load pointer`, naturally aligned; `untyped`: it may read what was stored as another type, as C's memcpy does."""

    result: Var
    pointer: Value
    span: Span | None = field(default=None, compare=False)
    untyped: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """`store value, pointer`, naturally aligned; `untyped`: loads of other types may read it, as after C's memcpy."""

    value: Value
    pointer: Value
    span: Span | None = field(default=None, compare=False)
    untyped: bool = False

    @property
    def result(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of an external function by its C name (functions of the same file are inlined by the front end).

    Those of libm are pure; others may do anything with the memory that exists. A callee that takes a variable number of
    arguments has a prototype for the first `fixed` ones.
    """

    result: Var | None
    callee: str
    arguments: tuple[Value, ...]
    span: Span | None = field(default=None, compare=False)
    precise: bool = False
    fixed: int | None = None


@dataclass(frozen=True, slots=True)
class Mask:
    """`result = mask()`: for every thread, active or not, whether it executes this block actively (thesis, figure 4.12)."""

    result: Var
    span: Span | None = field(default=None, compare=False)


BALLOT_LANES: Final = 64
"""The bits of a ballot."""


@dataclass(frozen=True, slots=True)
class Horizontal:
    """`result = horizontal op(operands)`: a function of the operands of all *participating* threads (thesis, figure 4.15).

    The active threads of the block participate; with `total` all threads do. Only participating threads get the result. An
    undefined operand of a participating thread makes the result undefined (for `shuffle`, of those that read it). W threads:

    any, all       i1 -> i1   whether the operand is true in some, in every participating thread
    ballot         i1 -> i64  bit t is set when thread t participates and its operand is true; W <= 64
    popcount       i1 -> i32  in how many participating threads the operand is true
    lane, lanes    -> i32     the thread's number 0..W-1; W (both the same wherever they are executed)
    first, last    T -> T     the operand of the participating thread with the lowest, the highest number
    shuffle        T, i32 -> T  the first operand of the thread that the second one names; undefined where that is none of the
                              participating threads
    reduce_OP      T -> T     the operands folded in ascending order of threads: add, mul, smin, smax, umin, umax, and, or, xor on
                              integers; fadd, fmul, fmin, fmax (C's: a NaN loses against a number) on floating-point numbers

    When no thread participates, the result is unused. Code that computes one value for all lanes then gives the neutral value:
    any 0, all 1, ballot 0, popcount 0; a fold its neutral element (-0.0 for fadd, a NaN for fmin and fmax); first, last and
    shuffle are undefined. Hence a branch on `any` is not taken.
    """

    result: Var
    op: HorizontalOp
    operands: tuple[Value, ...]
    span: Span | None = field(default=None, compare=False)
    total: bool = False


Instruction = (
    Binary
    | Negate
    | Freeze
    | CompareInt
    | CompareFloat
    | Select
    | Convert
    | ElementPointer
    | Alloca
    | Load
    | Store
    | Call
    | Mask
    | Horizontal
)


@dataclass(frozen=True, slots=True)
class Phi:
    """`result` takes the value that belongs to the predecessor through which the block was entered.

    With a `shadow` the threads that have not come to the block take that value instead, whatever the block's predicate (thesis,
    section 4.8).
    """

    result: Var
    incoming: tuple[tuple[str, Value], ...]
    span: Span | None = field(default=None, compare=False)
    shadow: Value | None = None

    def value_from(self, label: str) -> Value:
        """The value for the edge from block `label`; KeyError when there is no such edge."""
        return dict(self.incoming)[label]


@dataclass(frozen=True, slots=True)
class Jump:
    """Go to block `target`."""

    target: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """Go to `then` when the truth value `condition` is 1, else to `otherwise`."""

    condition: Value
    then: str
    otherwise: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Return:
    """Leave the function with `value` (None for a void function)."""

    value: Value | None
    span: Span | None = field(default=None, compare=False)


Terminator = Jump | Branch | Return


def operands(instruction: Instruction | Phi | Terminator) -> tuple[Value, ...]:
    """The values that an instruction reads, in textual order; a phi's shadow is the last one."""
    match instruction:
        case Binary(left=a, right=b) | CompareInt(left=a, right=b) | CompareFloat(left=a, right=b):
            return (a, b)
        case Negate(value=a) | Freeze(value=a) | Convert(value=a):
            return (a,)
        case Select(condition=c, then=a, otherwise=b):
            return (c, a, b)
        case ElementPointer(base=base, indices=indices, extents=extents):
            return (base, *indices, *extents)
        case Load(pointer=pointer):
            return (pointer,)
        case Store(value=value, pointer=pointer):
            return (value, pointer)
        case Call(arguments=arguments):
            return arguments
        case Horizontal(operands=values):
            return values
        case Phi(incoming=incoming, shadow=shadow):
            return tuple(value for _, value in incoming) + (() if shadow is None else (shadow,))
        case Alloca() | Mask() | Jump():
            return ()
        case Branch(condition=condition):
            return (condition,)
        case Return(value=value):
            return () if value is None else (value,)


def successors(terminator: Terminator) -> tuple[str, ...]:
    """Labels of the blocks that may run next, in order; a branch with two equal targets names it once."""
    match terminator:
        case Jump(target=target):
            return (target,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise) if then != otherwise else (then,)
        case Return():
            return ()


def is_total(instruction: Instruction) -> bool:
    """Whether passive threads execute the instruction as well; `mask()` and allocas need no modifier for that."""
    match instruction:
        case Load() | Store() | Call():
            return False
        case Alloca() | Mask():
            return True
        case _:
            return instruction.total
