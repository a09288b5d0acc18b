"""On which loop counters nodes, blocks and trip counts depend: the least solution of what each takes from its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tensorrv.interface.footprint.program import NOWHERE, Block, Edge, Loop, Node, Program

Loops = frozenset[int]
_NONE: Loops = frozenset()


def with_dependence(program: Program) -> Program:
    """The program with all `depends` filled in."""
    found = _Dependence(program)
    found.solve()
    return replace(
        program,
        nodes=tuple(replace(n, depends=tuple(sorted(d))) for n, d in zip(program.nodes, found.nodes, strict=True)),
        blocks=tuple(replace(b, depends=tuple(sorted(d))) for b, d in zip(program.blocks, found.blocks, strict=True)),
        loops=tuple(replace(each, depends=tuple(sorted(d))) for each, d in zip(program.loops, found.loops, strict=True)),
    )


class _Dependence:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.nodes: list[Loops] = [_NONE] * len(program.nodes)
        self.blocks: list[Loops] = [_NONE] * len(program.blocks)
        self.loops: list[Loops] = [_NONE] * len(program.loops)

    def solve(self) -> None:
        before = None
        while before != (self.nodes, self.blocks, self.loops):
            before = ([*self.nodes], [*self.blocks], [*self.loops])
            for k, loop in enumerate(self.program.loops):
                self.loops[k] = self._loop(k, loop)
            for k, block in enumerate(self.program.blocks):
                self.blocks[k] = self._block(block)
            for k, node in enumerate(self.program.nodes):
                self.nodes[k] = self._node(node)

    def _node(self, node: Node) -> Loops:
        found = self._of(node.operands) | self._along(node.edges)
        if node.op in ("recur", "loop"):
            return found | {node.loop}
        if node.op == "leave":
            return (found | self.loops[node.loop] | self._exits(self.program.loops[node.loop])) - self._within(node.loop)
        return found

    def _block(self, block: Block) -> Loops:
        return self._along(block.edges)

    def _along(self, edges: Iterable[Edge]) -> Loops:
        found = _NONE
        for edge in edges:
            condition = _NONE if edge.condition == NOWHERE else self.nodes[edge.condition]
            if edge.left == NOWHERE:
                found |= self.blocks[edge.block] | condition
            else:
                header = self.program.loops[edge.left].header
                found |= (self.blocks[header] | condition | self.loops[edge.left]) - self._within(edge.left)
        return found

    def _loop(self, number: int, loop: Loop) -> Loops:
        """What the trip count depends on: all exits, since the loop may have to be run."""
        counts = [node for e in loop.exits if e.count for node in (e.count.start, e.count.step, e.count.bound)]
        uncounted = any(leave.count is None for leave in loop.exits)
        found = self._of(counts) | (self._exits(loop) | self._of(loop.variables) if uncounted else _NONE)
        return found - self._within(number)

    def _exits(self, loop: Loop) -> Loops:
        found = _NONE
        for leave in loop.exits:
            found |= self.nodes[leave.condition] | self._since_header(leave.block, loop.header)
        return found

    def _since_header(self, block: int, header: int) -> Loops:
        """What decides in an iteration whether control comes to a block."""
        pending, seen, found = [block], {header}, _NONE
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            for edge in self.program.blocks[current].edges:
                found |= _NONE if edge.condition == NOWHERE else self.nodes[edge.condition]
                if edge.left == NOWHERE:
                    pending.append(edge.block)
                else:
                    found |= self.loops[edge.left]
                    pending.append(self.program.loops[edge.left].header)
        return found

    def _within(self, number: int) -> Loops:
        """A loop and those inside it."""
        inside = {number}
        for k, loop in enumerate(self.program.loops):  # outer ones first
            if loop.parent in inside:
                inside.add(k)
        return frozenset(inside)

    def _of(self, nodes: Iterable[int]) -> Loops:
        return frozenset().union(*(self.nodes[node] for node in nodes))
