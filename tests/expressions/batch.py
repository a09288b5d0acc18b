"""Many programs at once: each compiled under its plan, all called by one program that compares them with gcc -O0."""

from __future__ import annotations

import base64
import contextlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from autotune.automatic import compile_automatically
from rv.ir.function import Function
from rv.target.llvm import CompiledModule
from rv.target.machine import resolve_target
from rv.transform.prepare import prepare
from rv.widen.linkage import EXTERNAL
from tensorrv.brush.tensorize import tensorize
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_scalar, declared_arrays
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import SCALAR, Plan, parse_plan
from tensorrv.unit.elements import Number
from tensorrv.unit.unit import Unit
from tests.expressions.numbers import BY_NAME
from tests.fuzz.children import Outcome, run_apart
from tests.run.toolchain import REFERENCE, Toolchain

HERE: Final = Path(__file__).parent
HEADER: Final = "#include <math.h>\n"
SECONDS: Final = 60
EXACT: Final = ("-frounding-math", "-fsignaling-nans")
"""gcc folds `0 - (double)b` to a negation, -0.0 for 0, without the first."""


@dataclass(frozen=True, slots=True)
class Case:
    """A function of C text under a plan ("none", a brush with options, or "auto"); it is called `NAME`.

    `signalling`: it is called with signalling NaNs though it has calls of fmin or fmax, of which they are documented to differ.
    """

    text: str
    plan: str
    signalling: bool = False

    def named(self, name: str) -> str:
        return self.text.replace("NAME", name)


@dataclass(slots=True)
class Found:
    """What became of cases: `failures` by number, how many are brushed, and codes of what was refused."""

    failures: dict[int, str] = field(default_factory=dict)
    brushed: int = 0
    refused: Counter[str] = field(default_factory=Counter)


def check(cases: Sequence[Case], tools: Toolchain, scratch: Path, seed: int = 0) -> Found:
    """Compile, link, call, compare."""
    return check_targets(cases, (tools,), scratch, seed)[0]


def check_targets(cases: Sequence[Case], tools: Sequence[Toolchain], scratch: Path, seed: int = 0) -> list[Found]:
    """The same cases on several targets, read once."""
    module = parse_c(HERE / "cases.c", text=HEADER + "".join(case.named(f"f{k}") for k, case in enumerate(cases)))
    functions = {function.name: function for function in module.functions}
    targets = [own.target.name for own in tools]
    tasks = [partial(_compile_all, functions[f"f{k}"], case.plan, targets) for k, case in enumerate(cases)]
    outcomes = run_apart(tasks, SECONDS)
    return [_check_target(cases, n, functions, outcomes, own, scratch, seed) for n, own in enumerate(tools)]


def _check_target(
    cases: Sequence[Case], number: int, functions: dict[str, Unit], outcomes: Sequence[Outcome], tools: Toolchain,
    scratch: Path, seed: int,
) -> Found:  # fmt: skip
    found = Found()
    objects, entries = [scratch / "reference.o", scratch / "driver.o", scratch / "entries.o"], []
    for k, outcome in enumerate(outcomes):
        if outcome["status"] != "ok":
            found.failures[k] = outcome.get("detail") or f"killed by signal {outcome['signal']}"
            continue
        compiled = outcome["compiled"][number]
        found.brushed += compiled["brushed"]
        found.refused.update(compiled["codes"])
        objects.append(scratch / f"f{k}.o")
        objects[-1].write_bytes(base64.b64decode(compiled["object"]))
        entries.append(k)
    _link(cases, entries, functions, objects, tools, scratch)
    for line in _run(tools, scratch / "program", seed):
        place, _, what = line.partition(" ")
        found.failures[entries[int(place)]] = what
    return found


def _compile_all(function: Unit, plan: str, targets: Sequence[str]) -> Outcome:
    with _prepared_once():
        return {"status": "ok", "compiled": [_compile(function, plan, name) for name in targets]}


@contextlib.contextmanager
def _prepared_once() -> Iterator[None]:
    """`prepare` remembers what it made of the last function: the same one is compiled for several targets."""
    made: list[tuple[Function, Function]] = []

    def remembered(function: Function) -> Function:
        if not made or made[0][0] is not function:
            made[:] = [(function, prepare(function))]
        return made[0][1]

    tensorizer: Any = sys.modules[tensorize.__module__]
    tensorizer.prepare = remembered
    try:
        yield
    finally:
        tensorizer.prepare = prepare


def _compile(function: Unit, plan: str, target_name: str) -> Outcome:
    target = resolve_target(target_name)
    codes: list[str] = []
    if plan == "auto":
        try:
            kernel = compile_automatically(function, Plan(auto=True), target, {})
        except Refused as refusal:
            codes = [d.code for d in refusal.diagnostics]
            kernel = compile_scalar(function, target)
        brushed, module = bool(kernel.tensorized.brushed), kernel.module
    else:
        no_clock = lambda name: contextlib.nullcontext()  # noqa: E731
        wanted = parse_plan(f"brush={plan}")
        tensorized = tensorize(function.function, wanted, target, no_clock, EXTERNAL, declared_arrays(function))
        codes = [d.code for d in tensorized.refusals] if wanted.brush != SCALAR else []
        brushed, module = bool(tensorized.brushed), CompiledModule(tensorized.llvm, target)
    return {"object": base64.b64encode(module.object).decode(), "brushed": brushed, "codes": codes}


def _link(
    cases: Sequence[Case], entries: Sequence[int], functions: dict[str, Unit], objects: Sequence[Path], tools: Toolchain,
    scratch: Path,
) -> None:  # fmt: skip
    reference = scratch / "reference.c"
    reference.write_text(HEADER + "".join(cases[k].named(f"r{k}") for k in entries))
    tools.compile(reference, objects[0], *REFERENCE, *EXACT)
    driver = HERE.parent / "expressions" / "driver.c"
    tools.compile(driver, objects[1], "-O1", "-w")
    x86 = tools.target.architecture == "x86_64"
    rows = []
    for k in entries:
        calls = re.search(r"\bf(min|max)f?\(", cases[k].text) is not None
        quiet = calls and (x86 or not cases[k].signalling)
        rows.append(f'    {{f{k}, r{k}, "{types(functions[f"f{k}"])}", {int(quiet)}}},')
    declared = [f"void f{k}(), r{k}();" for k in entries]
    struct = "struct entry { void (*ours)(); void (*reference)(); const char *types; int quiet; };"
    table = scratch / "entries.c"
    end = ["};", f"const int count = {len(entries)};", ""]
    table.write_text("\n".join([struct, *declared, "const struct entry entries[] = {", *rows, *end]))
    tools.compile(table, objects[2], "-w")
    tools.link(objects, scratch / "program")


def types(function: Unit) -> str:
    """A letter for the elements of each array."""
    found = []
    for parameter in function.parameters[1:]:
        element = parameter.element
        assert isinstance(element, Number)
        found.append(BY_NAME[{"unsigned int": "unsigned"}.get(element.c_type, element.c_type)].letter)
    return "".join(found)


def _run(tools: Toolchain, program: Path, seed: int) -> list[str]:
    command = [*tools.runner, str(program), str(seed)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    lines = result.stdout.splitlines()
    assert lines and lines[-1] == "done", f"the driver ended with {result.returncode}: {result.stderr[-500:]}"
    return lines[:-1]
