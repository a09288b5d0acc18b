"""What translated code may call and read: the names that the texts of `rv.semantics.expressions` mention."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping
from typing import Any, Final

from rv.ir import libm
from rv.ir.types import NAMED_TYPES
from rv.semantics import arithmetic
from rv.semantics.horizontal import horizontal
from rv.semantics.memory import Memory, Region
from rv.semantics.undefined import UNDEFINED, Undefined

External = Callable[..., Any]
_CODES: Final = "BHIQfd"


class Exhausted(Exception):
    """The function took more jumps than it was given: it may not terminate."""


class Misaligned(Exception):
    """Raised by translated code; the interpreters turn it into a Fault."""


def names(memory: Memory, externals: Mapping[str, External]) -> dict[str, Any]:
    """The globals of translated code. `externals` are functions that the C library does not have, by name.

    Stack objects are created on first use, one for each alloca and thread.
    """
    objects: dict[tuple[str, int], Region] = {}

    def stack_object(name: str, size: int, thread: int) -> Region:
        if (name, thread) not in objects:
            objects[name, thread] = memory.stack_object(f"%{name} of thread {thread}", size)
        return objects[name, thread]

    def call(name: str, *arguments: Any) -> Any:
        if name in externals:
            return externals[name](*arguments)
        if name not in libm.SIGNATURES:
            raise KeyError(f"the function {name} is not in the C library and was not given")
        if any(argument is UNDEFINED for argument in arguments):
            return UNDEFINED
        result = libm.library_function(name)(*arguments)
        return result & _width_mask(name) if isinstance(result, int) else result

    functions: tuple[Callable[..., Any], ...] = (
        arithmetic.divide_float,
        arithmetic.divide_signed,
        arithmetic.divide_unsigned,
        arithmetic.remainder_signed,
        arithmetic.remainder_unsigned,
        arithmetic.shift_left,
        arithmetic.shift_right,
        arithmetic.shift_right_signed,
        arithmetic.add_saturating,
        arithmetic.subtract_saturating,
        arithmetic.float_to_signed,
        arithmetic.float_to_unsigned,
        arithmetic.integer_to_float,
        arithmetic.number_of_pattern,
        arithmetic.pattern_of_number,
        horizontal,
    )
    return {
        **{function.__name__: function for function in functions},
        **{f"memory_{code}": memory.views(code) for code in _CODES},
        "call": call,
        "stack_object": stack_object,
        "types": NAMED_TYPES,
        "binary32": array("f", [0.0]),
        "inf": math.inf,
        "nan": math.nan,
        "UNDEFINED": UNDEFINED,
        "Undefined": Undefined,
        "Misaligned": Misaligned,
        "Exhausted": Exhausted,
    }


def _width_mask(name: str) -> int:
    return (1 << (32 if libm.SIGNATURES[name][0] == "i" else 64)) - 1
