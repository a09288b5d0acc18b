"""If-conversion: small branches whose arms only compute become straight-line code with selects.

    head:                                 head:
      branch %c, then, join                 %y = fneg double %x
    then:                                   %z.1 = select %c, double %y, %x
      %y = fneg double %x           ->      jump join
      jump join                           join:
    join:                                   %z = phi double [%z.1, head]
      %z = phi double [%x, head], [%y, then]

    head:                                 head:
      branch %a, next, no                   %b = icmp ...
    next:                                   %a.1 = select %a, i1 %b, 0
      %b = icmp ...                 ->      branch %a.1, yes, no
      branch %b, yes, no

The second form merges the branches of && and ||; it is a select, not an `and`, because %b may be undefined where %a is false.
Arms may hold what is speculatable, and loads of places that are accessed anyway. Loops keep their tests: all blocks of a
pattern are in the same loops, and none of its targets is a header. Patterns are converted from the inside out until none is
left. A branch on `any` or `all` stays: who asks all lanes wants code to be passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from rv.analysis.effects import is_speculatable
from rv.analysis.executed import Accesses, PlaceKey, accesses
from rv.analysis.flow import FlowGraph, flow_graph, reverse_postorder
from rv.analysis.loops import LoopForest, find_loops
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Horizontal, Instruction, Jump, Load, Phi, Select
from rv.ir.rewrite import FreshNames, rename_predecessor
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Value
from rv.transform.simplify import simplify

# instructions of one arm; more are not worth executing in vain
LARGEST_ARM = 64


def convert_branches(function: Function) -> Function:
    """The function with branches turned into selects, simplified."""
    function = simplify(function)
    while True:
        converted = _convert_once(function)
        if converted == function:
            return function
        function = simplify(converted)


def _convert_once(function: Function) -> Function:
    """One conversion at the first place in post-order where a pattern fits, or the function itself."""
    graph = flow_graph(function)
    shape = _Shape(function, graph, find_loops(function), accesses(function), _asked(function))
    for label in reversed(reverse_postorder(graph)):
        block = function.block(label)
        if isinstance(block.terminator, Branch) and block.predicate == TRUE:
            arms = None if block.terminator.condition in shape.asked else _convert_arms(shape, block, block.terminator)
            converted = arms or _merge_tests(shape, block, block.terminator)
            if converted is not None:
                return converted
    return function


def _asked(function: Function) -> frozenset[Value]:
    """The results of `any` and `all`, and their negations."""
    found: set[Value] = {i.result for _, i in function.instructions() if isinstance(i, Horizontal) and i.op in ("any", "all")}
    negated = {i.result for _, i in function.instructions() if isinstance(i, Binary) and i.op == "xor" and i.left in found}
    return frozenset(found | negated)


@dataclass(frozen=True, slots=True)
class _Shape:
    """What patterns are matched against."""

    function: Function
    graph: FlowGraph
    forest: LoopForest
    accesses: Accesses
    asked: frozenset[Value]

    def together(self, *labels: str) -> bool:
        """Whether the blocks are in the same loops and none but the first is a header."""
        loops = {self.forest.innermost.get(label) for label in labels}
        return len(loops) == 1 and not any(label in self.forest.loops for label in labels[1:])

    def harmless(self, body: tuple[Instruction, ...], anyway: Collection[PlaceKey]) -> bool:
        """Whether an arm may be executed always."""
        return len(body) <= LARGEST_ARM and all(
            self.accesses.places([i])[0] in anyway if isinstance(i, Load) else is_speculatable(i) for i in body
        )

    def arm(self, head: str, label: str) -> Block | None:
        """The block when it is entered from `head` alone and jumps."""
        block = self.function.block(label)
        alone = self.graph.predecessors[label] == (head,) and block.predicate == TRUE
        return block if alone and isinstance(block.terminator, Jump) and not block.phis else None


def _convert_arms(shape: _Shape, head: Block, branch: Branch) -> Function | None:
    """A branch around one arm, or into two arms, that meet at once."""
    then, otherwise = shape.arm(head.label, branch.then), shape.arm(head.label, branch.otherwise)
    match then, otherwise:
        case Block(), Block() if then.successors == otherwise.successors:
            join = then.successors[0]
        case Block(), _ if then.successors == (branch.otherwise,):
            join, otherwise = branch.otherwise, None
        case _, Block() if otherwise.successors == (branch.then,):
            join, then = branch.then, None
        case _:
            return None
    arms = [arm for arm in (then, otherwise) if arm is not None]
    if not shape.together(head.label, join, *(arm.label for arm in arms)):
        return None
    anyway = shape.accesses.above(head.label) | shape.accesses.at_start(join)
    if len(arms) == 2:
        anyway |= frozenset(shape.accesses.places(arms[0].body)) & frozenset(shape.accesses.places(arms[1].body))
    if not all(shape.harmless(arm.body, anyway) for arm in arms):
        return None
    sources = (then.label if then else head.label, otherwise.label if otherwise else head.label)
    return _join_arms(shape.function, head, branch, arms, join, sources)


def _join_arms(
    function: Function, head: Block, branch: Branch, arms: list[Block], join: str, sources: tuple[str, str]
) -> Function:
    """The head with the arms' code and a select for each phi of the join whose values differ."""
    names = FreshNames.of(function)
    selects: list[Select] = []
    gone = {arm.label for arm in arms}

    def chosen(phi: Phi) -> Phi:
        then, otherwise = phi.value_from(sources[0]), phi.value_from(sources[1])
        value = _select(branch.condition, then, otherwise, phi, names, selects)
        kept = tuple(edge for edge in phi.incoming if edge[0] not in gone and edge[0] != head.label)
        return replace(phi, incoming=(*kept, (head.label, value)))

    phis = tuple(chosen(phi) for phi in function.block(join).phis)
    code = tuple(instruction for arm in arms for instruction in arm.body)
    merged = replace(head, body=(*head.body, *code, *selects), terminator=Jump(join, branch.span))
    return _updated(function, gone, {head.label: lambda _: merged, join: lambda block: replace(block, phis=phis)})


