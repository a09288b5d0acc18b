"""What a function does with the arrays it gets: which it writes, and whose elements become subscripts (`x[index[i]]`).

Backward closures over operands, from the addresses of stores to the parameters they are made of, and from the subscripts of
all addresses to the loads they depend on. Control dependence does not count.
"""

from __future__ import annotations

from collections.abc import Mapping

from rv.ir.function import Function
from rv.ir.instructions import ElementPointer, Instruction, Load, Phi, Store, operands
from rv.ir.types import PointerType
from rv.ir.values import Value, Var


def written_arrays(function: Function) -> frozenset[str]:
    """The names of the pointer parameters through which something is stored."""
    definitions = {i.result.name: i for i in _definitions(function) if i.result is not None}
    stores = [i for _, i in function.instructions() if isinstance(i, Store)]
    return frozenset(name for store in stores for name in pointed_at(store.pointer, definitions))


def subscript_arrays(function: Function) -> frozenset[str]:
    """The names of the pointer parameters through which subscripts are loaded."""
    definitions = {i.result.name: i for i in _definitions(function) if i.result is not None}
    pending = [index for i in definitions.values() if isinstance(i, ElementPointer) for index in i.indices]
    seen: set[str] = set()
    arrays: set[str] = set()
    while pending:
        value = pending.pop()
        if not isinstance(value, Var) or value.name in seen:
            continue
        seen.add(value.name)
        definition = definitions.get(value.name)
        if isinstance(definition, Load):
            arrays |= pointed_at(definition.pointer, definitions)
        elif definition is not None:
            pending += operands(definition)
    return frozenset(arrays)


def _definitions(function: Function) -> list[Instruction | Phi]:
    return [i for block in function.blocks for i in (*block.phis, *block.body)]


def pointed_at(pointer: Value, definitions: Mapping[str, Instruction | Phi]) -> set[str]:
    """The parameters from which an address is computed."""
    pending, seen, found = [pointer], set[str](), set[str]()
    while pending:
        value = pending.pop()
        if not isinstance(value, Var) or value.name in seen:
            continue
        seen.add(value.name)
        match definitions.get(value.name):
            case None:
                found.add(value.name)
            case ElementPointer(base=base):
                pending.append(base)
            case other:
                pending += [operand for operand in operands(other) if isinstance(operand.type, PointerType)]
    return found
