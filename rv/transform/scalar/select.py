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
left. A branch on `any` or `all` stays: it was written to skip code. So does one around slow code that is the same in all
iterations of the loop around it: lanes along that loop agree, so that only one of the arms is executed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.memory.executed import Accesses, PlaceKey, accesses
from rv.analysis.values.effects import DIVISIONS, is_speculatable
from rv.analysis.values.invariant import Invariance
from rv.cost.branches import SLOW, WORTH_RUNNING, WORTH_SKIPPING
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Call, Horizontal, Instruction, Jump, Load, Phi, Select
from rv.ir.rewrite import FreshNames, rename_predecessor, substitute
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Value, Var
from rv.transform.scalar.blocks import kept_blocks, take_in
from rv.transform.simplify import simplify


def convert_branches(function: Function) -> Function:
    """The function with branches turned into selects, simplified."""
    function = simplify(function)
    while True:
        converted = _convert_round(function)
        if converted is function:
            return function
        function = simplify(converted)


def _convert_round(function: Function) -> Function:
    """One walk from the inside out, converting at each block as often as something fits; the function itself if nothing does.

    What simplification makes of the result may fit again.
    """
    graph = flow_graph(function)
    forest = find_loops(function)
    shape = _Shape(
        {block.label: block for block in function.blocks},
        dict(graph.predecessors),
        forest,
        frozenset(kept_blocks(graph, forest)),
        accesses(function),
        _tested_across_lanes(function),
        FreshNames.of(function),
        Invariance(function),
    )
    for label in reversed(reverse_postorder(graph)):
        while label in shape.blocks and _convert_at(shape, shape.blocks[label]):
            pass
    if not shape.changed:
        return function
    return substitute(replace(function, blocks=tuple(shape.blocks.values())), shape.replaced)


def _convert_at(shape: _Shape, block: Block) -> bool:
    """Converts the branch at the end of a block, if it fits."""
    branch = block.terminator
    if not isinstance(branch, Branch) or block.predicate != TRUE:
        return False
    tested = shape.current(branch.condition) in shape.tested
    return (not tested and _convert_arms(shape, block, branch)) or _merge_tests(shape, block, branch)


def _tested_across_lanes(function: Function) -> frozenset[Value]:
    """The results of `any` and `all`, and their negations."""
    found: set[Value] = {i.result for _, i in function.instructions() if isinstance(i, Horizontal) and i.op in ("any", "all")}
    negated = {i.result for _, i in function.instructions() if isinstance(i, Binary) and i.op == "xor" and i.left in found}
    return frozenset(found | negated)


@dataclass(slots=True)
class _Shape:
    """The function while it is converted. Loops and accesses are those of the function as it was: code only moves up, so what
    was accessed above a block still is.
    """

    blocks: dict[str, Block]
    predecessors: dict[str, tuple[str, ...]]
    forest: LoopForest
    kept: frozenset[str]
    accesses: Accesses
    tested: frozenset[Value]
    names: FreshNames
    invariance: Invariance
    replaced: dict[str, Value] = field(default_factory=dict)
    changed: bool = False

    def current(self, value: Value) -> Value:
        """What stands for a value by now: phis of blocks that are entered from one place only are replaced."""
        while isinstance(value, Var) and value.name in self.replaced:
            value = self.replaced[value.name]
        return value

    def together(self, *labels: str) -> bool:
        """Whether the blocks are in the same loops, and none but the first is a header."""
        loops = {self.forest.innermost.get(label) for label in labels}
        return len(loops) == 1 and not any(label in self.forest.loops for label in labels[1:])

    def rewrite(self, gone: Collection[str], changed: Mapping[str, Block]) -> bool:
        """Removes blocks whose code the first of the changed blocks has taken in; True."""
        head = next(iter(changed))
        for label in gone:
            del self.blocks[label]
        self.blocks.update(changed)
        self.changed = True
        for target in changed[head].successors:
            before = self.predecessors[target]
            own = [label for label in before if label == head or label in gone]
            self.predecessors[target] = tuple(head if label == own[0] else label for label in before if label not in own[1:])
            self._settle(target)
        take_in(self.blocks, self.predecessors, self.kept, self.forest, head)
        return True

    def _settle(self, label: str) -> None:
        """Replaces the phis of a block that is entered from one place only."""
        block = self.blocks[label]
        if block.phis and len(self.predecessors[label]) == 1:
            self.replaced.update((phi.result.name, self.current(phi.incoming[0][1])) for phi in block.phis)
            self.blocks[label] = replace(block, phis=())

    def harmless(self, head: str, body: tuple[Instruction, ...], anyway: Collection[PlaceKey] = ()) -> bool:
        """Whether an arm may be executed always when the end of the head is reached."""
        return len(body) <= WORTH_RUNNING and all(
            self._accessed(head, i, anyway) if isinstance(i, Load) else is_speculatable(i) for i in body
        )

    def _accessed(self, head: str, load: Load, anyway: Collection[PlaceKey]) -> bool:
        (place,) = self.accesses.places([load])
        return place in anyway or self.accesses.above(head, place)

    def is_steady(self, head: str, condition: Value) -> bool:
        """Whether a condition is the same in all iterations of the innermost loop around a block."""
        loop = self.forest.innermost.get(head)
        return loop is not None and self.invariance.holds(self.current(condition), self.forest.loops[loop])

    def arm(self, head: str, label: str) -> Block | None:
        """The block when it is entered from `head` alone and jumps."""
        block = self.blocks[label]
        alone = self.predecessors[label] == (head,) and block.predicate == TRUE
        return block if alone and isinstance(block.terminator, Jump) and not block.phis else None


