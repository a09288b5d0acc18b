"""One case through the whole pipeline, against gcc and the scalar interpreter."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from rv.semantics.memory import Memory
from rv.semantics.scalar import Exhausted, run
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target
from tensorrv.brush.tensorize import tensorize
from tensorrv.frontend.c.module import parse_c
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import parse_plan
from tensorrv.unit.unit import Unit
from tests.fuzz.buffers import Arguments, make_arguments
from tests.fuzz.case import DTYPES, ArrayInfo, Call, Case
from tests.fuzz.children import Outcome
from tests.fuzz.native import C_TYPES, address_of, foreign, passed
from tests.fuzz.tree import Program

WINDOW = range(-4096, 90_000)
INTERPRETED = 3000


def probe_case(
    case: Case, library: ctypes.CDLL, values: Sequence[float], aliases: dict[str, tuple[str, int]], seed: int
) -> Outcome:
    """Which elements the call touches; the process traps when its behaviour is undefined."""
    call = Call(tuple(values), {}, aliases, False, seed)
    arguments = make_arguments(case, call, WINDOW)
    arguments.fill(seed)
    lowest, highest = ((ctypes.c_void_p * 16).in_dll(library, name) for name in ("lowest", "highest"))
    for k in range(16):
        lowest[k] = highest[k] = None
    foreign(case, address_of(library, case.function))(*passed(case, call, arguments))
    reach: dict[str, tuple[int, int] | None] = {}
    for k, array in enumerate(case.arrays):
        size = np.dtype(DTYPES[array.element]).itemsize
        low, high = lowest[k], highest[k]
        base = arguments.addresses[array.name]
        reach[array.name] = None if low is None or high is None else ((low - base) // size, (high - base) // size)
    inside = all(r is None or (r[0] in WINDOW and r[1] in WINDOW) for r in reach.values())
    return {"status": "ok" if inside else "outside", "reach": reach}


def check_case(case: Case, reference: ctypes.CDLL | None) -> Outcome:
    """Compile under the plan and compare all calls. `reference` is None: only compile."""
    target = resolve_target(case.target)
    try:
        module = parse_c(Path("fuzz.c"), text=case.text)
        function = module.function(case.function)
    except Refused as refusal:
        return {"status": "refused", "codes": [d.code for d in refusal.diagnostics], "detail": str(refusal)}
    result = tensorize(function.function, parse_plan(case.plan), target, lambda _: nullcontext())
    outcome: Outcome = {
        "status": "ok" if result.brushed else "refused",
        "codes": [d.code for d in result.refusals] or ([] if result.brushed else ["no nest"]),
        "detail": "; ".join(d.message for d in result.refusals),
        "moved": bool(result.order.changed),
    }
    compiled = CompiledModule(result.llvm, target)
    if reference is None:
        return outcome
    jitted = compiled.jit()
    ours = foreign(case, jitted.address(case.function))
    gcc = foreign(case, address_of(reference, case.function))
    for number, call in enumerate(case.calls):
        difference = check_call(case, call, gcc, ours, function)
        if difference is not None:
            kind = "stray write" if "outside" in difference else "mismatch"
            return {"status": "mismatch", "kind": kind, "detail": f"call {number}: {difference}", "codes": outcome["codes"]}
    return outcome


def check_call(case: Case, call: Call, gcc: Callable[..., Any], ours: Callable[..., Any], function: Unit) -> str | None:
    """What differs, or None."""
    arguments = make_arguments(case, call)
    arguments.fill(call.seed)
    expected = gcc(*passed(case, call, arguments))
    wanted = arguments.snapshot()
    arguments.fill(call.seed)
    actual = ours(*passed(case, call, arguments))
    difference = _difference(arguments, wanted, expected, actual)
    if difference is not None or sum(area.high - area.low for area in arguments.areas) > INTERPRETED:
        return difference
    arguments.fill(call.seed)
    for area in arguments.areas:
        area.protect(True)
    memory = Memory()
    addresses: dict[str, int] = {}
    for area in arguments.areas:
        # the interpreter has its own address space: only the distance to the first element matters
        region = memory.map(area.array.name, area.elements)
        addresses[area.array.name] = region.base - area.low * area.elements.itemsize
    sizes = {a.name: np.dtype(DTYPES[a.element]).itemsize for a in case.arrays}
    addresses |= {name: addresses[owner] + offset * sizes[name] for name, (owner, offset) in call.aliases.items()}
    scalars = passed(case, call, arguments)[: len(case.scalars)]
    try:
        result = run(function.function, [*scalars, *(addresses[a.name] for a in case.arrays)], memory, fuel=100_000)
    except Exhausted:
        return None
    interpreted = None if case.result is None else C_TYPES[case.result](result).value
    difference = _difference(arguments, wanted, expected, interpreted)
    return None if difference is None else f"interpreter: {difference}"


def _difference(arguments: Arguments, wanted: list[np.ndarray[Any, Any]], expected: Any, actual: Any) -> str | None:
    if not _same_number(expected, actual):
        return f"returned {actual} instead of {expected}"
    for area, right in zip(arguments.areas, wanted, strict=True):
        left = area.bytes
        if np.array_equal(left, right):
            continue
        size = area.elements.itemsize
        inside = slice(area.begin, area.begin + len(area.elements) * size)
        mine, theirs = area.elements, right[inside].view(area.elements.dtype)
        equal = mine.view(f"u{size}") == theirs.view(f"u{size}")
        if mine.dtype.kind == "f":
            equal |= np.isnan(mine) & np.isnan(theirs)
        if not equal.all():
            k = int(np.argmin(equal))
            name, wrong = f"{area.array.name}[{k + area.low}]", int((~equal).sum())
            return f"{name} is {mine[k]} instead of {theirs[k]} ({wrong} of {len(equal)} differ)"
        outside = left != right
        outside[inside] = False
        if outside.any():
            return f"a byte outside {area.array.name} was written"
    return None


def _same_number(expected: Any, actual: Any) -> bool:
    if isinstance(expected, float) and math.isnan(expected):
        return isinstance(actual, float) and math.isnan(actual)
    if isinstance(expected, float) and expected == 0 == actual:
        return math.copysign(1, expected) == math.copysign(1, actual)
    return bool(expected == actual)


def skeleton(program: Program, text: str, plan: str, target: str) -> Case:
    """The case of a program, still without calls."""
    arrays = tuple(ArrayInfo(a.name, a.element, a.const, a.fill) for a in program.arrays)
    return Case(program.name, text, tuple((n, t) for n, t, _ in program.scalars), arrays, program.result, plan, target, ())
