"""Searches in strips: counted loops that only test whether the next strip has a hit, before the loop that finds it.

                                                 for (; strip iterations are left; i += strip) {
    for (; i < n; i++)                             hit = 0;
      if (a[i] == x) { r = i; break; }    ->       for (k = 0; k < strip; k++) hit |= a[i + k] == x;
                                                   if (hit) break;
                                                 }
                                                 for (; i < n; i++)
                                                   if (a[i] == x) { r = i; break; }

The loop over k is a reduction with a constant number of iterations, which a brush takes like any other. What the original loop
computes when it ends, and where it goes then, is none of the strips' business: it begins again with the strip in which something
is, or with what is left. Whatever ends the loop counts as a hit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rv.cost.branches import BETWEEN_TESTS
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS, LoopHints
from rv.ir.instructions import Binary, Branch, CompareInt, Instruction, Jump, Phi, Select
from rv.ir.rewrite import FreshNames, map_operands, retarget, with_result
from rv.ir.types import I1, I64, IntType
from rv.ir.values import FALSE, TRUE, Value, Var, const_int
from rv.transform.loops.copies import defined_names, relabeled
from rv.transform.prepare import canonicalize
from tensorrv.nest.idioms.searches import Search


def search_in_strips(function: Function, search: Search, lanes: int) -> Function:
    """The function, prepared, with a loop over strips of some brushes of `lanes` lanes before a loop that searches."""
    return canonicalize(_Strips(function, search, BETWEEN_TESTS * lanes).result())


@dataclass(frozen=True, slots=True)
class _Questions:
    """The loop over one strip, its header first: `hit` is the answer, and `left` the variables of the search behind it."""

    blocks: tuple[Block, ...]
    hit: Var
    left: dict[str, Var]


@dataclass(slots=True)
class _Strips:
    function: Function
    search: Search
    length: int
    names: FreshNames = field(init=False)

    def __post_init__(self) -> None:
        self.names = FreshNames.of(self.function)

    def result(self) -> Function:
        loop, header = self.search.loop, self.function.block(self.search.loop.header)
        entering = loop.entering[0]
        strips, enter, tested, found, go_on, rest = (
            self.names.name(f"{loop.header}.{what}") for what in ("strips", "strip", "tested", "found", "next", "rest")
        )
        variables = {phi.result.name: self.names.variable("strip", phi.result.type) for phi in header.phis}
        questions = self._questions(header, variables, enter, tested)
        starts: list[Phi] = []
        for phi in header.phis:
            ways = ((entering, phi.value_from(entering)), (go_on, questions.left[phi.result.name]))
            starts.append(Phi(variables[phi.result.name], ways, phi.span))
        test = self._enough_left(header, variables)
        blocks = [
            Block(strips, tuple(starts), test, Branch(test[-1].result or FALSE, enter, rest)),
            Block(enter, (), (), Jump(questions.blocks[0].label)),
            *questions.blocks,
            Block(tested, (), (), Branch(questions.hit, found, go_on)),
            Block(go_on, (), (), Jump(strips)),
            Block(found, (), (), Jump(rest)),
            Block(rest, (), (), Jump(loop.header)),
        ]
        placed: list[Block] = []
        for block in self.function.blocks:
            if block.label == loop.header:
                placed += blocks
                phis = tuple(self._going_on(phi, rest, variables) for phi in block.phis)
                placed.append(replace(block, phis=phis, hints=LoopHints(novector=True)))
            elif block.label == entering:
                placed.append(replace(block, terminator=retarget(block.terminator, loop.header, strips)))
            else:
                placed.append(block)
        return replace(self.function, blocks=tuple(placed))

    def _going_on(self, phi: Phi, rest: str, variables: dict[str, Var]) -> Phi:
        latch = self.search.loop.latches[0]
        return replace(phi, incoming=((rest, variables[phi.result.name]), (latch, phi.value_from(latch))))

    def _enough_left(self, header: Block, variables: dict[str, Var]) -> tuple[Instruction, ...]:
        """Whether all iterations of a strip are within the bound: the first is, and what is left is long enough."""
        search, names = self.search, dict(variables)
        body: list[Instruction] = []
        for instruction in header.body:
            copy = map_operands(instruction, lambda value: names.get(value.name, value) if isinstance(value, Var) else value)
            assert copy.result is not None
            names[copy.result.name] = fresh = self.names.variable(copy.result.name, copy.result.type)
            body.append(with_result(copy, fresh))
        counted = names.get(search.counted.name, search.counted) if isinstance(search.counted, Var) else search.counted
        type_ = search.bound.type
        assert isinstance(type_, IntType)
        within, distance = self.names.variable("within", I1), self.names.variable("distance", type_)
        long, enough = self.names.variable("long", I1), self.names.variable("enough", I1)
        ends = (search.bound, counted) if search.step > 0 else (counted, search.bound)
        body += [
            CompareInt(within, search.predicate, counted, search.bound),
            Binary(distance, "sub", *ends),
            CompareInt(long, "uge", distance, const_int(type_, self.length * abs(search.step))),
            Select(enough, within, long, FALSE),
        ]
        return tuple(body)

    def _questions(self, header: Block, variables: dict[str, Var], enter: str, tested: str) -> _Questions:
        """The loop over one strip, which begins with `variables`."""
        loop, fresh = self.search.loop, self.names
        inside = [block for block in self.function.blocks if block.label in loop.blocks]
        labels = {block.label: fresh.name(block.label) for block in inside}
        copied = {name: fresh.name(name) for block in inside for name in defined_names(block)}
        step = fresh.name(f"{loop.header}.step")
        count, following = fresh.variable(self.search.name, I64), fresh.variable(self.search.name, I64)
        hit, now, any_, more = (fresh.variable("hit", I1) for _ in range(4))
        ways: list[tuple[str, Value]] = []
        blocks: list[Block] = []
        moved: dict[str, Instruction] = {}
        for block in inside:
            new = replace(relabeled(block, labels, copied), label=labels[block.label])
            pairs = list(zip(block.body, new.body, strict=True))
            moved |= {old.result.name: i for old, i in pairs if old.result is not None and old.result.name in self.search.moved}
            kept = tuple(i for old, i in pairs if old.result is None or old.result.name not in self.search.moved)
            terminator = new.terminator
            for old, target in zip(block.successors, new.successors, strict=True) if block.label != loop.header else ():
                if old == loop.header:
                    terminator = retarget(terminator, target, step)
                    ways.append((new.label, FALSE))
                elif old not in loop.blocks:
                    end = fresh.name(f"{block.label}.hit")
                    terminator = retarget(terminator, target, end)
                    blocks.append(Block(end, (), (), Jump(step)))
                    ways.append((end, TRUE))
            blocks.append(replace(new, body=kept, terminator=terminator, hints=NO_HINTS))
        body = next(labels[target] for target in header.successors if target in loop.blocks)
        turns = Phi(count, ((enter, const_int(I64, 0)), (step, following)), header.span)
        counting = (turns, Phi(hit, ((enter, FALSE), (step, any_))))
        phis = tuple(self._counted(phi, copied, enter, step, variables) for phi in header.phis)
        top = next(block for block in blocks if block.label == labels[loop.header])
        blocks.remove(top)
        test = CompareInt(more, "slt", count, const_int(I64, self.length))
        own = (*top.body, *(moved[name] for name in self.search.moved if name in moved), test)
        top = replace(top, phis=(*counting, *phis), body=own, terminator=Branch(more, body, tested), hints=header.hints)
        end_of_turn = (Binary(any_, "or", hit, now), Binary(following, "add", count, const_int(I64, 1), nsw=True))
        last = Block(step, (Phi(now, tuple(ways)),), end_of_turn, Jump(top.label))
        left = {phi.result.name: Var(copied[phi.result.name], phi.result.type) for phi in header.phis}
        return _Questions((top, *blocks, last), hit, left)

    def _counted(self, phi: Phi, copied: dict[str, str], enter: str, step: str, variables: dict[str, Var]) -> Phi:
        value = phi.value_from(self.search.loop.latches[0])
        following = Var(copied[value.name], value.type) if isinstance(value, Var) and value.name in copied else value
        result = Var(copied[phi.result.name], phi.result.type)
        return Phi(result, ((enter, variables[phi.result.name]), (step, following)), phi.span)
