"""Which stack objects a pointer may lead to, wherever it is used (Andersen's analysis, without addresses in memory).

A pointer is computed by element pointers, phis and selects from allocas, parameters, loaded values and null. Its targets are the
allocas at the ends of these chains; `elsewhere`: another end was reached. Addresses of stack objects are never in memory,
so a loaded pointer and a parameter lead to no stack object (rule 16 of the verifier, `StackObjects.escapes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.remembered import remembered
from rv.analysis.values.uses import Definition, definitions, statements
from rv.ir.function import Block, Function
from rv.ir.instructions import (
    Alloca,
    Call,
    Convert,
    ElementPointer,
    Instruction,
    Phi,
    Return,
    Select,
    Store,
    Terminator,
    operands,
)
from rv.ir.types import PointerType
from rv.ir.values import Const, Undef, Value, Var


@dataclass(frozen=True, slots=True)
class Targets:
    """What a pointer may point into: stack objects by the names of their allocas, and other memory."""

    objects: frozenset[str]
    elsewhere: bool

    @property
    def only_object(self) -> str | None:
        """The one stack object that the pointer leads to, if that is certain."""
        return next(iter(self.objects)) if len(self.objects) == 1 and not self.elsewhere else None

    def meets(self, other: Targets) -> bool:
        """Whether two pointers may lead to one place."""
        return bool(self.objects & other.objects) or (self.elsewhere and other.elsewhere)


OTHER_MEMORY: Final = Targets(frozenset(), True)
NO_MEMORY: Final = Targets(frozenset(), False)


@dataclass(frozen=True, slots=True)
class StackObjects:
    """The allocas of a function by name, and the targets of all its pointers that may lead to one of them."""

    function: Function
    allocas: Mapping[str, Alloca]
    targets: Mapping[str, Targets]

    def of(self, pointer: Value) -> Targets:
        """Where the pointer may lead."""
        match pointer:
            case Undef() | Const():
                return NO_MEMORY
            case Var(name):
                return self.targets.get(name, OTHER_MEMORY)

    def numbers(self) -> Iterator[str]:
        """The integers that are addresses of stack objects: each thread has its own."""
        for _, instruction in self.function.instructions() if self.allocas else ():
            if isinstance(instruction, Convert) and instruction.op == "ptrtoint" and self.of(instruction.value).objects:
                yield instruction.result.name

    def escapes(self) -> Iterator[tuple[Block, Instruction | Terminator]]:
        """The statements through which the address of a stack object leaves the function or the analysis."""
        if not self.allocas:
            return
        for block in self.function.blocks:
            for statement in statements(block):
                if not isinstance(statement, Phi) and any(self.of(value).objects for value in _given_away(statement)):
                    yield block, statement


@remembered
def stack_objects(function: Function) -> StackObjects:
    """The stack objects of a function; it need not be verified."""
    known = definitions(function)
    allocas = {name: definition for name, definition in known.items() if isinstance(definition, Alloca)}
    if not allocas:
        return StackObjects(function, {}, {})
    return StackObjects(function, allocas, _targets(known))


def _targets(known: Mapping[str, Definition]) -> dict[str, Targets]:
    """The least solution: a pointer's targets are those of the pointers that it is computed from."""
    found = {
        name: Targets(frozenset({name}), False) if isinstance(definition, Alloca) else NO_MEMORY
        for name, definition in known.items()
        if isinstance(definition, Alloca | ElementPointer | Phi | Select) and isinstance(definition.result.type, PointerType)
    }
    users: dict[str, list[str]] = {}
    for name in found:
        for source in _sources(known[name]):
            if isinstance(source, Var):
                users.setdefault(source.name, []).append(name)
    pending = list(found)
    while pending:
        name = pending.pop()
        if isinstance(known[name], Alloca):
            continue
        sources = [_known(found, source) for source in _sources(known[name])]
        objects = frozenset().union(*(source.objects for source in sources))
        targets = Targets(objects, any(source.elsewhere for source in sources))
        if targets != found[name]:
            found[name] = targets
            pending.extend(users.get(name, ()))
    return found


def _known(found: Mapping[str, Targets], source: Value) -> Targets:
    return found.get(source.name, OTHER_MEMORY) if isinstance(source, Var) else NO_MEMORY


def _sources(definition: Definition) -> tuple[Value, ...]:
    """The pointers that a pointer is computed from."""
    match definition:
        case ElementPointer(base=base):
            return (base,)
        case Select(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Phi():
            return operands(definition)
        case _:
            return ()


def _given_away(statement: Instruction | Terminator) -> tuple[Value, ...]:
    """The operands from which a pointer may be made. An integer made of an address is none: it cannot be converted back."""
    match statement:
        case Store(value=value):
            return (value,)
        case Call(arguments=arguments):
            return arguments
        case Return(value=value) if value is not None:
            return (value,)
        case _:
            return ()
