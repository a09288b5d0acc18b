"""The scalar interpreter: the executable meaning of scalar P-LLVM, and the oracle of the tests.

    memory = Memory()
    a = memory.map("A", array)                     # shares the NumPy array
    result = run(function, [a, 100, 0.5], memory)

Meaning: integers wrap at their width (`nsw` is not checked); floating-point operations are IEEE binary32 and binary64, rounded
to nearest even, with NaNs, infinities, signed zeros and subnormals; calls go to the C library. Undefined values are those of
`rv.semantics.undefined`. Division by zero, INT_MIN / -1 and undefined decisions raise `Undefined`; accesses out of bounds,
misaligned or to null raise `Fault`; both name the instruction. The payload and sign of a computed NaN are not specified.

The function is translated to Python once (`Program`); a binary32 matrix loop ran at 10 million instructions a second on a
Sapphire Rapids core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final

from rv.ir.function import Function
from rv.ir.instructions import Load, Store
from rv.ir.printer import print_statement
from rv.ir.types import FloatType, IntType, Type
from rv.ir.values import Value, Var
from rv.semantics import arithmetic
from rv.semantics.memory import Fault, Memory, Region
from rv.semantics.scope import Exhausted as Exhausted
from rv.semantics.scope import External, Misaligned, names
from rv.semantics.translate import translate
from rv.semantics.undefined import UNDEFINED, Undefined, UndefinedValue

Argument = int | float | Region | UndefinedValue
Result = int | float | UndefinedValue | None

UNLIMITED: Final = 1 << 62

class Program:
    """A function that is ready to run any number of times."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.translation = translate(function)
        self._code = compile(self.translation.source, f"<translated {function.name}>", "exec")

    def run(
        self,
        arguments: Sequence[Argument],
        memory: Memory,
        externals: Mapping[str, External] | None = None,
        fuel: int = UNLIMITED,
    ) -> Result:
        """The result of the call; None for a void function.

        Pointers are regions or addresses, other arguments numbers that are wrapped or rounded to their types. `externals` are
        functions that libm does not have, by name. Raises Fault, Undefined, and Exhausted after `fuel` jumps to blocks with
        several predecessors.
        """
        parameters = [parameter.var.type for parameter in self.function.parameters]
        if len(parameters) != len(arguments):
            raise TypeError(f"{self.function.name} takes {len(parameters)} arguments, not {len(arguments)}")
        values = [_argument(type_, given) for type_, given in zip(parameters, arguments, strict=True)]
        scope = names(memory, externals or {})
        exec(self._code, scope)
        try:
            result: Any = scope["translated"](fuel, *values)
        except (IndexError, TypeError, Misaligned, Undefined) as error:
            raise self._explain(error, memory) from None
        return int(result) if isinstance(result, bool) else result

    def _explain(self, error: Exception, memory: Memory) -> Exception:
        """The error with the instruction at which it was raised; errors that are not the program's stay as they are."""
        frame = _translated_frame(error.__traceback__, self._code.co_filename)
        if frame is None:
            return error
        block, statement = self.translation.lines[frame.tb_lineno]
        where = f"`{print_statement(statement)}` in block {block} of @{self.function.name}"
        if isinstance(error, Undefined):
            return Undefined(f"{error}: {where}")
        if not isinstance(statement, Load | Store):
            return error
        address = self._read(statement.pointer, frame.tb_frame.f_locals)
        problems = {Misaligned: "misaligned access", TypeError: "store to read-only memory"}
        problem = problems.get(type(error), "access out of bounds")
        return Fault(f"{problem} at {memory.describe(address)}: {where}", address)

    def _read(self, pointer: Value, local_values: Mapping[str, Any]) -> int:
        return int(local_values[self.translation.locals[pointer.name]]) if isinstance(pointer, Var) else 0


def run(
    function: Function,
    arguments: Sequence[Argument],
    memory: Memory,
    externals: Mapping[str, External] | None = None,
    fuel: int = UNLIMITED,
) -> Result:
    """Translates and runs a function once; see `Program.run`."""
    return Program(function).run(arguments, memory, externals, fuel)


def _argument(type_: Type, given: Argument) -> Any:
    match type_, given:
        case _, UndefinedValue():
            return UNDEFINED
        case _, Region(base=base):
            return base
        case FloatType(bits), int() | float():
            return arithmetic.to_binary32(float(given)) if bits == 32 else float(given)
        case IntType(bits), _:
            return int(given) & ((1 << bits) - 1)
        case _:
            return int(given) & ((1 << 64) - 1)


def _translated_frame(traceback: TracebackType | None, filename: str) -> TracebackType | None:
    """The innermost frame of translated code."""
    found = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            found = traceback
        traceback = traceback.tb_next
    return found
