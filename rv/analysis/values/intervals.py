"""Where a function may access memory, when its integer parameters and what it loads lie in known intervals.

Abstract interpretation over environments from variables to intervals (of integers) and places (of pointers: a parameter and an
interval of bytes behind it). Edges of branches limit the operands of the conditions. Loop headers are widened, first to bounds
that other variables have, then to the whole type, and two descending sweeps take back what conditions rule out (Cousot and
Cousot, POPL 1977). The result covers every access of every execution in which nothing is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.analysis.cfg.loops import find_loops
from rv.analysis.values.interval_arithmetic import NEGATED, TRUTHS, Interval, binary, fitting, join, limited, meet, whole
from rv.analysis.values.uses import definitions
from rv.ir.function import Block, Function
from rv.ir.instructions import (
    Alloca,
    Binary,
    Branch,
    CompareInt,
    Convert,
    ElementPointer,
    Horizontal,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
)
from rv.ir.types import IntType, PointerType, Type, size_of
from rv.ir.values import TRUE, Const, Value, Var

BY_BOUNDS: Final = 3
"""So many visits of a header go by without widening,"""
TO_TYPE: Final = 16
"""and after so many the whole type is taken."""


@dataclass(frozen=True, slots=True)
class Place:
    """`array` is the name of a pointer parameter, or of the variable of a local object after a `%`; `offset` is in bytes."""

    array: str
    offset: Interval


NOWHERE: Final = Place("", (0, 0))
"""Of pointers that may point anywhere."""

Known = Interval | Place
Environment = dict[str, Known]
Loaded = Callable[[Place, IntType], Interval]
"""What an integer loaded from a place may be."""


@dataclass(frozen=True, slots=True)
class Span:
    """An access to `width` bytes at the place."""

    place: Place
    width: int


def spans(function: Function, parameters: Mapping[str, Interval], loaded: Loaded) -> tuple[Span, ...]:
    """All accesses that may happen, with where they may go. Integer parameters without interval may be anything."""
    return tuple(_Interpreter(function, loaded).accesses(parameters))


@dataclass(slots=True)
class _Interpreter:
    function: Function
    loaded: Loaded
    known: Mapping[str, Instruction | Phi] = field(init=False)
    entering: dict[str, Environment] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known = definitions(self.function)

    def accesses(self, parameters: Mapping[str, Interval]) -> Iterator[Span]:
        self._solve(parameters)
        for block in self.function.blocks:
            if block.label not in self.entering:
                continue
            environment = dict(self.entering[block.label])
            for instruction in block.body:
                if isinstance(instruction, Load | Store):
                    type_ = instruction.result.type if isinstance(instruction, Load) else instruction.value.type
                    yield Span(_place(environment, instruction.pointer), size_of(type_))
                self._execute(environment, instruction)

    def _solve(self, parameters: Mapping[str, Interval]) -> None:
        graph = flow_graph(self.function)
        order, headers = reverse_postorder(graph), find_loops(self.function).loops.keys()
        start: Environment = {}
        for p in self.function.parameters:
            given = parameters.get(p.var.name)
            start[p.var.name] = Place(p.var.name, (0, 0)) if isinstance(p.var.type, PointerType) else given or _any(p.var.type)
        self.entering = {self.function.entry.label: start}
        visits = dict.fromkeys(order, 0)
        changed = True
        while changed:
            changed = False
            for label in order[1:]:
                found = self._joined(label, graph.predecessors[label])
                if found is None:
                    continue
                before = self.entering.get(label)
                if before is not None and label in headers:
                    visits[label] += 1
                    found = self._widened(self.function.block(label), before, found, visits[label])
                if found != before:
                    self.entering[label], changed = found, True
        for _ in range(2):
            for label in order[1:]:
                found = self._joined(label, graph.predecessors[label])
                if found is None:
                    self.entering.pop(label, None)
                else:
                    self.entering[label] = found

    def _joined(self, label: str, predecessors: tuple[str, ...]) -> Environment | None:
        """What is known when the block is entered; None when it never is."""
        joined: Environment | None = None
        block = self.function.block(label)
        for predecessor in predecessors:
            edge = self._edge(predecessor, block)
            if edge is not None:
                joined = edge if joined is None else _joined(joined, edge)
        return joined

    def _edge(self, predecessor: str, block: Block) -> Environment | None:
        """What is known on an edge, with the phis of the block; None when it is never taken."""
        if predecessor not in self.entering:
            return None
        source = self.function.block(predecessor)
        environment: Environment | None = dict(self.entering[predecessor])
        assert environment is not None
        for instruction in source.body:
            self._execute(environment, instruction)
        match source.terminator:
            case Branch(condition=condition, then=then, otherwise=otherwise) if then != otherwise:
                environment = self._assumed(environment, condition, block.label == then)
        if environment is None:
            return None
        # all at once: a phi may read another one of its block
        found = {phi.result.name: _value(environment, phi.value_from(predecessor)) for phi in block.phis}
        return environment | found

    def _widened(self, block: Block, before: Environment, found: Environment, visit: int) -> Environment:
        """What is known at a loop header, where only phis can grow: all else depends on those of other headers."""
        result = dict(found)
        stable = [value for name, value in found.items() if before.get(name) == value]
        bounds = {bound for value in stable for bound in (value.offset if isinstance(value, Place) else value)}
        for phi in block.phis:
            name = phi.result.name
            if name in before:
                within = bounds if visit <= TO_TYPE else set[int]()
                result[name] = _grown(before[name], found[name], _any(phi.result.type), within, widen=visit > BY_BOUNDS)
        return result

    def _execute(self, environment: Environment, instruction: Instruction) -> None:
        """Adds what the instruction defines."""
        result = instruction.result
        if result is None:
            return
        if isinstance(result.type, PointerType):
            environment[result.name] = _pointer(environment, instruction)
        elif isinstance(result.type, IntType):
            environment[result.name] = self._integer(environment, instruction, result.type)

    def _integer(self, environment: Environment, instruction: Instruction, type_: IntType) -> Interval:
        match instruction:
            case Binary(left=left, right=right):
                return binary(instruction, _interval(environment, left), _interval(environment, right))
            case CompareInt(predicate=predicate, left=left, right=right) if not isinstance(left.type, PointerType):
                a, b = _interval(environment, left), _interval(environment, right)
                possible, impossible = limited(predicate, a, b), limited(NEGATED[predicate], a, b)
                return (0, 0) if possible is None else (1, 1) if impossible is None else TRUTHS
            case Select(condition=condition, then=then, otherwise=otherwise):
                parts = [self._assumed(environment, condition, truth) for truth in (True, False)]
                values = [_interval(e, v) for e, v in zip(parts, (then, otherwise), strict=True) if e is not None]
                return join(values[0], values[-1]) if values else whole(type_)
            case Convert(op="sext" | "trunc", value=value):
                return fitting(_interval(environment, value), type_)
            case Convert(op="zext", value=value):
                low, high = _interval(environment, value)
                unsigned = (1 << value.type.bits) - 1 if isinstance(value.type, IntType) else 0
                return (low, high) if low >= 0 else fitting((0, unsigned), type_)
            case Load(pointer=pointer):
                return self.loaded(_place(environment, pointer), type_)
            case Horizontal(op="lane"):
                return (0, 0)
            case Horizontal(op="lanes"):
                return (1, 1)
            case _:
                return whole(type_)

    def _assumed(self, environment: Environment, condition: Value, truth: bool) -> Environment | None:
        """The environment where the condition is known; None when it never is so."""
        if isinstance(condition, Const):
            return environment if bool(condition.bits) == truth else None
        if not isinstance(condition, Var):
            return environment
        held = environment.get(condition.name, TRUTHS)
        if held == ((0, 0) if truth else (1, 1)):
            return None
        match self.known.get(condition.name):
            case CompareInt(predicate=predicate, left=left, right=right) if not isinstance(left.type, PointerType):
                chosen = predicate if truth else NEGATED[predicate]
                found = limited(chosen, _interval(environment, left), _interval(environment, right))
                return None if found is None else self._with(self._with(environment, left, found[0]), right, found[1])
            case Binary(op="xor", left=left, right=right) if right == TRUE:
                return self._assumed(environment, left, not truth)
            case Binary(op="and" | "or" as op, left=left, right=right) if (op == "and") == truth:
                first = self._assumed(environment, left, truth)
                return None if first is None else self._assumed(first, right, truth)
            case Select(condition=first, then=then, otherwise=Const(bits=0)) if truth:
                both = self._assumed(environment, first, True)
                return None if both is None else self._assumed(both, then, True)
            case Select(condition=first, then=Const(bits=1), otherwise=otherwise) if not truth:
                both = self._assumed(environment, first, False)
                return None if both is None else self._assumed(both, otherwise, False)
            case _:
                return environment

    def _with(self, environment: Environment, value: Value, interval: Interval) -> Environment:
        """The environment with a variable limited, and with it the variables that it was made from."""
        if not isinstance(value, Var):
            return environment
        result = environment | {value.name: interval}
        match self.known.get(value.name):
            case Convert(op="sext" | "zext", value=Var(name=name) as inner) if isinstance(environment.get(name), tuple):
                narrower = meet(_interval(environment, inner), interval)
                return result if narrower is None else self._with(result, inner, narrower)
            case Binary(op="add", left=Var(name=name) as inner, right=Const() as step, nsw=True) if name in environment:
                moved = (interval[0] - step.signed, interval[1] - step.signed)
                narrower = meet(_interval(environment, inner), moved)
                return result if narrower is None else self._with(result, inner, narrower)
            case _:
                return result


def _grown(old: Known, new: Known, whole_type: Interval, bounds: set[int], *, widen: bool) -> Known:
    """The join; an end that has moved goes on to the next of the bounds, or to that of the type."""
    joined = _joined_value(old, new)
    if not widen or joined == old:
        return joined
    if isinstance(joined, Place):
        return replace(joined, offset=whole(IntType(64)))
    assert not isinstance(old, Place)
    low = joined[0] if joined[0] == old[0] else max((b for b in bounds if b <= joined[0]), default=whole_type[0])
    high = joined[1] if joined[1] == old[1] else min((b for b in bounds if b >= joined[1]), default=whole_type[1])
    return max(low, whole_type[0]), min(high, whole_type[1])


def _any(type_: Type) -> Interval:
    return whole(type_) if isinstance(type_, IntType) else (0, 0)


def _value(environment: Environment, value: Value) -> Known:
    return _place(environment, value) if isinstance(value.type, PointerType) else _interval(environment, value)


def _interval(environment: Environment, value: Value) -> Interval:
    if isinstance(value, Const) and isinstance(value.type, IntType):
        return value.signed, value.signed
    found = environment.get(value.name) if isinstance(value, Var) else None
    return found if isinstance(found, tuple) else _any(value.type)


def _place(environment: Environment, value: Value) -> Place:
    found = environment.get(value.name) if isinstance(value, Var) else None
    return found if isinstance(found, Place) else NOWHERE


def _pointer(environment: Environment, instruction: Instruction) -> Place:
    match instruction:
        case ElementPointer(element=element, base=base, indices=indices, extents=extents):
            place, wide = _place(environment, base), IntType(64)
            total = _interval(environment, indices[0])
            for index, extent in zip(indices[1:], extents, strict=True):
                products = [x * y for x in total for y in _interval(environment, extent)]
                inner = _interval(environment, index)
                total = min(products) + inner[0], max(products) + inner[1]
            size = size_of(element)
            moved = place.offset[0] + size * total[0], place.offset[1] + size * total[1]
            return Place(place.array, fitting(moved, wide)) if place.array else NOWHERE
        case Alloca(result=result):
            return Place(str(result), (0, 0))
        case Select(then=then, otherwise=otherwise):
            found = _joined_value(_place(environment, then), _place(environment, otherwise))
            return found if isinstance(found, Place) else NOWHERE
        case _:
            return NOWHERE


def _joined(left: Environment, right: Environment) -> Environment:
    """What is known on one of two paths. A variable that only one path defines is not read after both."""
    return left | {name: _joined_value(left[name], value) if name in left else value for name, value in right.items()}


def _joined_value(left: Known, right: Known) -> Known:
    if isinstance(left, Place) or isinstance(right, Place):
        same = isinstance(left, Place) and isinstance(right, Place) and left.array == right.array
        return Place(left.array, join(left.offset, right.offset)) if same else NOWHERE  # type: ignore[union-attr]
    return join(left, right)
