"""The typed tree: what semantic analysis makes of a function, and lowering reads.

Every conversion is explicit, every expression has its C type, names are resolved, constants are folded. Expressions of
pointer type keep their structure (subscripts, decays), because lowering makes one address of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from rv.ir.hints import NO_HINTS, LoopHints
from rv.ir.source import Span
from tensorrv.frontend.c.analyse.scope import FunctionName, Table, Variable
from tensorrv.frontend.c.types.c_types import CType
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.unit.simd_declaration import SimdDeclaration

ArithmeticOp = OneOf["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
CompareOp = OneOf["==", "!=", "<", "<=", ">", ">="]
AcrossOp = OneOf[
    "any", "all", "popcount", "ballot", "mask", "lane", "lanes", "first", "last", "shuffle",
    "add", "mul", "min", "max", "and", "or", "xor",
]  # fmt: skip


ClassifyOp = OneOf["nan", "infinite", "signed infinite", "finite", "normal", "negative", "unordered", "different"]
"""Whether a number is one of these (`signed infinite` is -1 for the negative infinity), or how two numbers compare."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number of arithmetic type."""

    type: CType
    value: int | float
    span: Span | None


@dataclass(frozen=True, slots=True)
class NullPointer:
    """A null pointer constant, converted to a pointer type."""

    type: CType
    span: Span | None


@dataclass(frozen=True, slots=True)
class Read:
    """The value of a scalar place."""

    type: CType
    place: Place
    span: Span | None


