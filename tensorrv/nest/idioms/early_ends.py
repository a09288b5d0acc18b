"""Loops that end early and store or sum up: their end is searched first, then they run so far without looking for it.

                                               for (k = 0, i = 0; i < n; i++, k++)
                                                 if (a[i] < 0) break;
    for (i = 0; i < n; i++) {                  for (t = 0, i = 0; t < k; t++, i++)
      if (a[i] < 0) break;           ->          b[i] = a[i] + 1;
      b[i] = a[i] + 1;                         for (; i < n; i++) {
    }                                            if (a[i] < 0) break;
                                                 b[i] = a[i] + 1;
                                               }

The first loop is a search (`tensorrv.nest.idioms.searches`), which may run in strips, and the second one is counted. The third is
the loop itself, which goes on with the iteration that ends it: what it computes there, and where it goes then, is not changed.

What decides about the end is loaded. It must not depend on what iterations store or carry, but for counters, and loads for it
must read what no store of the loop writes. This pays where the search runs in strips, which is where all that it reads exists in
all iterations up to the bound, and where the second loop takes a brush; elsewhere the loop stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.memory.alias import AliasAnalysis, Distinct, alias_analysis
from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import definitions
from rv.ir.function import Block, Function
from rv.ir.hints import LoopHints
from rv.ir.instructions import Binary, Branch, CompareInt, Jump, Load, Phi, Store, operands
from rv.ir.rewrite import FreshNames, retarget
from rv.ir.types import I1, I64
from rv.ir.values import Value, Var, const_int
from rv.transform.loops.copies import defined_names, relabeled
from rv.transform.prepare import canonicalize
from tensorrv.nest.idioms.searches import Search, find_searches, loop_name
from tensorrv.nest.legality.counted_reads import CountedReads
from tensorrv.unit.declared_array import DeclaredArray


@dataclass(frozen=True, slots=True)
class SearchedFirst:
    """The function, and the headers of the loops that run up to an end that was searched."""

    function: Function
    counted: tuple[str, ...] = ()


def searched_first(
    function: Function, arrays: Mapping[str, DeclaredArray], distinct: Distinct, named: Collection[str]
) -> SearchedFirst:
    """The function with a search before every innermost loop that ends early where that is one which may run in strips.

    As for searches, loops inside others are left alone unless the brush has their names, `named`.
    """
    forest, found = find_loops(function), SearchedFirst(function)
    for header in [block.label for block in function.blocks if block.label in forest.loops]:
        loop = find_loops(found.function).loops.get(header)
        if loop is None or not _is_usable(found.function, loop, arrays, distinct):
            continue
        name = loop_name(found.function, loop)
        if name not in named if named else loop.parent is not None:
            continue
        searched = _Searched(found.function, loop)
        changed = canonicalize(searched.result())
        if any(isinstance(one, Search) and one.loop.header == searched.search for one in find_searches(changed, arrays)):
            found = SearchedFirst(changed, (*found.counted, searched.counted))
    return found


def _is_usable(function: Function, loop: NaturalLoop, arrays: Mapping[str, DeclaredArray], distinct: Distinct) -> bool:
    """Whether an innermost loop has early ends, stores or carries something, and may search for its end before."""
    if find_loops(function).children(loop.header) or function.block(loop.header).hints.novector:
        return False
    if len(loop.latches) != 1 or len(loop.entering) != 1:
        return False
    if not {source for source, _ in loop.exits} > {loop.header} or CountedReads(function, loop, arrays).test() is None:
        return False
    inside = [instruction for _, instruction in function.instructions_in(loop.blocks)]
    if not all(isinstance(one, Load | Store) or is_speculatable(one) for one in inside):
        return False
    needed = _deciding(function, loop)
    stores = [one for one in inside if isinstance(one, Store)]
    carried = [phi for phi in function.block(loop.header).phis if phi.result.name not in needed]
    loads = [one for one in inside if isinstance(one, Load) and one.result.name in needed]
    alias = alias_analysis(function, distinct.holds_in(find_loops(function), loop.header), distinct.types)
    return bool((stores or carried) and loads) and _only_counts(function, loop, needed) and _unchanged(alias, stores, loads)


def _unchanged(alias: AliasAnalysis, stores: list[Store], loads: list[Load]) -> bool:
    return all(alias.unchanged_by(store, load) for store in stores for load in loads)


def _deciding(function: Function, loop: NaturalLoop) -> frozenset[str]:
    """The variables that branches of a loop depend on."""
    known = definitions(function)
    terminators = (function.block(label).terminator for label in loop.blocks)
    pending: list[Value] = [end.condition for end in terminators if isinstance(end, Branch)]
    found: set[str] = set()
    inside = {name for label in loop.blocks for name in defined_names(function.block(label))}
    while pending:
        value = pending.pop()
        if isinstance(value, Var) and value.name in inside and value.name not in found:
            found.add(value.name)
            pending += operands(known[value.name])
    return frozenset(found)


def _only_counts(function: Function, loop: NaturalLoop, needed: frozenset[str]) -> bool:
    """Whether what decides carries nothing but numbers to which constants are added."""
    known = definitions(function)
    for phi in function.block(loop.header).phis:
        value = phi.value_from(loop.latches[0])
        step = known.get(value.name) if isinstance(value, Var) else None
        counts = isinstance(step, Binary) and step.op in ("add", "sub") and step.left == phi.result
        if phi.result.name in needed and not counts:
            return False
    return True


@dataclass(slots=True)
class _Searched:
    """One loop; `search` and `counted` are the headers of the loops before it."""

    function: Function
    loop: NaturalLoop
    names: FreshNames = field(init=False)
    search: str = field(init=False)
    counted: str = field(init=False)

    def __post_init__(self) -> None:
        self.names = FreshNames.of(self.function)

    def result(self) -> Function:
        header, entering = self.loop.header, self.loop.entering[0]
        found, ended, rest = (self.names.name(f"{header}.{what}") for what in ("found", "ended", "rest"))
        searching, reached = self._search(found)
        running, left = self._counted(found, ended, reached)
        blocks = [
            *searching,
            Block(found, (reached,), (), Jump(self.counted)),
            *running,
            Block(ended, (), (), Jump(rest)),
            Block(rest, (), (), Jump(header)),
        ]
        placed: list[Block] = []
        for block in self.function.blocks:
            if block.label == header:
                latch = self.loop.latches[0]
                phis = tuple(
                    replace(phi, incoming=((rest, left[phi.result.name]), (latch, phi.value_from(latch)))) for phi in block.phis
                )
                placed += [*blocks, replace(block, phis=phis, hints=LoopHints(novector=True))]
            elif block.label == entering:
                placed.append(replace(block, terminator=retarget(block.terminator, header, self.search)))
            else:
                placed.append(block)
        return replace(self.function, blocks=tuple(placed))

    def _copies(self) -> tuple[list[Block], dict[str, str], dict[str, str]]:
        """The blocks of the loop, the header first, and the labels and names of copies."""
        inside = [block for block in self.function.blocks if block.label in self.loop.blocks]
        inside.sort(key=lambda block: block.label != self.loop.header)
        labels = {block.label: self.names.name(block.label) for block in inside}
        return inside, labels, {name: self.names.name(name) for block in inside for name in defined_names(block)}

    def _search(self, found: str) -> tuple[list[Block], Phi]:
        """The loop with nothing but what decides, and how many iterations have run when it ends."""
        inside, labels, names = self._copies()
        self.search = labels[self.loop.header]
        needed = _deciding(self.function, self.loop)
        count, following = self.names.variable("count", I64), self.names.variable("count", I64)
        blocks: list[Block] = []
        ways: list[tuple[str, Value]] = []
        for block in inside:
            new = replace(relabeled(block, labels, names), label=labels[block.label])
            phis = tuple(n for old, n in zip(block.phis, new.phis, strict=True) if old.result.name in needed)
            body = tuple(
                n for old, n in zip(block.body, new.body, strict=True) if old.result is not None and old.result.name in needed
            )
            terminator = new.terminator
            for target in dict.fromkeys(block.successors):
                if target not in self.loop.blocks:
                    way = self.names.name(f"{block.label}.end")
                    terminator = retarget(terminator, target, way)
                    ways.append((way, count))
                    blocks.append(Block(way, (), (), Jump(found)))
            if block.label == self.loop.header:
                start = Phi(count, ((self.loop.entering[0], const_int(I64, 0)), (labels[self.loop.latches[0]], following)))
                phis = (*phis, start)
            if block.label == self.loop.latches[0]:
                body = (*body, Binary(following, "add", count, const_int(I64, 1), nsw=True))
            blocks.append(replace(new, phis=phis, body=body, terminator=terminator))
        top = next(block for block in blocks if block.label == self.search)
        blocks.remove(top)
        return [top, *blocks], Phi(self.names.variable("iterations", I64), tuple(ways))

    def _counted(self, before: str, ended: str, reached: Phi) -> tuple[list[Block], Mapping[str, Var]]:
        """The loop without its ends, so many times, and its variables after that."""
        inside, labels, names = self._copies()
        self.counted = labels[self.loop.header]
        name = loop_name(self.function, self.loop)
        count, following, more = (self.names.variable(what, type_) for what, type_ in ((name, I64), (name, I64), ("more", I1)))
        blocks: list[Block] = []
        for block in inside:
            new = replace(relabeled(block, labels, names), label=labels[block.label])
            inner = [target for old, target in zip(block.successors, new.successors, strict=True) if old in self.loop.blocks]
            if len(inner) < len(block.successors):
                new = replace(new, terminator=Jump(inner[0]))
            if block.label == self.loop.header:
                entering = self.loop.entering[0]
                phis = [_from(phi, entering, before) for phi in new.phis]
                phis.append(Phi(count, ((before, const_int(I64, 0)), (labels[self.loop.latches[0]], following))))
                test = CompareInt(more, "slt", count, reached.result)
                new = replace(new, phis=tuple(phis), body=(*new.body, test), terminator=Branch(more, inner[0], ended))
            if block.label == self.loop.latches[0]:
                new = replace(new, body=(*new.body, Binary(following, "add", count, const_int(I64, 1), nsw=True)))
            blocks.append(new)
        left = {phi.result.name: Var(names[phi.result.name], phi.result.type) for phi in inside[0].phis}
        return blocks, left


def _from(phi: Phi, old: str, new: str) -> Phi:
    return replace(phi, incoming=tuple((new if label == old else label, value) for label, value in phi.incoming))
