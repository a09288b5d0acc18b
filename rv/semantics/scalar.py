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
from typing import Any, Final

from rv.ir.function import Function
from rv.semantics.arguments import Argument, Result, argument_values, result_value
from rv.semantics.explain import RAISED, Explainer
from rv.semantics.memory import Memory
from rv.semantics.scope import Exhausted as Exhausted
from rv.semantics.scope import External, names
from rv.semantics.translate import translate

UNLIMITED: Final = 1 << 62


class Program:
    """A function that is ready to run any number of times."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.translation = translate(function)
        filename = f"<translated {function.name}>"
        self._code = compile(self.translation.source, filename, "exec")
        local = self.translation.locals
        self._explainer = Explainer(
            function, filename, self.translation.lines, lambda variable, values: int(values[local[variable.name]])
        )

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
        values = argument_values(self.function, arguments)
        scope = names(memory, externals or {})
        regions = len(memory.regions)
        exec(self._code, scope)
        try:
            result: Any = scope["translated"](fuel, *values)
        except RAISED as error:
            raise self._explainer.explained(error, memory) from None
        finally:
            memory.release(regions)
        return result_value(result)


def run(
    function: Function,
    arguments: Sequence[Argument],
    memory: Memory,
    externals: Mapping[str, External] | None = None,
    fuel: int = UNLIMITED,
) -> Result:
    """Translates and runs a function once; see `Program.run`."""
    return Program(function).run(arguments, memory, externals, fuel)
