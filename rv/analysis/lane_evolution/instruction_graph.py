"""A function instruction by instruction, with variables that may have several definitions (the interfaces CFG, DU and DOM of
"SIMD Lane Evolution for AVR", section Dependencies).

    b: jump d                       b.0  jump
    c: jump d                       c.0  jump
    d: %x = phi [1, b], [%v, c]     b > d.0  move 1      defines the slot of %x
       ...                          c > d.0  move %v     defines the slot of %x
                                    d.0  %x = phi        reads the slot of %x

Phis read a variable of their own, their *slot*, which every edge to them defines: so a phi has as many reaching definitions as
it has incoming edges. Undefined values define nothing: a thread that comes with one may have the value of any other thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from rv.analysis.cfg.flow import graph_of_edges
from rv.analysis.cfg.region import Region, whole_region
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Phi, Terminator, operands
from rv.ir.values import Undef, Value, Var


@dataclass(frozen=True, slots=True)
class Slot:
    """What the edges to a phi define, for the phi to read."""

    phi: str


Variable = str | Slot


@dataclass(frozen=True, slots=True)
class Move:
    """The definition of a slot on an edge."""

    value: Value


@dataclass(frozen=True, slots=True)
class Node:
    """An instruction: what it defines, if anything, and what it reads. `what` is None for one whose operation is not known."""

    label: str
    defines: Variable | None
    reads: tuple[Variable, ...]
    what: Phi | Instruction | Terminator | Move | None = None


@dataclass(frozen=True, slots=True)
class InstructionGraph:
    """Instructions by label, and the control flow between them, which must be reducible."""

    nodes: Mapping[str, Node]
    region: Region
    reached: Mapping[tuple[str, Variable], tuple[str, ...]] = field(repr=False)
    """For each use the definitions that reach it; a variable without any comes from outside."""
    spread: Mapping[str, frozenset[str]] = field(repr=False)
    """For each definition the instructions that it reaches."""
    uses: Mapping[str, tuple[str, ...]] = field(repr=False)
    """For each definition those of them that read it."""

    def inside(self, header: str) -> frozenset[str]:
        return self.region.loops.loops[header].blocks

    def live_into(self, label: str, variable: Variable) -> tuple[str, ...]:
        """The definitions of a variable that reach an instruction, whether it reads the variable or not."""
        return tuple(d for d, spread in self.spread.items() if self.nodes[d].defines == variable and label in spread)


def instruction_graph(nodes: Iterable[Node], edges: Mapping[str, tuple[str, ...]]) -> InstructionGraph:
    """The graph of these instructions, the entry first, with the successors of each."""
    known = {node.label: node for node in nodes}
    region = whole_region(graph_of_edges(tuple((label, edges.get(label, ())) for label in known)))
    alive = {label: known[label] for label in region.dominators.order}
    reached: dict[tuple[str, Variable], list[str]] = {}
    spreads: dict[str, frozenset[str]] = {}
    uses: dict[str, tuple[str, ...]] = {}
    for label, node in alive.items():
        if node.defines is not None:
            spread = _spread(region, alive, label)
            spreads[label] = frozenset(spread)
            uses[label] = tuple(other for other in spread if node.defines in alive[other].reads)
            for use in uses[label]:
                reached.setdefault((use, node.defines), []).append(label)
    by_use = {use: tuple(found) for use, found in reached.items()}
    return InstructionGraph(alive, region, by_use, spreads, uses)


def _spread(region: Region, nodes: Mapping[str, Node], definition: str) -> list[str]:
    """The instructions to which a definition leads without another one of its variable in between."""
    variable = nodes[definition].defines
    found: dict[str, None] = {}
    pending = [*region.graph.successors[definition]]
    while pending:
        label = pending.pop()
        if label not in found:
            found[label] = None
            # a phi takes its slot's value with it: nothing of it is left for the next time
            if nodes[label].defines != variable and not (isinstance(variable, Slot) and variable in nodes[label].reads):
                pending += region.graph.successors[label]
    return list(found)


def graph_of_function(function: Function) -> InstructionGraph:
    """The instruction graph of a P-LLVM function."""
    nodes: list[Node] = []
    edges: dict[str, tuple[str, ...]] = {}
    blocks = {block.label: block for block in function.blocks}
    for block in function.blocks:
        chain = [_node(f"{block.label}.{number}", what) for number, what in enumerate(_statements(block))]
        nodes += chain
        for node, following in pairwise(chain):
            edges[node.label] = (following.label,)
        targets: list[str] = []
        for target in dict.fromkeys(block.successors):
            moves = list(_moves(block.label, blocks[target]))
            nodes += moves
            way = [*(move.label for move in moves), f"{target}.0"]
            for label, following_label in pairwise(way):
                edges[label] = (following_label,)
            targets.append(way[0])
        edges[chain[-1].label] = tuple(targets)
    return instruction_graph(nodes, edges)


def _statements(block: Block) -> tuple[Phi | Instruction | Terminator, ...]:
    return (*block.phis, *block.body, block.terminator)


def _node(label: str, what: Phi | Instruction | Terminator) -> Node:
    if isinstance(what, Phi):
        return Node(label, what.result.name, (Slot(what.result.name),), what)
    result = what.result if isinstance(what, Instruction) else None
    return Node(label, result.name if result is not None else None, _variables(operands(what)), what)


def _moves(source: str, target: Block) -> Iterable[Node]:
    for number, phi in enumerate(target.phis):
        value = phi.value_from(source)
        if not isinstance(value, Undef):
            yield Node(f"{source} > {target.label}.{number}", Slot(phi.result.name), _variables((value,)), Move(value))


def _variables(values: Iterable[Value]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.name for value in values if isinstance(value, Var)))
