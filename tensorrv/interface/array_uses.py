"""What a function does with its arrays: which it writes, whose elements become subscripts (`x[index[i]]`), and whose determine
where loops begin and end.

Backward closures over operands, from the addresses of stores to the parameters they are made of, and from the subscripts of
all addresses to the loads they depend on. Control dependence does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rv.analysis.cfg.loops import find_loops
from rv.analysis.values.effects import is_pure_call
from rv.ir.function import Function
from rv.ir.instructions import Branch, Call, ElementPointer, Instruction, Load, Phi, Store, operands
from rv.ir.types import IntType, PointerType
from rv.ir.values import Value, Var
from tensorrv.interface.signature import Limits


def written_arrays(function: Function) -> frozenset[str]:
    """The names of the pointer parameters through which something is stored, or that other functions are given."""
    definitions = {i.result.name: i for i in _definitions(function) if i.result is not None}
    written: list[Value] = []
    for _, instruction in function.instructions():
        match instruction:
            case Store(pointer=pointer):
                written.append(pointer)
            case Call(arguments=arguments) if not is_pure_call(instruction):
                written += [argument for argument in arguments if isinstance(argument.type, PointerType)]
            case _:
                pass
    return frozenset(name for pointer in written for name in pointed_at(pointer, definitions))


def read_arrays(function: Function) -> frozenset[str]:
    """The names of the pointer parameters through which something is loaded, or that other functions are given."""
    definitions = {i.result.name: i for i in _definitions(function) if i.result is not None}
    read: list[Value] = []
    for _, instruction in function.instructions():
        match instruction:
            case Load(pointer=pointer):
                read.append(pointer)
            case Call(arguments=arguments):
                read += [argument for argument in arguments if isinstance(argument.type, PointerType)]
            case _:
                pass
    return frozenset(name for pointer in read for name in pointed_at(pointer, definitions))


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


def limit_arrays(function: Function) -> dict[str, Limits]:
    """How the pointer parameters limit loops whose elements do nothing else: see `ArrayArgument`.

    Offsets are what a counter starts with that is tested at an exit of its loop; counts are only compared there.
    """
    definitions = {i.result.name: i for i in _definitions(function) if i.result is not None}
    starts: list[Value] = []
    ends: list[Value] = []
    cut: set[tuple[str, str]] = set()
    for loop in find_loops(function).loops.values():
        tests = [function.block(block).terminator for block, _ in loop.exits]
        own = [test.condition for test in tests if isinstance(test, Branch)]
        compared = _closure(own, definitions, frozenset())
        ends += own
        for phi in function.block(loop.header).phis:
            if phi.result.name in compared and isinstance(phi.result.type, IntType):
                starts += [value for label, value in phi.incoming if label in loop.entering]
                cut |= {(phi.result.name, label) for label in loop.entering}
    indices = [index for i in definitions.values() if isinstance(i, ElementPointer) for index in i.indices]
    directly = _loaded(_closure(indices, definitions, frozenset(cut)), definitions)
    offsets = _loaded(_closure(starts, definitions, frozenset(cut)), definitions) - directly
    counts = _loaded(_closure(ends, definitions, frozenset(cut)), definitions) - directly - offsets
    return {**dict.fromkeys(offsets, "offsets"), **dict.fromkeys(counts, "counts")}


def deciding_parameters(function: Function) -> frozenset[str]:
    """The names of the parameters from which subscripts and tests of loops are computed."""
    definitions = {i.result.name: i for i in _definitions(function) if i.result is not None}
    tests = [function.block(block).terminator for loop in find_loops(function).loops.values() for block, _ in loop.exits]
    found: list[Value] = [test.condition for test in tests if isinstance(test, Branch)]
    found += [index for i in definitions.values() if isinstance(i, ElementPointer) for index in i.indices]
    return _closure(found, definitions, frozenset()) & {p.var.name for p in function.parameters}


def _closure(
    values: Iterable[Value], definitions: Mapping[str, Instruction | Phi], cut: frozenset[tuple[str, str]]
) -> frozenset[str]:
    """The variables that the values are computed from, up to loads; phis leave out what comes over the edges in `cut`."""
    pending, seen = list(values), set[str]()
    while pending:
        value = pending.pop()
        if isinstance(value, Var) and value.name not in seen:
            seen.add(value.name)
            match definitions.get(value.name):
                case None | Load():
                    pass
                case Phi(incoming=incoming):
                    pending += [one for label, one in incoming if (value.name, label) not in cut]
                case definition:
                    pending += operands(definition)
    return frozenset(seen)


def _loaded(names: Iterable[str], definitions: Mapping[str, Instruction | Phi]) -> set[str]:
    """The pointer parameters from which those of the variables come that are loaded."""
    loads = [load for name in names if isinstance(load := definitions.get(name), Load)]
    return {array for load in loads for array in pointed_at(load.pointer, definitions)}


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
