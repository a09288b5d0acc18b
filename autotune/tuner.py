"""The tuner as it is handed to `tensorrv`, by the entry point `tensorrv.tuner`; each part is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from rv.ir.steps import Keep
from rv.target.machine import Target
from tensorrv.pipeline.kernel import Kernel
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.run.tuner import Tuner
from tensorrv.schedule.plan import Plan
from tensorrv.unit.unit import Unit


class _Autotune:
    """The parts of this package that `tensorrv.run.tuner.Tuner` describes."""

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
        from autotune.automatic import compile_automatically

        return compile_automatically(function, plan, target, sizes, keep, database, brushed_only=brushed_only)

    def slower_than_compiler(self, kernel: Kernel) -> Diagnostic | None:
        from autotune.model.against_compiler import slower_than_compiler

        return slower_than_compiler(kernel)

    def tune(self, source: Any, arguments: Any = (), **options: Any) -> Any:
        from autotune.api import tune

        return tune(source, arguments, **options)

    def described(self) -> Callable[..., Any]:
        from autotune.api import tune

        return tune

    def sources(self) -> tuple[Path, ...]:
        return tuple(sorted(Path(__file__).parent.rglob("*.py")))


TUNER: Final[Tuner] = _Autotune()
