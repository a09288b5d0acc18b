"""Which functions of a file are compiled, and with which brush."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from rv.ir.steps import Keep, forget
from rv.ir.types import IntType, bits_of
from rv.target.machine import Target
from tensorrv.check.sizes import Sizes
from tensorrv.cli.target_notes import target_notes
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.run.tuner import the_tuner
from tensorrv.schedule.plan import Brush, Plan
from tensorrv.unit.elements import Number
from tensorrv.unit.unit import Module, Unit

_ANY: Final[Sizes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Selection:
    """The compiled functions, and the diagnostics about them and about those that were passed over."""

    kernels: tuple[Kernel, ...]
    diagnostics: tuple[Diagnostic, ...]


def compile_selected(
    module: Module,
    names: Sequence[str],
    brush: Brush | None,
    plan: Plan,
    target: Target,
    sizes: Sizes = _ANY,
    keep_for: Callable[[str], Keep] = lambda name: forget,
    database: Path | None = None,
) -> Selection:
    """Compiles the named functions, or all that can be; `brush` is None for `auto`, which may depend on the sizes.

    `database` has the measurements that `auto` uses (default: the user's). `keep_for`, called with the name of a function, gives
    what receives the steps of its compilation.

    Raises Refused when a named function cannot be compiled, or none can.
    """
    kernels: list[Kernel] = []
    found: list[Diagnostic] = [] if names else [*module.problems, *(_named(*item) for item in module.passed_over)]
    explanations: list[str] = []
    for function in _functions(module, names):
        keep = keep_for(function.name)
        try:
            if brush is None:
                left_open = dataclasses.replace(plan, auto=_sizes_in_source(function))
                kernel = the_tuner().compile_automatically(function, left_open, target, sizes, keep, database)
            else:
                own = dataclasses.replace(plan, brush=brush)
                kernel = compile_function(function, own, target, keep=keep)
        except Refused as refusal:
            found += refusal.diagnostics
            explanations += refusal.explanations
            if names:
                raise _refused(found, explanations, module) from refusal
            continue
        kernels.append(kernel)
        found += kernel.diagnostics
    if not names:
        found += _static_ones(module, kernels)
    if not kernels:
        raise _refused(found, explanations, module)
    return Selection(tuple(kernels), (*target_notes(target), *map(_warning, found)))


def _named(name: str, reason: Diagnostic) -> Diagnostic:
    """Why a function is not compiled, with its name."""
    message = reason.message if reason.message.startswith(f"'{name}'") else f"'{name}' is not compiled: {reason.message}"
    return dataclasses.replace(reason, message=message)


def _static_ones(module: Module, kernels: Iterable[Kernel]) -> list[Diagnostic]:
    """Notes about static functions that are in no kernel."""
    inside = frozenset[str]().union(*(kernel.source.inlined for kernel in kernels)) | dict(module.passed_over).keys()
    return [
        Diagnostic(
            "note",
            "TRV094",
            f"'{name}' is static, and no compiled function calls it",
            span,
            "not compiled",
            hint=f"--function {name} compiles it",
        )
        for name, span in module.internal
        if name not in inside
    ]


def _sizes_in_source(function: Unit) -> bool:
    """Whether pragmas on its loops give a number of lanes."""
    hints = [block.hints for block in function.function.blocks]
    return any(said.simdlen is not None or said.safelen is not None for said in hints)


def check_sizes(functions: Iterable[Unit], sizes: Sequence[Sizes]) -> None:
    """Raises Refused when a size is given for a name that is no integer parameter of any of the functions."""
    parameters = [parameter for function in functions for parameter in function.parameters]
    known = {p.name: p.element for p in parameters if p.rank == 0 and isinstance(p.element, Number)}
    known = {name: number for name, number in known.items() if isinstance(number.type, IntType)}
    for name, size in (item for values in sizes for item in values.items()):
        if name not in known:
            hint = f"the integer parameters are {', '.join(known)}" if known else "there are no integer parameters"
            raise Refused(Diagnostic("error", "TRV088", f"there is no integer parameter '{name}'", hint=hint))
        number, bits = known[name], bits_of(known[name].type)
        if not -(1 << bits - 1) * number.signed <= size < 1 << bits - number.signed:
            raise Refused(Diagnostic("error", "TRV088", f"the size {name}={size} does not fit type '{number.c_type}'"))


def _functions(module: Module, names: Sequence[str]) -> tuple[Unit, ...]:
    if names:
        try:
            return tuple(module.function(name) for name in names)
        except Refused as refusal:
            refusal.sources = module.sources
            raise
    return tuple(function for function in module.functions if not function.internal)


def _refused(found: Sequence[Diagnostic], explanations: Sequence[str], module: Module) -> Refused:
    """The errors; when there are only notes about functions that were passed over, those become the errors."""
    errors = tuple(d for d in found if d.severity == "error") or tuple(dataclasses.replace(d, severity="error") for d in found)
    if not errors:
        file = next(iter(module.sources))
        errors = (Diagnostic("error", "TRV086", f"'{file}' defines no function that could be compiled"),)
    refusal = Refused(*errors)
    refusal.sources = module.sources
    refusal.explanations = tuple(explanations)
    return refusal


def _warning(diagnostic: Diagnostic) -> Diagnostic:
    """What is an error for one function is a warning for the file."""
    return dataclasses.replace(diagnostic, severity="warning") if diagnostic.severity == "error" else diagnostic
