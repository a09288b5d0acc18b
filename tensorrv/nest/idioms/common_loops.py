"""Loops that only some iterations of the loop around them enter become loops that all of them run.

    for (i...)                                  for (i...) {
      if (c[i])                                   in = c[i];
        for (j...)                      ->        for (j...)
          body;                                     if (in) body;
                                                }

A brush takes iterations of both loops at once, so all of its lanes have to run the inner loop together; which of them do anything
there is a branch of its body. Every path around the loop goes through it now, with a flag (`in` is 0) and
decides behind the loop where it goes on:

    P: jump H            u: branch %c, P, v     P: jump M         u: branch %c, P, u.past      u.past: jump M
    H: ... branch B, X                     ->   M: %in = phi [1, P], [0, u.past];  jump H
    B: ... T: jump H                            H: ... branch G, D      G: branch %in, B, N    B: ... T: jump N    N: jump H
    X: ...               v: ...                 D: branch %in, X, v

What counts the iterations moves to G, where all pass. Values that are computed on the way to the loop are computed again in M if
they are pure, otherwise they are undefined there for threads on other paths. The number of iterations must not be one
of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import definitions
from rv.evolution.facts import Loop
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Instruction, Jump, Phi, Terminator, operands
from rv.ir.rewrite import FreshNames, map_operands, rename_predecessor, retarget, with_result
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Undef, Value, Var

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Obstacle(Exception):
    """Why a loop cannot be run by iterations that do not enter it: `reason` continues "the loop over `j` ...", `at` is where."""

    reason: str
    at: Instruction | Phi | None


def ways_to(function: Function, outer: Loop, inner: Loop) -> frozenset[str]:
    """The blocks of the outer loop's body from which control may come to the inner loop."""
    before: dict[str, list[str]] = {}
    for block in function.blocks:
        for target in block.successors:
            before.setdefault(target, []).append(block.label)
    inside = outer.blocks - inner.blocks - {outer.header}
    found, pending = {inner.preheader}, [inner.preheader]
    while pending:
        for label in before.get(pending.pop(), ()):
            if label in inside and label not in found:
                found.add(label)
                pending.append(label)
    return frozenset(found)


def run_by_all(function: Function, outer: Loop, inner: Loop) -> Function:
    """The function in which every iteration of `outer` runs the loop `inner`, directly inside it.

    Raises Obstacle where that is not possible. Loops keep their headers and latches stay single.
    """
    before = ways_to(function, outer, inner)
    past = [
        (block.label, target)
        for block in function.blocks
        if block.label in before
        for target in dict.fromkeys(block.successors)
        if target not in before and target not in inner.blocks
    ]
    return _Common(function, outer, inner, before, past).result() if past else function


