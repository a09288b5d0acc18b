"""Compiled kernels as Python callables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from layouts.layout import Layout, parse_layout
from rv.target.machine import Target, UnknownTarget, resolve_target
from tensorrv.call import bind
from tensorrv.diagnostics import Diagnostic, Refused, render
from tensorrv.explain import explain
from tensorrv.explain_text import explanation_text
from tensorrv.forms import SUFFIXES, render_forms
from tensorrv.frontend.module import CModule, parse_c
from tensorrv.header import header_text
from tensorrv.interface import Interface, interface_of
from tensorrv.kernel import Kernel
from tensorrv.native import native_function
from tensorrv.output import write_files
from tensorrv.plan import Brush, FloatMode, MathMode, Plan, PlanError, SkipPolicy, TailPolicy, ThreadMode, parse_brush
from tensorrv.repeated import Caller
from tensorrv.selection import compile_selected
from tensorrv.shipped import find_kernel
from tensorrv.symbolic.kernels import FormulaKernel

Source = str | PathLike[str] | FormulaKernel
BrushLike = str | int | Iterable[int] | Mapping[str, int] | None


class CompiledKernel:
    """One compiled C function. Call it with NumPy arrays; see `tensorrv.call` for what is checked and inferred.

    Raises RuntimeError when it is called but its target's code does not run on this machine.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Runs the kernel and gives what the C function returns. Raises TypeError or ValueError that names the argument."""
        return self._caller(arguments, named)

    @property
    def name(self) -> str:
        return self.kernel.name

    @property
    def plan(self) -> Plan:
        return self.kernel.plan

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings: nests that stay scalar, and why."""
        return self.kernel.diagnostics

    @property
    def assembly(self) -> str:
        return self.kernel.module.assembly

    @property
    def llvm(self) -> str:
        """The optimized LLVM IR."""
        return self.kernel.module.ir

    @property
    def header(self) -> str:
        """The text of a C header that declares the function."""
        kernel = self.kernel
        return header_text(kernel.source, kernel.target.name, kernel.storages, openmp=kernel.plan.threads == "openmp")

    def explain(self) -> None:
        """Prints the loops, the shapes of values, access groups and chunks, as `tensorrv-gen --explain` does."""
        if str(self.kernel.math):
            print(f"{self.name}: {self.kernel.math}")
        print(explanation_text(self.name, explain(self.kernel.tensorized)))

    def write(
        self, directory: str | PathLike[str] = ".", forms: str | Iterable[str] = ("so", "obj", "header")
    ) -> tuple[Path, ...]:
        """Writes files as `tensorrv-gen --emit` does and gives their paths. Raises Refused, or ValueError for an unknown form."""
        chosen = forms.split(",") if isinstance(forms, str) else list(forms)
        for form in chosen:
            if form not in SUFFIXES:
                raise ValueError(f"'{form}' is not one of {', '.join(SUFFIXES)}")
        return write_files(Path(directory), render_forms(self.kernel, chosen))

    def __repr__(self) -> str:
        return f"<kernel {self.kernel.source.prototype} {self.kernel.plan} target={self.kernel.target.name}>"

    @cached_property
    def _interface(self) -> Interface:
        return interface_of(self.kernel.source)

    @cached_property
    def _caller(self) -> Caller:
        interface = self._interface
        no_alias, storages = self.kernel.plan.assume_no_alias, self.kernel.storages
        # the code lives as long as the module, which the kernel holds
        native = native_function(interface.signature, self.kernel.module.jit().address(self.kernel.name))

        def checked(arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
            return bind(interface.signature, arguments, named, interface.reaches, no_alias=no_alias, storages=storages)

        return Caller(interface.signature, native, checked, no_alias=no_alias)


def compile(
    source: Source,
    *,
    function: str | None = None,
    brush: BrushLike = "auto",
    projection: Iterable[int] | None = None,
    layouts: Mapping[str, Layout | str] | None = None,
    target: str = "native",
    fp: FloatMode = "strict",
    math: MathMode = "libm",
    tail: TailPolicy = "auto",
    threads: ThreadMode = "none",
    boscc: SkipPolicy = "auto",
    assume_no_alias: bool = False,
    assume_parallel: Iterable[str] = (),
    defines: Mapping[str, Any] | None = None,
    include_dirs: Iterable[str | PathLike[str]] = (),
) -> CompiledKernel:
    """Compiles one function of a C file, of a shipped kernel by name, of C text, or of formulas.

    `layouts` says how arrays are stored, such as `{"A": Blocked(2, 2)}` or `{"A": "2x2"}`: the kernel then takes what
    `layouts.packing.pack` makes of them. `brush` is `(4, 8)`, `"4x8"`, `{"j": 4, "i": 8}`, `"auto"` or None for scalar code.
    `function` may be left out when the file has one function that can be compiled. Raises Refused when the input is refused,
    ValueError for a plan, layout or target that makes no sense.
    """
    chosen = parse_brush_like(brush)
    plan = Plan(
        brush=chosen or Brush(),
        projection=None if projection is None else tuple(projection),
        layouts=tuple((name, _layout(layout)) for name, layout in (layouts or {}).items()),
        fp=fp,
        math=math,
        tail=tail,
        threads=threads,
        boscc=boscc,
        assume_no_alias=assume_no_alias,
        assume_parallel=(assume_parallel,) if isinstance(assume_parallel, str) else tuple(assume_parallel),
    )
    machine = target_called(target)
    with findings_in_tracebacks():
        module = read_module(source, defines or {}, [Path(directory) for directory in include_dirs])
        kernels = compile_selected(module, () if function is None else (function,), chosen, plan, machine).kernels
    if len(kernels) > 1:
        message = f"the file has several functions: {', '.join(kernel.name for kernel in kernels)}"
        raise Refused(Diagnostic("error", "TRV082", message, hint="choose one with function=..."))
    return CompiledKernel(kernels[0])


def target_called(name: str) -> Target:
    """The target of this name. Raises ValueError."""
    try:
        return resolve_target(name)
    except UnknownTarget as error:
        raise ValueError(f"{error}" + (f"; did you mean {' or '.join(error.close)}?" if error.close else "")) from error


@contextmanager
def findings_in_tracebacks() -> Iterator[None]:
    """Python shows a refusal as the command line does: with places, carets and hints."""
    try:
        yield
    except Refused as refusal:
        for diagnostic in refusal.diagnostics:
            refusal.add_note(render(diagnostic, refusal.sources))
        raise


def parse_brush_like(given: BrushLike) -> Brush | None:
    """The brush; None for `auto`."""
    match given:
        case None:
            return Brush()
        case str():
            return parse_brush(given)
        case Mapping():
            return Brush(_sizes(given, given.values()), tuple(given))
        case Iterable():
            return Brush(_sizes(given, given))
        case _:
            return Brush(_sizes(given, (given,)))


def _layout(given: Layout | str) -> Layout:
    return parse_layout(given) if isinstance(given, str) else given


def _sizes(given: BrushLike, sizes: Iterable[Any]) -> tuple[int, ...]:
    """Sizes as Python integers, NumPy's included. Raises PlanError for other types."""
    numbers = tuple(sizes)
    try:
        if not any(isinstance(number, bool) for number in numbers):
            return tuple(map(index, numbers))
    except TypeError:
        pass
    raise PlanError(f"{given!r} is not a brush", "give integers, such as (4, 8)")


def read_module(source: Source, defines: Mapping[str, Any], include_dirs: list[Path]) -> CModule:
    macros = [(name, str(value)) for name, value in defines.items()]
    if isinstance(source, FormulaKernel):
        return parse_c("<formula>", text=source.c, defines=macros, include_dirs=include_dirs)
    text = fspath(source)
    if isinstance(source, str) and any(mark in text for mark in "{;\n"):
        return parse_c("<text>", text=text, defines=macros, include_dirs=include_dirs)
    return parse_c(find_kernel(text), defines=macros, include_dirs=include_dirs)
