"""Everything that the stages of widening look up about one function: definitions, lanes of values, accesses, variants."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.analysis.divergence.inhabited import Inhabited, inhabited
from rv.analysis.remembered import remembered
from rv.analysis.values.defined import may_be_undefined
from rv.analysis.values.magnitudes import never_small
from rv.evolution.facts import Fold, Loop, LoopFacts
from rv.evolution.live_out import LiveOutForm, left_loop, live_out_form
from rv.evolution.polynomial import Polynomial, Symbol
from rv.ir.function import Block, Function
from rv.ir.instructions import Horizontal, Instruction, Phi, Select, Store
from rv.ir.types import FloatMode, IntType, PointerType
from rv.ir.values import FALSE, TRUE, Value, Var
from rv.target.llvm_defects.known import Fences
from rv.target.machine import Target
from rv.vector.divider.offload import Divisions
from rv.vector.types import VectorType
from rv.widen.arithmetic.narrow_sums import NarrowSum
from rv.widen.arithmetic.sums import lanes_of_sum
from rv.widen.lanes import SCALAR, Coordinate, Lanes
from rv.widen.loops.variant_tree import Variant, VectorNest
from rv.widen.memory.worklists import Ahead
from rv.widen.protocols import UNIFORM, Accessed, AccessForms, Dimensions, LaneShapes


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a variable is defined; `position` counts in the body, -1 for phis."""

    label: str
    position: int
    instruction: Instruction | Phi


@dataclass(frozen=True, slots=True)
class ExitValue:
    """A phi that takes a value out of a brushed loop, for the lanes that are needed.

    `value` is a member of a fold, or has a closed form over the loop's counter, or is the same in all iterations.
    """

    phi: Var
    value: Value
    fold: Fold | None
    form: LiveOutForm | None
    lane_sets: tuple[Lanes, ...]


@dataclass(frozen=True, slots=True)
class LaneObjects:
    """The stack objects of a group (`AllocaSsa`): one for each of `lanes`, which differ in the given dimensions.

    Their elements are interleaved, [element][lane], and the offsets of pointers are multiplied by the number of objects.
    """

    group: str
    dimensions: Dimensions
    lanes: tuple[Coordinate, ...]

    @property
    def count(self) -> int:
        return len(self.lanes)

    def numbers(self, coordinates: Lanes) -> list[int]:
        """The number of the object of each lane of a set of lanes; a scalar's is that of the first lane."""
        if not self.dimensions or coordinates == SCALAR:
            return [0] * len(coordinates)
        number = {coordinate: k for k, coordinate in enumerate(self.lanes)}
        return [number[tuple(x if d in self.dimensions else 0 for d, x in enumerate(c))] for c in coordinates]


