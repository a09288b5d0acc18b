"""Full unrolling of loops whose number of iterations is a constant.

    pre:                                      pre:
      jump head                                 jump head.0
    head:                                     head.0:
      %i = phi i32 [0, pre], [%i.1, body]       %i.a = phi i32 [0, pre]
      %c = icmp slt i32 %i, 2                   %c.a = icmp slt i32 %i.a, 2
      branch %c, body, out               ->     branch %c.a, body.0, out
    body:                                     body.0:
      store i32 %i, %p                          store i32 %i.a, %p
      %i.1 = add i32 %i, 1                      %i.1.a = add i32 %i.a, 1
      jump head                                 jump head.1
                                              head.1: ... body.1: ... jump head.2
                                              head.2:
                                                %i.c = phi i32 [%i.1.b, body.1]
                                                jump out

Needs loop-simplify form and loop-closed SSA, and a test in the header that decides alone how often the loop runs at most; other
exits may leave earlier. Constants are not folded here; afterwards the form does not hold any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.analysis.cfg.loops import NaturalLoop
from rv.analysis.values.effects import is_pure
from rv.analysis.values.uses import Definition
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS
from rv.ir.instructions import Branch, Jump, Phi, operands
from rv.ir.rewrite import FreshNames, map_operands, retarget
from rv.ir.values import TRUE, Const, Value, Var
from rv.transform.loops.copies import defined_names, relabeled
from rv.transform.scalar.blocks import remove_unreached
from rv.transform.scalar.fold import fold


def constant_trips(function: Function, loop: NaturalLoop, known: Mapping[str, Definition], limit: int) -> int | None:
    """How often the header sends control on into the loop, if that is a constant of at most `limit`."""
    header = function.block(loop.header)
    if not isinstance(header.terminator, Branch) or len(loop.entering) != 1 or len(loop.latches) != 1:
        return None
    condition, then, otherwise = header.terminator.condition, header.terminator.then, header.terminator.otherwise
    if (then in loop.blocks) == (otherwise in loop.blocks):
        return None
    state: dict[str, Value] = {phi.result.name: phi.value_from(loop.entering[0]) for phi in header.phis}
    for trips in range(limit + 1):
        decision = _evaluated(condition, state, known)
        if not isinstance(decision, Const):
            return None
        if (decision == TRUE) != (then in loop.blocks):
            return trips
        following = {phi.result.name: _evaluated(phi.value_from(loop.latches[0]), state, known) for phi in header.phis}
        state = {name: value for name, value in following.items() if value is not None}
    return None


def _evaluated(value: Value, state: Mapping[str, Value], known: Mapping[str, Definition]) -> Const | None:
    """The constant that a value is when the header's phis are those of `state`; None when it depends on anything else."""
    if isinstance(value, Const):
        return value
    if not isinstance(value, Var):
        return None
    if value.name in state:
        found = state[value.name]
        return found if isinstance(found, Const) else None
    definition = known.get(value.name)
    if definition is None or isinstance(definition, Phi) or not is_pure(definition):
        return None
    constants = {operand: _evaluated(operand, state, known) for operand in operands(definition)}
    if None in constants.values():
        return None
    result = fold(map_operands(definition, lambda operand: constants[operand] or operand), {})
    return result if isinstance(result, Const) else None


def unroll(function: Function, loop: NaturalLoop, trips: int) -> Function:
    """The function with `trips` copies of the loop, as `constant_trips` gives them, one after the other."""
    names = FreshNames.of(function)
    blocks = {block.label: block for block in function.blocks if block.label in loop.blocks}
    labels = [{label: names.name(f"{label}.{k}") for label in blocks} for k in range(trips + 1)]
    variables = [{name: names.name(name) for block in blocks.values() for name in defined_names(block)} for _ in range(trips + 1)]
    copies: list[Block] = []
    for k in range(trips + 1):
        for label, block in blocks.items() if k < trips else [(loop.header, blocks[loop.header])]:
            copied = relabeled(block, labels[k], variables[k])
            if label == loop.header:
                copied = _entered_once(copied, block, loop, labels, variables, k)
            if label in loop.latches and k < trips:
                again = retarget(copied.terminator, labels[k][loop.header], labels[k + 1][loop.header])
                copied = replace(copied, terminator=again)
            copies.append(replace(copied, label=labels[k][label]))
    copies[-1] = replace(copies[-1], terminator=Jump(_left_for(blocks[loop.header], loop), copies[-1].terminator.span))
    result: list[Block] = []
    for block in function.blocks:
        if block.label == loop.header:
            result += copies
        elif block.label in loop.entering:
            result.append(replace(block, terminator=retarget(block.terminator, loop.header, labels[0][loop.header])))
        elif block.label not in loop.blocks:
            result.append(_left_from_copies(block, loop, labels, variables))
    return remove_unreached(replace(function, blocks=tuple(result)))


Names = list[dict[str, str]]


def _entered_once(copied: Block, header: Block, loop: NaturalLoop, labels: Names, variables: Names, k: int) -> Block:
    """The header's copy with the values of its phis that come from the iteration before. It heads no loop: no hints."""
    source = loop.entering[0] if k == 0 else loop.latches[0]
    label = source if k == 0 else labels[k - 1][source]
    phis = tuple(
        replace(new, incoming=((label, _copied(old.value_from(source), variables[k - 1] if k else {})),))
        for new, old in zip(copied.phis, header.phis, strict=True)
    )
    return replace(copied, phis=phis, hints=NO_HINTS)


def _left_for(header: Block, loop: NaturalLoop) -> str:
    return next(target for target in header.successors if target not in loop.blocks)


def _left_from_copies(block: Block, loop: NaturalLoop, labels: Names, variables: Names) -> Block:
    """A block outside whose phis take values from all copies of the blocks from which the loop leaves to it."""

    def incoming(phi: Phi) -> tuple[tuple[str, Value], ...]:
        found: list[tuple[str, Value]] = []
        for source, value in phi.incoming:
            if source not in loop.blocks:
                found.append((source, value))
                continue
            copies = len(labels) if source == loop.header else len(labels) - 1
            found += [(labels[k][source], _copied(value, variables[k])) for k in range(copies)]
        return tuple(found)

    return replace(block, phis=tuple(replace(phi, incoming=incoming(phi)) for phi in block.phis))


def _copied(value: Value, names: Mapping[str, str]) -> Value:
    return Var(names.get(value.name, value.name), value.type) if isinstance(value, Var) else value
