"""Functions and modules of the vector IR."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rv.ir.source import Span
from rv.ir.types import VOID
from rv.vector.instructions import Instruction, Terminator
from rv.vector.types import ValueType
from rv.vector.values import Constant, Operand, Register

Extension = Literal["", "signext", "zeroext"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """`distinct`: no other pointer leads to what is accessed through this one (C's `restrict`).

    `result`: the pointer leads to memory of so many bytes for the result of the function, aligned to `align` bytes. `copied`: it
    leads to so many bytes that the caller has copied to where arguments are (x86-64).
    """

    register: Register
    distinct: bool = False
    result: int = 0
    align: int = 1
    copied: int = 0


@dataclass(frozen=True, slots=True)
class StackObject:
    """`count` values of one type in the frame of the function, from the address `result` on."""

    result: Register
    type: ValueType
    count: int
    align: int


@dataclass(frozen=True, slots=True)
class OpaqueConstant:
    """A constant whose value is hidden from the optimizer, made once at the start of the function (x86)."""

    result: Register
    value: Constant


@dataclass(frozen=True, slots=True)
class Phi:
    """`result` takes the operand of the block that control comes from."""

    result: Register
    incoming: tuple[tuple[Operand, str], ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """An instruction and the register that it defines; None for those that are executed for their effect.

    `span`: what of the source it was first written for; None for loops, trip counts and checks.
    """

    result: Register | None
    instruction: Instruction
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """Phis, statements, a terminator.

    `fixed`: the order of the statements is not to be chosen anew. `origin` is whatever the block was written for, for reports.
    """

    label: str
    phis: tuple[Phi, ...]
    body: tuple[Statement, ...]
    terminator: Terminator
    fixed: bool = True
    origin: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    """Control enters the first block.

    An `internal` function is only called inside its module; one that is `inlined` becomes part of its callers. `extension` is
    how a result that is narrower than an int is widened, `convention` LLVM's name of the calling convention if it is not C's.
    """

    name: str
    parameters: tuple[Parameter, ...]
    blocks: tuple[Block, ...]
    result: ValueType = VOID
    prologue: tuple[StackObject | OpaqueConstant, ...] = ()
    internal: bool = False
    inlined: bool = False
    extension: Extension = ""
    convention: str = ""

    def block(self, label: str) -> Block:
        """The block with this label; KeyError when there is none."""
        for block in self.blocks:
            if block.label == label:
                return block
        raise KeyError(label)


@dataclass(frozen=True, slots=True)
class Data:
    """Constant bytes under a name local to the module."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class External:
    """A variable that the program defines elsewhere."""

    name: str


@dataclass(frozen=True, slots=True)
class Module:
    """Functions and data that are compiled together.

    `arrays`: the pointer parameters that accesses name as theirs alone, in order.
    """

    functions: tuple[Function, ...]
    arrays: tuple[str, ...] = ()
    data: tuple[Data | External, ...] = ()
