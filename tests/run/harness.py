"""Runs kernels under many plans in one program and compares them with gcc -O0.

For a C file and a target, every plan's object code, the code that gcc makes of the same file, and the driver are linked into
one program. Plans with vector functions are compared with gcc's code of the sources of these functions. The program runs
every case with arrays that end at an unmapped page and with arrays that begin right after one.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from rv.ir.libm import SIGNATURES
from rv.ir.steps import Keep, forget
from rv.ir.types import FloatType, IntType, VoidType
from rv.target.llvm import CompiledModule
from rv.widen.linkage import EXTERNAL
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.frontend.vector_functions import SOURCES, source_file
from tensorrv.interface.storage.arrays import storages_of
from tensorrv.pipeline.kernel import declared_arrays
from tensorrv.run.call import Array
from tensorrv.schedule.plan import Plan
from tensorrv.unit.unit import Unit
from tensorrv.unit.vector_math import PROVIDED
from tests.run.storage import fitting_layouts, stored_case
from tests.run.subject import Case, Subject, make_cases
from tests.run.toolchain import REFERENCE, Toolchain

HERE = Path(__file__).parent
TOLERANCE = {32: 1e-4, 64: 1e-11}
PLACES = {1: "arrays end at an unmapped page", 0: "arrays begin after an unmapped page"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A compiled function of the program; the one that gcc made has no plan."""

    function: Unit
    symbol: str
    plan: Plan | None
    tensorized: Tensorized | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running found: `failures` in words, and what gcc's code left of every case (buffers, then the result's bits)."""

    entries: tuple[Entry, ...]
    failures: tuple[str, ...]
    expected: tuple[tuple[Array, ...], ...]
    results: tuple[int, ...]


def run_plans(
    subject: Subject, plans: Sequence[Plan], tools: Toolchain, scratch: Path, layout: str = "", keep: Keep = forget,
    read: Callable[[Unit], Unit] = lambda function: function,
) -> Outcome:
    """Runs all functions of the subject under all plans, which all have vector functions or none.

    As many arrays as possible are stored in `layout`. `keep` is the seam between the steps of the compilation. `read` gives what
    is compiled for a function of the subject: another unit with the same interface.
    """
    vector = {plan.vector_math and not subject.tolerant for plan in plans} == {True}
    entries = [Entry(f, f"reference_{f.name}", None, None) for f in subject.functions]
    objects = [scratch / "reference.o", scratch / "driver.o", scratch / "entries.o"]
    names = [f"-D{entry.function.name}={entry.symbol}" for entry in entries]
    included = vector_math_header(scratch) if vector else ()
    tools.compile(subject.path, objects[0], *REFERENCE, *included, *names)
    if vector:
        objects += vector_math_objects(tools, scratch, included)
    tools.compile(HERE / "driver.c", objects[1], "-O1")
    for number, plan in enumerate(plans):
        for function in subject.functions:
            symbol = f"plan{number}_{function.name}"
            compiled = read(function)
            renamed = replace(compiled.function, name=symbol)
            stored = replace(plan, layouts=fitting_layouts(subject, function, layout)) if layout else plan
            arrays = declared_arrays(compiled)
            tensorized = tensorize(
                renamed, stored, tools.target, lambda name: contextlib.nullcontext(), EXTERNAL, arrays, keep=keep
            )
            objects.append(scratch / f"{symbol}.o")
            objects[-1].write_bytes(CompiledModule(tensorized.llvm, tools.target).object)
            entries.append(Entry(function, symbol, stored, tensorized))
    table = scratch / "entries.c"
    table.write_text(_table(entries))
    tools.compile(table, objects[2], "-O1", f"-I{HERE}")
    program = scratch / "program"
    tools.link(objects, program)
    return _run(subject, entries, program, tools, scratch)


def vector_math_header(scratch: Path) -> tuple[str, ...]:
    """Options for gcc that put the vector functions in the place of libm's."""
    header = scratch / "vector_math.h"
    lines = ["#include <math.h>"]
    for name in PROVIDED:
        types = [{"d": "double", "f": "float"}[code] for code in SIGNATURES[name]]
        lines += [f"{types[0]} vector_{name}({', '.join(types[1:])});", f"#define {name} vector_{name}"]
    header.write_text("\n".join([*lines, ""]))
    return ("-include", str(header))


PARTS: Final = """
real __exponent(real x)
{
    int k;
    return x == 0 ? -(real)INFINITY : !isfinite(x) ? fabs(x) : (frexp(x, &k), k - 1);
}

real __mantissa(real x)
{
    int k;
    return !(x >= 0) ? (real)NAN : x == 0 || x == INFINITY ? 1 : (real)(2 * frexp(x, &k));
}
"""
"""What vector functions take for instructions."""


def vector_math_objects(tools: Toolchain, scratch: Path, options: Sequence[str]) -> list[Path]:
    """The vector functions of both formats as gcc compiles them; `options` rename them."""
    source = scratch / "vector_math.c"
    files = [f'#include "{file}"' for file in dict.fromkeys(map(source_file, PROVIDED))]
    source.write_text("\n".join([f'#include "{SOURCES / "real.h"}"', PARTS, *files, ""]))
    objects = [scratch / "doubles.o", scratch / "floats.o"]
    for format_, target in zip(((), ("-DFLOAT",)), objects, strict=True):
        tools.compile(source, target, *REFERENCE, *options, *format_)
    return objects


