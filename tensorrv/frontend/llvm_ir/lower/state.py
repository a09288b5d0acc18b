"""The state of lowering one function: the block that is being filled, names, and how pointers were computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Never

from rv.ir.function import Function, Parameter
from rv.ir.instructions import Alloca, Binary, BinaryOp, CompareInt, Convert, ConvertOp, Instruction, IntPredicate, Phi, Select
from rv.ir.rewrite import FreshNames
from rv.ir.source import Span
from rv.ir.types import I1, Type
from rv.ir.values import Value, Var
from tensorrv.frontend.llvm_ir.failures import give_up
from tensorrv.frontend.llvm_ir.module_text import RawModule, Statement
from tensorrv.unit.symbols import Symbol

_NOT_IN_NAMES: Final = re.compile(r"[^\w.$-]+")
TEMPORARY: Final = "t"
"""How variables are called that have no name in the IR and none in the source."""


def plain_name(name: str) -> str:
    """A name of LLVM IR as P-LLVM may have it."""
    return _NOT_IN_NAMES.sub("_", name).lstrip(".")


@dataclass(frozen=True, slots=True)
class Address:
    """base + constant + the sum of each value, an i64, times so many bytes; `exact`: nothing of this wraps as signed."""

    base: Value
    terms: tuple[tuple[Value, int], ...] = ()
    constant: int = 0
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Body:
    """What callers inline: a function of the module, and the variables of the module that it takes behind its own parameters."""

    function: Function
    symbols: tuple[str, ...]


@dataclass(eq=False, slots=True)
class Lowering:
    """One function. `names` are those of its values in P-LLVM, `bodies` the functions that calls of their names are replaced by,
    `hidden` those that other files do not see.

    `entry` is what phis call the first block,
    `start` code for the beginning of the function, `phis` and `code` that of the block at hand. `bound` are values that are other
    values by another name, `pairs` those that are two, `inlined` the code of intrinsics that are called.
    """

    module: RawModule
    bodies: Mapping[str, Body]
    hidden: frozenset[str]
    names: Mapping[str, str]
    fresh: FreshNames
    function: str
    entry: str
    place: Callable[[Statement], Span | None]
    statement: Statement
    start: list[Instruction] = field(default_factory=list)
    phis: list[Phi] = field(default_factory=list)
    code: list[Instruction] = field(default_factory=list)
    bound: dict[str, Value] = field(default_factory=dict)
    pairs: dict[str, tuple[Value, Value]] = field(default_factory=dict)
    addresses: dict[str, Address] = field(default_factory=dict)
    allocas: dict[str, Alloca] = field(default_factory=dict)
    symbols: dict[str, tuple[Var, Symbol]] = field(default_factory=dict)
    inlined: dict[str, Body] = field(default_factory=dict)
    span: Span | None = None

    def emit(self, instruction: Instruction) -> None:
        self.code.append(instruction)

    def temporary(self, type_: Type) -> Var:
        return self.fresh.variable(TEMPORARY, type_)

    def variable(self, name: str, type_: Type) -> Var:
        """The variable that stands for a local value of the IR."""
        return Var(self.names[name], type_)

    def binary(self, op: BinaryOp, left: Value, right: Value, *, nsw: bool = False, result: Var | None = None) -> Var:
        made = result or self.temporary(left.type)
        self.emit(Binary(made, op, left, right, nsw, self.span))
        return made

    def convert(self, op: ConvertOp, value: Value, type_: Type, result: Var | None = None) -> Var:
        made = result or self.temporary(type_)
        self.emit(Convert(made, op, value, self.span))
        return made

    def compare(self, predicate: IntPredicate, left: Value, right: Value, result: Var | None = None) -> Var:
        made = result or self.temporary(I1)
        self.emit(CompareInt(made, predicate, left, right, self.span))
        return made

    def select(self, condition: Value, then: Value, otherwise: Value, result: Var | None = None) -> Var:
        made = result or self.temporary(then.type)
        self.emit(Select(made, condition, then, otherwise, self.span))
        return made

    def bind(self, result: str, value: Value) -> None:
        """A local value of the IR is another one."""
        self.bound[self.names[result]] = value

    def refuse(self, message: str, label: str = "no equivalent in P-LLVM", hint: str = "", code: str = "TRV055") -> Never:
        """Gives up with the instruction at hand."""
        give_up(code, f"'{self.function}' is not compiled: {message}", self.place(self.statement), label, hint)

    def parameters_of_symbols(self) -> tuple[Parameter, ...]:
        return tuple(Parameter(var, own=True) for var, _ in self.symbols.values())
