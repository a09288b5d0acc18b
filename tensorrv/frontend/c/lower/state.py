"""The state of lowering: the SSA builder, the activation of the function that is being lowered, and what pointers stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from rv.ir.instructions import Alloca, Binary, BinaryOp, Convert, ConvertOp
from rv.ir.libm import signature
from rv.ir.source import Span
from rv.ir.types import I64, PTR, IntType, Type
from rv.ir.values import Const, Value, Var, const_int
from tensorrv.frontend.c.analyse.functions import Program
from tensorrv.frontend.c.analyse.libm import ABSOLUTE
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.lower.ssa import OpenBlock, Slot, SsaBuilder
from tensorrv.frontend.c.preprocess.prelude import built_in
from tensorrv.frontend.c.tree.nodes import Case
from tensorrv.frontend.c.tree.symbols import CSymbol, GlobalVariable
from tensorrv.frontend.c.types.c_types import CType, machine_type
from tensorrv.unit.symbols import StackSymbol

_NOT_IN_NAMES: Final = re.compile(r"\W+")


def plain_name(name: str) -> str:
    """What `p.v[2]` is called in P-LLVM: `p_v_2`."""
    return _NOT_IN_NAMES.sub("_", name).strip("_")


@dataclass(eq=False, slots=True)
class Frame:
    """One activation: the function itself or a call that is inlined. Returns write `result` and go to `exit`.

    A variable that is a struct has a slot for each of its scalars, by byte offset; `results` are those of a returned struct.
    Variables `in_memory` have no slots; `objects` are the addresses of those that have come to life. Those `given_away` can be
    reached by other functions, too.
    """

    function: str
    exit: OpenBlock
    result: Slot | None
    caller: Frame | None = None
    slots: dict[tuple[Variable, int], Slot] = field(default_factory=dict)
    results: tuple[Slot, ...] = ()
    in_memory: frozenset[Variable] = frozenset()
    given_away: frozenset[Variable] = frozenset()
    objects: dict[Variable, Var] = field(default_factory=dict)
    breaks: list[OpenBlock] = field(default_factory=list)
    labels: dict[str, OpenBlock] = field(default_factory=dict)
    cases: dict[Case, OpenBlock] = field(default_factory=dict)
    continues: list[OpenBlock] = field(default_factory=list)

    def slot(self, variable: Variable) -> Slot:
        """The SSA slot of a scalar variable in this activation."""
        return self.part(variable, 0, variable.type, variable.name)

    def part(self, variable: Variable, offset: int, type_: CType, name: str) -> Slot:
        """The slot of a scalar inside a variable that is a struct."""
        key = variable, offset
        if key not in self.slots:
            self.slots[key] = Slot(plain_name(name), machine_type(type_), variable.span)
        return self.slots[key]

    def calls_from(self, function: str) -> tuple[str, ...]:
        """The functions being lowered from `function` down to this one, each called by the one before; empty when it is none."""
        frame: Frame | None = self
        below: tuple[str, ...] = ()
        while frame is not None:
            below = (frame.function, *below)
            if frame.function == function:
                return below
            frame = frame.caller
        return ()


@dataclass(frozen=True, slots=True)
class Address:
    """base + the element at `indices` of an array with `extents`, in units of what the pointer expression points to.

    Inside a struct of `unit` bytes (if that is not 0) the units are such structs, and the place in it is `constant` bytes plus
    each value of `terms` times so many bytes: the subscripts of arrays in the struct.
    """

    base: Value
    indices: tuple[Value, ...]
    extents: tuple[Value, ...]
    unit: int = 0
    constant: int = 0
    terms: tuple[tuple[Value, int], ...] = ()


@dataclass(eq=False, slots=True)
class Lowering:
    """Everything that lowering a function reads and writes.

    `addresses` records how pointer variables were computed, and how many bytes their units have.
    """

    program: Program
    builder: SsaBuilder
    frame: Frame
    addresses: dict[str, tuple[Address, int]] = field(default_factory=dict)
    allocas: list[Alloca] = field(default_factory=list)
    loops: list[OpenBlock] = field(default_factory=list)
    """The headers of the loops around, outermost first, those of callers included."""
    orders: str = ""
    """Why simultaneous calls would depend on each other, if they would."""
    symbols: list[tuple[Var, CSymbol]] = field(default_factory=list)
    """Parameters for memory that is reached without a pointer to it."""
    inlined: dict[str, int] = field(default_factory=dict)
    """How often each function was inlined."""
    jumps: bool = False
    """Whether there was a `goto`, or a case inside an inner statement: only these make cycles with several entries."""

    def symbol(self, name: str, symbol: CSymbol) -> Var:
        """The parameter for a symbol; equal texts have one, and every global variable."""
        known = next((var for var, other in self.symbols if not isinstance(symbol, StackSymbol) and other == symbol), None)
        if known is not None:
            return known
        self.symbols.append((self.builder.named(plain_name(name), PTR), symbol))
        return self.symbols[-1][0]

    def in_memory(self, variable: Variable) -> bool:
        """Whether a variable has an address, not an SSA slot."""
        return bool(variable.symbol) or variable in self.frame.in_memory

    def object_of(self, variable: Variable) -> Var:
        """The address of a variable that lives in memory."""
        if variable.symbol:
            return self.symbol(variable.name, GlobalVariable(variable.symbol, variable.type, variable.defined))
        return self.frame.objects[variable]

    def is_inlined(self, name: str) -> bool:
        """Whether calls of this name are inlined, or become instructions."""
        return name in self.program.functions or built_in(name) is not None or name in ABSOLUTE or signature(name) is not None

    def binary(self, op: BinaryOp, left: Value, right: Value, span: Span | None, *, nsw: bool = False) -> Var:
        """Emit `op left, right`."""
        result = self.builder.temp(left.type)
        self.builder.emit(Binary(result, op, left, right, nsw, span))
        return result

    def convert(self, op: ConvertOp, value: Value, type_: Type, span: Span | None) -> Var:
        """Emit a conversion."""
        result = self.builder.temp(type_)
        self.builder.emit(Convert(result, op, value, span))
        return result

    def resize(self, value: Value, type_: IntType, signed: bool, span: Span | None) -> Value:
        """An integer in another width; `signed` is how `value` is read when it gets wider."""
        assert isinstance(value.type, IntType)
        if value.type == type_:
            return value
        if isinstance(value, Const):
            return const_int(type_, value.signed if signed else value.bits)
        if value.type.bits > type_.bits:
            return self.convert("trunc", value, type_, span)
        return self.convert("sext" if signed else "zext", value, type_, span)

    def index(self, value: Value, signed: bool, span: Span | None) -> Value:
        """An integer as an index of 64 bits."""
        return self.resize(value, I64, signed, span)
