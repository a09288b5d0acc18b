"""Splitting of iteration sets: loops in pieces in which conditions on the iteration are decided, before brushes are chosen.

    for (j in 0 .. m)                         for (j in 0 .. 1) ...
      for (i in 0 .. n)                       for (j in 1 .. m - 1)
        if (0 < j && j < m - 1 &&      ->       for (i in 0 .. 1, n - 1 .. n) edge;
            0 < i && i < n - 1)               for (j in 1 .. m - 1)
          body;                                 for (i in 1 .. n - 1) body;
        else edge;                            for (j in m - 1 .. m) ...

Loops are divided from the outside in; that keeps the order of iterations. Then loops around pieces are distributed from the
inside out, where that breaks no dependence. Ends that are computed from 64-bit numbers are right up to
`rv.evolution.bounds.SIZE_LIMIT`: beyond that a second version of the nest, as it was, is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Final

from rv.analysis.cfg.loops import find_loops
from rv.analysis.values.uses import definitions, use_counts
from rv.evolution.bounds import SIZE_LIMIT
from rv.evolution.closed_forms import ClosedForms
from rv.evolution.ends import ends_of
from rv.evolution.facts import Condition, Legal, Loop
from rv.evolution.polynomial import Kind, Polynomial, Symbol, counter
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt
from rv.ir.types import I64
from rv.ir.values import Const, Var
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.bands import Obstacle
from tensorrv.nest.reorder.versions import behind_test
from tensorrv.nest.split.distribute import distributed
from tensorrv.nest.split.divided import Divided
from tensorrv.nest.split.idle import without_idle_loops
from tensorrv.nest.split.in_a_row import Copy
from tensorrv.nest.split.in_pieces import in_pieces
from tensorrv.nest.split.pieces import Piece, counts_by_one, pieces_of
from tensorrv.nest.split.questions import questions
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.schedule import Schedule

MOST_LOOPS: Final = 48
"""Loops of a function in pieces; where there would be more, loops stay whole."""
MOST_INSTRUCTIONS: Final = 4000
"""The same for instructions."""


@dataclass(frozen=True, slots=True)
class Split:
    """The function, the loops that were divided, and the orders in which loops around them were distributed."""

    function: Function
    divided: tuple[Divided, ...] = ()
    schedules: Mapping[str, Schedule] = field(default_factory=dict)


def split(function: Function, plan: Plan) -> Split:
    """The function, prepared before and after, with loops in pieces as far as conditions in them are decided by that."""
    if not _asks(function):
        return Split(function)
    found, nests = _Splitting(function, plan), analyze_nests(function)
    for root in [loop for loop in nests.loops.values() if loop.parent is None]:
        found.source = frozenset(name for name, block in nests.defined_in.items() if block not in root.blocks)
        found.split(root.header)
    return Split(found.function, tuple(found.divided), found.schedules)


def _asks(function: Function) -> bool:
    """Whether there are comparisons or remainders in loops besides the tests of loops, so that looking closer may pay."""
    forest = find_loops(function)
    for block, instruction in function.instructions():
        if block.label in forest.innermost and block.label not in forest.loops:
            match instruction:
                case CompareInt():
                    return True
                case Binary(op="srem" | "urem", right=right) if not isinstance(right, Const):
                    return True
    return False


@dataclass(slots=True)
class _Splitting:
    """The function so far; `source` are the names that were defined before the nest. `short` are headers of loops with few
    iterations; `whole` those of the loops that loops were pieces of, by their headers.
    """

    function: Function
    plan: Plan
    divided: list[Divided] = field(default_factory=list)
    schedules: dict[str, Schedule] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)
    whole: dict[str, str] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    source: frozenset[str] = frozenset()

    def split(self, root: str) -> None:
        """Divides the loops of one nest."""
        before = replace(self, divided=[*self.divided], short={*self.short}, whole={**self.whole}, done={*self.done})
        limits = dict.fromkeys(limit for divided in self._divide(root) for limit in self._limits(divided.pieces))
        if limits:
            self.function, self.divided = before.function, before.divided
            self.short, self.whole, self.done = before.short, before.whole, before.done
            self._divide_behind_test(root, Legal(tuple(limits), ()))
        self._distribute()

    def _divide_behind_test(self, root: str, legal: Legal) -> None:
        """Divides the loops of one nest once more, in one of two versions."""
        nests = analyze_nests(self.function)
        try:
            self.function = behind_test(nests, nests.loops[root], root, legal).function
        except Obstacle:
            return
        for _ in self._divide(root):
            pass

    def _divide(self, root: str) -> Iterator[Divided]:
        """Divides loops from the outside in."""
        nest = {root}
        while (loop := self._next(nest)) is not None:
            self.done.add(loop.header)
            nests = analyze_nests(self.function)
            nest |= {other.header for other in nests.loops.values() if other.header in loop.blocks}
            pieces = self._pieces(nests, loop)
            if pieces:
                self._take(nests, loop, pieces, nest)
                yield self.divided[-1]

    def _next(self, nest: set[str]) -> Loop | None:
        loops = analyze_nests(self.function).loops.values()
        return next((loop for loop in loops if loop.header in nest and loop.header not in self.done), None)

    def _pieces(self, nests: Nests, loop: Loop) -> tuple[Piece, ...]:
        if not counts_by_one(loop) or loop.hints.novector or _is_counter_used_after(nests, loop):
            return ()
        forms = ClosedForms(nests.function, find_loops(nests.function))
        pieces = pieces_of(nests, loop, tuple(questions(nests, forms, loop)))
        inside = sum(other.header in loop.blocks for other in nests.loops.values())
        size = sum(1 for _ in nests.function.instructions_in(loop.blocks))
        more = len(pieces) - 1
        if len(nests.loops) + more * inside > MOST_LOOPS:
            return ()
        if sum(1 for _ in nests.function.instructions()) + more * size > MOST_INSTRUCTIONS:
            return ()
        limits = [limit.polynomial for limit in self._limits(pieces)]
        named = {symbol.name for limit in limits for symbol in limit.symbols}
        return pieces if named <= self.source else ()

    def _limits(self, pieces: Sequence[Piece]) -> Iterator[Condition]:
        """What must hold so that the ends of pieces can be computed in 64 bits."""
        bits, known = analyze_nests(self.function).bits, definitions(self.function)

        def is_wide(symbol: Symbol) -> bool:
            name = symbol.name
            return not symbol.is_counter and bits[name] == 64 and not all(map(isfinite, ends_of(known, Var(name, I64))))

        for piece in pieces:
            for end in (*piece.lower, *piece.upper):
                wide = [symbol for symbol in end.symbols if is_wide(symbol)]
                if wide and (end != Polynomial.symbol(wide[0]) or wide[0].kind is Kind.UNSIGNED):
                    for symbol in (Polynomial.symbol(s) for s in wide):
                        why = f"`{symbol.readable()}` must be a plausible size"
                        yield from (Condition(symbol + SIZE_LIMIT, why), Condition(-symbol + SIZE_LIMIT, why))

    def _take(self, nests: Nests, loop: Loop, pieces: Sequence[Piece], nest: set[str]) -> None:
        """Puts a loop in pieces."""
        try:
            function, copies = in_pieces(nests, loop, pieces)
        except Obstacle:
            return
        names = {counter(other.header): other.name for other in nests.loops.values()}
        self.divided.append(Divided(loop, tuple(pieces), names))
        headers = [copy.label(loop.header) for copy in copies]
        self._copied(nests, loop, copies, nest)
        self.done |= set(headers)
        self.whole |= dict.fromkeys(headers, self.whole.get(loop.header, loop.header))
        self.short |= {header for header, piece in zip(headers, pieces, strict=True) if piece.short}
        self.function = without_idle_loops(function, headers)

    def _copied(self, nests: Nests, loop: Loop, copies: Sequence[Copy], nest: set[str]) -> None:
        """The copies of loops inside are like these."""
        inside = [header for header in nests.loops if header in loop.blocks]
        for copy in copies:
            for header in inside:
                label = copy.label(header)
                nest.add(label)
                if header in self.short:
                    self.short.add(label)
                if header in self.whole:
                    self.whole[label] = self.whole[header]

    # -- distribution

    def _distribute(self) -> None:
        """Distributes loops around pieces, from the inside out."""
        tried: set[str] = set()
        while True:
            nests = analyze_nests(self.function)
            outer = next((one for one in reversed(tuple(nests.loops.values())) if self._can_be(nests, one, tried)), None)
            if outer is None:
                return
            tried.add(outer.header)
            groups = self._groups(nests, outer)
            if len(groups) < 2:
                continue
            try:
                self.function, copies, schedule = distributed(nests, outer, groups, self.plan)
            except Obstacle:
                continue
            headers = [copy.label(outer.header) for copy in copies]
            self._copied(nests, outer, copies, set())
            tried |= set(headers)
            self.whole |= dict.fromkeys(headers, self.whole.get(outer.header, outer.header))
            self.schedules[outer.header] = schedule

    def _can_be(self, nests: Nests, outer: Loop, tried: set[str]) -> bool:
        """Whether the loop holds several loops that are pieces of one."""
        inside = _directly_in(nests, outer)
        several = len(inside) > 1 and len({self.whole.get(one.header, one.header) for one in inside}) == 1
        return several and outer.header not in tried | self.short

    def _groups(self, nests: Nests, outer: Loop) -> list[list[Loop]]:
        """Pieces of few iterations together, the others each by itself."""
        inside = _directly_in(nests, outer)
        thin = [loop for loop in inside if self._is_thin(nests, loop)]
        return [*([thin] if thin else []), *([loop] for loop in inside if loop not in thin)]

    def _is_thin(self, nests: Nests, loop: Loop) -> bool:
        inside = _directly_in(nests, loop)
        return loop.header in self.short or (bool(inside) and all(self._is_thin(nests, one) for one in inside))


def _is_counter_used_after(nests: Nests, loop: Loop) -> bool:
    """Whether more is used after the loop than what it carries from iteration to iteration: a piece may start behind its end."""
    header, uses = nests.function.block(loop.header), use_counts(nests.function)
    carried = {phi.result for phi in header.phis} - {loop.variable}
    values = (phi.value_from(loop.header) for phi in nests.function.block(loop.exit).phis if uses[phi.result.name])
    return any(isinstance(v, Var) and v not in carried and nests.defined_in[v.name] in loop.blocks for v in values)


def _directly_in(nests: Nests, outer: Loop) -> list[Loop]:
    return [loop for loop in nests.loops.values() if loop.parent == outer.header]
