"""Calls like earlier ones: what has been checked once for these types, shapes and sizes is not checked again.

Of a call that has passed all checks it is remembered which parameter gets which argument, and all integers. A later call whose
arrays have the same element types, shapes and flags (contiguous, aligned, writable), and whose integers are the same, needs its
addresses and floating-point numbers only, and that arrays do not overlap. That takes about a microsecond.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

import numpy as np

from rv.ir.types import FloatType
from rv.target.process_forks import loading
from tensorrv.interface.signature import ArrayArgument, Signature
from tensorrv.pipeline.native import NativeFunction
from tensorrv.run.call import apart, positions

Array = np.ndarray[Any, Any]
Bind = Callable[[Sequence[Any], Mapping[str, Any]], Sequence[Any]]
MOST_SHAPES: Final = 256
"""Calls whose checks are cached; with more shapes in rotation, calls are checked again."""


@dataclass(frozen=True, slots=True)
class _Call:
    """What to pass, by place: fixed values, and where arrays and floating-point numbers come from among the arguments.

    `apart` has the places of arrays that must not overlap, with the sizes of both in bytes.
    """

    fixed: tuple[Any, ...]
    arrays: tuple[tuple[int, int], ...]
    numbers: tuple[tuple[int, int], ...]
    apart: tuple[tuple[int, int, int, int], ...]


class Caller:
    """`native` behind checks: `bind` makes all of them and gives the values to pass, or raises."""

    def __init__(self, signature: Signature, native: NativeFunction, bind: Bind, *, no_alias: bool) -> None:
        self.signature = signature
        self.native = native
        self.bind = bind
        self.no_alias = no_alias
        self.known: dict[tuple[Any, ...], _Call] = {}

    def __call__(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        key = None if named else _key(arguments)
        known = None if key is None else self.known.get(key)
        if known is not None:
            values = [*known.fixed]
            for place, k in known.arrays:
                values[place] = address(arguments[k])
            for place, k in known.numbers:
                values[place] = arguments[k]
            for a, b, size_of_a, size_of_b in known.apart:
                if values[a] < values[b] + size_of_b and values[b] < values[a] + size_of_a:
                    break  # the checks report it
            else:
                return self.native(*values)
        if self._lacks_arrays(arguments, named):
            with loading("outputs"):
                from tensorrv.run.outputs import with_outputs

            made = with_outputs(self.signature, arguments, named)
            if made is not None:
                result = self(made.arguments, {})
                found = (*(() if result is None else (result,)), *made.made)
                return found[0] if len(found) == 1 else found
        bound = self.bind(arguments, named)
        if key is not None:
            if len(self.known) >= MOST_SHAPES:
                self.known.clear()
            self.known[key] = self._remembered(arguments, bound)
        return self.native(*bound)

    def _lacks_arrays(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
        """Whether there are fewer arguments that may be arrays than the function takes."""
        given = sum(isinstance(value, np.ndarray) or not np.isscalar(value) for value in arguments)
        return given < sum(array.name not in named for array in self.signature.arrays)

    def _remembered(self, arguments: tuple[Any, ...], bound: Sequence[Any]) -> _Call:
        source = positions(self.signature, arguments, ())
        place = {argument.name: k for k, argument in enumerate(self.signature.arguments)}
        numbers = [a.name for a in self.signature.scalars if isinstance(a.type, FloatType)]
        values = zip(self.signature.arguments, bound, strict=True)
        return _Call(
            tuple(None if isinstance(argument, ArrayArgument) else value for argument, value in values),
            tuple((place[a.name], source[a.name]) for a in self.signature.arrays),
            tuple((place[name], source[name]) for name in numbers),
            tuple(
                (place[a], place[b], arguments[source[a]].nbytes, arguments[source[b]].nbytes)
                for a, b in apart(self.signature, no_alias=self.no_alias)
            ),
        )


def _key(arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What the checks depend on, but for overlap; None for arguments of other types than arrays and Python's numbers."""
    key: list[Any] = []
    for value in arguments:
        kind = type(value)
        if kind is np.ndarray:
            key.append(_DESCRIPTION(value))
        elif kind is int:
            key.append(value)
        elif kind is float:
            key.append(kind)
        else:
            return None
    return tuple(key)


_DESCRIPTION: Final = attrgetter("dtype", "shape", "flags.num")


def _address_in_object(array: Array) -> int:
    return _WORD_AT(id(array) + _HEADER).value


def _address_by_interface(array: Array) -> int:
    return int(array.ctypes.data)


_HEADER: Final = object.__basicsize__
_WORD_AT: Final = ctypes.c_size_t.from_address
_PROBE: Final = np.empty(1)

# the address is the first field of NumPy's array objects; reading it there takes a tenth of the time of `array.ctypes.data`
address: Final = _address_in_object if _address_in_object(_PROBE) == _PROBE.ctypes.data else _address_by_interface
