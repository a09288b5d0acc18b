"""How C passes values of P-LLVM's types, for calls from Python."""

from __future__ import annotations

import ctypes
from typing import Any, Final

from rv.ir.types import FloatType, IntType, PointerType, Type, VoidType

_INTEGERS: Final[dict[tuple[int, bool], Any]] = {
    (8, True): ctypes.c_int8,
    (8, False): ctypes.c_uint8,
    (16, True): ctypes.c_int16,
    (16, False): ctypes.c_uint16,
    (32, True): ctypes.c_int32,
    (32, False): ctypes.c_uint32,
    (64, True): ctypes.c_int64,
    (64, False): ctypes.c_uint64,
}


def ctypes_type(type_: Type, signed: bool) -> Any:
    """The ctypes type in which a value of this type is passed; None for void."""
    match type_:
        case IntType(bits):
            return _INTEGERS[max(8, bits), signed]
        case FloatType(bits):
            return ctypes.c_double if bits == 64 else ctypes.c_float
        case PointerType():
            return ctypes.c_void_p
        case VoidType():
            return None
