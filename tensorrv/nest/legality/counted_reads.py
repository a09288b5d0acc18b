"""What a counted loop reads: whether elements exist in all iterations within its bound, whatever else decides about reading them.

It is proved for arrays whose declared length covers all iterations up to the bound: subscripts and lengths are compared as
polynomials in the loop's variable, which stays below the bound, and in the parameters. Loads that are made in the first iteration
whatever happens, from the same address in all, exist too. Elements that share a page or a cache line with one that the loop reads
are not touched: no access outside of arrays, whether it would fault or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.evolution.polynomial import Polynomial, counter, declared, over_names
from rv.ir.comparisons import NEGATED, SWAPPED
from rv.ir.function import Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, ElementPointer, IntPredicate, Load, Phi
from rv.ir.types import IntType
from rv.ir.values import Const, Value, Var
from tensorrv.unit.declared_array import DeclaredArray

COUNTED: Final = counter("")
"""The loop's variable, among the parameters by their names."""


@dataclass(frozen=True, slots=True)
class CountedTest:
    """The test in the header: the loop goes on while `counted predicate bound`, where `phi` changes by a constant step."""

    predicate: IntPredicate
    counted: Value
    bound: Value
    phi: Phi
    step: int


class CountedReads:
    """One loop with a test in its header. `arrays` are the array parameters as declared."""

    def __init__(self, function: Function, loop: NaturalLoop, arrays: Mapping[str, DeclaredArray]) -> None:
        self.function, self.loop, self.arrays = function, loop, arrays
        self.header = function.block(loop.header)
        self.definitions = definitions(function)
        self.place = defining_blocks(function)
        self.dominators = dominator_tree(flow_graph(function))

    # -- counting -------------------------------------------------------------------------------------------------------

    def test(self) -> CountedTest | None:
        branch = self.header.terminator
        compare = self.definition(branch.condition) if isinstance(branch, Branch) else None
        if not isinstance(branch, Branch) or not isinstance(compare, CompareInt) or not isinstance(compare.left.type, IntType):
            return None
        predicate = compare.predicate if branch.then in self.loop.blocks else NEGATED[compare.predicate]
        left, right = compare.left, compare.right
        if self.invariant(left):
            predicate, left, right = SWAPPED[predicate], right, left
        phi = self._counter(left)
        if phi is None or not self.invariant(right) or compare.left.type.bits < 32:
            return None
        step = self._step(phi)
        rising = predicate in ("slt", "sle", "ult", "ule")
        falling = predicate in ("sgt", "sge", "ugt", "uge")
        if not step or (step > 0) != rising or (step < 0) != falling:
            return None
        return CountedTest(predicate, left, right, phi, step)

    def _counter(self, value: Value) -> Phi | None:
        """The phi that a value is, or an extension of it."""
        definition = self.definition(value)
        if isinstance(definition, Convert) and definition.op in ("sext", "zext"):
            definition = self.definition(definition.value)
        return definition if isinstance(definition, Phi) and definition in self.header.phis else None

    def _step(self, phi: Phi) -> int:
        match self.definition(phi.value_from(self.loop.latches[0])):
            case Binary(op="add", left=left, right=Const() as step) if left == phi.result:
                return step.signed
            case _:
                return 0

    def invariant(self, value: Value) -> bool:
        return not isinstance(value, Var) or self.place.get(value.name) not in self.loop.blocks

    def definition(self, value: Value) -> Definition | None:
        return self.definitions.get(value.name) if isinstance(value, Var) else None

    # -- reading --------------------------------------------------------------------------------------------------------

    def exists(self, load: Load, label: str, test: CountedTest) -> bool:
        """Whether what a load of the block `label` reads exists in all iterations within the bound."""
        ends = {self.loop.latches[0], *(source for source, _ in self.loop.exits)} - {self.loop.header}
        first = all(self.dominators.dominates(label, end) for end in ends)
        if first and self.invariant(load.pointer):
            return True
        pointer, name = self.definition(load.pointer), self.array_of(load)
        array = None if name is None else self.arrays.get(name)
        if not isinstance(pointer, ElementPointer) or array is None or None in array.lengths[:1]:
            return False
        subscripts = list(pointer.indices)
        inner = subscripts[1:] if len(array.lengths) == len(subscripts) else None
        if len(array.lengths) > 1 and inner is None:
            return False
        length = array.lengths[0] if len(subscripts) == 1 else array.lengths[-1]
        if length is None or not all(map(self.invariant, subscripts[:-1])):
            return False
        # where the first iteration reads from these rows they exist
        rows = () if first else zip(subscripts[:-1], array.lengths, strict=False)
        return self._inside(subscripts[-1], over_names(length), test, first) and all(self._is_row(*row) for row in rows)

    def _is_row(self, subscript: Value, length: Polynomial | None) -> bool:
        """Whether 0 <= subscript < length while the loop runs: because a loop around it counts so far only."""
        if length is None:
            return False
        if isinstance(subscript, Const):
            rest = (over_names(length) - 1 - subscript.signed).as_constant
            return subscript.signed >= 0 and rest is not None and rest >= 0
        parent = self._around()
        test = None if parent is None else parent.test()
        if parent is None or test is None:
            return False
        within = parent._inside(subscript, over_names(length), test, first=False)
        return within or (parent.invariant(subscript) and parent._is_row(subscript, length))

    def _around(self) -> CountedReads | None:
        """The loop around this one, where it has one way in and one back."""
        loop = None if self.loop.parent is None else find_loops(self.function).loops[self.loop.parent]
        if loop is None or len(loop.latches) != 1 or len(loop.entering) != 1:
            return None
        return CountedReads(self.function, loop, self.arrays)

    def array_of(self, load: Load) -> str | None:
        """The name of the pointer that a load subscripts."""
        pointer = self.definition(load.pointer)
        return pointer.base.name if isinstance(pointer, ElementPointer) and isinstance(pointer.base, Var) else None

    def _inside(self, subscript: Value, length: Polynomial, test: CountedTest, first: bool) -> bool:
        """Whether 0 <= subscript < length in all iterations within the bound; `first`: the first one accesses it anyway."""
        phi = test.phi
        form, limit, start = (self._form(v, phi) for v in (subscript, test.bound, phi.value_from(self.loop.entering[0])))
        scale = None if form is None else form.coefficient(COUNTED).as_constant
        if form is None or limit is None or not scale or scale < 0:
            return False
        rest, strict = form - Polynomial.symbol(COUNTED) * scale, 1 if test.predicate[1:] in ("lt", "gt") else 0
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
            return Polynomial.symbol(COUNTED)
        definition = self.definition(value)
        match definition:
            case None if isinstance(value, Var):
                return Polynomial.symbol(declared(value.name))
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
