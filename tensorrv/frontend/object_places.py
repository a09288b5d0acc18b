"""Where allocas stand: at the declaration of their variable, unless control can pass that by.

    switch (k) { int a[2]; case 0: a[0] = 1; ... }          goto in; { int a[2]; in: a[0] = 1; ... }

Then the object is created at the start of the function: in C its contents are undefined before a store, in either place. What C
declares in a block is in LLVM IR an object of the function whose lifetime starts there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.ir.function import Function
from rv.ir.instructions import Alloca, operands
from rv.ir.values import Var


def place_allocas(function: Function, made: Iterable[Alloca]) -> Function:
    """The function with every alloca of `made` that is used standing where it dominates all its uses."""
    allocas = {alloca.result: alloca for alloca in made}
    if not allocas:
        return function
    tree = dominator_tree(flow_graph(function))
    defined = {i.result: (block.label, k) for block in function.blocks for k, i in enumerate(block.body) if i.result in allocas}
    passed_by = {
        variable: allocas[variable]
        for variable, label, position in _uses(function, allocas)
        if not _is_before(tree, defined.get(variable), label, position)
    }
    if not passed_by:
        return function
    blocks = tuple(replace(b, body=tuple(i for i in b.body if i.result not in passed_by)) for b in function.blocks)
    entry = replace(blocks[0], body=(*passed_by.values(), *blocks[0].body))
    return replace(function, blocks=(entry, *blocks[1:]))


def _is_before(tree: DominatorTree, definition: tuple[str, int] | None, label: str, position: int) -> bool:
    if definition is None:
        return False
    return definition[1] < position if definition[0] == label else tree.dominates(definition[0], label)


def _uses(function: Function, wanted: Iterable[Var]) -> Iterator[tuple[Var, str, int]]:
    """The variable, block and position in it of every use; that of a phi is at the end of the predecessor."""
    found = frozenset(wanted)
    for block in function.blocks:
        for phi in block.phis:
            for label, value in phi.incoming:
                if isinstance(value, Var) and value in found:
                    yield value, label, len(function.block(label).body)
        for position, statement in enumerate((*block.body, block.terminator)):
            for value in operands(statement):
                if isinstance(value, Var) and value in found:
                    yield value, block.label, position
