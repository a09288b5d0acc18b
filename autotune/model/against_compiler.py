"""Whether a kernel is expected to be faster than the code of a C compiler.

Estimates compare brushes with scalar code (`autotune.model.nest_cost`). What compilers do better than both are loops that were
unrolled by hand: they put the statements of one iteration into lanes, where a brush has to take rows apart.

    for (i = 0; i < n; i += 4) { a[i] += x * b[i]; a[i + 1] += x * b[i + 1]; ...; a[i + 3] += x * b[i + 3]; }
"""

from __future__ import annotations

from collections import defaultdict

from rv.evolution.polynomial import counter
from tensorrv.nest.choice.choose import Choice
from tensorrv.nest.model import Access, Nests
from tensorrv.pipeline.kernel import Kernel
from tensorrv.report.diagnostics import Diagnostic


def slower_than_compiler(kernel: Kernel) -> Diagnostic | None:
    """Why the compiler's code is as good as the kernel; None where the kernel is expected to be faster."""
    for choice in kernel.tensorized.choices:
        if not isinstance(choice.outcome, Diagnostic) and _is_unrolled(choice):
            loop = choice.facts.loops[choice.brush[0][0]]
            message = f"the {loop.called} is unrolled by hand, which the compiler vectorizes as it is"
            return Diagnostic("note", "TRV505", message, loop.span)
    return None


def _is_unrolled(choice: Choice) -> bool:
    """Whether the iterations of the only brushed loop store rows of neighbouring elements, next to each other."""
    if len(choice.brush) != 1:
        return False
    rows: dict[object, set[int]] = defaultdict(set)
    for access in choice.facts.accesses:
        step = _step(choice.facts, access, choice.brush[0][0])
        if access.kind == "store" and access.subscripts is not None and step > 1:
            *outer, last = access.subscripts
            row = rows[access.array, tuple(outer), last - last.constant_term]
            row.add(last.constant_term % step)
            if len(row) == step:
                return True
    return False


def _step(nests: Nests, access: Access, header: str) -> int:
    """How far an access moves along its row in one iteration of a loop; 0 if that is not known."""
    if access.subscripts is None or access.block not in nests.loops[header].blocks:
        return 0
    return abs(access.subscripts[-1].coefficient(counter(header)).as_constant or 0)
