"""The undefined value while a function is interpreted, and the error when it decides something.

An undefined value spreads: arithmetic, comparisons, conversions and address computations on it are undefined again, a select is
undefined when its condition or the chosen operand is. It is an error (`Undefined`) as soon as it decides a branch, is an
address of an access, a divisor, or is stored anywhere but in a stack object, from where it can be loaded again. A call of libm
with an undefined argument is undefined. This is LLVM's poison, and it is what lets passes speculate pure instructions: an
undefined value that is not used is no error.

Python does the tracking: `UNDEFINED` overloads every operator with itself and refuses conversion to bool, int and float.
"""

from __future__ import annotations

from typing import Final, NoReturn


class Undefined(Exception):
    """An undefined value decided what the program does, or an operation has no defined result and no excuse (x / 0)."""


class UndefinedValue:
    """The class of `UNDEFINED`, the one undefined value of every type."""

    def _spread(self, *_: object) -> UndefinedValue:
        return self

    def _refuse(self) -> NoReturn:
        raise Undefined("an undefined value is used as a condition, an address, a divisor, or is stored")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _spread
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _spread
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __neg__ = _spread
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _spread  # type: ignore[assignment]
    __bool__ = __index__ = __int__ = __float__ = _refuse
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "undef"


UNDEFINED: Final = UndefinedValue()
