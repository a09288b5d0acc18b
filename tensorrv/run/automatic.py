"""The uses of the tuner in this package, which the tuner builds on.

`auto` and `tune` need the tuner: its database, its cost model. Packages import in one direction, so those are looked up by
name when they are used, here and nowhere else.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rv.ir.steps import Keep
    from rv.target.machine import Target
    from tensorrv.api.compiled import Source
    from tensorrv.check.sizes import Sizes
    from tensorrv.pipeline.kernel import Kernel
    from tensorrv.report.diagnostics import Diagnostic
    from tensorrv.schedule.plan import Plan
    from tensorrv.unit.unit import Unit

TUNER: Final = "autotune"


def compile_automatically(
    function: Unit, plan: Plan, target: Target, sizes: Sizes, keep: Keep | None = None
) -> Kernel:
    """The kernel under the best plan that is known or predicted; `plan` contains the user's choices. Raises Refused."""
    kernel: Kernel = import_module(f"{TUNER}.automatic").compile_automatically(function, plan, target, sizes, keep)
    return kernel


def slower_than_compiler(kernel: Kernel) -> Diagnostic | None:
    """Why a C compiler's code is expected to be as fast as the kernel; None where the kernel is expected to be faster."""
    reason: Diagnostic | None = import_module(f"{TUNER}.model.against_compiler").slower_than_compiler(kernel)
    return reason


def tune(source: Source, **options: Any) -> Any:
    """Finds the fastest plan of a kernel by measuring: `autotune.api.tune`, which lists the options."""
    return import_module(f"{TUNER}.api").tune(source, **options)


def tuning_database() -> Path:
    """The default of `--db`: where results are kept, in the user's data directory."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "tensorrv" / "tuning.sqlite"


def state_of_knowledge() -> tuple[int, int] | None:
    """What changes whenever results are added, on which `auto` depends; None when there are none."""
    try:
        found = tuning_database().stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
