"""Stack objects that are only loaded and stored, element by element: what could become single variables.

An object qualifies when its address is only used in loads and stores, and in element pointers that are only used there. Of every
access the subscripts are known as values, so that passes can find out which of them are constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.values.uses import Definition, definitions, statements
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, ElementPointer, Instruction, Load, Phi, Store, Terminator, operands
from rv.ir.types import Type, size_of
from rv.ir.values import TRUE, Const, Value, Var, const_i64

Statement = Instruction | Phi | Terminator


@dataclass(frozen=True, slots=True)
class ObjectAccess:
    """A load or store of a stack object: at the object's start (no `pointer`), or at an element of it."""

    label: str
    access: Load | Store
    pointer: ElementPointer | None

    @property
    def type(self) -> Type:
        return self.access.result.type if isinstance(self.access, Load) else self.access.value.type

    @property
    def subscripts(self) -> tuple[Value, ...]:
        return () if self.pointer is None else (*self.pointer.indices, *self.pointer.extents)

    @property
    def offset(self) -> int | None:
        """The place in bytes from the object's start, if it is constant."""
        if self.pointer is None:
            return 0
        total = 0
        for index, extent in zip(self.pointer.indices, (const_i64(1), *self.pointer.extents), strict=True):
            if not isinstance(index, Const) or not isinstance(extent, Const):
                return None
            total = total * extent.signed + index.signed
        return total * size_of(self.pointer.element)


@dataclass(frozen=True, slots=True)
class AccessedObject:
    """A stack object with all that is done to it."""

    alloca: Alloca
    accesses: tuple[ObjectAccess, ...]


def accessed_objects(function: Function) -> tuple[AccessedObject, ...]:
    """The stack objects that qualify, in textual order; not those that are declared or accessed under a predicate."""
    known = definitions(function)
    found: dict[str, list[ObjectAccess]] = {
        i.result.name: [] for block, i in function.instructions() if isinstance(i, Alloca) and block.predicate == TRUE
    }
    if not found:
        return ()
    for block in function.blocks:
        for statement in statements(block):
            for position, value in enumerate(operands(statement)):
                name = _object_of(known, value)
                if name in found and not (isinstance(statement, ElementPointer) and value == known[name].result):
                    access = _access(known, block, statement, position, value)
                    if access is None:
                        del found[name]
                    else:
                        found[name].append(access)
    return tuple(AccessedObject(_alloca(known, name), tuple(accesses)) for name, accesses in found.items())


def _access(
    known: Mapping[str, Definition], block: Block, statement: Statement, position: int, address: Value
) -> ObjectAccess | None:
    """The access that a statement makes through its operand `address`; None when it does something else with it."""
    if not isinstance(statement, Load | Store) or operands(statement)[position:] != (address,) or block.predicate != TRUE:
        return None
    definition = known[address.name] if isinstance(address, Var) else None
    return ObjectAccess(block.label, statement, definition if isinstance(definition, ElementPointer) else None)


def _object_of(known: Mapping[str, Definition], value: Value) -> str:
    """The alloca that a value is the address of, or of an element of; "" for others."""
    match known.get(value.name) if isinstance(value, Var) else None:
        case Alloca(result=result):
            return result.name
        case ElementPointer(base=Var(name)) if isinstance(known.get(name), Alloca):
            return name
        case _:
            return ""


def _alloca(known: Mapping[str, Definition], name: str) -> Alloca:
    alloca = known[name]
    assert isinstance(alloca, Alloca)
    return alloca