@dataclass(slots=True)
class _Common:
    """The change of one loop; `before` are the blocks on the way to it and `past` the edges that lead around it."""

    function: Function
    outer: Loop
    inner: Loop
    before: frozenset[str]
    past: Sequence[Edge]
    names: FreshNames = field(init=False)
    dominators: DominatorTree = field(init=False)
    definitions: Mapping[str, Instruction | Phi] = field(init=False)
    place: dict[str, str] = field(init=False)
    """The block of every definition."""
    edges: dict[Edge, str] = field(init=False)
    """The new block on each path around the loop."""
    phis: list[Phi] = field(default_factory=list)
    body: list[Instruction] = field(default_factory=list)
    """Of the block where all paths meet before the loop."""
    known: dict[str, tuple[Value, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = FreshNames.of(self.function)
        self.dominators = dominator_tree(flow_graph(self.function))
        self.definitions = definitions(self.function)
        self.place = {d.result.name: b.label for b in self.function.blocks for d in (*b.phis, *b.body) if d.result is not None}
        self.edges = {edge: self.names.name(f"{edge[0]}.past") for edge in self.past}

    def result(self) -> Function:
        self._check_bounds()
        header = self.inner.header
        meet, test, step, done = (self.names.name(f"{header}.{what}") for what in ("all", "taken", "step", "done"))
        entered = self._truth("entered", frozenset())
        moved = self._counting()
        decisions = self._decisions(entered, done)
        blocks: list[Block] = []
        near = self.outer.blocks | {target for _, target in self.past}
        for block in self.function.blocks:
            if block.label not in near:
                blocks.append(block)
                continue
            changed = self._changed(block, meet, test, step, done, decisions, moved)
            if block.label == self.inner.exit:
                done_phis = self.function.block(block.label).phis
                blocks += [replace(d, phis=done_phis) if d.label == done else d for d in decisions]
            blocks.append(changed)
            if block.label == self.inner.preheader:
                blocks += [Block(label, (), (), Jump(meet)) for label in self.edges.values()]
            if block.label == header:
                counting = tuple(i for i in self._in_order() if i.result in moved)
                blocks.append(self._reading(Block(test, (), counting, Branch(entered, self.inner.body, step))))
            if block.label == self.inner.latch:
                blocks.append(Block(step, self._step_phis(test, moved), (), Jump(header)))
        at = 1 + max(k for k, b in enumerate(blocks) if b.label in self.edges.values())
        blocks.insert(at, Block(meet, tuple(self.phis), tuple(self.body), Jump(header)))
        return replace(self.function, blocks=tuple(blocks))

    # -- before the loop ------------------------------------------------------------------------------------------------

    def _check_bounds(self) -> None:
        """What decides how often the loop runs is known to all."""
        header = self.function.block(self.inner.header)
        if self.inner.trip is None:
            raise Obstacle("has no computable trip count", None)
        for instruction in header.body:
            if not is_speculatable(instruction):
                raise Obstacle("evaluates in its condition an expression that must not be evaluated speculatively", instruction)
        tested = {value for instruction in header.body for value in operands(instruction)}
        first = [phi.value_from(self.inner.preheader) for phi in header.phis if phi.result in tested]
        for value in (*sorted(tested, key=str), *first):
            if isinstance(value, Var) and not self._available(value)[1]:
                raise Obstacle("has a trip count that is only computed under the condition", self.definitions[value.name])

    def _truth(self, name: str, targets: frozenset[str]) -> Var:
        """Whether control came over a way around the loop to one of `targets`; without any, whether it came to the loop."""
        result = self.names.variable(f"{self.inner.header}.{name}", I1)
        ways = [(self.inner.preheader, FALSE if targets else TRUE)]
        ways += [(label, TRUE if edge[1] in targets else FALSE) for edge, label in self.edges.items()]
        self.phis.append(Phi(result, tuple(ways)))
        return result

    def _available(self, value: Value) -> tuple[Value, bool]:
        """A value as it is known where all paths meet, and whether it is the same for all of them."""
        if not isinstance(value, Var) or self.place.get(value.name) not in self.before:
            return value, True
        if value.name not in self.known:
            self.known[value.name] = self._made_available(value)
        return self.known[value.name]

    def _made_available(self, value: Var) -> tuple[Value, bool]:
        place, definition = self.place[value.name], self.definitions[value.name]
        ends = (self.inner.preheader, *(u for u, _ in self.past))
        reached = [label for label in ends if self.dominators.dominates(place, label)]
        if len(reached) == 1 + len(self.past):
            return value, True
        if not isinstance(definition, Phi) and is_speculatable(definition):
            parts = {operand: self._available(operand) for operand in operands(definition)}
            result = self._copy(value)
            self.body.append(with_result(map_operands(definition, lambda operand: parts[operand][0]), result))
            return result, all(exact for _, exact in parts.values())
        ways: dict[str, Value] = {self.inner.preheader: value if self.inner.preheader in reached else Undef(value.type)}
        ways |= {label: value if u in reached else Undef(value.type) for (u, _), label in self.edges.items()}
        return self._phi(value, ways), False

    def _phi(self, like: Var, ways: dict[str, Value]) -> Var:
        result = self._copy(like)
        self.phis.append(Phi(result, tuple(ways.items())))
        return result

    def _copy(self, like: Var) -> Var:
        return self.names.variable(like.name, like.type)

    # -- in the loop ----------------------------------------------------------------------------------------------------

    def _counting(self) -> frozenset[Value]:
        """What the loop's inductions are computed with, over which all iterations go: pure, from each other and from outside."""
        found: set[Value] = set()
        for phi in self.function.block(self.inner.header).phis:
            own: set[Value] = set()
            if self._collect(phi.value_from(self.inner.latch), own):
                found |= own
        return frozenset(found)

    def _collect(self, value: Value, found: set[Value]) -> bool:
        """Whether a value is computed like that; adds all that has to move for it."""
        place = self.place.get(value.name) if isinstance(value, Var) else None
        if place not in self.inner.blocks or place == self.inner.header or value in found:
            return True
        assert isinstance(value, Var)
        definition = self.definitions[value.name]
        if isinstance(definition, Phi) or not is_speculatable(definition):
            return False
        found.add(value)
        return all(self._collect(operand, found) for operand in operands(definition))

    def _in_order(self) -> list[Instruction]:
        """The instructions of the loop such that definitions come before uses."""
        blocks = {block.label: block for block in self.function.blocks}
        inside = [label for label in self.dominators.order if label in self.inner.blocks]
        return [instruction for label in inside for instruction in blocks[label].body]

    def _step_phis(self, test: str, moved: frozenset[Value]) -> tuple[Phi, ...]:
        """What carries on to the next iteration: in those that do nothing, what was."""
        found: list[Phi] = []
        for phi in self.function.block(self.inner.header).phis:
            value = phi.value_from(self.inner.latch)
            if self._passes(value, moved):
                continue
            found.append(Phi(self._next(phi), ((self.inner.latch, value), (test, phi.result))))
        return tuple(found)

    def _passes(self, value: Value, moved: frozenset[Value]) -> bool:
        place = self.place.get(value.name) if isinstance(value, Var) else None
        return value in moved or place not in self.inner.blocks or place == self.inner.header

    def _next(self, phi: Phi) -> Var:
        name = f"{phi.result.name}.next"
        if name not in self.known:
            self.known[name] = (self.names.variable(name, phi.result.type), True)
        found = self.known[name][0]
        assert isinstance(found, Var)
        return found

    # -- behind the loop ------------------------------------------------------------------------------------------------

    def _decisions(self, entered: Var, done: str) -> list[Block]:
        """The blocks that send iterations on from the loop: to its exit, or where their way around it led."""
        targets = list(dict.fromkeys(target for _, target in self.past))
        labels = [done, *(self.names.name(done) for _ in targets[1:])]
        tests = [entered, *(self._truth("to", frozenset({target})) for target in targets[:-1])]
        ways = [self.inner.exit, *targets]
        found: list[Block] = []
        for k, label in enumerate(labels):
            otherwise = labels[k + 1] if k + 1 < len(labels) else ways[-1]
            found.append(Block(label, (), (), Branch(tests[k], ways[k], otherwise)))
        return found

    # -- all blocks -----------------------------------------------------------------------------------------------------

    def _changed(
        self, block: Block, meet: str, test: str, step: str, done: str, decisions: list[Block], moved: frozenset[Value]
    ) -> Block:
        terminator: Terminator = block.terminator
        for target in block.successors:
            if (block.label, target) in self.edges:
                terminator = retarget(terminator, target, self.edges[block.label, target])
        body = tuple(i for i in block.body if i.result is None or i.result not in moved)
        changed = replace(block, terminator=terminator, body=body)
        inner = self.inner
        if block.label in self.before:
            return replace(changed, terminator=Jump(meet)) if block.label == inner.preheader else changed
        if block.label == inner.header:
            phis = tuple(self._header_phi(phi, meet, step, moved) for phi in block.phis)
            ways = retarget(retarget(terminator, inner.body, test), inner.exit, done)
            changed = replace(changed, phis=phis, terminator=ways)
        if block.label == inner.body:
            changed = rename_predecessor(changed, inner.header, test)
        if block.label == inner.latch:
            changed = replace(changed, terminator=retarget(changed.terminator, inner.header, step))
        if block.label == inner.exit:
            changed = replace(changed, phis=())
        if any(target == block.label for _, target in self.past):
            changed = self._rejoined(changed, decisions)
        return self._reading(changed)

    def _header_phi(self, phi: Phi, meet: str, step: str, moved: frozenset[Value]) -> Phi:
        first, value = phi.value_from(self.inner.preheader), phi.value_from(self.inner.latch)
        following = value if self._passes(value, moved) else self._next(phi)
        return replace(phi, incoming=((meet, self._available(first)[0]), (step, following)))

    def _rejoined(self, block: Block, decisions: list[Block]) -> Block:
        """A block to which paths around the loop lead, which now come from one block after it."""
        source = next(d.label for d in reversed(decisions) if block.label in d.successors)
        sources = [u for u, target in self.past if target == block.label]
        phis: list[Phi] = []
        for phi in block.phis:
            own = {self.edges[u, block.label]: phi.value_from(u) for u in sources}
            ways: dict[str, Value] = dict.fromkeys((self.inner.preheader, *self.edges.values()), Undef(phi.result.type))
            value = next(iter(own.values()))
            alike = all(v == value for v in own.values()) and self._available(value)[1]
            merged = self._available(value)[0] if alike else self._phi(phi.result, ways | own)
            others = tuple((label, v) for label, v in phi.incoming if label not in sources)
            phis.append(replace(phi, incoming=(*others, (source, merged))))
        return replace(block, phis=tuple(phis))

    def _reading(self, block: Block) -> Block:
        """The block with values from before the loop as they are known where all paths meet."""

        def change(value: Value) -> Value:
            return self._available(value)[0]

        phis = tuple(p if block.label == self.inner.header else map_operands(p, change) for p in block.phis)
        body = tuple(map_operands(i, change) for i in block.body)
        return replace(block, phis=phis, body=body, terminator=map_operands(block.terminator, change))
