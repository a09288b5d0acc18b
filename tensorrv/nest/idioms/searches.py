"""Loops that search: they count towards a bound, and end before it where something is found.

    for (i = 0; i < n; i++)
      if (a[i] == x) { r = i; break; }

Several iterations at once read elements that the scalar loop does not come to, which must exist
(`tensorrv.nest.legality.counted_reads`). Such a loop stores nothing, and nothing passes from one iteration to the next but what
counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.effects import is_speculatable, may_trap
from rv.analysis.values.uses import Definition
from rv.ir.function import Function
from rv.ir.instructions import Instruction, IntPredicate, Load, Phi, operands
from rv.ir.types import IntType
from rv.ir.values import Value, Var
from tensorrv.nest.legality.counted_reads import CountedReads
from tensorrv.unit.declared_array import DeclaredArray


@dataclass(frozen=True, slots=True)
class Search:
    """A loop that searches: it goes on while `counted predicate bound`, and `counted` changes by `step` in every iteration.

    `moved` are the instructions that compute the next values of its variables, those that others need first.
    """

    loop: NaturalLoop
    name: str
    counted: Value
    predicate: IntPredicate
    bound: Value
    step: int
    moved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoSearch:
    """Why a loop with the shape of a search cannot run several iterations at once, and what to do about it."""

    loop: NaturalLoop
    name: str
    reason: str
    hint: str
    at: Definition | Instruction | None


def find_searches(function: Function, arrays: Mapping[str, DeclaredArray]) -> tuple[Search | NoSearch, ...]:
    """The innermost loops that count and have other exits, in textual order. `arrays` are the array parameters as declared."""
    forest = find_loops(function)
    found: list[Search | NoSearch] = []
    for block in function.blocks:
        loop = forest.loops.get(block.label)
        if loop is None or forest.children(loop.header) or len(loop.latches) != 1 or len(loop.entering) != 1:
            continue
        if {source for source, _ in loop.exits} > {loop.header}:
            search = _Recognition(function, loop, arrays).result()
            found += [] if search is None else [search]
    return tuple(found)


def loop_name(function: Function, loop: NaturalLoop) -> str:
    """What the user calls a loop: by the first integer that it carries."""
    phis = function.block(loop.header).phis
    return next((phi.result.source_name for phi in phis if isinstance(phi.result.type, IntType)), loop.header)


class _Recognition:
    """One loop with an exit in its header and others."""

    def __init__(self, function: Function, loop: NaturalLoop, arrays: Mapping[str, DeclaredArray]) -> None:
        self.reads = CountedReads(function, loop, arrays)
        self.function, self.loop = function, loop
        self.header = function.block(loop.header)
        self.name = loop_name(function, loop)

    def result(self) -> Search | NoSearch | None:
        test = self.reads.test()
        if test is None or not all(map(is_speculatable, self.header.body)):
            return None
        moved: dict[str, None] = {}
        for other in self.header.phis:
            if not self._counts(other.value_from(self.loop.latches[0]), moved):
                what = f"carries `{other.result.source_name}` from one iteration to the next"
                return self._not(what, "keep only the search in this loop, and compute the rest in a second loop", other)
        for label in sorted(self.loop.blocks):
            for instruction in self.function.block(label).body:
                if not isinstance(instruction, Load) and not is_speculatable(instruction):
                    what = "divides by a value that may be 0 in later iterations" if may_trap(instruction) else "has side effects"
                    return self._not(what, "keep only the search in this loop", instruction)
                if isinstance(instruction, Load) and not self.reads.exists(instruction, label, test):
                    return self._unknown(instruction)
        return Search(self.loop, self.name, test.counted, test.predicate, test.bound, test.step, tuple(moved))

    def _not(self, reason: str, hint: str, at: Definition | None) -> NoSearch:
        return NoSearch(self.loop, self.name, reason, hint, at)

    def _unknown(self, load: Load) -> NoSearch:
        array = self.reads.array_of(load)
        what = "an array that it reads" if array is None else f"`{array}`"
        reason = f"the elements of {what} in iterations after the exit are not known to exist"
        hint = "declare the array with a length that covers all iterations, such as `const int a[n]` for a loop up to n"
        return self._not(reason, hint, load)

    def _counts(self, value: Value, moved: dict[str, None]) -> bool:
        """Whether the next value of a phi needs no loads or branches; adds the instructions that compute it."""
        if self.reads.invariant(value) or self._in_header(value) or (isinstance(value, Var) and value.name in moved):
            return True
        assert isinstance(value, Var)
        definition = self.reads.definitions[value.name]
        if isinstance(definition, Phi) or not is_speculatable(definition):
            return False
        if not all(self._counts(operand, moved) for operand in operands(definition)):
            return False
        moved[value.name] = None
        return True

    def _in_header(self, value: Value) -> bool:
        return isinstance(value, Var) and self.reads.place.get(value.name) == self.loop.header
