"""What both arms of a branch compute is computed once, before the branch.

    a: branch %c, b, d                    a: %x = load i32, %t
    b: %x = load i32, %t                     branch %c, b, d
       ...                         ->     b: ...
       jump e                                jump e
    d: %y = load i32, %t                  d: ...
       ...                                   jump e
       jump e                             e: %v = phi i32 [%x, b], [%x, d]
    e: %v = phi i32 [%x, b], [%y, d]

So lanes that take different arms have one value, which is uniform if its operands are ("Blending of the same value" in "SIMD Lane
Evolution for AVR"). Every path executes the instruction, so that it may trap; but not before a call, which may not return, and a
load not before a store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.analysis.values.effects import is_pure, may_write
from rv.analysis.values.expressions import expression_key
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Call, Instruction, Load, operands
from rv.ir.rewrite import map_operands, substitute
from rv.ir.values import TRUE, Value, Var


def join_common_code(function: Function) -> Function:
    """The function with such instructions before their branches; inner branches come first."""
    graph = flow_graph(function)
    joining = _Joining({block.label: block for block in function.blocks})
    for label in reversed(reverse_postorder(graph)):
        match joining.blocks[label].terminator:
            case Branch(then=then, otherwise=otherwise) if then != otherwise:
                if graph.predecessors[then] == graph.predecessors[otherwise] == (label,):
                    while joining.join(label, then, otherwise):
                        pass
            case _:
                pass
    if not joining.replaced:
        return function
    return substitute(replace(function, blocks=tuple(joining.blocks.values())), joining.replaced)


@dataclass(slots=True)
class _Joining:
    """The blocks so far, and what stands for results that are not computed any more."""

    blocks: dict[str, Block]
    replaced: dict[str, Value] = field(default_factory=dict)

    def join(self, above: str, then: str, otherwise: str) -> bool:
        """Moves what two arms compute from values above them; False when there is nothing."""
        first, second = self.blocks[then], self.blocks[otherwise]
        if first.predicate != TRUE or second.predicate != TRUE:
            return False
        own = {i.result.name for arm in (first, second) for i in (*arm.phis, *arm.body) if i.result is not None}
        known = {expression_key(i): i for i in self._movable(second, own)}
        moved: list[Instruction] = []
        gone: set[Var] = set()
        for instruction in self._movable(first, own):
            same = known.get(expression_key(instruction))
            if same is not None and instruction.result is not None and same.result is not None:
                gone |= {instruction.result, same.result}
                self.replaced[same.result.name] = instruction.result
                moved.append(_either(instruction, same))
        for label, block, more in ((then, first, ()), (otherwise, second, ()), (above, self.blocks[above], moved)):
            self.blocks[label] = replace(block, body=(*(i for i in block.body if i.result not in gone), *more))
        return bool(moved)

    def _movable(self, block: Block, own: set[str]) -> Iterator[Instruction]:
        """What the end of the block above may execute in the place of this one."""
        stored = False
        for instruction in (map_operands(i, self._current) for i in block.body):
            if isinstance(instruction, Call) and may_write(instruction):
                return
            stored = stored or may_write(instruction)
            inside = any(isinstance(value, Var) and value.name in own for value in operands(instruction))
            if not inside and (is_pure(instruction) or (isinstance(instruction, Load) and not stored)):
                yield instruction

    def _current(self, value: Value) -> Value:
        while isinstance(value, Var) and value.name in self.replaced:
            value = self.replaced[value.name]
        return value


def _either(first: Instruction, second: Instruction) -> Instruction:
    """The first of two equal instructions, with what both promise of the result."""
    both = isinstance(first, Binary) and isinstance(second, Binary) and first.nsw and second.nsw
    return replace(first, nsw=both) if isinstance(first, Binary) else first
