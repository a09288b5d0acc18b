"""A function as the body of a loop over lanes, so that there is one vectorizer: the brush takes the whole loop at once.

    double f(double x, ptr a, i32 i)             x varying, a uniform, i linear, with a lane mask

                ->   void f.lanes(ptr restrict x.lanes, ptr a, i32 i, ptr restrict result.lanes, ptr restrict mask.lanes)
                     for (lane = 0; lane < W; lane++)             iterations are independent by the caller's guarantee
                       if (mask.lanes[lane])
                         result.lanes[lane] = f(x.lanes[lane], a, i + lane)

Arrays of lanes belong to the vector version alone, hence `restrict`. `rv.drivers.by_value` turns them into
vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rv.analysis.verify import verify
from rv.argument_shapes import Linear, ParameterShape, Varying
from rv.ir.function import Block, Function, Parameter
from rv.ir.hints import LoopHints
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, ElementPointer, Instruction, Jump, Load, Phi, Return, Store
from rv.ir.rewrite import FreshNames, substitute
from rv.ir.types import I1, I8, I64, PTR, VOID, IntType, PointerType, Type, VoidType, bits_of
from rv.ir.values import Undef, Value, Var, const_int
from rv.transform.linearize.single_return import single_return

INDEPENDENT: Final = LoopHints("lanes", simd=True)
"""The hints about the loop's iterations."""


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """The loop over `lanes` lanes as a function, and the parameters that stand for the lanes of vectors.

    `arrays` holds, for each parameter of the given function, the array of its lanes; None for one that is passed as it is.
    `counter` is the source name of the loop's variable, which no other loop has.
    """

    function: Function
    lanes: int
    counter: str
    arrays: tuple[Var | None, ...]
    result: Var | None
    mask: Var | None


def lane_loop(function: Function, shapes: Sequence[ParameterShape], lanes: int, *, mask: bool) -> LaneLoop:
    """The loop; `shapes` has one entry for each parameter."""
    return _LaneLoop(single_return(function), lanes).build(shapes, mask=mask)


