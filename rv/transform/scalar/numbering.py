"""Value numbering over the dominator tree, with constant folding (Briggs, Cooper, Simpson: Value Numbering, 1997).

    %a = add i32 %x, %y                   %a = add i32 %x, %y
    %b = add i32 %y, %x
    %c = mul i32 %a, %b           ->      %c = mul i32 %a, %a

A pure instruction that an instruction above it in the dominator tree computes already is replaced by that one's result. Division
counts as pure here: the first one has run, so the second one does not trap. Phis with one distinct value are replaced by it;
an undefined value may be taken for any other one that is defined above the phi.
"""

from __future__ import annotations

from dataclasses import replace

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.effects import is_pure
from rv.analysis.values.expressions import expression_key
from rv.analysis.values.uses import Definition
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Phi, is_total, operands
from rv.ir.rewrite import map_operands, substitute
from rv.ir.values import TRUE, Undef, Value, Var
from rv.transform.scalar.fold import fold

_Edges = tuple[tuple[tuple[str, Value], ...], Value | None]


def number_values(function: Function) -> Function:
    """The function with redundant pure instructions replaced; unused instructions are left for dead code elimination."""
    tree = dominator_tree(flow_graph(function))
    numbering = _Numbering(function)
    blocks = {block.label: block for block in function.blocks}
    scopes: list[tuple[str, list[Instruction], list[str]]] = []
    for label in tree.preorder():
        while scopes and not tree.dominates(scopes[-1][0], label):
            _, expressions, variables = scopes.pop()
            for key in expressions:
                del numbering.available[key]
            numbering.above.difference_update(variables)
        added: list[Instruction] = []
        blocks[label] = numbering.block(blocks[label], added)
        defined = [s.result.name for s in (*blocks[label].phis, *blocks[label].body) if s.result is not None]
        numbering.above.update(defined)
        scopes.append((label, added, defined))
    changed = replace(function, blocks=tuple(blocks[block.label] for block in function.blocks))
    return substitute(changed, numbering.replaced)


class _Numbering:
    """What is known at a place of the walk: replaced variables, simplified definitions, available expressions."""

    def __init__(self, function: Function) -> None:
        self.above = {parameter.var.name for parameter in function.parameters}  # defined in dominating blocks
        self.replaced: dict[str, Value] = {}
        self.known: dict[str, Definition] = {}
        self.available: dict[Instruction, Var] = {}

    def block(self, block: Block, added: list[Instruction]) -> Block:
        phis: dict[_Edges, Phi] = {}
        for phi in block.phis:
            self._phi(map_operands(phi, self._current), phis)
        body: list[Instruction] = []
        for instruction in block.body:
            # what passive threads do not compute is not there for them further down
            shared = added if block.predicate == TRUE or is_total(instruction) else None
            self._instruction(map_operands(instruction, self._current), body, shared)
        terminator = map_operands(block.terminator, self._current)
        predicate = self._current(block.predicate)
        return replace(block, phis=tuple(phis.values()), body=tuple(body), terminator=terminator, predicate=predicate)

    def _current(self, value: Value) -> Value:
        while isinstance(value, Var) and value.name in self.replaced:
            value = self.replaced[value.name]
        return value

    def _phi(self, phi: Phi, kept: dict[_Edges, Phi]) -> None:
        values = {value for value in operands(phi) if value != phi.result and not isinstance(value, Undef)}
        edges = (tuple(sorted(phi.incoming, key=lambda edge: edge[0])), phi.shadow)
        if len(values) == 1 and self._stands_for(phi, value := next(iter(values))):
            self.replaced[phi.result.name] = value
        elif edges in kept and phi.incoming:
            self.replaced[phi.result.name] = kept[edges].result
        else:
            kept[edges] = phi
            self.known[phi.result.name] = phi

    def _stands_for(self, phi: Phi, value: Value) -> bool:
        """Whether the only value of a phi is defined where the phi is; it is if no other value is undefined."""
        if not any(isinstance(other, Undef) for other in operands(phi)):
            return True
        return not isinstance(value, Var) or value.name in self.above

    def _instruction(self, instruction: Instruction, body: list[Instruction], added: list[Instruction] | None) -> None:
        simpler = self._fold(instruction)
        if isinstance(simpler, Value):
            assert instruction.result is not None
            self.replaced[instruction.result.name] = simpler
            return
        if simpler.result is not None:
            self.known[simpler.result.name] = simpler
        if simpler.result is None or not is_pure(simpler):
            body.append(simpler)
            return
        key = expression_key(simpler)
        if key in self.available:
            self.replaced[simpler.result.name] = self.available[key]
            return
        if added is not None:
            self.available[key] = simpler.result
            added.append(key)
        body.append(simpler)

    def _fold(self, instruction: Instruction) -> Value | Instruction:
        """Folded until nothing changes."""
        while True:
            simpler = fold(instruction, self.known)
            if isinstance(simpler, Value) or simpler == instruction:
                return simpler
            instruction = simpler
