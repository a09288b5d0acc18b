"""Cycles that jumps enter at two places: later stages need natural loops, so such functions are passed over (thesis, 2.4).

    if (n > 0) goto middle;
    top: ...
    middle: ... goto top;          entered at `top` and at `middle`
"""

from __future__ import annotations

from rv.analysis.cfg.loops import find_loops
from rv.ir.function import Block, Function
from rv.ir.source import Span
from tensorrv.frontend.c.failures import give_up
from tensorrv.report.diagnostics import Related


def refuse_irreducible(function: Function) -> None:
    """Gives up when control flow is irreducible, with the two entries of the first cycle."""
    cycles = find_loops(function).irreducible
    if not cycles:
        return
    first, second = (_place(function.block(label)) for label in (cycles[0].first, cycles[0].second))
    give_up(
        "TRV033",
        f"jumps in '{function.name}' form a loop with two entries",
        first or function.span,
        "one entry of the loop",
        related=() if second is None else (Related(second, "the other entry"),),
        hint="make all jumps into the loop go to one label",
    )


def _place(block: Block) -> Span | None:
    """Where a block starts in the source, estimated from its contents."""
    spans = (block.span, *(i.span for i in block.body), block.terminator.span, *(phi.span for phi in block.phis))
    return next((span for span in spans if span is not None), None)
