"""Arrays that a call leaves out because the kernel only writes them: they are made for it, and returned.

    B = k(A)           for k(A, B) with B = np.zeros(...)

Elements that the kernel does not write are zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tensorrv.interface.signature import ArrayArgument, Signature
from tensorrv.run.call import Array, array_dtype, fitted, positions


@dataclass(frozen=True, slots=True)
class WithOutputs:
    """All arguments in C's order, and the arrays among them that were made, in C's order."""

    arguments: tuple[Any, ...]
    made: tuple[Array, ...]


def with_outputs(signature: Signature, positional: Sequence[Any], named: Mapping[str, Any]) -> WithOutputs | None:
    """The call with arrays for those that are left out; None where none is, or where not all that are only written are.

    Raises TypeError where a shape does not follow from the other arguments, and what `fitted` raises.
    """
    arrays = [array for array in signature.arrays if array.name not in named]
    missing = [array for array in arrays if array.written and not array.read]
    given = sum(isinstance(value, np.ndarray) or not np.isscalar(value) for value in positional)
    if not missing or given + len(missing) != len(arrays):
        return None
    left_out = {array.name for array in missing}
    others = replace(signature, arguments=tuple(a for a in signature.arguments if a.name not in left_out))
    passed = {name: positional[k] for name, k in positions(others, positional, named).items()} | dict(named)
    if not passed.keys() <= {argument.name for argument in others.arguments}:
        return None
    _, _, numbers = fitted(others, passed)
    made = {array.name: _zeros(signature, array, numbers) for array in missing}
    values = {**numbers, **passed, **made}
    lacking = next((argument.name for argument in signature.arguments if argument.name not in values), None)
    if lacking is not None:
        raise TypeError(f"{signature.name}() is missing '{lacking}'")
    return WithOutputs(tuple(values[argument.name] for argument in signature.arguments), tuple(made.values()))


def _zeros(signature: Signature, array: ArrayArgument, numbers: Mapping[str, Any]) -> Array:
    known = [e for e in array.extents if e is not None and {symbol.name for symbol in e.symbols} <= numbers.keys()]
    if len(known) < len(array.extents):
        what = f"the array '{array.name}', whose shape does not follow from the other arguments"
        raise TypeError(f"{signature.name}() is missing {what}")
    return np.zeros([max(0, extent.valued(numbers)) for extent in known], array_dtype(array))
