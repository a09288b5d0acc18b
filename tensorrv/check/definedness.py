"""Whether the C source is defined for given data, by the interpreter: where it is not, different results are no finding.

Conversions of numbers that do not fit, shifts by the width, uninitialised local arrays, accesses outside of arrays: our code and
a C compiler's do as they please then. The interpreter tracks what is undefined and raises where it decides or is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rv.ir.function import Function
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import Exhausted, run
from rv.semantics.undefined import UNDEFINED, Undefined
from tensorrv.check.buffers import Buffer
from tensorrv.interface.signature import ArrayArgument, Signature

FUEL: Final = 5_000_000
"""Jumps: a few seconds."""


def undefined(
    function: Function, signature: Signature, buffers: Mapping[str, Buffer], scalars: Mapping[str, Any]
) -> str | None:
    """What is undefined in a call with these arguments, and where; None when nothing is known to be. Writes to the buffers."""
    memory = Memory()
    arguments: list[Any] = []
    for argument in signature.arguments:
        if isinstance(argument, ArrayArgument):
            buffer = buffers[argument.name]
            region = memory.map(argument.name, buffer.elements.view("u1"))
            arguments.append(region.base + buffer.origin * buffer.elements.dtype.itemsize)
        else:
            arguments.append(scalars[argument.name])
    try:
        result = run(function, arguments, memory, fuel=FUEL)
    except (Undefined, Fault) as error:
        return str(error)
    except Exhausted:
        return None
    return "the result is undefined" if result is UNDEFINED else None
