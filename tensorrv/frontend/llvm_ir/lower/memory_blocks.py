"""Blocks of memory that are set or copied: loops over elements, of the type that the function accesses there otherwise.

    call void @llvm.memset(ptr %A, i8 0, i64 %n)      ->     for k < n / 8: A[k] = 0.0        with %n a multiple of 8
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rv.analysis.values.uses import Definition, definitions, pointer_roots
from rv.ir.function import Function
from rv.ir.instructions import Binary, Call, Instruction, Load, Store
from rv.ir.types import I8, PTR, Type, size_of
from rv.ir.values import Const, Value, Var
from rv.transform.scalar.inline import inline_calls
from tensorrv.frontend.llvm_ir.lower import intrinsics
from tensorrv.frontend.llvm_ir.lower.calls import element_value

_NAMES: Final = {f"llvm.{name}": name for name in (intrinsics.SET, intrinsics.COPY)}


def expand_blocks(function: Function) -> Function:
    """The function with loops for the calls that set and copy blocks."""
    if not any(isinstance(i, Call) and i.callee in _NAMES for _, i in function.instructions()):
        return function
    known = definitions(function)
    accessed = _accessed(function, known)
    bodies: dict[str, Function] = {}

    def expanded(instruction: Instruction) -> Instruction:
        if not isinstance(instruction, Call) or instruction.callee not in _NAMES:
            return instruction
        name = _NAMES[instruction.callee]
        to, what, size = instruction.arguments
        type_ = _element(known, accessed, [to] if name == intrinsics.SET else [to, what], size)
        if name == intrinsics.SET:
            type_, what = (type_, element_value(what, type_)) if isinstance(what, Const) else (I8, what)
        body = intrinsics.code(name, type_)
        bodies[body.name] = body
        return replace(instruction, callee=body.name, arguments=(to, what, size))

    blocks = tuple(replace(block, body=tuple(map(expanded, block.body))) for block in function.blocks)
    return inline_calls(replace(function, blocks=blocks), bodies)


def _accessed(function: Function, known: Mapping[str, Definition]) -> dict[Var, set[Type]]:
    """The types of loads and stores by the pointer that they come from."""
    found: dict[Var, set[Type]] = {}
    for _, instruction in function.instructions():
        match instruction:
            case Load(result=value, pointer=Var() as place) | Store(value=value, pointer=Var() as place):
                for root in pointer_roots(known, place):
                    found.setdefault(root, set()).add(value.type)
            case _:
                pass
    return found


def _element(known: Mapping[str, Definition], accessed: Mapping[Var, set[Type]], pointers: list[Value], size: Value) -> Type:
    roots = {root for pointer in pointers if isinstance(pointer, Var) for root in pointer_roots(known, pointer)}
    types = {type_ for root in roots for type_ in accessed.get(root, ())} - {PTR}
    (type_,) = types if len(types) == 1 else (I8,)
    return type_ if _divides(known, size_of(type_), size) else I8


def _divides(known: Mapping[str, Definition], size: int, value: Value) -> bool:
    """Whether a value is known to be a multiple of a power of two."""
    if isinstance(value, Const):
        return value.bits % size == 0
    match known.get(value.name) if isinstance(value, Var) else None:
        case Binary(op="add" | "sub", left=left, right=right):
            return _divides(known, size, left) and _divides(known, size, right)
        case Binary(op="mul", left=left, right=right):
            return _divides(known, size, left) or _divides(known, size, right)
        case Binary(op="shl", right=Const() as amount):
            return amount.bits < 64 and (1 << amount.bits) % size == 0
        case Binary(op="and", right=Const() as mask):
            return mask.bits % size == 0
        case _:
            return False
