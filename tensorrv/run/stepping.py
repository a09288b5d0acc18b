"""Loops over time: a kernel is called again and again, and arrays take each other's place after every call.

    swap=("A", "B")                what was written to B is read as A in the next step
    swap=("old", "u", "new")       old gets what was u, u what was new, and new what was old
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tensorrv.interface.signature import Signature
from tensorrv.run.call import Array, fitted, positions

Cycle = tuple[str, ...]


def run_steps(
    signature: Signature, call: Callable[[tuple[Any, ...], Mapping[str, Any]], Any], steps: int, positional: Sequence[Any],
    named: Mapping[str, Any], swap: Iterable[str] | Iterable[Iterable[str]] | None,
) -> dict[str, Array]:  # fmt: skip
    """Makes the calls, and gives the arrays of the cycles by what they are after the last exchange. Raises what calls raise,
    and ValueError for cycles that cannot be.
    """
    given = {name: positional[k] for name, k in positions(signature, positional, named).items()} | dict(named)
    cycles = _checked(signature, swap)
    _, _, numbers = fitted(signature, {name: value for name, value in given.items() if name in _names(signature)})
    lacking = next((name for name in _names(signature) if name not in given and name not in numbers), None)
    if lacking is not None:
        raise TypeError(f"{signature.name}() is missing '{lacking}'")
    states = [{**numbers, **given}]
    for _ in range(math.lcm(*map(len, cycles)) - 1):
        states.append(_exchanged(states[-1], cycles))
    calls = [tuple(state[name] for name in _names(signature)) for state in states]
    for step in range(steps):
        call(calls[step % len(calls)], {})
    last = states[steps % len(states)]
    return {name: last[name] for cycle in cycles for name in cycle}


def _names(signature: Signature) -> tuple[str, ...]:
    return tuple(argument.name for argument in signature.arguments)


def _exchanged(state: Mapping[str, Any], cycles: Sequence[Cycle]) -> dict[str, Any]:
    moved = {name: state[cycle[(k + 1) % len(cycle)]] for cycle in cycles for k, name in enumerate(cycle)}
    return {**state, **moved}


def _checked(signature: Signature, swap: Any) -> tuple[Cycle, ...]:
    """The cycles; without any the one array that is only read with the one that is only written, of the same type and lengths."""
    arrays = {array.name: array for array in signature.arrays}
    if swap is None:
        read = [array for array in arrays.values() if array.read and not array.written]
        pairs = [(a.name, b.name) for a in read for b in arrays.values() if b.written and not b.read and _alike(a, b)]
        if len(pairs) != 1:
            raise ValueError(f"several arrays of {signature.name}() could take each other's place, or none: give swap=(...)")
        return tuple(pairs)
    given = tuple(swap)
    cycles = (given,) if all(isinstance(name, str) for name in given) else tuple(tuple(cycle) for cycle in given)
    names = [name for cycle in cycles for name in cycle]
    unknown = next((name for name in names if name not in arrays), None)
    if unknown is not None:
        raise ValueError(f"{signature.name}() has no array '{unknown}' to swap")
    if len(set(names)) < len(names) or any(len(cycle) < 2 for cycle in cycles):
        raise ValueError(f"swap={swap!r} does not exchange different arrays")
    for cycle in cycles:
        if not all(_alike(arrays[cycle[0]], arrays[name]) for name in cycle):
            raise ValueError(f"{', '.join(cycle)} have different types or lengths, and cannot take each other's place")
    return cycles


def _alike(a: Any, b: Any) -> bool:
    return (a.element, a.signed, a.extents, a.record) == (b.element, b.signed, b.extents, b.record)
