"""The last steps: a function as a loop over lanes, the brush pipeline, and a run of what it makes.

The vector IR runs in its interpreter, on regions with bounds; machine code between inaccessible pages.
"""

from __future__ import annotations

import contextlib
import ctypes
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from rv.argument_shapes import Linear, ParameterShape, Uniform, Varying
from rv.drivers.lane_loop import LaneLoop, lane_loop
from rv.emit.llvm import module_text
from rv.ir.steps import Keep, forget
from rv.ir.types import PTR, FloatType, Type, size_of
from rv.semantics.memory import Memory
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target
from rv.vector.function import Module
from rv.vector.interpreter import Program
from rv.vector.verify import verify
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.schedule.plan import Brush, parse_plan
from tests.fuzz.buffers import Area, make_area
from tests.fuzz.case import ArrayInfo
from tests.stages.case import Case
from tests.stages.meaning import Found, plain_arrays, plain_number

STEP: Final = 3
"""Between the numbers of neighbouring threads that a linear parameter has."""


def parameter_shapes(case: Case) -> list[ParameterShape]:
    sizes = dict(zip(case.pointers, _sizes(case), strict=True))
    shapes: dict[str, ParameterShape] = {"uniform": Uniform(), "varying": Varying()}
    return [shapes.get(shape, Linear(sizes.get(k, STEP))) for k, shape in enumerate(case.shapes)]


def _sizes(case: Case) -> tuple[int, ...]:
    """Bytes of each array; all threads have the same."""
    return tuple(map(len, next(t.arrays for t in case.threads if t.arrays is not None)))


def tensorized(case: Case, keep: Keep = forget) -> tuple[LaneLoop, Tensorized]:
    """The loop over all threads of the case under its plan."""
    loop = lane_loop(case.function, parameter_shapes(case), len(case.threads), mask=False)
    plan = replace(parse_plan(case.plan), brush=Brush((case.width,), (loop.counter,)))
    return loop, tensorize(loop.function, plan, resolve_target(case.target), lambda _: contextlib.nullcontext(), keep=keep)


class Arrays:
    """The arrays of all threads in whole pages, in order or, for a varying pointer, in any; and those of lanes."""

    def __init__(self, case: Case, chosen: random.Random) -> None:
        self.case, self.at_end = case, chosen.random() < 0.5
        self.areas: list[Area] = []
        self.places: list[list[int]] = []
        for k, size in zip(case.pointers, _sizes(case), strict=True):
            order = list(range(len(case.threads)))
            if case.shapes[k] == "varying":
                chosen.shuffle(order)
            self.areas.append(self.area(size * len(order)))
            self.places.append([size * n for n in order])
        for thread, slices in zip(case.threads, self.slices(), strict=True):
            for given, own in zip(thread.arrays or (), slices, strict=thread.arrays is not None):
                own[:] = np.frombuffer(given, np.uint8)

    def area(self, size: int) -> Area:
        return make_area(ArrayInfo("bytes", "unsigned char", False, 0), 0, size - 1, self.at_end)

    def slices(self) -> list[list[np.ndarray[Any, Any]]]:
        """For each thread the bytes of its arrays."""
        sizes = _sizes(self.case)
        return [
            [area.elements[p[t] : p[t] + size] for area, p, size in zip(self.areas, self.places, sizes, strict=True)]
            for t in range(len(self.case.threads))
        ]

    def addresses(self, pointer: int, base_of: Callable[[Area], int]) -> list[int]:
        """Of one pointer parameter, for all threads; `base_of`: where an area begins."""
        base = base_of(self.areas[pointer])
        linear = self.case.shapes[self.case.pointers[pointer]] == "linear"
        null = [thread.arrays is None and not linear for thread in self.case.threads]
        return [0 if none else base + place for none, place in zip(null, self.places[pointer], strict=True)]

    def lanes(self, values: Sequence[Any], type_: Type) -> Area:
        area = self.area(size_of(type_) * len(values))
        area.elements[:] = np.array(values).astype(_dtype(type_)).view(np.uint8)
        return area


def _dtype(type_: Type) -> str:
    return f"{'f' if isinstance(type_, FloatType) else 'u' if type_ == PTR else 'i'}{size_of(type_)}"


def _c_type(type_: Type) -> Any:
    if type_ == PTR:
        return ctypes.c_void_p
    if isinstance(type_, FloatType):
        return ctypes.c_float if type_.bits == 32 else ctypes.c_double
    return getattr(ctypes, f"c_int{8 * size_of(type_)}")


def run_machine_code(case: Case, loop: LaneLoop, vector_code: Module) -> list[Found]:
    """What all threads leave."""
    target = resolve_target(case.target)
    module = CompiledModule(module_text(vector_code, target), target).jit()
    types = [_c_type(p.var.type) for p in loop.function.parameters]
    function = ctypes.CFUNCTYPE(None, *types)(module.address(loop.function.name))
    return _run(case, loop, lambda area: area.base, lambda passed: function(*passed))


def run_vector_code(case: Case, loop: LaneLoop, module: Module, fuel: int) -> list[Found]:
    """What all threads leave when the vector IR runs in its interpreter. Raises what that raises."""
    memory = Memory()
    regions: dict[int, int] = {}

    def base_of(area: Area) -> int:
        if id(area) not in regions:
            regions[id(area)] = memory.map("area", area.elements).base
        return regions[id(area)]

    program = Program(verify(module))
    return _run(case, loop, base_of, lambda passed: program.run(loop.function.name, passed, memory, fuel=fuel))


def _run(
    case: Case, loop: LaneLoop, base_of: Callable[[Area], int], call: Callable[[Sequence[Any]], object]
) -> list[Found]:
    """What all threads leave when the loop over them is called; `base_of`: the address of an area."""
    arrays = Arrays(case, random.Random(case.seed))
    columns: list[list[Any]] = []
    pointers, numbers = iter(range(len(case.pointers))), iter(zip(*(t.numbers for t in case.threads), strict=True))
    for k in range(len(case.shapes)):
        columns.append(arrays.addresses(next(pointers), base_of) if k in case.pointers else list(next(numbers)))
    result = arrays.area(size_of(case.function.result) * len(case.threads))
    kept, passed = [result], list[Any]()
    for column, parameter, array in zip(columns, case.function.parameters, loop.arrays, strict=True):
        if array is not None:
            kept.append(arrays.lanes(column, parameter.var.type))
        passed.append(column[0] if array is None else base_of(kept[-1]))
    call((*passed, base_of(result)))
    returned = result.elements.view(_dtype(case.function.result).replace("i", "u")).tolist()
    return [
        (plain_number(value), plain_arrays(case, [bytes(s) for s in own]) if thread.arrays is not None else ())
        for thread, value, own in zip(case.threads, returned, arrays.slices(), strict=True)
    ]
