"""The distance of a narrow number from the largest one of its type is taken in that type, where its products need no wider one.

    %w: <16 x i16> = zext %b                       %n: <16 x i8> = xor %b, 255
    %d: <16 x i16> = sub 255, %w          ->       %d: <16 x i16> = zext %n

AArch64 multiplies bytes to shorts in one instruction, without extending them: the weights of two pictures, w and 255 - w.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.ir.types import IntType, bits_of
from rv.vector.function import Block, Module, Statement
from rv.vector.instructions import Binary, Convert, Instruction
from rv.vector.types import VectorType, element_of, lanes_of
from rv.vector.values import Constant, Operand, Register, word


def complemented(module: Module) -> Module:
    """The module with such differences of vectors in their narrow type."""
    functions = []
    for function in module.functions:
        known = {s.result: s.instruction for block in function.blocks for s in block.body if s.result is not None}
        functions.append(replace(function, blocks=tuple(_block(block, known) for block in function.blocks)))
    return replace(module, functions=tuple(functions))


def _block(block: Block, known: Mapping[Register, Instruction]) -> Block:
    body: list[Statement] = []
    for statement in block.body:
        narrow = _subtracted(statement.instruction, known)
        if narrow is None or statement.result is None:
            body.append(statement)
            continue
        type_, own = element_of(narrow.type), Register(f"{statement.result.name}.narrow", narrow.type)
        wide = statement.result.type
        assert isinstance(type_, IntType) and isinstance(wide, VectorType)
        body.append(Statement(own, Binary("xor", narrow, word(type_, -1, lanes_of(narrow.type)))))
        body.append(replace(statement, instruction=Convert("zext", own, wide)))
    return replace(block, body=tuple(body)) if len(body) > len(block.body) else block


def _subtracted(instruction: Instruction, known: Mapping[Register, Instruction]) -> Operand | None:
    """What is extended and subtracted from the largest number of its own type, of half as many bits."""
    match instruction:
        case Binary(op="sub", left=Constant(lanes=numbers), right=Register() as wide) if lanes_of(wide.type) > 1:
            extension = known.get(wide)
        case _:
            return None
    if not isinstance(extension, Convert) or extension.op != "zext":
        return None
    bits = bits_of(element_of(extension.value.type))
    full = set(numbers) == {(1 << bits) - 1} and bits_of(element_of(wide.type)) == 2 * bits
    return extension.value if full and bits >= 8 else None
