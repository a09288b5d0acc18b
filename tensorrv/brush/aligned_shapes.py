"""What is the same for the lanes of a brush because brushes begin at multiples of their size.

    for (int i = 0; i < n; i++)
        out[i] = q[i] * scale[i / 32];        brush 16: i is 16*k + lane, and i / 32 is one number for all lanes

Tensor shapes contain the dimensions in which a value varies; the stride-alignment lattice (thesis, chapter 10) also how, in
one dimension. So it is computed once for every dimension of the brush, for the index arithmetic of the nest: counters of
brushed loops, values from outside, and what is computed of those alone. Such values are right in every lane, whether it
is active or not, so that the first lane can speak for all.

Brushes and their tails lie in blocks of the brush's size that are counted from the loop's first iteration. That is not so where
a head of fewer iterations comes first (`tensorrv.brush.alignment`, `tensorrv.brush.grids`): a nest has the one or the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.analysis.divergence.control_divergence import ControlDependences
from rv.analysis.strides.shape_analysis import vector_shapes
from rv.evolution.counter_shapes import counter_shapes, exit_tests
from rv.ir.instructions import Binary, CompareInt, Convert, ElementPointer, Instruction, operands
from rv.ir.types import PTR, IntType, size_of
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
    known. `strides`: how many bytes addresses move along each dimension, by pointer; of loads without closed forms that are
    contiguous along one of them.
    """

    same: Mapping[str, Dimensions]
    strides: Mapping[str, tuple[int, ...]]


NOTHING: Final = Alignment({}, {})


def by_alignment(
    nests: Nests, headers: tuple[str, ...], sizes: tuple[int, ...], control: ControlDependences
) -> Alignment:
    """What follows for a brush of these sizes; nothing for nests whose brushes are aligned to a layout."""
    index = _index_arithmetic(nests, headers)
    if not any(map(_may_agree, index.values())) or any(access.placement is not None for access in nests.accesses):
        return NOTHING
    region = nests.loops[headers[0]].blocks
    found: dict[str, Dimensions] = {}
    sizes_of = _pointers(nests, region, index)
    pointers = {name: [0] * len(sizes) for name in sizes_of}
    for dimension, lanes in enumerate(sizes):
        shapes = vector_shapes(nests.function, counter_shapes(nests, headers, dimension, lanes), lanes, region, control)
        for name, instruction in index.items():
            if instruction.result is not None and shapes.of(instruction.result).is_uniform:
                found[name] = found.get(name, frozenset()) | {dimension}
        for name in list(pointers):
            stride = shapes.of(Var(name, PTR)).stride
            if stride is None:
                del pointers[name]
            else:
                pointers[name][dimension] = stride
    rows = {name: tuple(strides) for name, strides in pointers.items() if sizes_of[name] in map(abs, strides)}
    return Alignment(found, rows)


def _pointers(nests: Nests, region: frozenset[str], index: Mapping[str, Instruction]) -> Mapping[str, int]:
    """The sizes of what is loaded without a closed form through pointers to elements of arrays that stay the same, by index
    arithmetic.
    """
    loads = (a for a in nests.accesses if a.kind == "load" and a.subscripts is None and a.block in region)
    unknown = {a.instruction.pointer: size_of(a.element) for a in loads}
    found: dict[str, int] = {}
    for _, instruction in nests.function.instructions_in(region):
        if isinstance(instruction, ElementPointer) and instruction.result in unknown:
            if all(isinstance(v, Const) or v.name in index or _outside(nests, region, v) for v in _variables(instruction)):
                found[instruction.result.name] = unknown[instruction.result]
    return found


def _variables(instruction: Instruction) -> Iterator[Const | Var]:
    return (value for value in operands(instruction) if isinstance(value, Const | Var))


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
