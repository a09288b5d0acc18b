"""What is the same for the lanes of a brush because brushes begin at multiples of their size.

    for (int i = 0; i < n; i++)
        out[i] = q[i] * scale[i / 32];        brush 16: i is 16*k + lane, and i / 32 is one number for all lanes
        out[i] = q[i] * scale[i / 8];         i / 8 is 2*k in the first eight lanes, 2*k + 1 in the others

Tensor shapes contain the dimensions in which a value varies; the stride-alignment lattice (thesis, chapter 10) also how, in
one dimension. So it is computed once for every dimension of the brush, for the index arithmetic of the nest: counters of
brushed loops, values from outside, and what is computed of those alone. Such values are right in every lane, whether it
is active or not, so that the first lane can speak for all.

Brushes and their tails lie in blocks of the brush's size that are counted from the loop's first iteration. That is not so where
a head of fewer iterations comes first (`tensorrv.brush.alignment`, `tensorrv.brush.grids`): a nest has the one or the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.analysis.divergence.control_divergence import ControlDependences
from rv.analysis.strides.patterns import Pattern
from rv.analysis.strides.shape_analysis import vector_shapes
from rv.analysis.strides.shape_lattice import pattern_of
from rv.evolution.counter_shapes import counter_shapes, exit_tests
from rv.ir.instructions import Binary, CompareInt, Convert, Instruction, operands
from rv.ir.types import IntType
from rv.ir.values import Const, Value, Var
from tensorrv.nest.model import Nests

Dimensions = frozenset[int]

FORGETTING: Final = ("sdiv", "udiv", "srem", "urem", "lshr", "ashr", "and", "or", "xor")
"""Operations after which lanes may agree that did not before."""
DIVISIONS: Final = ("sdiv", "udiv", "srem", "urem")


@dataclass(frozen=True, slots=True)
class Alignment:
    """What follows from the alignment of brushes.

    `same`: the dimensions in which index arithmetic is the same for all lanes, by variable; without those of which nothing is
    known. `patterns`: what lanes are apart along each dimension, of index arithmetic of which that is known for all of them.
    """

    same: Mapping[str, Dimensions]
    patterns: Mapping[str, tuple[Pattern, ...]]


NOTHING: Final = Alignment({}, {})


def has_runs(nests: Nests, headers: tuple[str, ...]) -> bool:
    """Whether index arithmetic has runs or periods, which lanes of one brush may know and those of another not."""
    return any(isinstance(one, Binary) and one.op in FORGETTING for one in _index_arithmetic(nests, headers).values())


def by_alignment(nests: Nests, headers: tuple[str, ...], sizes: tuple[int, ...], control: ControlDependences) -> Alignment:
    """What follows for a brush of these sizes; nothing for nests whose brushes are aligned to a layout."""
    index = _index_arithmetic(nests, headers)
    if not any(map(_may_agree, index.values())) or any(access.placement is not None for access in nests.accesses):
        return NOTHING
    region = nests.loops[headers[0]].blocks
    same: dict[str, Dimensions] = {}
    patterns: dict[str, tuple[Pattern, ...]] = dict.fromkeys(index, ())
    for dimension, lanes in enumerate(sizes):
        shapes = vector_shapes(nests.function, counter_shapes(nests, headers, dimension, lanes), lanes, region, control)
        for name, instruction in index.items():
            assert instruction.result is not None
            own = shapes.of(instruction.result)
            if own.is_uniform:
                same[name] = same.get(name, frozenset()) | {dimension}
            pattern = pattern_of(own, lanes)
            if pattern is None:
                patterns.pop(name, None)
            elif name in patterns:
                patterns[name] = (*patterns[name], pattern)
    return Alignment(same, patterns)


def _may_agree(instruction: Instruction) -> bool:
    match instruction:
        case Binary(op=op):
            return op in FORGETTING
        case CompareInt():
            return True
        case _:
            return False


def _index_arithmetic(nests: Nests, headers: tuple[str, ...]) -> dict[str, Instruction]:
    """What is computed in the nest of counters of brushed loops and values from outside alone."""
    region = nests.loops[headers[0]].blocks
    tests = exit_tests(nests, headers)
    known = {phi.result.name for h in headers for phi in nests.function.block(h).phis if phi.result.name in nests.congruences}
    found: dict[str, Instruction] = {}

    def steady(value: Value) -> bool:
        return isinstance(value, Const) or (isinstance(value, Var) and (value.name in known or _outside(nests, region, value)))

    for label in reverse_postorder(flow_graph(nests.function)):
        for instruction in nests.function.block(label).body if label in region else ():
            result = instruction.result
            if result is None or result.name in tests or not _is_index(instruction):
                continue
            if all(map(steady, operands(instruction))):
                known.add(result.name)
                found[result.name] = instruction
    return found


def _is_index(instruction: Instruction) -> bool:
    """Whether an instruction computes an integer of integers and never fails."""
    match instruction:
        case Binary(op=op, result=result, right=right):
            divides = op in DIVISIONS
            return isinstance(result.type, IntType) and (not divides or (isinstance(right, Const) and right.bits != 0))
        case CompareInt(left=left):
            return isinstance(left.type, IntType)
        case Convert(op=op):
            return op in ("trunc", "sext", "zext")
        case _:
            return False


def _outside(nests: Nests, region: frozenset[str], value: Var) -> bool:
    return nests.defined_in.get(value.name) not in region
