"""The operations of `rv.h`: calls that combine the values of several lanes.

They are generic: conditions are scalars of any type, and what is folded or moved has the promoted type of its operand. The
header declares the names without parameters, so that they exist only where it is included.
"""

from __future__ import annotations

from typing import Any, Final

from tensorrv.frontend.c.analyse.operators import require_scalar
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import Across, AcrossOp, Expression
from tensorrv.frontend.c.types.c_types import INT, ULLONG, CType, FloatingC, IntegerC, spell
from tensorrv.frontend.c.types.conversions import convert, promoted

_NUMBERS: Final[dict[str, AcrossOp]] = {"rv_lane": "lane", "rv_lanes": "lanes", "rv_mask": "mask"}
_TESTS: Final[dict[str, AcrossOp]] = {"rv_any": "any", "rv_all": "all", "rv_popcount": "popcount", "rv_ballot": "ballot"}
_VALUES: Final[dict[str, AcrossOp]] = {
    "rv_first": "first", "rv_last": "last", "rv_shuffle": "shuffle",
    "rv_reduce_add": "add", "rv_reduce_mul": "mul", "rv_reduce_min": "min", "rv_reduce_max": "max",
    "rv_reduce_and": "and", "rv_reduce_or": "or", "rv_reduce_xor": "xor",
}  # fmt: skip
NAMES: Final = frozenset({*_NUMBERS, *_TESTS, *_VALUES})


def across_lanes(a: Analysis, name: str, node: Any) -> Expression:
    """The operation that a call of `name` stands for; refuses operands it does not work on."""
    given = node.args.exprs if node.args is not None else []
    wanted = 0 if name in _NUMBERS else 2 if name == "rv_shuffle" else 1
    if len(given) != wanted:
        count = f"{wanted} argument{'s' * (wanted != 1)}, but {len(given)} {'is' if len(given) == 1 else 'are'} given"
        a.refuse("TRV015", f"'{name}' takes {count}", node, "wrong number of arguments")
    values = tuple(a.expression(a, argument) for argument in given)
    span = a.span(node)
    if name in _NUMBERS:
        return Across(INT, _NUMBERS[name], (), span)
    if name in _TESTS:
        require_scalar(a, values[0], given[0])
        return Across(ULLONG if name == "rv_ballot" else INT, _TESTS[name], values, span)
    op = _VALUES[name]
    value = promoted(_number(a, name, values[0], given[0], integer=op in ("and", "or", "xor")))
    if op != "shuffle":
        return Across(value.type, op, (value,), span)
    lane = _number(a, name, values[1], given[1], integer=True)
    return Across(value.type, op, (value, convert(lane, INT)), span)


def _number(a: Analysis, name: str, value: Expression, node: Any, *, integer: bool) -> Expression:
    wanted: tuple[type[CType], ...] = (IntegerC,) if integer else (IntegerC, FloatingC)
    if not isinstance(value.type, wanted):
        what = "an integer" if integer else "a number"
        a.refuse("TRV012", f"'{name}' needs {what}, not a '{spell(value.type)}'", node, f"this is a '{spell(value.type)}'")
    return value