@dataclass(slots=True)
class Context:
    """One function on its way to vector code. `lanes` maps the outermost header of a nest to its register width in lanes.

    `counted` collects the loops whose counters occur in addresses: they get a counter of their own in the code.
    """

    function: Function
    loops: Mapping[str, Loop]
    nests: tuple[VectorNest, ...]
    shapes: Mapping[str, LaneShapes]
    """By outermost header of the nest."""
    lanes: Mapping[str, int]
    root: Variant
    order: tuple[str, ...]
    fp: FloatMode
    target: Target
    definitions: Mapping[str, Definition]
    accesses: Mapping[tuple[str, str, int], Accessed]
    """By outermost header of the nest, block, and position in the block."""
    forms: AccessForms
    folds: Mapping[str, Fold]
    """By member; of selections those whose changes are numbered."""
    pending: Mapping[tuple[str, int], tuple[Ahead, ...]]
    """What stores to local arrays note down to be visited, by block and position."""
    fences: Fences
    """What LLVM must not recognize."""
    sums: Mapping[str, NarrowSum]
    """Sums of narrow numbers by the names of their partial results."""
    counted: set[str] = field(default_factory=set)
    divisions: Mapping[object, Divisions] = field(default_factory=dict)
    """Of each variant's code: the registers of quotients and roots."""
    _inhabited: Inhabited | None = None
    _written: dict[str, frozenset[str]] = field(default_factory=dict)
    """By outermost header, what the stores of a nest reach, as `memory` names it."""

    def block(self, label: str) -> Block:
        return self.function.block(label)

    def variable(self, name: str) -> Var:
        """The variable or parameter called `name`."""
        if name in self.definitions:
            result = self.definitions[name].instruction.result
            assert result is not None
            return result
        return next(p.var for p in self.function.parameters if p.var.name == name)

    def may_be_undefined(self, symbol: Symbol) -> bool:
        """Whether the value of a symbol of a polynomial may be undefined where it is not used; counters are defined."""
        if not symbol.is_variable:
            return False
        found = self.definitions
        return may_be_undefined(self.variable(symbol.name), lambda n: found[n].instruction if n in found else None)

    def never_small(self, value: Value) -> bool:
        """Whether a floating-point number is +0 or not small (`rv.analysis.values.magnitudes`)."""
        found = self.definitions
        return never_small(value, lambda n: found[n].instruction if n in found else None)

    def owner(self, variant: Variant, name: str) -> Variant:
        """The variant, `variant` itself or one around it, whose blocks define variable `name`."""
        label = self.definitions[name].label
        while label not in variant.inside:
            assert variant.parent is not None, f"%{name} is not defined around its use"
            variant = variant.parent
        return variant

    def shapes_of(self, variant: Variant) -> LaneShapes | None:
        return self.shapes[variant.nest.headers[0]] if variant.nest else None

    def varying(self, variant: Variant, value: Value) -> Dimensions:
        """The dimensions in which `value` varies, seen from inside `variant`."""
        shapes = self.shapes_of(variant)
        return shapes.of(value) if shapes else UNIFORM

    def width(self, variant: Variant) -> int:
        """Lanes of a register in the nest of `variant`."""
        return self.lanes[variant.nest.headers[0]] if variant.nest else 1

    def counter_form(self, variant: Variant, name: str) -> Polynomial | None:
        """The closed form, modulo the width of its type, of an integer phi of a brushed loop's header."""
        return variant.nest.facts.congruences.get(name) if variant.nest else None

    def store_dimensions(self, variant: Variant, label: str, position: int, store: Store) -> Dimensions:
        """The dimensions along which lanes store different elements or different values."""
        shapes = self.shapes_of(variant)
        if shapes is None:
            return UNIFORM
        objects = self.objects_at(variant, store.pointer)
        if objects is not None:
            return objects.dimensions
        address = self.forms.dimensions(variant, label, position, store.pointer)
        return address | shapes.of(store.value) | shapes.in_block(label)

    def stored_lanes(self, variant: Variant, label: str, position: int, store: Store) -> tuple[Lanes, ...]:
        """The registers in which a store takes its values."""
        if variant.nest is None:
            return (SCALAR,)
        dimensions = self.store_dimensions(variant, label, position, store)
        return variant.registers(dimensions, self.width(variant))

    def objects_at(self, variant: Variant, pointer: Value) -> LaneObjects | None:
        """The lanes' own objects that a pointer leads to; None for other memory."""
        shapes = self.shapes_of(variant)
        group = shapes.object_of(pointer) if shapes is not None else None
        if shapes is None or group is None:
            return None
        dimensions = shapes.of_object(group)
        return LaneObjects(group, dimensions, variant.lanes(dimensions))

    def object_lanes(self, variant: Variant, objects: LaneObjects) -> tuple[Lanes, ...]:
        """The registers in which the lanes' objects are written."""
        return variant.registers(objects.dimensions, self.width(variant)) if objects.dimensions else (SCALAR,)

    def all_registers(self, variant: Variant) -> tuple[Lanes, ...]:
        """All lanes of a variant, in registers."""
        if variant.nest is None:
            return (SCALAR,)
        return variant.registers(frozenset(range(variant.level + 1)), self.width(variant))

    def sharing(self, variant: Variant, varies: Dimensions, coordinates: Lanes, label: str) -> tuple[Lanes, ...]:
        """Lanes that differ from those of `coordinates` only in other dimensions than `varies`, as one set for each.

        The k-th lanes of all of them share with its k-th lane; a scalar's are all lanes. Only lanes are distinguished that may
        differ in whether they execute block `label`.
        """
        parted = self.varying(variant, self.block(label).predicate)
        wide = [d for d, size in enumerate(variant.sizes) if size > 1]
        if parted <= varies or not any(d in parted for d in wide):
            return (coordinates,)
        if not any(d in varies for d in wide):
            return self.all_registers(variant)
        free = [range(size) if d in parted - varies else None for d, size in enumerate(variant.sizes)]
        lanes = [
            list(itertools.product(*([x] if own is None else own for x, own in zip(c, free, strict=True)))) for c in coordinates
        ]
        return tuple(zip(*lanes, strict=True))

    def accompanied(self, label: str) -> bool:
        """Whether a block is only run when some lane executes it."""
        if self._inhabited is None:
            self._inhabited = inhabited(self.function)
        return self._inhabited.holds(self.block(label).predicate, label)

    def common_test(self, variant: Variant, test: Horizontal) -> tuple[Value, Value] | None:
        """The mask and the condition of a test of all lanes for a condition that those in the mask have in common.

        That is any(%mask and %condition), or all(%condition or not %mask).
        """
        if test.op not in ("any", "all") or not test.total:
            return None
        (operand,) = test.operands
        neutral = FALSE if test.op == "any" else TRUE
        found = self.definitions.get(operand.name) if isinstance(operand, Var) else None
        match found.instruction if found else None:
            case Select(condition=mask, then=condition, otherwise=otherwise) if otherwise == neutral:
                return (mask, condition) if not self.varying(variant, condition) else None
            case _:
                return None

    def accumulators(self, variant: Variant, member: Var) -> tuple[Lanes, ...]:
        """The registers of partial results of a member of a fold along the loop of `variant`."""
        return variant.registers(self.varying(variant, member), self.width(variant))

    def condensed(self, variant: Variant, name: str, coordinates: Lanes) -> VectorType | None:
        """The type of partial results of a sum of narrow numbers for some lanes, if neighbouring ones are added."""
        found = self.sums.get(name)
        if found is None or variant.nest is None or found.header not in variant.nest.headers:
            return None
        level = variant.nest.headers.index(found.header)
        around = {(*c[:level], *c[level + 1 :]) for c in coordinates}
        if len(coordinates) == 1 or len(around) > 1:
            return None
        type_ = found.phi.type
        assert isinstance(type_, IntType)
        lanes = min(lanes_of_sum(step.addend, type_, len(coordinates), self.target) for step in found.steps.values())
        return VectorType(type_, lanes) if lanes else None

    def registers_around(self, variant: Variant, fold: Fold) -> tuple[Lanes, ...]:
        """The registers in which the members of a fold are known around its loop, which is directly inside `variant`."""
        child = variant.children[fold.header][0]
        varying = UNIFORM.union(*(self.varying(child, member) for member in fold.members)) - {child.level}
        return variant.registers(varying, self.width(variant)) if variant.nest and varying else (SCALAR,)

    def header_phi(self, member: Var) -> Phi:
        phi = self.definitions[member.name].instruction
        assert isinstance(phi, Phi)
        return phi

    def left_loop(self, variant: Variant, label: str) -> Loop | None:
        """The brushed loop directly inside `variant` that control leaves to block `label`."""
        return left_loop(self.loops, tuple(variant.children), label)

    def live_out_form(self, variant: Variant, loop: Loop, value: Value) -> LiveOutForm | None:
        """The closed form, over the loop's counter, of a value that the brushed `loop` directly inside `variant` leaves."""
        nest = variant.children[loop.header][0].nest
        assert nest is not None
        return live_out_form(nest.facts, value)

    @property
    def arrays(self) -> tuple[str, ...]:
        """The pointer parameters, in order."""
        return _pointer_parameters(self.function)

    def is_alone(self, variant: Variant, array: str) -> bool:
        """Whether nothing that is accessed through another pointer parameter overlaps what is accessed through this one."""
        return variant.nest is not None and variant.nest.distinct and array in self.arrays

    def exit_values(self, variant: Variant, header: str) -> tuple[ExitValue, ...]:
        """What the brushed loop `header`, directly inside `variant`, hands on."""
        loop = self.loops[header]
        result: list[ExitValue] = []
        for phi in self.block(loop.exit).phis:
            lane_sets = tuple(sorted(variant.demand.get(phi.result.name, ())))
            value = phi.incoming[0][1]
            form = self.live_out_form(variant, loop, value)
            fold = self.fold_of(header, value) if form is None else None
            if lane_sets:
                result.append(ExitValue(phi.result, value, fold, form, lane_sets))
        return tuple(result)

    def fold_of(self, header: str, value: Value) -> Fold | None:
        """The fold along the loop `header` that has this member."""
        fold = self.folds.get(value.name) if isinstance(value, Var) else None
        return fold if fold is not None and fold.header == header else None

    def array_of(self, variant: Variant, label: str, position: int) -> str:
        """The memory of the array that the access at this place goes through."""
        return self.memory(variant, self.accesses[(variant.nest.headers[0], label, position)].array.name) if variant.nest else ""

    def memory(self, variant: Variant, array: str) -> str:
        """A name for what an array may share with others: its own inside brushed nests, by proof, promise or run-time check.

        Elsewhere it is "", which stands for all arrays that may overlap.
        """
        if variant.nest is None:
            return ""
        shapes = self.shapes_of(variant)
        lanes_own = shapes is not None and array in shapes.groups
        return array if variant.nest.distinct or lanes_own or array in self._restricted else ""

    def is_written(self, variant: Variant, array: str) -> bool:
        """Whether the nest of a variant stores to the memory of an array, or of a group of stack objects."""
        shapes = self.shapes_of(variant)
        if variant.nest is None or (shapes is not None and array in shapes.groups):
            return True
        nest = variant.nest.headers[0]
        if nest not in self._written:
            own = (access for (header, *_), access in self.accesses.items() if header == nest and access.kind == "store")
            self._written[nest] = frozenset(self.memory(variant, a.array.name) for a in own)
        return self.memory(variant, array) in self._written[nest]

    @property
    def _restricted(self) -> frozenset[str]:
        return frozenset(p.var.name for p in self.function.parameters if p.restrict)


@remembered
def _pointer_parameters(function: Function) -> tuple[str, ...]:
    return tuple(p.var.name for p in function.parameters if isinstance(p.var.type, PointerType))


def find_definitions(function: Function) -> dict[str, Definition]:
    """Where every variable but the parameters is defined."""
    result: dict[str, Definition] = {}
    for block in function.blocks:
        for phi in block.phis:
            result[phi.result.name] = Definition(block.label, -1, phi)
        for position, instruction in enumerate(block.body):
            if instruction.result is not None:
                result[instruction.result.name] = Definition(block.label, position, instruction)
    return result


def find_folds(facts: LoopFacts) -> dict[str, Fold]:
    """The folds by member; a minimum of floats whose order counts is a selection."""
    folds: dict[str, Fold] = {reduction.phi.name: reduction for reduction in facts.reductions}
    folds.update({m.name: s for s in facts.selections if s.order is not None for m in s.members})
    return folds
