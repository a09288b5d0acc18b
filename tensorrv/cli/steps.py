"""The steps of a compilation whose results `--print-after` shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rv.ir.steps import M
    from tensorrv.pipeline.kernel import Kernel

ALL: Final = "all"
STEPS: Final = {
    "frontend": "P-LLVM of the source",
    "promote-objects": "small stack objects are variables",
    "simplify": "value numbering, known loads, dead code, fewer blocks",
    "join-common-code": "what both arms of a branch compute is before the branch",
    "sink-stores": "arms that store the same element share the store",
    "convert-branches": "small branches are selects",
    "canonicalize": "loop-simplify form, hoisted, loop-closed SSA",
    "leading-tests": "loops that tested at their end test at their start",
    "count-pointers": "loops over pointers have integer counters",
    "join-bounds": "loops with several bounds have one",
    "variable-steps": "loops with variable steps count their iterations",
    "narrow-accumulators": "accumulators are computed in their own types",
    "absolute-differences": "absolute differences compare their operands",
    "narrow": "arithmetic on narrow data is narrow",
    "order": "loops in the order, the tiles and the fusions of the plan",
    "prepare": "P-LLVM that loops are chosen on; some short-circuit loops are reductions",
    "promote": "array elements that a loop updates are variables",
    "search-ends": "loops that end early have a search for their end and a counted loop in front",
    "search-in-strips": "loops that search have a loop over strips in front",
    "versions": "two versions of loops that need run-time checks",
    "common-loops": "inner loops that only some lanes enter are run by all",
    "skip-sides": "expensive sides of divergent branches are behind a test of the mask",
    "uniform-loops": "divergent loops run while any lane is active",
    "linearize": "divergent branches are predicates",
    "extrema-as-selections": "fmin and fmax on x86 are comparisons and selects",
    "number-changes": "selections note the iteration that changed them last",
    "layouts": "accesses to arrays with layouts go to their places",
    "widen": "vector IR as it is generated",
    "divider-offload": "vector IR, quotients and roots that stay on the divider are instructions for it",
    "compose-shuffles": "vector IR, stored registers made by one shuffle each",
    "dead-code": "vector IR without what nothing reads",
    "quotients": "vector IR, quotients and roots that are not left to the divider are multiplications",
    "balance-ports": "vector IR, additions divided among ports",
    "vector": "vector IR, instructions in their final order",
    "tensorize": "LLVM IR before its passes",
    "optimize": "LLVM IR after them",
}
"""The names of the steps, in order, with what holds afterwards."""


@dataclass(slots=True)
class Steps:
    """What there is after each step of the compilation of one function; a step of several nests stands there once for each."""

    made: list[tuple[str, object]] = field(default_factory=list)

    def keep(self, step: str, made: M, /) -> M:
        """For `compile_function`."""
        if step == "frontend":  # another attempt with another plan
            self.made.clear()
        self.made.append((step, made))
        return made

    def texts(self, kernel: Kernel, wanted: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The text after each of the requested steps, in the order of the compilation; of all of them, those that changed it."""
        texts = [(step, _text(made)) for step, made in self.made]
        texts += [("tensorize", kernel.tensorized.llvm), ("optimize", kernel.module.ir)]
        before = ""
        for step, text in texts:
            if step in wanted or (ALL in wanted and text != before):
                yield step, text
            before = text


def _text(made: object) -> str:
    from rv.ir.function import Function
    from rv.ir.printer import print_function
    from rv.vector.function import Module
    from rv.vector.printer import print_module

    match made:
        case Function():
            return print_function(made)
        case Module():
            return print_module(made)
    raise TypeError(f"a step has made {made!r}")