def _run(subject: Subject, entries: list[Entry], program: Path, tools: Toolchain, scratch: Path) -> Outcome:
    cases = make_cases(subject.path)
    of_function = {entry.function.name: [n for n, c in enumerate(cases) if c.function is entry.function] for entry in entries}
    job, record = scratch / "job", scratch / "record"
    recorded = [(k, n, 1) for k, e in enumerate(entries) if e.plan is None for n in of_function[e.function.name]]
    job.write_bytes(_job(subject, cases, None, recorded))
    faults = tools.run(program, job, record)
    assert not faults, f"gcc's code faults: {_explain(faults.splitlines()[0], entries, cases)}"
    expected, results = _recorded(cases, [n for _, n, _ in recorded], record.read_bytes())
    all_cases, all_expected, all_results = list(cases), list(expected), list(results)
    runs: list[tuple[int, int, int]] = []
    for k, entry in enumerate(entries):
        storages = {} if entry.tensorized is None else storages_of(entry.tensorized.arrays)
        for n in of_function[entry.function.name]:
            number = n
            if storages:
                number = len(all_cases)
                case, wanted = stored_case(cases[n], expected[n], storages)
                all_cases, all_expected, all_results = [*all_cases, case], [*all_expected, wanted], [*all_results, results[n]]
            runs += [(k, number, 1), (k, number, 0)]
    job.write_bytes(_job(subject, all_cases, (tuple(all_expected), tuple(all_results)), runs))
    output = tools.run(program, job)
    return Outcome(tuple(entries), tuple(_explain(line, entries, all_cases) for line in output.splitlines()), expected, results)


def _table(entries: Sequence[Entry]) -> str:
    """C code that lists the entries with a function that calls each."""
    lines = ['#include "entries.h"']
    rows = []
    for number, entry in enumerate(entries):
        function = entry.function.function
        members = [_member(p.var.type) for p in function.parameters]
        types = ", ".join(_c_type(m) for m in members) or "void"
        passed = ", ".join(f"a[{k}].{member}" for k, member in enumerate(members))
        result = "void" if isinstance(function.result, VoidType) else _c_type(_member(function.result))
        keep = "" if result == "void" else f"r->{_member(function.result)} = "
        lines.append(f"extern void {entry.symbol}(void);")
        lines.append(f"static void call{number}(void (*f)(void), const union number *a, union number *r)")
        lines.append(f"{{ (void)a; (void)r; {keep}(({result} (*)({types}))f)({passed}); }}")
        rows.append(f"    {{{entry.symbol}, call{number}}},")
    return "\n".join([*lines, "const struct entry entries[] = {", *rows, "};", ""])


def _member(type_: object) -> str:
    match type_:
        case IntType(bits):
            return f"i{max(8, bits)}"
        case FloatType(bits):
            return f"f{bits}"
        case _:
            return "pointer"


def _c_type(member: str) -> str:
    return {"pointer": "void *", "f32": "float", "f64": "double"}.get(member, f"{member.replace('i', 'int')}_t")


def _job(
    subject: Subject, cases: Sequence[Case], expected: tuple[tuple[tuple[Array, ...], ...], tuple[int, ...]] | None,
    runs: Sequence[tuple[int, int, int]],
) -> bytes:  # fmt: skip
    parts = [struct.pack("<I", len(cases))]
    for number, case in enumerate(cases):
        parts.append(_arguments(case))
        parts.append(struct.pack("<I", len(case.buffers)))
        for slot, buffer in enumerate(case.buffers):
            kind = buffer.dtype.itemsize if buffer.dtype.kind == "f" else 0
            parts += [struct.pack("<IQI", kind, buffer.nbytes, expected is not None), buffer.tobytes()]
            if expected is not None:
                parts.append(expected[0][number][slot].tobytes())
        tolerance = _tolerance(case) if subject.tolerant else 0.0
        result = expected[1][number] if expected is not None else 0
        parts.append(struct.pack("<IQd", _result_kind(case.function), result, tolerance))
    parts.append(struct.pack("<I", len(runs)))
    parts += [struct.pack("<III", *run) for run in runs]
    return b"".join(parts)


def _tolerance(case: Case) -> float:
    widths = [8 * b.dtype.itemsize for b in case.buffers if b.dtype.kind == "f"]
    return TOLERANCE[min(widths)] if widths else 0.0


def _result_kind(function: Unit) -> int:
    match function.function.result:
        case VoidType():
            return 0
        case FloatType(bits):
            return bits // 8
        case _:
            return 1


def _arguments(case: Case) -> bytes:
    parts = [struct.pack("<I", len(case.arguments))]
    for parameter, argument in zip(case.function.parameters, case.arguments, strict=True):
        if isinstance(argument, tuple):
            parts.append(struct.pack("<IIQ", 1, *argument))
            continue
        type_ = parameter.element.type
        if isinstance(type_, FloatType):
            bits = struct.pack("<d" if type_.bits == 64 else "<fxxxx", argument)
        else:
            bits = struct.pack("<Q", int(argument) % 2**64)
        parts.append(struct.pack("<II", 0, 0) + bits)
    return b"".join(parts)


def _recorded(
    cases: Sequence[Case], numbers: Sequence[int], data: bytes
) -> tuple[tuple[tuple[Array, ...], ...], tuple[int, ...]]:
    found: dict[int, tuple[tuple[Array, ...], int]] = {}
    position = 0
    for number in numbers:
        buffers = []
        for buffer in cases[number].buffers:
            buffers.append(np.frombuffer(data, buffer.dtype, buffer.size, position))
            position += buffer.nbytes
        found[number] = tuple(buffers), int.from_bytes(data[position : position + 8], "little")
        position += 8
    assert position == len(data)
    return tuple(found[n][0] for n in range(len(cases))), tuple(found[n][1] for n in range(len(cases)))


def _explain(line: str, entries: Sequence[Entry], cases: Sequence[Case]) -> str:
    where, _, what = line.partition(": ")
    entry, case, place = map(int, where.split())
    return f"[{entries[entry].plan or 'gcc -O0'}] {cases[case]}, {PLACES[place]}: {what}"
