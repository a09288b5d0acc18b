"""rv: a vectorizer for any reducible control flow, as a library (thesis, chapters 3 to 10).

    import rv

    f8 = rv.vectorize_function(text_or_function, width=8, shapes={"p": rv.Uniform()})

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rv.late import importing

if TYPE_CHECKING:
    from rv.argument_shapes import Linear, Uniform, Varying
    from rv.ir.parser import parse_function
    from rv.ir.printer import print_function
    from rv.study import canonical, control_divergence, dataflow_graph, divergence, lane_evolution, linearize, run, shapes, view
    from rv.vectorize import Vectorized, vectorize_function, vectorize_loop
    from rv.widen.line.obstacles import CannotVectorize

__all__ = [
    "CannotVectorize",
    "Linear",
    "Uniform",
    "Varying",
    "Vectorized",
    "canonical",
    "control_divergence",
    "dataflow_graph",
    "divergence",
    "lane_evolution",
    "linearize",
    "run",
    "shapes",
    "parse_function",
    "print_function",
    "vectorize_function",
    "vectorize_loop",
    "view",
]

_MODULES: Final = {
    "CannotVectorize": "rv.widen.line.obstacles",
    "Linear": "rv.argument_shapes",
    "Uniform": "rv.argument_shapes",
    "Varying": "rv.argument_shapes",
    "Vectorized": "rv.vectorize",
    "canonical": "rv.study",
    "control_divergence": "rv.study",
    "dataflow_graph": "rv.study",
    "divergence": "rv.study",
    "lane_evolution": "rv.study",
    "linearize": "rv.study",
    "run": "rv.study",
    "shapes": "rv.study",
    "parse_function": "rv.ir.parser",
    "print_function": "rv.ir.printer",
    "vectorize_function": "rv.vectorize",
    "vectorize_loop": "rv.vectorize",
    "view": "rv.study",
}

__getattr__ = importing(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
