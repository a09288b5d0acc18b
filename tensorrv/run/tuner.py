"""The tuner, which this package is handed: it chooses plans from measured and estimated times, and builds on this package.

Whichever package provides it registers an object with the methods of `Tuner` as an entry point of the group `tensorrv.tuner`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from rv.ir.steps import Keep
    from rv.target.machine import Target
    from tensorrv.pipeline.kernel import Kernel
    from tensorrv.report.diagnostics import Diagnostic
    from tensorrv.schedule.plan import Plan
    from tensorrv.unit.unit import Unit

GROUP: Final = "tensorrv.tuner"


class Tuner(Protocol):
    """What `--brush auto`, `tensorrv-cc` and `trv.tune` need."""

    def compile_automatically(
        self,
        function: Unit,
        plan: Plan,
        target: Target,
        sizes: Mapping[str, int],
        keep: Keep | None = None,
        database: Path | None = None,
        *,
        brushed_only: bool = False,
    ) -> Kernel:
        """The kernel under the best plan that is known or predicted; `plan` contains the user's choices. Raises Refused.

        `brushed_only`: a function of which no nest is expected to be faster with a brush is refused. `database` has the results
        that count (default: `tuning_database()`).
        """

    def slower_than_compiler(self, kernel: Kernel) -> Diagnostic | None:
        """Why a C compiler's code is expected to be as fast as the kernel; None where the kernel is expected to be faster."""

    def tune(self, source: Any, arguments: Any = (), **options: Any) -> Any:
        """Finds the fastest plan of a kernel by measuring."""

    def described(self) -> Callable[..., Any]:
        """The function that `tune` calls, with all its options and its documentation."""

    def sources(self) -> tuple[Path, ...]:
        """The files that its choices depend on."""


@functools.cache
def the_tuner() -> Tuner:
    """The registered tuner. Raises Refused where none is."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        found: Tuner = point.load()
        return found
    from tensorrv.report.diagnostics import Diagnostic, Refused

    message = "no tuner is installed, which chooses the brush"
    hint = "install the package (pip install .), or give the brush, such as --brush 4x8"
    raise Refused(Diagnostic("error", "TRV102", message, hint=hint))


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