@dataclass(frozen=True, slots=True)
class Convert:
    """A conversion between arithmetic types, between pointer types, or to void."""

    type: CType
    value: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Both operands have the type of the result (the right one of a shift has its own)."""

    type: CType
    op: ArithmeticOp
    left: Expression
    right: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Minus:
    """Arithmetic negation."""

    type: CType
    value: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Complement:
    """`~value`."""

    type: CType
    value: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two operands of one type; yields an int."""

    type: CType
    op: CompareOp
    left: Expression
    right: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Logical:
    """`&&` or `||`; the right operand runs only when it decides."""

    type: CType
    op: OneOf["&&", "||"]
    left: Expression
    right: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Not:
    """`!value`."""

    type: CType
    value: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`, both of the result's type."""

    type: CType
    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Comma:
    """`first, second`."""

    type: CType
    first: Expression
    second: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Assign:
    """`place = value`; yields the value, which has the place's type."""

    type: CType
    place: Place
    value: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class CompoundAssign:
    """`place op= value`, computed in type `computed`; for pointers `value` is the offset in elements."""

    type: CType
    place: Place
    op: ArithmeticOp
    value: Expression
    computed: CType
    span: Span | None


@dataclass(frozen=True, slots=True)
class Increment:
    """`++`, `--`: adds `delta`, computed in type `computed`; yields the old value when `post`."""

    type: CType
    place: Place
    delta: int
    post: bool
    computed: CType
    span: Span | None


@dataclass(frozen=True, slots=True)
class CallFunction:
    """A call; arguments have the types of the parameters."""

    type: CType
    function: FunctionName
    arguments: tuple[Expression, ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class Across:
    """An operation across the lanes that are active here; "add" to "xor" fold the lanes' values."""

    type: CType
    op: AcrossOp
    operands: tuple[Expression, ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class Decay:
    """The pointer to the first element of an array."""

    type: CType
    array: VariablePlace | Element | PartOf
    span: Span | None


@dataclass(frozen=True, slots=True)
class Offset:
    """`pointer + index` (or minus) in elements; `subscript` when it was written in brackets."""

    type: CType
    pointer: Expression
    index: Expression
    negative: bool
    subscript: bool
    span: Span | None


@dataclass(frozen=True, slots=True)
class AddressOf:
    """`&place`."""

    type: CType
    place: VariablePlace | Element | PartOf
    span: Span | None


@dataclass(frozen=True, slots=True)
class Reinterpret:
    """The bits of a number as a number of another type of the same size."""

    type: CType
    value: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class Text:
    """A string literal as a pointer to its first character; `data` ends with a zero."""

    type: CType
    data: bytes
    span: Span | None


@dataclass(frozen=True, slots=True)
class Classify:
    """What kind of floating-point number the operand is, or how two compare; yields an int."""

    type: CType
    op: ClassifyOp
    operands: tuple[Expression, ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class StatementValue:
    """`({ ... value; })`: statements, and the value of the last one; None for void."""

    type: CType
    block: Block
    value: Expression | None
    span: Span | None


@dataclass(frozen=True, slots=True)
class Difference:
    """`left - right` of two pointers, in elements of `size` bytes."""

    type: CType
    left: Expression
    right: Expression
    size: int
    span: Span | None


@dataclass(frozen=True, slots=True)
class AggregateLiteral:
    """A struct or array made of values at byte offsets, which may be structs themselves; everything else is zero."""

    type: CType
    parts: tuple[tuple[int, Expression], ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class MemberValue:
    """The scalar at a byte offset of a struct that is a value, such as the result of a call."""

    type: CType
    value: Expression
    offset: int
    span: Span | None


@dataclass(frozen=True, slots=True)
class TableRow:
    """An array of constants, or a row of one, as a pointer; it can be subscripted, but has no address."""

    type: CType
    place: TablePlace
    span: Span | None


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """A variable as an lvalue."""

    type: CType
    variable: Variable
    span: Span | None


@dataclass(frozen=True, slots=True)
class Element:
    """What a pointer points to, as an lvalue; its type may be an array. `as_bytes`: whatever type it was stored as."""

    type: CType
    pointer: Expression
    span: Span | None
    as_bytes: bool = False


@dataclass(frozen=True, slots=True)
class PartOf:
    """What is `offset` bytes inside a struct: a member, or an element of an array in it. `name` is what the user calls it."""

    type: CType
    whole: VariablePlace | Element
    offset: int
    name: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Element `index`, counted in scalars, of an array of constants; or the row that begins there, if the type is an array."""

    type: CType
    table: Table
    index: Expression
    span: Span | None


Place = VariablePlace | Element | PartOf | TablePlace
Expression = (
    Literal
    | NullPointer
    | Read
    | Convert
    | Arithmetic
    | Minus
    | Complement
    | Compare
    | Logical
    | Not
    | Conditional
    | Comma
    | Assign
    | CompoundAssign
    | Increment
    | CallFunction
    | Across
    | Decay
    | Offset
    | AddressOf
    | Reinterpret
    | Classify
    | Text
    | StatementValue
    | Difference
    | TableRow
    | AggregateLiteral
    | MemberValue
)


@dataclass(frozen=True, slots=True)
class Declare:
    """A local variable comes to life, perhaps with a value."""

    variable: Variable
    value: Expression | None
    span: Span | None


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression statement."""

    value: Expression
    span: Span | None


@dataclass(frozen=True, slots=True)
class CopyArray:
    """A local array takes over all elements of another of the same type."""

    target: Variable
    source: Variable
    span: Span | None


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Nothing is executed here, but iterations of enclosing loops may depend on each other despite hints: `why`."""

    why: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Block:
    """Statements in order."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Statement
    otherwise: Statement | None
    span: Span | None


@dataclass(frozen=True, slots=True)
class Loop:
    """Any loop: by its `kind` the test comes before ("for", "while") or after the body ("do"). No test means true.

    `last` ends every iteration, behind the step. `hints` do not cover the variables `handed_on`.
    """

    kind: OneOf["for", "while", "do"]
    name: str
    test: Expression | None
    step: Expression | None
    body: Statement
    span: Span | None
    hints: LoopHints = NO_HINTS
    handed_on: tuple[Variable, ...] = ()
    last: Block = Block(())


@dataclass(frozen=True, slots=True)
class Label:
    """A place in a function that `goto` can reach. Names of labels belong to the whole function."""

    name: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Goto:
    label: str
    span: Span | None


@dataclass(eq=False, frozen=True, slots=True)
class Case:
    """A place in the body of a switch, however deep; no value means default. Each is itself: two with equal values differ."""

    value: int | None
    span: Span | None


@dataclass(frozen=True, slots=True)
class Switch:
    """`cases` are those of this switch, in the order of the body, which may hold them inside inner statements."""

    value: Expression
    cases: tuple[Case, ...]
    body: Statement
    entered: bool
    """Whether a case stands inside an inner statement."""
    span: Span | None


@dataclass(frozen=True, slots=True)
class Break:
    span: Span | None


@dataclass(frozen=True, slots=True)
class Continue:
    span: Span | None


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None
    span: Span | None


Statement = (
    Declare
    | Evaluate
    | CopyArray
    | Withdrawal
    | Block
    | If
    | Loop
    | Switch
    | Case
    | Label
    | Goto
    | Break
    | Continue
    | Return
)


@dataclass(frozen=True, slots=True)
class TypedParameter:
    """A parameter after adjustment to a pointer; `extents` are its declared dimensions, None where none is given.

    `array`: whether it was declared with brackets for its first dimension; `static`: whether `static` stands in them.
    """

    variable: Variable
    extents: tuple[Expression | None, ...]
    array: bool
    static: bool


@dataclass(frozen=True, slots=True)
class TypedFunction:
    """An analysed function.

    `prologue` evaluates the extents of its parameters, `labels` are those of its body, `in_memory` its variables that need an
    address, `given_away` those whose address is an argument of a call.
    """

    name: str
    parameters: tuple[TypedParameter, ...]
    result: CType
    prologue: tuple[Declare, ...]
    body: Block
    internal: bool
    span: Span | None
    labels: frozenset[str] = frozenset()
    in_memory: frozenset[Variable] = frozenset()
    given_away: tuple[tuple[Variable, str], ...] = ()
    simd: tuple[SimdDeclaration, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    """Diagnostics about pragmas that are not followed."""
