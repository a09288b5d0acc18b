"""Compiling what has been ordered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rv.internal_error import bugs_reported
from rv.target.machine import Target, UnknownTarget, resolve_target
from tensorrv.cli.selection import compile_selected
from tensorrv.frontend.c.module import preprocessed
from tensorrv.frontend.read import is_c, read_module, text_of
from tensorrv.pipeline.kernel import Kernel
from tensorrv.report.diagnostics import Diagnostic, Refused, render
from tensorrv.report.in_python import in_python
from tensorrv.run.order import Order
from tensorrv.unit.callable_units import opened_module


@dataclass(frozen=True, slots=True)
class Made:
    """A compiled kernel, and the names of the files that were read for it."""

    kernel: Kernel
    files: tuple[str, ...]


def carry_out(order: Order) -> Made:
    """The kernel of an order. Raises Refused, ValueError for a target that there is not, and InternalError for bugs of ours."""
    machine = target_called(order.target)
    names = () if order.function is None else (order.function,)
    with bugs_reported(Refused, OSError), findings_in_tracebacks():
        directories = list(map(Path, order.include_dirs))
        module = read_module(order.path, text=order.text, defines=order.defines, include_dirs=directories, cpp=order.cpp)
        module = opened_module(module)
        kernels = compile_selected(module, names, order.brush, order.plan, machine).kernels
        if len(kernels) > 1:
            message = f"the file has several functions: {', '.join(kernel.name for kernel in kernels)}"
            raise Refused(Diagnostic("error", "TRV082", message, hint="choose one with function=..."))
    read = [name for name in module.sources if not name.startswith("<")] + ([machine.name] if machine.description else [])
    return Made(kernels[0], tuple(str(Path(name).absolute()) for name in read))


def by_itself(order: Order) -> Order:
    """The order with everything that it reads from files in its text. Raises Refused where those cannot be read."""
    path = Path(order.path)
    if not is_c(path, order.text):
        return order if order.text is not None else replace(order, path="<pickled>", text=text_of(path))
    text = path.read_text(encoding="utf-8", errors="replace") if order.text is None else order.text
    whole = preprocessed(order.path, text, order.defines, list(map(Path, order.include_dirs)), path.parent, {}, order.cpp)
    return replace(order, path="<pickled>", text=whole.text, defines=(), include_dirs=(), cpp=None)


def target_called(name: str) -> Target:
    """The target of this name. Raises ValueError, or TypeError for what is no name."""
    if not isinstance(name, str):
        raise TypeError(f"a target is a name such as 'native' or 'avx512', not {name!r}")
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
            refusal.add_note(in_python(render(diagnostic, refusal.sources)))
        raise
