"""Partial control-flow linearization: divergent branches go, uniform ones stay (thesis, chapter 8).

    a: branch %p, b, e                        a: branch %p, b, e
    b: %c = fcmp olt double %x, 0.0           b: %c = fcmp olt double %x, 0.0
       branch %c, c, d                           %d.mask = xor i1 %c, 1 total
    c: %v = load double, %P                      jump c
       jump e                           ->    c: predicate %c
    d: %w = load double, %Q                      %v = load double, %P
       jump e                                    jump d
    e: %y = phi [0.0, a], [%v, c], [%w, d]    d: predicate %d.mask
                                                 %w = load double, %Q
                                                 %s = select %d.mask, %w, %v total
                                                 jump e
                                              e: %y = phi [0.0, a], [%s, d]

The caller gives the divergent branches; the region must be in loop-simplify form, its loops must be uniform
(`rv.transform.linearize.divergent_loops`), and all threads that enter it leave it together, over one of its edges or returns. The
result has the meaning of the source under the OBLIVIOUS interpretation: all threads that enter run all blocks that are reached.
Where only some of them are to run, the block has a predicate, if it contains anything for which that matters: loads, stores,
calls, divisions, masks and horizontal operations. Other blocks compute in vain for the rest.

Uniform branches under a varying predicate may be reached with no active thread: they are guarded
(`rv.transform.linearize.guards`), in a block of their own without a predicate, `b.branch` for block b. Jumps need no such block,
nor do branches in blocks that only run with some active thread (`rv.analysis.divergence.inhabited`): passive threads go where the
active ones go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rv.analysis.cfg.region import Region, find_region
from rv.analysis.divergence.control_divergence import region_divergence
from rv.analysis.divergence.inhabited import Inhabited
from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, definitions, use_counts
from rv.internal_error import InternalError
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, Branch, Instruction, Jump, Mask, Phi, Return, Terminator, is_total, operands
from rv.ir.rewrite import rename_predecessor, substitute
from rv.ir.values import TRUE, Value, Var
from rv.transform.linearize.additions import Additions
from rv.transform.linearize.guards import distances_out, fused_test, guarded
from rv.transform.linearize.linear_graph import LinearGraph, linear_graph
from rv.transform.linearize.mask_classes import mask_classes
from rv.transform.linearize.phis import lower_header_phi, lower_phi
from rv.transform.linearize.predicates import Masks, shadowed_phis


def linearize(
    function: Function,
    divergent: frozenset[str],
    region: frozenset[str] | None = None,
    mask: Value = TRUE,
) -> Function:
    """The function with only uniform branches in a region (None: everywhere).

    `divergent` are the labels of the blocks whose branches are divergent, others are uniform among the threads that run them;
    `mask` are the threads that are to run the region at all. InternalError when the form above does not hold.
    """
    part = find_region(function, region)
    blocks = {block.label: block for block in function.blocks}
    ways = {label: blocks[label].successors for label in part.dominators.order}
    divergent = frozenset(label for label in divergent if len(ways.get(label, ())) > 1)
    _check_form(part, divergent, blocks)
    linear = linear_graph(part, divergent, ways)
    additions = Additions.to(function, part.dominators)
    terminators = {label: blocks[label].terminator for label in ways}
    classes = mask_classes(part, divergent)
    masks = Masks(part, linear, additions, classes, terminators, shadowed_phis(function), {part.entry: mask})
    return _Linearization(function, part, linear, additions, masks, blocks).result()


def _check_form(region: Region, divergent: frozenset[str], blocks: dict[str, Block]) -> None:
    """InternalError when a divergent branch leaves a loop or the region, or a loop has several entries."""
    effects = region_divergence(region)
    for label in region.dominators.order:
        if blocks[label].predicate != TRUE:
            raise InternalError("code that is linearized has no predicates yet", f"block {label}")
        if label in divergent and (effects.exits_made_divergent_by(label) or effects.leaving_apart_by(label)):
            raise InternalError("a divergent branch leaves a loop or a region", f"block {label}")
    for header, loop in region.loops.loops.items():
        if len(loop.latches) != 1 or len(loop.entering) != 1 or region.graph.successors[loop.entering[0]] != (header,):
            raise InternalError("linearization needs loop-simplify form", f"loop {header}")


@dataclass(slots=True)
class _Linearization:
    """The linearized region, put together from its parts."""

    function: Function
    region: Region
    linear: LinearGraph
    additions: Additions
    masks: Masks
    blocks: dict[str, Block]

    def result(self) -> Function:
        phis = self._lowered_phis()
        ends = self._ends()
        kept = self._kept(phis, ends)
        made = {label: self._made(label, phis[label], ends[label], kept) for label in self.linear.order}
        moved = {label: parts[-1].label for label, parts in made.items() if len(parts) > 1}
        placed: list[Block] = []
        for block in self.function.blocks:
            if block.label == self.region.entry:
                placed += [part for label in self.linear.order for part in made[label]]
            elif block.label not in made:
                placed.append(block)
        for old, new in moved.items():
            placed = [rename_predecessor(block, old, new) for block in placed]
        return substitute(replace(self.function, blocks=tuple(placed)), self.additions.bindings)

    def _lowered_phis(self) -> dict[str, tuple[Phi, ...]]:
        """The phis that stay, by block: those of the region's entry, and of loop headers without their shadows."""
        for label in self.linear.order:
            self.masks.of(label)
            if label in self.region.loops.loops and set(self.linear.predecessors[label]) != set(
                self.region.graph.predecessors[label]
            ):
                raise InternalError("deferred control flow enters a loop", f"header {label}")
            for phi in self.blocks[label].phis if label not in self._headers() else ():
                lower_phi(self.region, self.linear, self.additions, self.masks, label, phi)
        stay = {label: self.blocks[label].phis if label in self._headers() else () for label in self.linear.order}
        return {
            label: tuple(lower_header_phi(self.linear, self.additions, self.masks, label, phi) for phi in phis)
            for label, phis in stay.items()
        }

    def _headers(self) -> set[str]:
        return {self.region.entry, *self.region.loops.loops}

    def _ends(self) -> dict[str, _End]:
        """The new terminators, with what computes their conditions."""
        distances, known = distances_out(self.linear), dict(definitions(self.function))
        uses = use_counts(self.function)
        facts = Inhabited(self.region.dominators, lambda name: known.get(name) or self.additions.added.get(name))
        ends: dict[str, _End] = {}
        for label in self.linear.order:
            old, targets = self.blocks[label].terminator, self.linear.targets[label]
            match old:
                case Branch() if len(targets) == 2 and targets[0] != targets[1]:
                    condition = self.additions.resolve(old.condition)
                    branch = replace(old, condition=condition, then=targets[0], otherwise=targets[1])
                    ends[label] = end = self._branch(label, branch, facts, known, distances, uses)
                    known.update({i.result.name: i for i in end.guard if i.result is not None})
                    if isinstance(end.terminator, Branch):
                        facts.learn(end.terminator, self._entering(targets))
                case Branch() | Jump():
                    ends[label] = _End((), Jump(targets[0], old.span))
                case Return():
                    ends[label] = _End((), old)
        return ends

    def _branch(
        self,
        label: str,
        branch: Branch,
        facts: Inhabited,
        known: Mapping[str, Definition],
        distances: Mapping[str, int],
        uses: Mapping[str, int],
    ) -> _End:
        """A uniform branch, in a form that no active thread need be there for, or as it is where there always is one."""
        mask = self.masks.of(label)
        test = fused_test(branch, self.blocks[label].body, distances) if mask != TRUE else None
        if test is not None and uses[test.result.name] == 1:
            branch = replace(branch, condition=self.additions.resolve(test.operands[0]))
            body = tuple(i for i in self.blocks[label].body if i is not test)
            self.blocks[label] = replace(self.blocks[label], body=body)
        elif mask != TRUE and facts.holds(mask, label):
            return _End((), branch, accompanied=True)
        return _End(*guarded(branch, mask, known, distances, self.additions.names))

    def _entering(self, targets: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        """The blocks before some targets; those outside the region may be entered from anywhere."""
        return {target: self.linear.predecessors.get(target, ()) for target in targets}

    def _kept(self, phis: dict[str, tuple[Phi, ...]], ends: dict[str, _End]) -> frozenset[str]:
        """The additions that the function needs."""
        needed: list[Value] = []
        for label in self.linear.order:
            end = ends[label]
            needed += [phi.result for phi in self.blocks[label].phis]
            for statement in (*phis[label], *self.blocks[label].body, *end.guard, end.terminator):
                needed += operands(statement)
            if end.accompanied or not all(map(_is_harmless, self.blocks[label].body)):
                needed.append(self.masks.of(label))
        return self.additions.kept(needed)

    def _made(self, label: str, phis: tuple[Phi, ...], end: _End, kept: frozenset[str]) -> list[Block]:
        """The block, and another one for its branch or return when that must not be under the predicate."""
        block, additions = self.blocks[label], self.additions
        added = tuple(phi for phi in additions.phis.get(label, ()) if phi.result.name in kept)
        tail = tuple(i for i in additions.tails.get(label, ()) if i.result is not None and i.result.name in kept)
        whole = replace(block, phis=(*phis, *added), body=(*block.body, *tail), predicate=self._predicate(block, end, kept))
        if end.accompanied or whole.predicate == TRUE or isinstance(end.terminator, Jump):
            return [replace(whole, body=(*whole.body, *end.guard), terminator=end.terminator)]
        branching = additions.names.name(f"{label}.branch")
        return [replace(whole, terminator=Jump(branching, end.terminator.span)), Block(branching, (), end.guard, end.terminator)]

    def _predicate(self, block: Block, end: _End, kept: frozenset[str]) -> Value:
        """The mask of a block, unless it makes no difference."""
        mask = self.masks.of(block.label)
        if isinstance(mask, Var) and mask.name in self.additions.added and mask.name not in kept:
            return TRUE
        harmless = all(map(_is_harmless, block.body)) and not (block.body and isinstance(end.terminator, Jump))
        return TRUE if harmless and not end.accompanied else mask


@dataclass(frozen=True, slots=True)
class _End:
    """A new terminator with what computes its condition; `accompanied`: it stays under the predicate of its block."""

    guard: tuple[Instruction, ...]
    terminator: Terminator
    accompanied: bool = False


def _is_harmless(instruction: Instruction) -> bool:
    """Whether inactive threads may execute the instruction; an alloca would make the contents that they have stored undefined."""
    return not isinstance(instruction, Alloca | Mask) and (is_total(instruction) or is_speculatable(instruction))
