"""Operations that take no instruction of their own, since one instruction does several.

    %c = icmp ult i8 %x, %y;  %m = select %c, i8 %x, %y           one minimum
    %p = zext i8 %x to i16;  %q = ...;  %z = mul i16 %p, %q       one product of halves of registers on AArch64

Averages and sums within a type are as `rv.transform.narrow.trees` writes them. What other instructions need as well stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.values.uses import Definition, definitions, statements
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Select, Terminator, operands
from rv.ir.types import IntType, bits_of
from rv.ir.values import Const, Value, Var
from rv.target.machine import Target

NARROW: Final = (8, 16)


def joined_operations(function: Function, target: Target) -> frozenset[str]:
    """The results of operations that others do as well."""
    known = definitions(function)
    uses = _uses(statement for block in function.blocks for statement in statements(block))
    finder = _Finder(known, target.architecture == "x86_64")
    found: set[str] = set()
    for name, definition in known.items():
        own = {value.name for value in finder.parts(definition) if isinstance(value, Var)}
        inside = _uses(known[part] for part in (*own, name))
        found.update(part for part in own if uses[part] == inside[part])
    return frozenset(found)


def _uses(readers: Iterable[Definition | Terminator]) -> Counter[str]:
    """By how many of these each variable is read."""
    return Counter(value.name for reader in readers for value in set(operands(reader)) if isinstance(value, Var))


@dataclass(frozen=True, slots=True)
class _Finder:
    known: Mapping[str, Definition]
    x86: bool

    def parts(self, definition: Definition) -> Iterator[Value]:
        """What an instruction does beside an operation."""
        match definition:
            case Select(result=result, condition=test, then=then, otherwise=otherwise):
                compare = self.of(test)
                if isinstance(result.type, IntType) and isinstance(compare, CompareInt):
                    yield from self.of_choice(definition, compare, then, otherwise)
            case Binary(op="sub" | "add", left=left, right=right) if self.is_average(definition):
                shifted = self.of(right)
                assert isinstance(shifted, Binary)
                yield from (left, right, shifted.left)
            case Binary(op="mul", left=left, right=right) if not self.x86:
                if all(self.is_half(value) for value in (left, right)):
                    yield from (left, right)
            case _:
                pass

    def of_choice(self, choice: Select, compare: CompareInt, then: Value, otherwise: Value) -> Iterator[Value]:
        compared = {compare.left, compare.right}
        if {then, otherwise} == compared:  # the smaller or the larger
            yield choice.condition
        elif bits_of(choice.result.type) in NARROW or not self.x86:
            arms = [arm for arm in (self.of(then), self.of(otherwise)) if isinstance(arm, Binary) and arm.op in ("add", "sub")]
            of_compared = [arm for arm in arms if compared <= {arm.left, arm.right, arm.result}]
            if of_compared and any(isinstance(arm, Const) for arm in (then, otherwise)):  # kept within the type
                yield from (choice.condition, of_compared[0].result)
            elif len(of_compared) == 2:  # the size of a difference
                yield choice.condition
                yield from () if self.x86 else (arm.result for arm in of_compared)

    def is_average(self, definition: Binary) -> bool:
        """(x | y) - ((x ^ y) >> 1), or (x & y) + ((x ^ y) >> 1) where that is an instruction."""
        joint, half = self.of(definition.left), self.of(definition.right)
        apart = self.of(half.left) if isinstance(half, Binary) and half.op in ("lshr", "ashr") else None
        if not isinstance(joint, Binary) or not isinstance(apart, Binary) or not isinstance(half, Binary) or apart.op != "xor":
            return False
        up = definition.op == "sub" and joint.op == "or"
        known = bits_of(definition.result.type) in NARROW and up and half.op == "lshr" if self.x86 else (
            up or (definition.op == "add" and joint.op == "and")
        )
        return known and {joint.left, joint.right} == {apart.left, apart.right}

    def is_half(self, value: Value) -> bool:
        match self.of(value):
            case Convert(op="zext" | "sext", value=narrow):
                return 2 * bits_of(narrow.type) == bits_of(value.type)
            case _:
                return isinstance(value, Const)

    def of(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None
