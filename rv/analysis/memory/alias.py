"""Whether two addresses may be in the same memory, for scalar passes.

Two accesses are distinct when
 - their addresses are built on different pointer parameters and one of these is `restrict` (C's rule, for what is written in the
   function), both lead to objects of their own, or the caller of the analysis vouches that distinct arrays do not overlap;
 - one of them only leads to stack objects to which the other one does not lead, or
 - both are elements of one array (same base, element type and extents) and one subscript differs by a constant other than zero
   while the others are equal. Subscripts are in range (see `ElementPointer`), so different subscripts are different elements.
   The two addresses must be evaluated with the same values of the variables they share: in one iteration, or with invariants.
Everything else may alias.

A load does not read what a store of another type wrote before it, where the caller vouches that the program keeps to C's rule
(6.5, paragraph 7), unless one of them is `untyped` or of a character type. The rule does not cover later stores, or
about two stores: memory may be used anew for another type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import ne
from typing import Final

from rv.analysis.cfg.loops import LoopForest
from rv.analysis.memory.stack_objects import StackObjects, Targets, stack_objects
from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, Convert, ElementPointer, Load, Store
from rv.ir.types import I8, I64, PointerType, Type, size_of
from rv.ir.values import Const, Value, Var

Place = tuple[Value, Type]  # an address and the type of what is accessed there
# a value without its constant summand: the value, or ("sext", key of the narrower value)
SumKey = Value | tuple[str, "SumKey"]


@dataclass(frozen=True, slots=True)
class Distinct:
    """Where the caller vouches that pointer parameters point to arrays that do not overlap.

    In the whole function if `everywhere`, else while one of the loops with these headers runs. `types`: the program keeps to C's
    rule that memory is read as what it was written as.
    """

    everywhere: bool = False
    loops: frozenset[str] = frozenset()
    types: bool = False

    def holds_in(self, forest: LoopForest, header: str | None) -> bool:
        """Whether it holds in the loop with this header: in it or in a loop around it."""
        while header is not None and not self.everywhere:
            if header in self.loops:
                return True
            header = forest.loops[header].parent
        return self.everywhere


def may_overlap(function: Function) -> bool:
    """Whether there are pointer parameters that point to arrays which could overlap for all that is known by themselves."""
    pointers = [p for p in function.parameters if isinstance(p.var.type, PointerType) and not p.restrict]
    return len(pointers) > 1 and not all(p.own for p in pointers)


NOWHERE: Final = Distinct()
EVERYWHERE: Final = Distinct(everywhere=True)


@dataclass(frozen=True, slots=True)
class _Address:
    """What is known about an address. Elements of one `family` differ in constants at most: `offsets`, one for each subscript."""

    targets: Targets
    root: str | None
    element_bytes: int
    family: tuple[object, ...] | None = None
    offsets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasAnalysis:
    """Facts about the addresses of one function; `distinct_arrays`: parameters are taken to point to separate arrays; `types`:
    memory is read as what it was written as.
    """

    definitions: Mapping[str, Definition]
    restricts: Mapping[str, bool]
    own: frozenset[str]
    distinct_arrays: bool
    objects: StackObjects
    types: bool = False
    addresses: dict[str, _Address] = field(default_factory=dict, repr=False, compare=False)
    """What has been found out: passes compare every address with every other one."""
    families: dict[tuple[object, ...], tuple[object, ...]] = field(default_factory=dict, repr=False, compare=False)
    """Every family is one object."""

    def root(self, pointer: Value) -> str | None:
        """The pointer parameter that an address is computed from; None when it is not a parameter."""
        while isinstance(pointer, Var) and isinstance(definition := self.definitions.get(pointer.name), ElementPointer):
            pointer = definition.base
        return pointer.name if isinstance(pointer, Var) and pointer.name in self.restricts else None

    def different_arrays(self, left: Value, right: Value) -> bool:
        """Whether the addresses belong to arrays that do not overlap."""
        return self._apart(self._address(left), self._address(right))

    def unchanged_by(self, store: Store, load: Load) -> bool:
        """Whether a load reads the same before and after a store, in whatever iterations the two are executed."""
        return self.different_arrays(store.pointer, load.pointer) or self.reads_other_type(store, load)

    def reads_other_type(self, store: Store, load: Load) -> bool:
        """Whether a load that comes after a store does not read what that wrote, because of their types."""
        typed = self.types and not store.untyped and not load.untyped
        return typed and store.value.type != load.result.type and I8 not in (store.value.type, load.result.type)

    def may_alias(self, left: Place, right: Place) -> bool:
        """Whether two places, their addresses evaluated with the same variables, may overlap."""
        return bool(self.overlapping([left], right))

    def overlapping(self, places: Iterable[Place], place: Place) -> list[Place]:
        """Those of some places that may overlap one, all addresses evaluated with the same variables."""
        own, wide = self._address(place[0]), size_of(place[1])
        found: list[Place] = []
        for other in places:
            address = self._address(other[0])
            if own.family is not None and address.family is own.family:
                # places that are wider than their elements are not judged
                fits = wide <= own.element_bytes and (other[1] is place[1] or size_of(other[1]) <= own.element_bytes)
                if fits and sum(map(ne, own.offsets, address.offsets)) == 1:
                    continue
            if not self._apart(own, address):
                found.append(other)
        return found

    def _apart(self, left: _Address, right: _Address) -> bool:
        if not left.targets.meets(right.targets):
            return True
        if left.root is None or right.root is None or left.root == right.root:
            return False
        if left.root in self.own and right.root in self.own:
            return True
        return self.distinct_arrays or self.restricts[left.root] or self.restricts[right.root]

    def _address(self, pointer: Value) -> _Address:
        if not isinstance(pointer, Var):
            return self._examine(pointer)
        found = self.addresses.get(pointer.name)
        if found is None:
            found = self.addresses[pointer.name] = self._examine(pointer)
        return found

    def _examine(self, pointer: Value) -> _Address:
        targets, root = self.objects.of(pointer), self.root(pointer)
        match self.definitions.get(pointer.name) if isinstance(pointer, Var) else None:
            case ElementPointer(element=element, base=base, indices=indices, extents=extents):
                sums = [self._split(index) for index in indices]
                family = (base, element, extents, *(key for key, _ in sums))
                offsets = tuple(summand for _, summand in sums)
                return _Address(targets, root, size_of(element), self.families.setdefault(family, family), offsets)
            case _:
                return _Address(targets, root, 0)

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


def alias_analysis(function: Function, distinct_arrays: bool = False, types: bool = False) -> AliasAnalysis:
    """The alias analysis of a function."""
    restricts = {p.var.name: p.restrict for p in function.parameters}
    own = frozenset(p.var.name for p in function.parameters if p.own)
    return AliasAnalysis(definitions(function), restricts, own, distinct_arrays, stack_objects(function), types)
