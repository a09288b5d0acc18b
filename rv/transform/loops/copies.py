"""Copies of blocks under other names, as passes that duplicate code need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.ir.function import Block
from rv.ir.instructions import Phi, successors
from rv.ir.rewrite import map_operands, retarget, with_result
from rv.ir.values import Value, Var


def defined_names(block: Block) -> list[str]:
    """The variables that a block defines."""
    results = [phi.result for phi in block.phis] + [instruction.result for instruction in block.body]
    return [result.name for result in results if result is not None]


def relabeled(block: Block, labels: Mapping[str, str], names: Mapping[str, str]) -> Block:
    """The block with labels and variables renamed, in operands, results and targets."""

    def value(old: Value) -> Value:
        return _renamed(old, names) if isinstance(old, Var) else old

    phis = []
    for phi in block.phis:
        incoming = tuple((labels.get(source, source), value(v)) for source, v in phi.incoming)
        shadow = None if phi.shadow is None else value(phi.shadow)
        phis.append(Phi(_renamed(phi.result, names), incoming, phi.span, shadow))
    body = []
    for instruction in block.body:
        changed = map_operands(instruction, value)
        if changed.result is not None:
            changed = with_result(changed, _renamed(changed.result, names))
        body.append(changed)
    terminator = map_operands(block.terminator, value)
    for target in dict.fromkeys(successors(terminator)):
        terminator = retarget(terminator, target, labels.get(target, target))
    return replace(block, phis=tuple(phis), body=tuple(body), terminator=terminator, predicate=value(block.predicate))


def _renamed(variable: Var, names: Mapping[str, str]) -> Var:
    return Var(names.get(variable.name, variable.name), variable.type)
