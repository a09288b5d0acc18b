"""`trv.tune`, which the tuner carries out."""

from __future__ import annotations

import inspect
from typing import Any

from tensorrv.api.compiled import CompiledKernel, Source
from tensorrv.report.diagnostics import Refused
from tensorrv.run.tuner import the_tuner


def tune(source: Source | CompiledKernel, arguments: Any = (), **options: Any) -> Any:
    """Finds the fastest plan of a kernel by measuring."""
    return the_tuner().tune(source, arguments, **options)


def _describe() -> None:
    """Shows the tuner's own signature and documentation in `help` and completion."""
    try:
        described = the_tuner().described()
    except Refused:
        return
    tune.__doc__ = described.__doc__
    vars(tune)["__signature__"] = inspect.signature(described)


_describe()
