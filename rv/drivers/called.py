"""Calling vector code from Python: NumPy arrays for memory and vectors, numbers for the rest.

The types are those of P-LLVM, which has no array lengths: a call checks types, but not sizes. Vectors go
through memory, in a function that is added to the module:

    define void @f8.called(ptr %result, ptr %mask, ptr %a0, i32 %a1) {
      %v0: <8 x double> = load %a0
      %r: <8 x double> = call effect <8 x double> @f8(%v0, %a1)
      store %r, %result
      return
    }
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rv.drivers.by_value import Convention
from rv.drivers.lane_loop import LaneLoop
from rv.emit.llvm import module_text
from rv.ir.function import Function
from rv.ir.types import I8, PTR, VOID, FloatType, IntType, PointerType, Type, VoidType, size_of
from rv.target.llvm import CompiledModule, linked
from rv.target.machine import Target
from rv.target.native_types import ctypes_type
from rv.vector.function import Module, Parameter
from rv.vector.instructions import Access, Call, Load, Store
from rv.vector.types import VectorType
from rv.vector.values import Operand, Register, zeros
from rv.vector.writer import FunctionWriter

Native = Any


@dataclass(frozen=True, slots=True)
class LoadedLoop:
    """A function in memory; `module` holds the machine code."""

    name: str
    types: tuple[Type, ...]
    native: Native
    module: object

    @staticmethod
    def of(function: Function, compiled: CompiledModule) -> LoadedLoop:
        types = tuple(parameter.var.type for parameter in function.parameters)
        module = compiled.jit()
        result, *passed = (ctypes_type(type_, signed=True) for type_ in (function.result, *types))
        return LoadedLoop(function.name, types, ctypes.CFUNCTYPE(result, *passed)(module.address(function.name)), module)

    def __call__(self, arguments: Sequence[Any]) -> Any:
        _check_count(self.name, arguments, len(self.types))
        return self.native(*(_plain(self.name, k, *pair) for k, pair in enumerate(zip(self.types, arguments, strict=True))))


@dataclass(frozen=True, slots=True)
class LoadedFunction:
    """A vector version in memory. `vectors`: for each parameter whether it is passed as a vector."""

    name: str
    lanes: int
    types: tuple[Type, ...]
    vectors: tuple[bool, ...]
    result: Type
    masked: bool
    native: Native
    module: object

    @staticmethod
    def of(name: str, llvm: str, convention: Convention, loop: LaneLoop, scalar: Function, target: Target) -> LoadedFunction:
        types = tuple(parameter.var.type for parameter in scalar.parameters)
        vectors = tuple(pieces is not None for pieces in convention.parameters)
        masked = loop.mask is not None
        through = module_text(_through_memory(name, loop.lanes, types, vectors, scalar.result, masked), target)
        module = linked([CompiledModule(llvm, target), CompiledModule(through, target)]).jit()
        passed = (ctypes.c_void_p if own else ctypes_type(type_, signed=True) for type_, own in zip(types, vectors, strict=True))
        native = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *passed)(module.address(f"{name}.called"))
        return LoadedFunction(name, loop.lanes, types, vectors, scalar.result, masked, native, module)

    def __call__(self, arguments: Sequence[Any], mask: Any) -> NDArray[Any] | None:
        _check_count(self.name, arguments, len(self.types))
        if (mask is not None) != self.masked:
            raise TypeError(f"{self.name} takes {'a' if self.masked else 'no'} mask")
        active = self._vector("the mask", mask, np.dtype(np.bool_)) if self.masked else None
        given = list(zip(self.types, self.vectors, arguments, strict=True))
        held = [self._vector(f"argument {k + 1}", v, _dtype(t)) if own else v for k, (t, own, v) in enumerate(given)]
        ways = zip(self.types, self.vectors, held, strict=True)
        passed = [v.ctypes.data if own else _plain(self.name, k, t, v) for k, (t, own, v) in enumerate(ways)]
        result = None if isinstance(self.result, VoidType) else np.zeros(self.lanes, _dtype(self.result))
        self.native(None if result is None else result.ctypes.data, None if active is None else active.ctypes.data, *passed)
        return result

    def _vector(self, what: str, value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
        """A value for each lane, one after the other."""
        found = np.asarray(value)
        if found.shape != (self.lanes,) or not np.can_cast(found.dtype, dtype, "same_kind"):
            raise TypeError(f"{what} of {self.name} must be {self.lanes} values of type {dtype}, not {found.dtype}{found.shape}")
        return np.ascontiguousarray(found, dtype)


def _through_memory(
    name: str, lanes: int, types: Sequence[Type], vectors: Sequence[bool], result: Type, masked: bool
) -> Module:
    place, mask = Register("result", PTR), Register("mask", PTR)
    given = [Register(f"a{k}", PTR if vector else type_) for k, (type_, vector) in enumerate(zip(types, vectors, strict=True))]
    writer = FunctionWriter(f"{name}.called", [Parameter(register) for register in (place, mask, *given)])
    block = writer.block("entry", fixed=True)
    passed: list[Operand] = []
    for register, type_, vector in zip(given, types, vectors, strict=True):
        passed.append(block.add(Load(register, VectorType(type_, lanes), _ANYWHERE)) if vector else register)
    if masked:
        bits = block.add(Load(mask, VectorType(I8, lanes), _ANYWHERE))
        passed.append(block.compare("ne", bits, zeros(VectorType(I8, lanes))))
    if isinstance(result, VoidType):
        block.effect(Call(name, tuple(passed), VOID, pure=False))
    else:
        found = block.run(Call(name, tuple(passed), VectorType(result, lanes), pure=False))
        block.effect(Store(found, place, _ANYWHERE))
    block.give_back()
    return Module(writer.finish())


_ANYWHERE: Final = Access("", 1)


def _dtype(type_: Type) -> np.dtype[Any]:
    match type_:
        case FloatType(bits):
            return np.dtype(f"f{bits // 8}")
        case PointerType():
            return np.dtype(np.uint64)
        case _:
            return np.dtype(f"i{size_of(type_)}")


def _plain(name: str, position: int, type_: Type, value: Any) -> Any:
    """What is passed for a number or an array in memory."""
    match type_, value:
        case PointerType(), np.ndarray():
            if not value.flags.c_contiguous:
                raise TypeError(f"argument {position + 1} of {name} must be a contiguous array")
            return value.ctypes.data
        case FloatType(), float() | int() | np.floating() | np.integer():
            return float(value)
        case IntType(bits), int() | np.integer() if -(1 << bits - 1) <= value < 1 << bits:
            return int(value)
        case _:
            wanted = "an array" if isinstance(type_, PointerType) else f"a number of type {type_}"
            raise TypeError(f"argument {position + 1} of {name} must be {wanted}, not {type(value).__name__}")


def _check_count(name: str, arguments: Sequence[Any], count: int) -> None:
    if len(arguments) != count:
        raise TypeError(f"{name} takes {count} arguments, not {len(arguments)}")
