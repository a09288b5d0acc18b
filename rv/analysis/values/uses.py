"""Where variables are defined and read: definitions by name, blocks of definitions, and use counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rv.analysis.remembered import remembered
from rv.ir.function import Block, Function
from rv.ir.instructions import ElementPointer, Instruction, Phi, Select, Terminator, operands
from rv.ir.values import Var

Definition = Instruction | Phi


def statements(block: Block) -> tuple[Phi | Instruction | Terminator, ...]:
    """Everything in a block in order: phis, body, terminator."""
    return (*block.phis, *block.body, block.terminator)


@remembered
def definitions(function: Function) -> Mapping[str, Definition]:
    """The instruction or phi that defines each variable; parameters are not in it."""
    return {
        definition.result.name: definition
        for block in function.blocks
        for definition in (*block.phis, *block.body)
        if definition.result is not None
    }


@remembered
def defining_blocks(function: Function) -> Mapping[str, str]:
    """The label of the block that defines each variable; parameters are defined in the entry."""
    found = {parameter.var.name: function.entry.label for parameter in function.parameters}
    for block in function.blocks:
        for definition in (*block.phis, *block.body):
            if definition.result is not None:
                found[definition.result.name] = block.label
    return found


def use_counts(function: Function) -> Counter[str]:
    """How often each variable is read; predicates of blocks read as well."""
    return Counter(
        value.name
        for block in function.blocks
        for values in ((block.predicate,), *map(operands, statements(block)))
        for value in values
        if isinstance(value, Var)
    )


def pointer_roots(known: Mapping[str, Definition], pointer: Var) -> tuple[Var, ...]:
    """The variables that a pointer comes from through phis, selects and subscripts: parameters, objects, loaded pointers."""
    pending, seen, roots = [pointer], {pointer.name}, []
    while pending:
        variable = pending.pop()
        match known.get(variable.name):
            case Phi(incoming=incoming):
                sources = [value for _, value in incoming]
            case Select(then=then, otherwise=otherwise):
                sources = [then, otherwise]
            case ElementPointer(base=base):
                sources = [base]
            case _:
                roots.append(variable)
                continue
        found = [value for value in sources if isinstance(value, Var) and value.name not in seen]
        seen |= {value.name for value in found}
        pending += found
    return tuple(roots)
