"""Whether two addresses may be in the same memory, for scalar passes.

Two accesses are told apart when
 - their addresses are built on different pointer parameters and one of these is `restrict` (C's rule, for what is written in the
   function), or the caller of the analysis vouches that distinct arrays do not overlap;
 - one of them only leads to stack objects to which the other one does not lead, or
 - both are elements of one array (same base, element type and extents) and one subscript differs by a constant other than zero
   while the others are equal. Subscripts are in range (see `ElementPointer`), so different subscripts are different elements.
   The two addresses must be evaluated with the same values of the variables they share: in one iteration, or with invariants.
Everything else may alias; types do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.loops import LoopForest
from rv.analysis.stack_objects import StackObjects, stack_objects
from rv.analysis.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, Convert, ElementPointer
from rv.ir.types import I64, Type, size_of
from rv.ir.values import Const, Value, Var

Place = tuple[Value, Type]  # an address and the type of what is accessed there
# a value without its constant summand: the value, or ("sext", key of the narrower value)
SumKey = Value | tuple[str, "SumKey"]


@dataclass(frozen=True, slots=True)
class Distinct:
    """Where the caller vouches that pointer parameters point to arrays that do not overlap.

    In the whole function if `everywhere`, else while one of the loops with these headers runs.
    """

    everywhere: bool = False
    loops: frozenset[str] = frozenset()

    def holds_in(self, forest: LoopForest, header: str | None) -> bool:
        """Whether it holds in the loop with this header: in it or in a loop around it."""
        while header is not None and not self.everywhere:
            if header in self.loops:
                return True
            header = forest.loops[header].parent
        return self.everywhere


NOWHERE: Final = Distinct()
EVERYWHERE: Final = Distinct(everywhere=True)


@dataclass(frozen=True, slots=True)
class AliasAnalysis:
    """Facts about the addresses of one function; `distinct_arrays`: parameters are taken to point to separate arrays."""

    definitions: Mapping[str, Definition]
    restricts: Mapping[str, bool]
    distinct_arrays: bool
    objects: StackObjects

    def root(self, pointer: Value) -> str | None:
        """The pointer parameter that an address is computed from; None when it is not a parameter."""
        while isinstance(pointer, Var) and isinstance(definition := self.definitions.get(pointer.name), ElementPointer):
            pointer = definition.base
        return pointer.name if isinstance(pointer, Var) and pointer.name in self.restricts else None

    def different_arrays(self, left: Value, right: Value) -> bool:
        """Whether the addresses belong to arrays that do not overlap."""
        if not self.objects.of(left).meets(self.objects.of(right)):
            return True
        first, second = self.root(left), self.root(right)
        if first is None or second is None or first == second:
            return False
        return self.distinct_arrays or self.restricts[first] or self.restricts[second]

    def different_elements(self, left: Place, right: Place) -> bool:
        """Whether the places are different elements of one array; a place wider than its element is not judged."""
        match self._element(left), self._element(right):
            case ElementPointer() as a, ElementPointer() as b:
                if (a.base, a.element, a.extents, len(a.indices)) != (b.base, b.element, b.extents, len(b.indices)):
                    return False
                differences = [self.difference(i, j) for i, j in zip(a.indices, b.indices, strict=True)]
                return None not in differences and sum(d != 0 for d in differences) == 1
            case _:
                return False

    def may_alias(self, left: Place, right: Place) -> bool:
        """Whether two places, their addresses evaluated with the same variables, may overlap."""
        return not (self.different_arrays(left[0], right[0]) or self.different_elements(left, right))

    def difference(self, left: Value, right: Value) -> int | None:
        """`left - right` when it is a known constant."""
        (first, a), (second, b) = self._split(left), self._split(right)
        return a - b if first == second else None

    def _element(self, place: Place) -> ElementPointer | None:
        """The element in which the place is, None when it is no element or may reach beyond it."""
        pointer, type_ = place
        match self.definitions.get(pointer.name) if isinstance(pointer, Var) else None:
            case ElementPointer(element=element) as found if size_of(type_) <= size_of(element):
                return found
            case _:
                return None

    def _split(self, value: Value) -> tuple[SumKey, int]:
        """A value as (key, constant summand): exact for narrow types, modulo 2**64 for i64, where a difference stays one."""
        if isinstance(value, Const):
            return Const(I64, 0), value.signed
        match self.definitions.get(value.name) if isinstance(value, Var) else None:
            case Binary(result=result, op="add", left=left, right=Const() as constant, nsw=nsw) if nsw or result.type == I64:
                key, summand = self._split(left)
                return key, summand + constant.signed
            case Binary(result=result, op="sub", left=left, right=Const() as constant, nsw=nsw) if nsw or result.type == I64:
                key, summand = self._split(left)
                return key, summand - constant.signed
            case Convert(op="sext", value=narrow):
                key, summand = self._split(narrow)
                return ("sext", key), summand
            case _:
                return value, 0


def alias_analysis(function: Function, distinct_arrays: bool = False) -> AliasAnalysis:
    """The alias analysis of a function."""
    restricts = {p.var.name: p.restrict for p in function.parameters}
    return AliasAnalysis(definitions(function), restricts, distinct_arrays, stack_objects(function))
