"""Loops that search: they count towards a bound, and end before it where something is found.

    for (i = 0; i < n; i++)
      if (a[i] == x) { r = i; break; }

Several iterations at once read elements that the scalar loop does not come to, which must exist. It is proved for arrays whose
declared length covers all iterations up to the bound: subscripts and lengths are compared as polynomials in the loop's variable,
which stays below the bound, and in the parameters. Loads that are made in the first iteration whatever happens, from the same
address in all, exist too. Elements that share a page or a cache line with one that the loop reads are not touched: no access
outside of arrays, whether it would fault or not.

Such a loop stores nothing, and nothing passes from one iteration to the next but what counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.dominance import dominator_tree
from rv.analysis.effects import is_speculatable, may_trap
from rv.analysis.flow import flow_graph
from rv.analysis.loops import NaturalLoop, find_loops
from rv.analysis.uses import Definition, defining_blocks, definitions
from rv.ir.function import Function
from rv.ir.instructions import (
    Binary,
    Branch,
    CompareInt,
    Convert,
    ElementPointer,
    Instruction,
    IntPredicate,
    Load,
    Phi,
    operands,
)
from rv.ir.predicates import NEGATED, SWAPPED
from rv.ir.types import IntType
from rv.ir.values import Const, Value, Var
from tensorrv.nest.polynomial import Polynomial, over_names
from tensorrv.storage.arrays import DeclaredArray

COUNTER: Final = "@"


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


@dataclass(frozen=True, slots=True)
class _Test:
    """The test in the header: the loop goes on while `counted predicate bound`, where `phi` changes by a constant step."""

    predicate: IntPredicate
    counted: Value
    bound: Value
    phi: Phi
    step: int


class _Recognition:
    """One loop with an exit in its header and others."""

    def __init__(self, function: Function, loop: NaturalLoop, arrays: Mapping[str, DeclaredArray]) -> None:
        self.function, self.loop, self.arrays = function, loop, arrays
        self.header = function.block(loop.header)
        self.definitions = definitions(function)
        self.place = defining_blocks(function)
        self.dominators = dominator_tree(flow_graph(function))
        self.name = next((p.result.source_name for p in self.header.phis if isinstance(p.result.type, IntType)), loop.header)

    def result(self) -> Search | NoSearch | None:
        test = self._test()
        if test is None or not all(map(is_speculatable, self.header.body)):
            return None
        moved: dict[str, None] = {}
        for other in self.header.phis:
            if not self._counts(other.value_from(self.loop.latches[0]), moved):
                what = f"computes `{other.result.source_name}` from one iteration to the next"
                return self._not(what, "let the loop only search, and compute the rest up to where it ended", other)
        for label in sorted(self.loop.blocks):
            for instruction in self.function.block(label).body:
                if not isinstance(instruction, Load) and not is_speculatable(instruction):
                    what = "divides by what may be 0 then" if may_trap(instruction) else "does more than to read and compare"
                    return self._not(what, "let the loop only search", instruction)
                refused = self._may_not_exist(instruction, label, test) if isinstance(instruction, Load) else None
                if refused is not None:
                    return refused
        return Search(self.loop, self.name, test.counted, test.predicate, test.bound, test.step, tuple(moved))

    def _not(self, reason: str, hint: str, at: Definition | None) -> NoSearch:
        return NoSearch(self.loop, self.name, reason, hint, at)

    # -- counting -------------------------------------------------------------------------------------------------------

    def _test(self) -> _Test | None:
        branch = self.header.terminator
        compare = self._definition(branch.condition) if isinstance(branch, Branch) else None
        if not isinstance(branch, Branch) or not isinstance(compare, CompareInt) or not isinstance(compare.left.type, IntType):
            return None
        predicate = compare.predicate if branch.then in self.loop.blocks else NEGATED[compare.predicate]
        left, right = compare.left, compare.right
        if self._invariant(left):
            predicate, left, right = SWAPPED[predicate], right, left
        phi = self._counter(left)
        if phi is None or not self._invariant(right) or compare.left.type.bits < 32:
            return None
        step = self._step(phi)
        rising = predicate in ("slt", "sle", "ult", "ule")
        falling = predicate in ("sgt", "sge", "ugt", "uge")
        if not step or (step > 0) != rising or (step < 0) != falling:
            return None
        return _Test(predicate, left, right, phi, step)

    def _counter(self, value: Value) -> Phi | None:
        """The phi that a value is, or an extension of it."""
        definition = self._definition(value)
        if isinstance(definition, Convert) and definition.op in ("sext", "zext"):
            definition = self._definition(definition.value)
        return definition if isinstance(definition, Phi) and definition in self.header.phis else None

    def _step(self, phi: Phi) -> int:
        match self._definition(phi.value_from(self.loop.latches[0])):
            case Binary(op="add", left=left, right=Const() as step) if left == phi.result:
                return step.signed
            case _:
                return 0

    def _counts(self, value: Value, moved: dict[str, None]) -> bool:
        """Whether the next value of a phi needs no loads or branches; adds the instructions that compute it."""
        if self._invariant(value) or self._in_header(value) or (isinstance(value, Var) and value.name in moved):
            return True
        assert isinstance(value, Var)
        definition = self.definitions[value.name]
        if isinstance(definition, Phi) or not is_speculatable(definition):
            return False
        if not all(self._counts(operand, moved) for operand in operands(definition)):
            return False
        moved[value.name] = None
        return True

    def _invariant(self, value: Value) -> bool:
        return not isinstance(value, Var) or self.place.get(value.name) not in self.loop.blocks

    def _in_header(self, value: Value) -> bool:
        return isinstance(value, Var) and self.place.get(value.name) == self.loop.header

    def _definition(self, value: Value) -> Definition | None:
        return self.definitions.get(value.name) if isinstance(value, Var) else None

    # -- what is read ---------------------------------------------------------------------------------------------------

    def _may_not_exist(self, load: Load, label: str, test: _Test) -> NoSearch | None:
        """Why iterations behind the one that ends the loop may not make a load; None when they may."""
        ends = {self.loop.latches[0], *(source for source, _ in self.loop.exits)} - {self.loop.header}
        first = all(self.dominators.dominates(label, end) for end in ends)
        pointer = self._definition(load.pointer)
        if first and self._invariant(load.pointer):
            return None
        array = pointer.base.name if isinstance(pointer, ElementPointer) and isinstance(pointer.base, Var) else None
        declared = None if array is None else self.arrays.get(array)
        if array is None or not isinstance(pointer, ElementPointer) or declared is None or None in declared.lengths[:1]:
            name = load.result.source_name if array is None else array
            return self._unknown(f"`{name}`" if array else "what it reads", load)
        subscripts = list(pointer.indices)
        inner = subscripts[1:] if len(declared.lengths) == len(subscripts) else None
        if len(declared.lengths) > 1 and (inner is None or not first or not self._invariant(subscripts[0])):
            return self._unknown(f"`{array}`", load)
        length = declared.lengths[0] if len(subscripts) == 1 else declared.lengths[-1]
        if length is None or not all(map(self._invariant, subscripts[:-1])):
            return self._unknown(f"`{array}`", load)
        return None if self._inside(subscripts[-1], over_names(length), test, first) else self._unknown(f"`{array}`", load)

    def _unknown(self, what: str, load: Load) -> NoSearch:
        reason = f"may end before it has read all of {what} that several iterations at once would read"
        hint = "declare arrays with a length that covers all iterations, such as `const int a[n]` for a loop up to n"
        return self._not(reason, hint, load)

    def _inside(self, subscript: Value, length: Polynomial, test: _Test, first: bool) -> bool:
        """Whether 0 <= subscript < length in all iterations within the bound; `first`: the first one accesses it anyway."""
        phi = test.phi
        form, limit, start = (self._form(v, phi) for v in (subscript, test.bound, phi.value_from(self.loop.entering[0])))
        scale = None if form is None else form.coefficient(COUNTER).as_constant
        if form is None or limit is None or not scale or scale < 0:
            return False
        rest, strict = form - Polynomial.symbol(COUNTER) * scale, 1 if test.predicate[1:] in ("lt", "gt") else 0
        last = limit - strict if test.step > 0 else limit + strict
        low, high = (start, last) if test.step > 0 else (last, start)

        def reached(end: Polynomial | None) -> bool:
            return first and end is start

        least = None if low is None else (low * scale + rest).as_constant
        most = None if high is None else (length - 1 - (high * scale + rest)).as_constant
        above = reached(low) or (least is not None and least >= 0)
        return above and (reached(high) or (most is not None and most >= 0))

    def _form(self, value: Value, phi: Phi) -> Polynomial | None:
        """An integer as a polynomial in the loop's variable and the parameters, as the array lengths are."""
        if isinstance(value, Const):
            return Polynomial.constant(value.signed)
        if value == phi.result:
            return Polynomial.symbol(COUNTER)
        definition = self._definition(value)
        match definition:
            case None if isinstance(value, Var):
                return Polynomial.symbol(value.name)
            case Convert(op="sext" | "zext", value=inner):
                return self._form(inner, phi)
            case Binary(op="add" | "sub" | "mul" as op, left=left, right=right) if self._exact(definition):
                one, two = self._form(left, phi), self._form(right, phi)
                if one is None or two is None:
                    return None
                return one + two if op == "add" else one - two if op == "sub" else one * two
            case _:
                return None

    @staticmethod
    def _exact(binary: Binary) -> bool:
        """Whether arithmetic does not wrap, or only where no array is as long."""
        type_ = binary.result.type
        return binary.nsw or (isinstance(type_, IntType) and type_.bits == 64)
