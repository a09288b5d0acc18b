"""Copies of a loop one after the other, for passes that give each of them a part of the work.

    pre: jump H                            pre: jump H
    H: phi, test, leaves to X       ->     H: phi, test, leaves to H.then
                                           H.then: jump H.1
                                           H.1: phi, test, leaves to X

The first copy keeps labels and names. What the header's phis have when one copy ends, they have when the next begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rv.evolution.facts import Loop
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Jump
from rv.ir.rewrite import FreshNames, retarget
from rv.ir.values import Value, Var
from rv.transform.loops.copies import defined_names, relabeled


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a loop: where the blocks and variables of the loop are in it; both maps are empty for the first copy.

    `enter` is the block before its header.
    """

    labels: Mapping[str, str]
    names: Mapping[str, str]
    enter: str

    def label(self, label: str) -> str:
        return self.labels.get(label, label)

    def value(self, value: Value) -> Value:
        """What stands in this copy for a value of the loop."""
        return Var(self.names.get(value.name, value.name), value.type) if isinstance(value, Var) else value


@dataclass(frozen=True, slots=True)
class Part:
    """What is different in a copy: the code before it, what phis of the header begin with, and blocks in the places of others."""

    code: tuple[Instruction, ...] = ()
    starts: Mapping[Var, Value] = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)


def copies_of(function: Function, loop: Loop, names: FreshNames, number: int) -> tuple[Copy, ...]:
    """The names of so many copies."""
    own = [block for block in function.blocks if block.label in loop.blocks]
    found = [Copy({}, {}, loop.preheader)]
    for _ in range(number - 1):
        labels = {block.label: names.name(block.label) for block in own}
        variables = {name: names.name(name) for block in own for name in defined_names(block)}
        found.append(Copy(labels, variables, names.name(f"{loop.header}.then")))
    return tuple(found)


def in_a_row(function: Function, loop: Loop, copies: Sequence[Copy], parts: Sequence[Part]) -> Function:
    """The function with these copies of a loop, whose only exit is its header's."""
    blocks: list[Block] = []
    for block in function.blocks:
        if block.label == loop.header:
            for number, part in enumerate(parts):
                blocks += _copied(function, loop, copies, number, part)
        elif block.label == loop.preheader:
            blocks.append(replace(block, body=(*block.body, *parts[0].code)))
        elif block.label == loop.exit:
            blocks.append(_left(block, loop, copies[-1]))
        elif block.label not in loop.blocks:
            blocks.append(block)
    return replace(function, blocks=tuple(blocks))


def _copied(function: Function, loop: Loop, copies: Sequence[Copy], number: int, part: Part) -> list[Block]:
    """The blocks of one copy, behind the block that enters it, but for the first."""
    copy = copies[number]
    labels = {**copy.labels, loop.preheader: copy.enter}
    found = [] if number == 0 else [Block(copy.enter, (), part.code, Jump(copy.label(loop.header)))]
    for block in function.blocks:
        if block.label not in loop.blocks:
            continue
        copied = replace(relabeled(part.blocks.get(block.label, block), labels, copy.names), label=copy.label(block.label))
        if block.label == loop.header:
            after = copies[number + 1].enter if number + 1 < len(copies) else loop.exit
            copied = replace(copied, terminator=retarget(copied.terminator, loop.exit, after))
            copied = _begun(block, copied, copies, number, part)
        found.append(copied)
    return found


def _begun(header: Block, copied: Block, copies: Sequence[Copy], number: int, part: Part) -> Block:
    """The header of a copy with what its phis begin with."""
    enter, phis = copies[number].enter, []
    for old, new in zip(header.phis, copied.phis, strict=True):
        value = part.starts.get(old.result)
        if value is None:
            value = copies[number - 1].value(old.result) if number else new.value_from(enter)
        phis.append(replace(new, incoming=tuple((label, value if label == enter else v) for label, v in new.incoming)))
    return replace(copied, phis=tuple(phis))


def _left(block: Block, loop: Loop, last: Copy) -> Block:
    """The block behind the loop, entered from the last copy."""

    def edge(label: str, value: Value) -> tuple[str, Value]:
        return (last.label(label), last.value(value)) if label in loop.blocks else (label, value)

    return replace(block, phis=tuple(replace(phi, incoming=tuple(edge(*e) for e in phi.incoming)) for phi in block.phis))
