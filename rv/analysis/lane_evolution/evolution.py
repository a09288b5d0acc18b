"""SIMD lane evolution: what the values of neighbouring lanes have to do with each other.

A second divergence analysis, after G. Rapaport and A. Zaks, "SIMD Lane Evolution for AVR" (2015), by another method than
`rv.analysis.divergence`: on single instructions instead of blocks, on variables with reaching definitions instead of phis, with
influence regions and disjoint paths instead of labels that flow along edges. Tests hold both against the interpreter, and against
each other. On the lattice

    bottom < uniform, strided(s) < random        uniform is strided(0)

a definition has what its operation makes of the evolutions that it reads; a use that a divergent instruction taints
(`rv.analysis.lane_evolution.taint`) is read as random. Three things it knows that analyses on phis do not see by themselves:
definitions on some paths only (the others bring an undefined value, which may be that of any lane), equal definitions on
several paths, and definitions that are the same in every iteration of a loop.

What is loaded from stack objects is random. Masks, and phis with shadows, are so where a divergent instruction has influence.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from rv.analysis.lane_evolution.instruction_graph import InstructionGraph, Node, Variable, graph_of_function
from rv.analysis.lane_evolution.lattice import RANDOM, UNIFORM, Evolution, joined
from rv.analysis.lane_evolution.same_values import SameValues
from rv.analysis.lane_evolution.taint import Taint, Use
from rv.analysis.lane_evolution.transfer import evolve
from rv.analysis.memory.stack_objects import stack_objects
from rv.ir.function import Function


@dataclass(frozen=True, slots=True)
class LaneEvolution:
    """The evolutions of the definitions of a graph, by their labels."""

    graph: InstructionGraph
    origins: Mapping[str, Evolution]
    definitions: Mapping[str, Evolution]
    tainted: AbstractSet[Use]
    influenced: AbstractSet[str]
    """The instructions in the influence region of a divergent one: not all lanes that execute the graph execute them together."""

    def of(self, variable: str) -> Evolution | None:
        """The evolution of a variable where it is defined; None (bottom) when it is nowhere."""
        found = [self.definitions[label] for label, node in self.graph.nodes.items() if node.defines == variable]
        return joined([self.origins[variable], *found] if variable in self.origins else found)

    def read(self, label: str, variable: Variable) -> Evolution | None:
        """The evolution of a variable as an instruction reads it."""
        return RANDOM if (label, variable) in self.tainted else self._reaching(label, variable)

    def is_divergent(self, label: str) -> bool:
        """Whether lanes that execute an instruction together may go on to different ones."""
        node = self.graph.nodes[label]
        return len(self.graph.region.graph.successors[label]) > 1 and any(
            found is not None and not found.is_uniform for found in (self.read(label, v) for v in node.reads)
        )

    @property
    def divergent(self) -> frozenset[str]:
        """The labels of the divergent instructions."""
        return frozenset(filter(self.is_divergent, self.graph.nodes))

    def _reaching(self, label: str, variable: Variable) -> Evolution | None:
        reaching = self.graph.reached.get((label, variable), ())
        found = [self.definitions[d] for d in reaching if d in self.definitions]
        if isinstance(variable, str) and variable in self.origins:
            found.append(self.origins[variable])
        return joined(found)


def lane_evolution(function: Function, origins: Mapping[str, Evolution]) -> LaneEvolution:
    """The evolutions of a function. `origins` has those of parameters; parameters that are not named are uniform."""
    given = {parameter.var.name: UNIFORM for parameter in function.parameters}
    numbers = dict.fromkeys(stack_objects(function).numbers(), RANDOM)
    return evolution_of_graph(graph_of_function(function), {**given, **numbers, **origins}, function)


def evolution_of_graph(
    graph: InstructionGraph, origins: Mapping[str, Evolution], function: Function | None = None
) -> LaneEvolution:
    """The evolutions of the definitions of a graph whose variables have `origins` where it begins."""
    return _Analysis(graph, dict(origins), function).run()


@dataclass(slots=True)
class _Analysis:
    """The worklist algorithm (section Algorithm)."""

    graph: InstructionGraph
    origins: Mapping[str, Evolution]
    function: Function | None
    definitions: dict[str, Evolution] = field(default_factory=dict)
    tainted: set[Use] = field(default_factory=set)
    influenced: set[str] = field(default_factory=set)
    handled: set[str] = field(default_factory=set)
    """The divergent instructions whose taint is known."""

    def run(self) -> LaneEvolution:
        state = LaneEvolution(self.graph, self.origins, self.definitions, self.tainted, self.influenced)
        taint, pending = Taint(self.graph, SameValues(self.graph)), deque(self.graph.nodes)
        while pending:
            self._settle(state, taint, pending)
            # what is computed from undefined values alone may be the same in all lanes
            bottom = [label for label, node in self.graph.nodes.items() if node.defines and label not in self.definitions]
            self.definitions |= dict.fromkeys(bottom, UNIFORM)
            pending += [*bottom, *(use for label in bottom for use in self.graph.uses[label])]
        return state

    def _settle(self, state: LaneEvolution, taint: Taint, pending: deque[str]) -> None:
        """Visits instructions until nothing changes."""
        while pending:
            label = pending.popleft()
            pending += self._define(self.graph.nodes[label], state)
            if label not in self.handled and state.is_divergent(label):
                self.handled.add(label)
                fresh = {use for use in taint.by(label) if use not in self.tainted}
                influenced = taint.influenced(label) - self.influenced
                self.tainted |= fresh
                self.influenced |= influenced
                pending += [*sorted(use for use, _ in fresh), *sorted(influenced)]

    def _define(self, node: Node, state: LaneEvolution) -> tuple[str, ...]:
        """Computes what an instruction defines; the uses that this changes."""
        if node.defines is None:
            return ()
        reads = {variable: state.read(node.label, variable) for variable in node.reads}
        found = evolve(node, reads, self.function, node.label in self.influenced)
        if found is None or found == self.definitions.get(node.label):
            return ()
        self.definitions[node.label] = found
        return self.graph.uses[node.label]
