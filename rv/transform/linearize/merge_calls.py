"""Calls of one function on alternative paths become one call after them, followed by the rest of one of the paths.

    a: branch %c, b, d                        a: branch %c, b, d
    b: ...                                    b: ...
       %y = call double @log(double %x)          jump j
       %v = fmul double %y, %f                d: ...
       jump j                                    jump j
    d: ...                                    j: %here = phi i1 [1, b], [0, d]       (does the thread need the call?)
       %z = call double @log(double %u)          %there = phi i1 [0, b], [1, d]
       %w = fadd double %z, %g        ->         %given = phi double [%x, b], [%u, d]
       jump j                                    %g.1 = phi double [undef, b], [%g, d] ...
    j: %r = phi double [%v, b], [%w, d]          branch %needed, m, k
       ...                                    m: %y.1 = call double @log(double %given)
                                                 branch %here, b.rest, d.rest
                                              b.rest: %v = fmul double %y.1, %f.1
                                                 jump k
                                              d.rest: ...
                                              k: %r = phi double [undef, j], [%v, b.rest], [%w, d.rest]
                                                 ...

Threads on different paths execute the call of each path one after the other, few of them each; now it is executed once. A thread
goes at most one way, so it executes what it executed before, in the same order (branch fusion: Coutinho, Sampaio, Pereira, Meira:
Divergence Analysis and Optimizations, 2011).

That is done where the paths have a block `a` in common that decides between them and a block `j` where they meet, in the same
loop, and where nothing lies between a call's block and `j` but blocks of phis. The call has a branch of its own in front of it,
so that it can be skipped when no thread needs it. Paths without their calls are short, and often become selects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rv.analysis.cfg.postdominance import PostDominatorTree, post_dominator_tree
from rv.analysis.cfg.region import Region, find_region
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS
from rv.ir.instructions import Branch, Call, Instruction, Jump, Phi
from rv.ir.rewrite import FreshNames, map_operands, rename_predecessor, substitute
from rv.ir.values import FALSE, TRUE, Undef, Value, Var


@dataclass(frozen=True, slots=True)
class _Way:
    """A block with the call, at `position` in its body, and the blocks of phis between it and the meeting point."""

    block: Block
    position: int
    through: tuple[str, ...]

    @property
    def call(self) -> Call:
        found = self.block.body[self.position]
        assert isinstance(found, Call)
        return found

    @property
    def rest(self) -> tuple[Instruction, ...]:
        return self.block.body[self.position + 1 :]


def merge_calls(function: Function, callees: Iterable[str]) -> Function:
    """The function with calls of each of `callees` merged where that is possible."""
    for callee in callees:
        while (found := _next(function, callee)) is not None:
            function = _Merged(function, *found).run()
    return function


def _next(function: Function, callee: str) -> tuple[Region, str, str, list[_Way]] | None:
    """The deciding block, the meeting block and the paths of calls that can be merged."""
    region = find_region(function)
    by_loop: dict[str | None, list[Block]] = {}
    for block in function.blocks:
        if block.label in region.numbers and _place(block, callee) is not None:
            by_loop.setdefault(region.loops.innermost.get(block.label), []).append(block)
    found = (_ways(function, region, loop, blocks, callee) for loop, blocks in by_loop.items())
    return next((ways for ways in found if ways is not None), None)


def _place(block: Block, callee: str) -> int | None:
    return next((k for k, i in enumerate(block.body) if isinstance(i, Call) and i.callee == callee and i.result), None)


def _ways(
    function: Function, region: Region, loop: str | None, blocks: list[Block], callee: str
) -> tuple[Region, str, str, list[_Way]] | None:
    """What `_next` looks for among blocks of one loop. Blocks that end otherwise are left out."""
    tree = post_dominator_tree(region)
    by_label = {block.label: block for block in function.blocks}
    while len(blocks) > 1:
        labels = [block.label for block in blocks]
        above = region.dominators.chain(labels[0])
        decides = next(a for a in above if all(region.dominators.dominates(a, label) for label in labels))
        below = _below(tree, labels[0])
        meets = next((b for b in below if all(tree.post_dominates(b, label) for label in labels)), None)
        if meets is None or meets == loop or {region.loops.innermost.get(b) for b in (decides, meets)} != {loop}:
            return None
        ways = [way for block in blocks if (way := _way(by_label, block, meets, callee)) is not None]
        if len(ways) == len(blocks):
            return region, decides, meets, ways
        blocks = [way.block for way in ways]
    return None


def _below(tree: PostDominatorTree, label: str) -> Iterator[str]:
    below = tree.immediate(label)
    while below is not None:
        yield below
        below = tree.immediate(below)


def _way(blocks: Mapping[str, Block], block: Block, meets: str, callee: str) -> _Way | None:
    """The path from a block with the call to the meeting point, None when there is more between them than phis."""
    position, through, end = _place(block, callee), [block.label], block.terminator
    while isinstance(end, Jump) and end.target != meets and not blocks[end.target].body:
        through.append(end.target)
        end = blocks[end.target].terminator
    return _Way(block, position, tuple(through)) if position is not None and end == Jump(meets) else None


class _Merged:
    """The function in the making."""

    def __init__(self, function: Function, region: Region, decides: str, meets: str, ways: list[_Way]) -> None:
        self.function = function
        self.region = region
        self.decides = decides
        self.meets = meets
        self.ways = ways
        self.names = FreshNames.of(function)
        self.phis: dict[str, list[Phi]] = {}
        self.blocks = {block.label: block for block in function.blocks}
        self.defined = defining_blocks(function)

    def run(self) -> Function:
        needed = self.carried({way.block.label: TRUE for way in self.ways}, FALSE, "needed")
        call = self.call()
        assert call.result is not None
        after, called = self.names.name(f"{self.meets}.after"), self.names.name(f"{self.meets}.call")
        rests = {self.names.name(f"{way.block.label}.rest"): way for way in self.ways}
        made = [*self.choice(called, call, list(rests))]
        made += [Block(rest, (), self.rest(way, call.result), Jump(after)) for rest, way in rests.items()]
        phis, later = self.results(rests, call.result)
        self.part(made, after, Branch(needed, called, after, call.span))
        order = [label for block in self.function.blocks for label in self.in_place(block.label, made, after)]
        changed = substitute(replace(self.function, blocks=tuple(self.blocks[label] for label in order)), later)
        return replace(changed, blocks=tuple(replace(b, phis=phis) if b.label == after else b for b in changed.blocks))

    def call(self) -> Call:
        """The merged call."""
        call = self.ways[0].call
        assert call.result is not None
        given = tuple(
            self.carried({w.block.label: w.call.arguments[k] for w in self.ways}, Undef(argument.type), "given")
            for k, argument in enumerate(call.arguments)
        )
        return replace(call, result=self.names.variable(call.result.name, call.result.type), arguments=given)

    def choice(self, called: str, call: Call, rests: list[str]) -> Iterator[Block]:
        """The block of the call, and those that find the rest of the way that a thread came."""
        label = called
        body: tuple[Instruction, ...] = (call,)
        for way, rest in zip(self.ways[:-1], rests[:-1], strict=True):
            here = self.carried({way.block.label: TRUE}, FALSE, "here")
            other = rests[-1] if rest == rests[-2] else self.names.name(f"{self.meets}.way")
            yield Block(label, (), body, Branch(here, rest, other, call.span))
            label, body = other, ()

    def part(self, made: list[Block], after: str, end: Branch) -> None:
        """Splits the meeting block after its phis, ends the paths, and adds the new blocks and phis."""
        behind = replace(self.blocks[self.meets], label=after, phis=(), hints=NO_HINTS)
        for target in behind.successors:
            self.blocks[target] = rename_predecessor(self.blocks[target], self.meets, after)
        for way in self.ways:
            self.cut(way)
        self.blocks[self.meets] = replace(self.blocks[self.meets], body=(), terminator=end)
        for label, added in self.phis.items():
            self.blocks[label] = replace(self.blocks[label], phis=(*self.blocks[label].phis, *added))
        self.blocks |= {block.label: block for block in (*made, behind)}

    def in_place(self, label: str, made: list[Block], after: str) -> list[str]:
        """The position of the new blocks: after the meeting block."""
        return [label, *(block.label for block in made), after] if label == self.meets else [label]

    def carried(self, known: Mapping[str, Value], default: Value, name: str) -> Value:
        """The value at the meeting point that is `known` at the end of some blocks, and `default` on all other paths."""
        inside, memory = self.region.dominators, dict[str, Value]()

        def at_end(label: str) -> Value:
            if label in known:
                return known[label]
            return at_start(label) if label != self.decides and inside.dominates(self.decides, label) else default

        def at_start(label: str) -> Value:
            if label not in memory:
                sources = tuple(dict.fromkeys(s for s in self.region.graph.predecessors[label] if s in self.region.numbers))
                memory[label] = variable = self.names.variable(name, default.type)
                self.phis.setdefault(label, []).append(Phi(variable, tuple((s, at_end(s)) for s in sources)))
            return memory[label]

        return at_start(self.meets)

    def rest(self, way: _Way, result: Var) -> tuple[Instruction, ...]:
        """What follows the call in a way's block, behind the merged call."""
        own = {i.result.name for i in way.rest if i.result is not None}
        found: dict[str, Value] = {} if way.call.result is None else {way.call.result.name: result}

        def change(value: Value) -> Value:
            if not isinstance(value, Var) or value.name in own or self.known(value):
                return value
            if value.name not in found:
                found[value.name] = self.carried({way.block.label: value}, Undef(value.type), value.name)
            return found[value.name]

        return tuple(map_operands(instruction, change) for instruction in way.rest)

    def known(self, value: Var) -> bool:
        """Whether a value is defined at the meeting point on all paths."""
        return self.region.dominators.dominates(self.defined[value.name], self.meets)

    def lost(self, way: _Way) -> frozenset[str]:
        """What is no longer defined at the end of a path: the result of the call and of what follows."""
        return frozenset(i.result.name for i in (way.call, *way.rest) if i.result is not None)

    def results(self, ways: Mapping[str, _Way], result: Var) -> tuple[tuple[Phi, ...], dict[str, Value]]:
        """Phis after the merged call for the values of paths that depend on it, and what they are replaced by from there on."""
        phis: list[Phi] = []
        later: dict[str, Value] = {}
        for phi in self.blocks[self.meets].phis:
            values = {rest: self.value(phi, way) for rest, way in ways.items()}
            if any(_is_in(v, self.lost(ways[rest])) for rest, v in values.items()):
                later[phi.result.name] = variable = self.names.variable(phi.result.name, phi.result.type)
                known = {rest: v if _is_in(v, self.lost(ways[rest])) else phi.result for rest, v in values.items()}
                called: dict[Value, Value] = {way.call.result: result for way in ways.values() if way.call.result is not None}
                incoming = ((self.meets, phi.result), *((rest, called.get(v, v)) for rest, v in known.items()))
                phis.append(Phi(variable, incoming, phi.span))
        return tuple(phis), later

    def value(self, phi: Phi, way: _Way) -> Value:
        """The value of a phi of the meeting block for threads on one path."""
        value, through = phi.value_from(way.through[-1]), list(way.through)
        while len(through) > 1:
            here = self.blocks[through.pop()]
            inner = next((p for p in here.phis if p.result == value), None)
            value = value if inner is None else inner.value_from(through[-1])
        return value

    def cut(self, way: _Way) -> None:
        """Ends the way's block in front of the call; its phis on the way do without what is not known there."""
        lost = self.lost(way)
        self.blocks[way.block.label] = replace(self.blocks[way.block.label], body=way.block.body[: way.position])
        for source, label in zip(way.through, (*way.through[1:], self.meets), strict=True):
            self.blocks[label] = replace(
                self.blocks[label], phis=tuple(_without(phi, source, lost) for phi in self.blocks[label].phis)
            )


def _is_in(value: Value, names: frozenset[str]) -> bool:
    return isinstance(value, Var) and value.name in names


def _without(phi: Phi, source: str, lost: frozenset[str]) -> Phi:
    """The phi, without a value on the edge from `source` when that is lost."""
    return replace(
        phi,
        incoming=tuple(
            (label, Undef(value.type) if label == source and _is_in(value, lost) else value) for label, value in phi.incoming
        ),
    )
