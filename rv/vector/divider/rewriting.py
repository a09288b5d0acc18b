"""Instructions for the divider in place of those registers of `Quotients` and `Roots` that are left to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.vector.divider.chains import Place
from rv.vector.divider.work import places_of
from rv.vector.function import Block, Function, Statement
from rv.vector.instructions import Binary, Elementwise, Instruction, Member, Quotients, Roots
from rv.vector.values import Register


def root_of(definitions: Mapping[str, Instruction], place: Place) -> Place | None:
    """The root by which a quotient divides, if half of its reciprocal is given."""
    instruction = definitions[place[0]]
    group = instruction.groups[place[1]] if isinstance(instruction, Quotients) else ()
    half = definitions.get(group[0].name) if len(group) == 4 and isinstance(group[0], Register) else None
    if isinstance(half, Member) and isinstance(half.tuple, Register):
        return half.tuple.name, half.number // 2
    return None


class Rewriting:
    """Instructions for the divider in place of all but some registers."""

    def __init__(self, definitions: Mapping[str, Instruction], kept: frozenset[Place]) -> None:
        self.definitions, self.kept = definitions, kept

    def function(self, function: Function) -> Function:
        return replace(function, blocks=tuple(map(self.block, function.blocks)))

    def block(self, block: Block) -> Block:
        body = (self.statement(statement) for statement in block.body)
        return replace(block, body=tuple(statement for statement in body if statement is not None))

    def statement(self, statement: Statement) -> Statement | None:
        match statement.instruction:
            case Quotients() | Roots():
                places = [place for place in places_of(statement) if place in self.kept]
                if not places or statement.result is None:
                    return None
                left = self.left(statement.instruction, places)
                return replace(statement, result=Register(statement.result.name, left.type), instruction=left)
            case Member(tuple=Register(name=name), number=number) if isinstance(self.definitions.get(name), Quotients | Roots):
                found = self.member(name, number)
                return None if found is None else replace(statement, instruction=found)
            case _:
                return statement

    def left(self, instruction: Quotients | Roots, places: list[Place]) -> Quotients | Roots:
        """The instruction with these registers only; where a root is the divider's there is no half of its reciprocal."""
        groups = [instruction.groups[number] for _, number in places]
        if isinstance(instruction, Quotients):
            by_root = (root_of(self.definitions, place) in self.kept for place in places)
            groups = [group if found else group[-3:] for group, found in zip(groups, by_root, strict=True)]
        return replace(instruction, groups=tuple(groups))

    def member(self, name: str, number: int) -> Instruction | None:
        """A register of an instruction that has lost others; None for what only a register off the divider has."""
        whole = self.definitions[name]
        assert isinstance(whole, Quotients | Roots)
        each = 1 if isinstance(whole, Quotients) else 2
        place = name, number // each
        if place in self.kept:
            before = sum((name, k) in self.kept for k in range(place[1]))
            groups = [(name, k) for k in range(len(whole.groups)) if (name, k) in self.kept]
            tuple_ = Register(name, self.left(whole, groups).type)
            return Member(tuple_, before * each + number % each)
        group = whole.groups[place[1]]
        if isinstance(whole, Quotients):
            return Binary("fdiv", group[-3], group[-2], whole.mode)
        return Elementwise("sqrt", group[:1], whole.mode) if number % each == 0 else None
