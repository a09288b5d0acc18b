"""What is tuned: one function at one set of sizes on one target, and the key under which results about it are kept."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator
from dataclasses import dataclass

from autotune.model.counts import Work
from rv.evolution.facts import Loop
from rv.ir.instructions import Binary, Call, CompareFloat, CompareInt, Instruction, Negate, Select, Store
from rv.ir.printer import print_function
from rv.ir.types import bits_of, size_of
from tensorrv.check.given.values import NOTHING, Given
from tensorrv.interface.facts import Interface, innermost_iterations, interface_of
from tensorrv.nest.model import Nests
from tensorrv.pipeline.kernel import element_types
from tensorrv.unit.unit import Unit


@dataclass(frozen=True, slots=True)
class Subject:
    """`sizes` are the values of integer parameters, sorted by name; `given` is what else is not left to invention."""

    function: Unit
    target: str
    sizes: tuple[tuple[str, int], ...]
    given: Given = NOTHING

    def pickled(self) -> bytes:
        return pickle.dumps(self)


def kernel_key(function: Unit) -> str:
    """The same for every file that means the same function: a hash of its prototype and its P-LLVM."""
    text = f"{function.prototype}\n{print_function(function.function)}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def points_of(interface: Interface, sizes: tuple[tuple[str, int], ...]) -> int | None:
    """How often the bodies of innermost loops run in one call, where that is known."""
    return innermost_iterations(interface.nests, dict(sizes))


def element_bits(function: Unit) -> int:
    """The width of the function's widest array elements."""
    return max([32, *map(bits_of, element_types(function))])


def work_of(function: Unit) -> Work:
    """What one iteration of the innermost loop does: of several loops, the one that stores most, then computes most.

    Stores that stand around an innermost loop with a constant trip count are shared out among its iterations.
    """
    nests = interface_of(function).nests
    innermost = [loop for loop in nests.loops.values() if not _inside(nests, loop)]
    return max((_work(nests, loop) for loop in innermost), key=lambda w: (w.stored, w.operations), default=Work(0, 0))


def _inside(nests: Nests, loop: Loop) -> bool:
    return any(other.parent == loop.header for other in nests.loops.values())


def _work(nests: Nests, loop: Loop) -> Work:
    operations = sum(isinstance(one, _ARITHMETIC) for one in _own(nests, loop))
    iterations, around = 1, loop
    while True:
        stored = sum(size_of(one.value.type) for one in _own(nests, around) if isinstance(one, Store))
        constant = around.trip.distance.as_constant if around.trip is not None else None
        if stored or constant is None or around.parent is None:
            return Work(stored / iterations, operations)
        assert around.trip is not None
        iterations *= max(1, -(-constant // abs(around.trip.step)))
        around = nests.loops[around.parent]


_ARITHMETIC = (Binary, Negate, CompareFloat, CompareInt, Select, Call)


def _own(nests: Nests, loop: Loop) -> Iterator[Instruction]:
    """The instructions of the loop that are in no loop inside it, without counting and addresses."""
    counting = {loop.latch, loop.header}
    for block, instruction in nests.function.instructions():
        if nests.innermost.get(block.label) == loop.header and (block.label not in counting or isinstance(instruction, Store)):
            yield instruction
