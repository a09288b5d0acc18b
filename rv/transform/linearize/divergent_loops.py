"""Divergent loops become uniform: they run while any thread is in them (thesis, section 9.1).

    pre:                                          pre:
      jump head                                     jump head.live
    head:                                         head.live:
      %i = phi i32 [0, pre], [%n, body]             %i = phi i32 [0, pre], [%i.1, head.next]
      %c = icmp slt i32 %i, %m                      %live = phi i1 [1, pre], [%live.1, head.next] shadow(0)
      branch %c, body, out                          %x.kept = phi i32 [undef, pre], [%x.kept.1, head.next]
    body:                                           %any = horizontal i1 any(i1 %live) total
      %n = add i32 %i, 1                            branch %any, head.guard, head.done
      jump head                             ->    head.guard:
    out:                                            branch %live, head, head.next
      %x = phi i32 [%i, head]                     head:
                                                    %c = icmp slt i32 %i, %m
                                                    branch %c, body, head.left
                                                  head.left:
                                                    jump head.next
                                                  body:
                                                    %n = add i32 %i, 1
                                                    jump head.next
                                                  head.next:
                                                    %live.1 = phi i1 [0, head.guard], [0, head.left], [1, body] shadow(0)
                                                    %x.kept.1 = phi i32 [%x.kept, head.guard], [%i, head.left], [%x.kept, body]
                                                    %i.1 = phi i32 [undef, head.guard], [undef, head.left], [%n, body]
                                                    jump head.live
                                                  head.done:
                                                    jump out
                                                  out:
                                                    %x = phi i32 [%x.kept, head.done]

A thread that takes an exit goes to the new latch and stays there with its values until no thread is live; then all leave over the
only exit. With several blocks outside, each has a truth value `head.to.out` that holds for the threads that left towards it, and
divergent branches behind the loop dispatch them. Exits that the remaining threads take together ("kill" exits) are treated alike:
they stay uniform branches inside the loop, after which none is live. What leaves the loop but was defined outside is not kept.

Needs loop-simplify and loop-closed form, and keeps the former, and the latter for the loops around. Loops are transformed from
the inside out. Threads that leave the loops around as well are dispatched first: so all dispatching blocks are in the innermost
of the loops around, as are the values that they read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS
from rv.ir.instructions import Branch, Horizontal, Jump, Phi
from rv.ir.rewrite import FreshNames, retarget
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Undef, Value, Var


@dataclass(frozen=True, slots=True)
class UniformLoops:
    """The function, its divergent branches, and the blocks of the region."""

    function: Function
    divergent: frozenset[str]
    region: frozenset[str] | None


def uniform_loops(
    function: Function, headers: frozenset[str], divergent: frozenset[str], region: frozenset[str] | None = None
) -> UniformLoops:
    """The function with uniform loops in place of the divergent ones.

    `headers` are those of the loops that threads may leave apart, `divergent` the blocks with divergent branches.
    """
    result, names = UniformLoops(function, divergent, region), FreshNames.of(function)
    forest, changed = find_loops(function), set[str]()
    for loop in forest.innermost_first():
        if loop.header not in headers:
            continue
        if not changed.isdisjoint(loop.blocks):  # loops beside each other leave each other as they are
            forest, changed = find_loops(result.function), set()
        result = _transformed(result, forest, loop.header, names)
        changed.add(loop.header)
    return result


def _transformed(before: UniformLoops, forest: LoopForest, header: str, names: FreshNames) -> UniformLoops:
    function, divergent, added = _Loop(before.function, forest, header, names).transformed()
    region = None if before.region is None else before.region | added
    return UniformLoops(function, before.divergent | divergent, region)


class _Loop:
    """One loop, and the blocks and variables that are made for it."""

    def __init__(self, function: Function, forest: LoopForest, header: str, names: FreshNames) -> None:
        loop = forest.loops[header]
        self.function, self.loop, self.names = function, loop, names
        self.blocks = {block.label: block for block in function.blocks}
        (self.preheader,), (self.latch,) = loop.entering, loop.latches
        self.live_header = names.name(f"{loop.header}.live")
        self.guard = names.name(f"{loop.header}.guard")
        self.next = names.name(f"{loop.header}.next")
        targets = dict.fromkeys(target for _, target in loop.exits)
        depths = {target: 0 if (around := forest.loop_of(target)) is None else around.depth for target in targets}
        self.outside = tuple(sorted(targets, key=depths.__getitem__))
        self.homes = defining_blocks(function)
        self.left = {exit: names.name(f"{exit[0]}.left") for exit in loop.exits}
        self.header_phis: list[Phi] = []
        self.next_phis: list[Phi] = []

    def transformed(self) -> tuple[Function, frozenset[str], frozenset[str]]:
        """The new function, its new divergent branches, and its new blocks."""
        live = self._tracked("live", TRUE, TRUE, dict.fromkeys(self.loop.exits, FALSE), FALSE)
        dispatch, entries = self._dispatch()
        closed = {label: self._closed(self.blocks[label], entries[label]) for label in self.outside}
        self._carry_header_phis()
        test = Horizontal(self.names.variable("any", I1), "any", (live,), total=True)
        head = self.blocks[self.loop.header]
        made = {
            self.live_header: Block(
                self.live_header,
                tuple(self.header_phis),
                (test,),
                Branch(test.result, self.guard, dispatch[0].label),
                head.hints,
                head.span,
            ),
            self.guard: Block(self.guard, (), (), Branch(live, self.loop.header, self.next)),
        }
        left = {label: Block(label, (), (), Jump(self.next)) for label in self.left.values()}
        after = [*left.values(), Block(self.next, tuple(self.next_phis), (), Jump(self.live_header)), *dispatch]
        blocks: list[Block] = []
        for block in self.function.blocks:
            if block.label == self.loop.header:
                blocks += made.values()
            blocks.append(self._redirected(closed.get(block.label, block)))
            if block.label == self.latch:
                blocks += after
        divergent = {self.guard, *(block.label for block in dispatch if isinstance(block.terminator, Branch))}
        added = {*made, *left, self.next, *(block.label for block in dispatch)}
        return replace(self.function, blocks=tuple(blocks)), frozenset(divergent), frozenset(added)

    def _tracked(
        self, wanted: str, first: Value, stay: Value | None, leave: dict[tuple[str, str], Value], shadow: Value | None = None
    ) -> Var:
        """A variable: `first` before the loop, `stay` after an iteration (None: as before), `leave` after an exit."""
        now, then = self.names.variable(wanted, first.type), self.names.variable(wanted, first.type)
        kept = now if shadow is None else shadow
        incoming = [(self.guard, kept)]
        incoming += [(label, leave.get(exit, kept)) for exit, label in self.left.items()]
        incoming.append((self.latch, kept if stay is None else stay))
        self.header_phis.append(Phi(now, ((self.preheader, first), (self.next, then)), shadow=shadow))
        self.next_phis.append(Phi(then, tuple(incoming), shadow=shadow))
        return now

    def _dispatch(self) -> tuple[list[Block], dict[str, str]]:
        """The blocks behind the loop that lead to the blocks outside, and from which of them each one is entered."""
        labels = [self.names.name(f"{self.loop.header}.done") for _ in self.outside[1:] or self.outside]
        blocks: list[Block] = []
        entries: dict[str, str] = {}
        for number, label in enumerate(labels):
            target = self.outside[number]
            entries[target] = label
            if len(self.outside) == 1:
                blocks.append(Block(label, (), (), Jump(target)))
                break
            following = labels[number + 1] if number + 1 < len(labels) else self.outside[-1]
            entries.setdefault(following, label)
            leave: dict[tuple[str, str], Value] = {exit: TRUE for exit in self.loop.exits if exit[1] == target}
            taken = self._tracked(f"{self.loop.header}.to.{target}", FALSE, None, leave)
            blocks.append(Block(label, (), (), Branch(taken, target, following)))
        return blocks, entries

    def _closed(self, block: Block, entry: str) -> Block:
        """A block outside, whose phis take what the threads had when they left."""
        phis: list[Phi] = []
        for phi in block.phis:
            values = dict(phi.incoming)
            value: Value = next(iter(values.values()))
            if any(other != value for other in values.values()) or self._varies_inside(value):
                leave = {(source, block.label): v for source, v in values.items()}
                value = self._tracked(f"{phi.result.name}.kept", Undef(phi.result.type), None, leave)
            phis.append(replace(phi, incoming=((entry, value),)))
        return replace(block, phis=tuple(phis))

    def _varies_inside(self, value: Value) -> bool:
        return isinstance(value, Var) and self.homes[value.name] in self.loop.blocks

    def _carry_header_phis(self) -> None:
        for phi in self.blocks[self.loop.header].phis:
            values = dict(phi.incoming)
            following = self.names.variable(phi.result.name, phi.result.type)
            idle = Undef(phi.result.type) if phi.shadow is None else phi.shadow
            others = (self.guard, *self.left.values())
            incoming = (*((label, idle) for label in others), (self.latch, values[self.latch]))
            self.next_phis.append(Phi(following, incoming, shadow=phi.shadow))
            self.header_phis.append(
                replace(phi, incoming=((self.preheader, values[self.preheader]), (self.next, following)))
            )

    def _redirected(self, block: Block) -> Block:
        """A block with its edges to the header and to blocks outside led to the new places."""
        end = block.terminator
        if block.label == self.preheader:
            end = retarget(end, self.loop.header, self.live_header)
        if block.label == self.latch:
            end = retarget(end, self.loop.header, self.next)
        for source, target in self.loop.exits:
            if source == block.label:
                end = retarget(end, target, self.left[source, target])
        if block.label == self.loop.header:
            return replace(block, phis=(), hints=NO_HINTS, terminator=end)
        return block if end is block.terminator else replace(block, terminator=end)
