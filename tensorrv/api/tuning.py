"""`trv.tune`, which the tuner carries out."""

from __future__ import annotations

from typing import Any

from tensorrv.api.compiled import Source
from tensorrv.run.tuner import the_tuner


def tune(source: Source, **options: Any) -> Any:
    """Finds the fastest plan of a kernel by measuring: `autotune.api.tune`, which lists the options."""
    return the_tuner().tune(source, **options)
