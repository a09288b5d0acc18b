"""Errors of translated code in terms of the program: which instruction failed, and where in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from rv.ir.function import Function
from rv.ir.instructions import Instruction, Load, Phi, Store, Terminator
from rv.ir.printer import print_statement
from rv.ir.values import Var
from rv.semantics.memory import Fault, Memory
from rv.semantics.scope import Misaligned
from rv.semantics.undefined import Undefined

Place = tuple[str, Instruction | Phi | Terminator | None]
"""A block and a statement of it; None for the block's predicate."""
RAISED = (IndexError, TypeError, Misaligned, Undefined)


@dataclass(frozen=True, slots=True)
class Explainer:
    """What source lines of the code called `filename` belong to, and how a variable is read from the locals of its frames."""

    function: Function
    filename: str
    lines: Mapping[int, Place]
    read: Callable[[Var, Mapping[str, Any]], int]

    def explained(self, error: Exception, memory: Memory) -> Exception:
        """The error with the instruction at which it was raised; errors that are not the program's stay as they are."""
        frame = self._frame(error.__traceback__)
        if frame is None:
            return error
        block, statement = self.lines[frame.tb_lineno]
        text = "the predicate" if statement is None else f"`{print_statement(statement)}`"
        thread = frame.tb_frame.f_locals.get("thread")
        where = f"{text} in block {block} of @{self.function.name}" + (f", thread {thread}" if thread is not None else "")
        if isinstance(error, Undefined):
            return Undefined(f"{error}: {where}")
        if not isinstance(statement, Load | Store):
            return error
        pointer = statement.pointer
        address = self.read(pointer, frame.tb_frame.f_locals) if isinstance(pointer, Var) else 0
        problems = {Misaligned: "misaligned access", TypeError: "store to read-only memory"}
        problem = problems.get(type(error), "access out of bounds")
        return Fault(f"{problem} at {memory.describe(address)}: {where}", address)

    def _frame(self, traceback: TracebackType | None) -> TracebackType | None:
        """The innermost frame of translated code."""
        found = None
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.filename:
                found = traceback
            traceback = traceback.tb_next
        return found
