"""What stands before and behind a loop in the loop around it, as loops of one iteration: then all three can be distributed.

    for (i ...) {                              for (i ...) {
      s[i] = 0;                                  for (once = 0; once < 1; ++once) s[i] = 0;
      for (j ...) s[i] += A[i][j];      ->       for (j ...) s[i] += A[i][j];
      r[i] = s[i];                               for (once = 0; once < 1; ++once) r[i] = s[i];
    }                                          }

Other loops beside the inner one are part of what is wrapped. What is computed before it and used further on is computed again
(`tensorrv.nest.reorder.computed_again`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.uses import use_counts
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Jump, Phi
from rv.ir.rewrite import FreshNames, map_block, rename_predecessor
from rv.ir.source import Span
from rv.ir.types import I1, I64
from rv.ir.values import Value, Var, const_i64
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.reorder.bands import Obstacle, can_repeat
from tensorrv.nest.reorder.computed_again import ComputedAgain


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The function, and the headers of the new loops before and behind the innermost loop of a path."""

    function: Function
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


def with_loops_of_one_iteration(function: Function, path: Sequence[str]) -> Wrapped:
    """The function with what is between these loops, each in the one before, in loops of one iteration. Raises Obstacle."""
    result = Wrapped(function)
    for outer, inner in pairwise(path):
        function, front = _wrapped(result.function, outer, inner, behind=False)
        function, back = _wrapped(function, outer, inner, behind=True)
        result = Wrapped(function, (*result.before, *front), (*result.behind, *back))
    return result


def without_loops_of_one_iteration(function: Function, headers: Sequence[str]) -> Function:
    """The function in which these loops, as far as it has them, are straight code."""
    for block in function.blocks:
        if block.label in headers:
            function = _straight(function, block)
    return function


def _straight(function: Function, header: Block) -> Function:
    """Control goes through the loop once."""
    (counter,), branch = header.phis, header.terminator
    assert isinstance(branch, Branch)
    latch = next(label for label, value in counter.incoming if value != const_i64(0))

    def changed(block: Block) -> Block:
        if block.label == header.label:
            return replace(block, phis=(), body=(), terminator=Jump(branch.then))
        return replace(block, body=(), terminator=Jump(branch.otherwise)) if block.label == latch else block

    return replace(function, blocks=tuple(map(changed, function.blocks)))


def _wrapped(function: Function, outer: str, inner: str, *, behind: bool) -> tuple[Function, tuple[str, ...]]:
    """The function with one side of the inner loop in a loop of one iteration, if that has any effects."""
    nests = analyze_nests(function)
    one, other = nests.loops[outer], nests.loops[inner]
    tree, uses = dominator_tree(flow_graph(function)), use_counts(function)
    if not tree.dominates(inner, one.latch):
        raise Obstacle(f"not every iteration of the {one.called} executes the {other.called}", other.span)
    for phi in function.block(other.exit).phis:
        if uses[phi.result.name]:
            raise Obstacle(f"the {other.called} carries `{phi.result.source_name}` from one iteration to the next", phi.span)
    beside = one.blocks - other.blocks - {outer}
    side = frozenset(label for label in beside if tree.dominates(inner, label) == behind)
    names = FreshNames.of(function)
    again = ComputedAgain(function, one, other, side, names, tree)
    if not _has_effects(again):
        return function, ()
    ends = (other.exit, one.latch) if behind else (one.body, other.preheader)
    made = _OneIteration(function, again, *ends, *(names.name(f"{ends[0]}.{part}") for part in ("once", "do", "next", "left")))
    return made.result(), (made.header,)


def _has_effects(again: ComputedAgain) -> bool:
    """Whether there is more than values that can be computed anywhere."""
    blocks = [block for block in again.function.blocks if block.label in again.side]
    if not all(isinstance(block.terminator, Jump) for block in blocks):
        return True
    return any(not can_repeat(again.known, again.stored, instruction) for block in blocks for instruction in block.body)


@dataclass(frozen=True, slots=True)
class _OneIteration:
    """The blocks of a side, from `first` to `last`, in a loop; `do` takes the place of the first one inside."""

    function: Function
    again: ComputedAgain
    first: str
    last: str
    header: str
    do: str
    latch: str
    left: str

    def result(self) -> Function:
        others = {b.label: self._with_values(b) for b in self.function.blocks if b.label not in self.again.side}
        blocks: list[Block] = []
        for block in self.function.blocks:
            if block.label in others:
                blocks.append(rename_predecessor(others[block.label], self.last, self.left))
                continue
            if block.label == self.first:
                blocks += [replace(block, body=tuple(self.again.front), terminator=Jump(self.header)), self._header()]
            blocks += self._inside(block)
        blocks = [self._begun(block) for block in blocks]
        return replace(self.function, blocks=tuple(blocks))

    def _with_values(self, block: Block) -> Block:
        """A block outside that reads what is computed again."""
        values = self.again.in_block(block)

        def change(value: Value) -> Value:
            return values.get(value.name, value) if isinstance(value, Var) else value

        return map_block(block, change) if values else block

    def _begun(self, block: Block) -> Block:
        """A block with what is computed again at its beginning; the first one of the other side is not wrapped yet."""
        return replace(block, body=(*self.again.inside.get(block.label, ()), *block.body))

    def _inside(self, block: Block) -> Iterator[Block]:
        own = rename_predecessor(block, self.first, self.do)
        if block.label == self.first:
            own = replace(own, label=self.do, phis=())
        if block.label != self.last:
            yield own
            return
        assert isinstance(block.terminator, Jump)
        yield replace(own, terminator=Jump(self.latch))
        more = self._variable("next")
        yield Block(self.latch, (), (Binary(more, "add", self._variable("once"), const_i64(1), nsw=True),), Jump(self.header))
        yield Block(self.left, (), (), block.terminator)

    def _header(self) -> Block:
        counter, more = self._variable("once"), Var(f"{self.header}.more", I1)
        phi = Phi(counter, ((self.first, const_i64(0)), (self.latch, self._variable("next"))))
        test = CompareInt(more, "slt", counter, const_i64(1))
        return Block(self.header, (phi,), (test,), Branch(more, self.do, self.left), span=self._span())

    def _variable(self, name: str) -> Var:
        return Var(f"{self.header}.{name}", I64)

    def _span(self) -> Span | None:
        blocks = (block for block in self.function.blocks if block.label in self.again.side)
        return next((i.span for block in blocks for i in block.body if i.span is not None), None)