def _select(
    condition: Value, then: Value, otherwise: Value, phi: Phi, names: FreshNames, selects: list[Select]
) -> Value:
    if then == otherwise:
        return then
    known = next((s for s in selects if (s.then, s.otherwise) == (then, otherwise)), None)
    if known is not None:
        return known.result
    selects.append(Select(names.variable(phi.result.name, phi.result.type), condition, then, otherwise, phi.span))
    return selects[-1].result


def _merge_tests(shape: _Shape, head: Block, first: Branch) -> Function | None:
    """Two branches in a row that share a target become one branch on a select."""
    for label in first.then, first.otherwise:
        block = shape.function.block(label)
        if shape.graph.predecessors[label] != (head.label,) or not isinstance(second := block.terminator, Branch):
            continue
        shared = first.otherwise if label == first.then else first.then
        other = second.otherwise if second.then == shared else second.then
        if shared not in block.successors or other == shared or block.phis or block.predicate != TRUE:
            continue
        if shape.together(head.label, label, shared, other) and shape.harmless(block.body, shape.accesses.above(head.label)):
            return _one_test(shape.function, head, first, block, second, shared, other)
    return None


def _one_test(
    function: Function, head: Block, first: Branch, block: Block, second: Branch, shared: str, other: str
) -> Function:
    names = FreshNames.of(function)
    selects: list[Select] = []

    def select(phi: Phi) -> Phi:
        here, there = phi.value_from(head.label), phi.value_from(block.label)
        then, otherwise = (there, here) if block.label == first.then else (here, there)
        value = _select(first.condition, then, otherwise, phi, names, selects)
        kept = tuple(edge for edge in phi.incoming if edge[0] not in (head.label, block.label))
        return replace(phi, incoming=(*kept, (head.label, value)))

    phis = tuple(select(phi) for phi in function.block(shared).phis)
    # where the first branch goes to the shared block at once, the merged branch must go there too
    decided = TRUE if second.then == shared else FALSE
    then, otherwise = (second.condition, decided) if block.label == first.then else (decided, second.condition)
    test = Select(names.variable("test", I1), first.condition, then, otherwise, first.span)
    branch = replace(second, condition=test.result)
    merged = replace(head, body=(*head.body, *block.body, *selects, test), terminator=branch)
    return _updated(
        function,
        {block.label},
        {
            head.label: lambda _: merged,
            shared: lambda b: replace(b, phis=phis),
            other: lambda b: rename_predecessor(b, block.label, head.label),
        },
    )


def _updated(function: Function, gone: Collection[str], changes: dict[str, Callable[[Block], Block]]) -> Function:
    return replace(
        function,
        blocks=tuple(
            changes[block.label](block) if block.label in changes else block
            for block in function.blocks
            if block.label not in gone
        ),
    )