def _convert_arms(shape: _Shape, head: Block, branch: Branch) -> bool:
    """Converts a branch around one arm, or into two arms, that meet at once."""
    then, otherwise = shape.arm(head.label, branch.then), shape.arm(head.label, branch.otherwise)
    match then, otherwise:
        case Block(), Block() if then.successors == otherwise.successors:
            join = then.successors[0]
        case Block(), _ if then.successors == (branch.otherwise,):
            join, otherwise = branch.otherwise, None
        case _, Block() if otherwise.successors == (branch.then,):
            join, then = branch.then, None
        case _:
            return False
    arms = [arm for arm in (then, otherwise) if arm is not None]
    if not shape.together(head.label, join, *(arm.label for arm in arms)):
        return False
    anyway = shape.accesses.at_start(join)
    if len(arms) == 2:
        anyway |= frozenset(shape.accesses.places(arms[0].body)) & frozenset(shape.accesses.places(arms[1].body))
    if not all(shape.harmless(head.label, arm.body, anyway) for arm in arms):
        return False
    if _skips_much(arms) and shape.is_steady(head.label, branch.condition):
        return False
    sources = (then.label if then else head.label, otherwise.label if otherwise else head.label)
    return _join_arms(shape, head, branch, arms, join, sources)


def _skips_much(arms: Sequence[Block]) -> bool:
    """Whether what stands in the arms takes longer than a branch."""
    work = sum(SLOW if _is_slow(instruction) else 1 for arm in arms for instruction in arm.body)
    return work >= WORTH_SKIPPING


def _is_slow(instruction: Instruction) -> bool:
    return isinstance(instruction, Call) or (isinstance(instruction, Binary) and instruction.op in (*DIVISIONS, "fdiv", "frem"))


def _join_arms(
    shape: _Shape, head: Block, branch: Branch, arms: list[Block], join: str, sources: tuple[str, str]
) -> bool:
    """Gives the head the arms' code and a select for each phi of the join whose values differ."""
    selects: list[Select] = []
    gone = {arm.label for arm in arms}

    def chosen(phi: Phi) -> Phi:
        then, otherwise = (shape.current(phi.value_from(source)) for source in sources)
        value = _select(branch.condition, then, otherwise, phi, shape.names, selects)
        kept = tuple(edge for edge in phi.incoming if edge[0] not in gone and edge[0] != head.label)
        return replace(phi, incoming=(*kept, (head.label, value)))

    phis = tuple(chosen(phi) for phi in shape.blocks[join].phis)
    code = tuple(instruction for arm in arms for instruction in arm.body)
    merged = replace(head, body=(*head.body, *code, *selects), terminator=Jump(join, branch.span))
    return shape.rewrite(gone, {head.label: merged, join: replace(shape.blocks[join], phis=phis)})


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


def _merge_tests(shape: _Shape, head: Block, first: Branch) -> bool:
    """Merges two branches in a row that share a target into one branch on a select."""
    for label in first.then, first.otherwise:
        block = shape.blocks[label]
        if not isinstance(second := block.terminator, Branch):
            continue
        shared = first.otherwise if label == first.then else first.then
        other = second.otherwise if second.then == shared else second.then
        if shared not in block.successors or other == shared or block.phis or block.predicate != TRUE:
            continue
        if shape.predecessors[label] != (head.label,):
            continue
        if shape.together(head.label, label, shared, other) and shape.harmless(head.label, block.body):
            return _one_test(shape, head, first, block, second, shared, other)
    return False


def _one_test(
    shape: _Shape, head: Block, first: Branch, block: Block, second: Branch, shared: str, other: str
) -> bool:
    selects: list[Select] = []

    def select(phi: Phi) -> Phi:
        here, there = (shape.current(phi.value_from(source)) for source in (head.label, block.label))
        then, otherwise = (there, here) if block.label == first.then else (here, there)
        value = _select(first.condition, then, otherwise, phi, shape.names, selects)
        kept = tuple(edge for edge in phi.incoming if edge[0] not in (head.label, block.label))
        return replace(phi, incoming=(*kept, (head.label, value)))

    phis = tuple(select(phi) for phi in shape.blocks[shared].phis)
    # where the first branch goes to the shared block at once, the merged branch must go there too
    decided = TRUE if second.then == shared else FALSE
    then, otherwise = (second.condition, decided) if block.label == first.then else (decided, second.condition)
    test = Select(shape.names.variable("test", I1), first.condition, then, otherwise, first.span)
    branch = replace(second, condition=test.result)
    merged = replace(head, body=(*head.body, *block.body, *selects, test), terminator=branch)
    return shape.rewrite(
        {block.label},
        {
            head.label: merged,
            shared: replace(shape.blocks[shared], phis=phis),
            other: rename_predecessor(shape.blocks[other], block.label, head.label),
        },
    )