class _LaneLoop:
    """The loop under construction; the function's own blocks stay as they are, with parameters replaced."""

    def __init__(self, function: Function, lanes: int) -> None:
        self.function = function
        self.lanes = lanes
        self.names = FreshNames.of(function)
        self.counter = _free_source_name(function)
        self.lane = self.names.variable(self.counter, I64)
        self.enter, self.head, self.start = map(self.names.name, ("enter", "lanes.head", "lanes.start"))
        self.latch, self.done = map(self.names.name, ("lanes.latch", "lanes.done"))

    def build(self, shapes: Sequence[ParameterShape], *, mask: bool) -> LaneLoop:
        own = [parameter.var for parameter in self.function.parameters]
        arrays = [self._array(v.source_name) if s == Varying() else None for v, s in zip(own, shapes, strict=True)]
        result = None if isinstance(self.function.result, VoidType) else self._array("result")
        mask_array = self._array("mask") if mask else None
        prologue: list[Instruction] = []
        bindings: dict[str, Value] = {}
        for variable, shape, array in zip(own, shapes, arrays, strict=True):
            if array is not None:
                bindings[variable.name] = self._load(prologue, array, variable)
            elif isinstance(shape, Linear):
                bindings[variable.name] = self._linear(prologue, variable, shape)
        passed = [p if a is None else _lanes_of(a) for p, a in zip(self.function.parameters, arrays, strict=True)]
        passed += [_lanes_of(array) for array in (result, mask_array) if array is not None]
        body = _Body(bindings, tuple(prologue), result, mask_array)
        name = self.names.name(f"{self.function.name}.lanes")
        looped = Function(name, tuple(passed), VOID, self._blocks(body), self.function.span)
        return LaneLoop(verify(looped), self.lanes, self.counter, tuple(arrays), result, mask_array)

    def _blocks(self, body: _Body) -> tuple[Block, ...]:
        following, more = self.names.variable(self.counter, I64), self.names.variable("more", I1)
        phi = Phi(self.lane, ((self.enter, const_int(I64, 0)), (self.latch, following)))
        test = CompareInt(more, "slt", self.lane, const_int(I64, self.lanes))
        head = Block(self.head, (phi,), (test,), Branch(more, self.start, self.done), INDEPENDENT, self.function.span)
        step = Binary(following, "add", self.lane, const_int(I64, 1), nsw=True)
        inside = substitute(self.function, body.bindings).blocks
        return (
            Block(self.enter, (), (), Jump(self.head)),
            head,
            self._start(body),
            *(replace(b, terminator=Jump(self.latch)) if isinstance(b.terminator, Return) else b for b in inside),
            self._last(body, step),
            Block(self.done, (), (), Return(None)),
        )

    def _start(self, body: _Body) -> Block:
        """What comes before the function's own code in an iteration. Arrays of lanes are whole, whatever the mask."""
        run = self.function.entry.label
        if body.mask is None:
            return Block(self.start, (), body.prologue, Jump(run))
        code = list(body.prologue)
        bits = self._load(code, body.mask, Var("active", I8))
        active = self.names.variable("active", I1)
        code.append(CompareInt(active, "ne", bits, const_int(I8, 0)))
        return Block(self.start, (), tuple(code), Branch(active, run, self.latch))

    def _last(self, body: _Body, step: Instruction) -> Block:
        """The latch, where the result is stored: any value will do for passive lanes, so no mask is needed."""
        returns = [(b.label, b.terminator.value) for b in self.function.blocks if isinstance(b.terminator, Return)]
        values = [(label, body.bound(value)) for label, value in returns if value is not None]
        if body.result is None or not values:
            return Block(self.latch, (), (step,), Jump(self.head))
        value = self.names.variable("result", self.function.result)
        if body.mask is not None:
            values.append((self.start, Undef(value.type)))
        code: list[Instruction] = []
        code.append(Store(value, self._place(code, body.result, value.type)))
        return Block(self.latch, (Phi(value, tuple(values)),), (*code, step), Jump(self.head))

    def _array(self, name: str) -> Var:
        return self.names.variable(f"{name}.lanes", PTR)

    def _place(self, code: list[Instruction], array: Var, element: Type) -> Var:
        """The address of this lane's element."""
        pointer = self.names.variable(f"{array.source_name}.lane", PTR)
        code.append(ElementPointer(pointer, element, array, (self.lane,), ()))
        return pointer

    def _load(self, code: list[Instruction], array: Var, like: Var) -> Var:
        """This lane's element; it has the source name and the type of `like`."""
        pointer = self._place(code, array, like.type)
        value = self.names.variable(like.source_name, like.type)
        code.append(Load(value, pointer))
        return value

    def _linear(self, code: list[Instruction], first: Var, shape: Linear) -> Var:
        value = self.names.variable(first.source_name, first.type)
        if isinstance(first.type, PointerType):
            offset = self._steps(code, shape, I64)
            code.append(ElementPointer(value, I8, first, (offset,), ()))
            return value
        assert isinstance(first.type, IntType)
        offset = self._steps(code, shape, first.type)
        code.append(Binary(value, "add", first, offset, nsw=not shape.wraps))
        return value

    def _steps(self, code: list[Instruction], shape: Linear, type_: IntType) -> Value:
        """`step * unit * lane` as an integer of this type."""
        lane = self._converted(code, self.lane, type_)
        if isinstance(shape.step, int):
            return self._product(code, lane, const_int(type_, shape.step * shape.unit), wraps=shape.wraps)
        step = self._converted(code, self._parameter(shape.step), type_)
        steps = self._product(code, lane, step, wraps=shape.wraps)
        return self._product(code, steps, const_int(type_, shape.unit), wraps=shape.wraps)

    def _product(self, code: list[Instruction], left: Value, right: Value, *, wraps: bool) -> Value:
        assert isinstance(left.type, IntType)
        product = self.names.variable("offset", left.type)
        code.append(Binary(product, "mul", left, right, nsw=not wraps))
        return product

    def _converted(self, code: list[Instruction], value: Var, type_: IntType) -> Var:
        if value.type == type_:
            return value
        result = self.names.variable(value.source_name, type_)
        code.append(Convert(result, "trunc" if bits_of(value.type) > type_.bits else "sext", value))
        return result

    def _parameter(self, name: str) -> Var:
        return next(p.var for p in self.function.parameters if p.var.name == name)


@dataclass(frozen=True, slots=True)
class _Body:
    """What parameters become in an iteration, the code for that, and the arrays besides those of parameters."""

    bindings: Mapping[str, Value]
    prologue: tuple[Instruction, ...]
    result: Var | None
    mask: Var | None

    def bound(self, value: Value) -> Value:
        """What a value of the function is in the loop."""
        return self.bindings.get(value.name, value) if isinstance(value, Var) else value


def _lanes_of(array: Var) -> Parameter:
    return Parameter(array, restrict=True)


def _free_source_name(function: Function) -> str:
    """A name that no variable of the source has."""
    taken = {p.var.source_name for p in function.parameters}
    taken |= {s.result.source_name for b in function.blocks for s in (*b.phis, *b.body) if s.result is not None}
    return next(name for name in ("lane", *(f"lane{k}" for k in range(len(taken) + 1))) if name not in taken)
