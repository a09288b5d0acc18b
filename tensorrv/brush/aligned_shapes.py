"""What is the same for the lanes of a brush because brushes begin at multiples of their size.

    for (int i = 0; i < n; i++)
        out[i] = q[i] * scale[i / 32];        brush 16: i is 16*k + lane, and i / 32 is one number for all lanes

Tensor shapes know in which dimensions a value varies, not how; the stride-alignment lattice (thesis, chapter 10) knows both, in
one dimension. So it is asked once for every dimension of the brush, for the index arithmetic of the nest: counters of
brushed loops, values from outside, and what is computed of those alone. Such values are right in every lane, whether it
is active or not, so that the first lane can speak for all.

Brushes and their tails lie in blocks of the brush's size that are counted from the loop's first iteration. That is not so where
a head of fewer iterations comes first (`tensorrv.brush.alignment`, `tensorrv.brush.grids`): a nest has the one or the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import Final

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.analysis.divergence.control_divergence import ControlDependences
from rv.analysis.strides.shape_analysis import vector_shapes
from rv.analysis.strides.vector_shapes import Facts, Shape, shape, uniform, varying
from rv.evolution.facts import counter
from rv.evolution.polynomial import Polynomial
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction, operands
from rv.ir.types import I1, IntType
from rv.ir.values import Const, Value, Var
from tensorrv.nest.model import Nests

Dimensions = frozenset[int]

FORGETTING: Final = ("sdiv", "udiv", "srem", "urem", "lshr", "ashr", "and", "or", "xor")
"""Operations after which lanes may agree that did not before."""
DIVISIONS: Final = ("sdiv", "udiv", "srem", "urem")


def same_by_alignment(
    nests: Nests, headers: tuple[str, ...], sizes: tuple[int, ...], control: ControlDependences
) -> Mapping[str, Dimensions]:
    """The dimensions in which index arithmetic is the same for all lanes, by variable; without those of which nothing is known.

    `sizes` are those of the brush. Empty for nests whose brushes begin where a layout wants.
    """
    index = _index_arithmetic(nests, headers)
    if not any(map(_may_agree, index.values())) or any(access.placement is not None for access in nests.accesses):
        return {}
    region = nests.loops[headers[0]].blocks
    found: dict[str, Dimensions] = {}
    for dimension, lanes in enumerate(sizes):
        shapes = vector_shapes(nests.function, _given(nests, headers, dimension, lanes), lanes, region, control)
        for name, instruction in index.items():
            if instruction.result is not None and shapes.of(instruction.result).is_uniform:
                found[name] = found.get(name, frozenset()) | {dimension}
    return found


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
    tests = _tests(nests, headers)
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


def _tests(nests: Nests, headers: tuple[str, ...]) -> frozenset[str]:
    """The exit tests of brushed loops: the tile loops decide them, for whole brushes."""
    terminators = [nests.function.block(header).terminator for header in headers]
    return frozenset(t.condition.name for t in terminators if isinstance(t, Branch) and isinstance(t.condition, Var))


def _given(nests: Nests, headers: tuple[str, ...], dimension: int, lanes: int) -> dict[str, Shape]:
    """The shapes along one dimension of what the brushed loops' headers define."""
    given = {name: uniform(I1.bits) for name in _tests(nests, headers)}
    for e, header in enumerate(headers):
        for phi in nests.function.block(header).phis:
            name = phi.result.name
            form = nests.closed_forms.get(name) or nests.congruences.get(name)
            if form is not None:
                given[name] = _shape_of_form(nests, headers, dimension, lanes, name, form)
            elif e == dimension:
                given[name] = varying(nests.bits.get(name, 64))
    return given


def _shape_of_form(
    nests: Nests, headers: tuple[str, ...], dimension: int, lanes: int, name: str, form: Polynomial
) -> Shape:
    """The shape of a counter: its loop's first lane is a multiple of the brush's size away from the start."""
    bits, region = nests.bits[name], nests.loops[headers[0]].blocks
    own = counter(headers[dimension])
    if any(not s.startswith("@") and nests.defined_in.get(s.partition("%")[2]) in region for s in form.symbols):
        return varying(bits)
    stride = form.coefficient(own).as_constant
    if stride is None:
        return varying(bits)
    # counters of other loops are some whole numbers here
    alignment = gcd(stride * lanes, *(coefficient for _, coefficient in form.without([own]).terms))
    facts = Facts.NONE
    if name in nests.closed_forms:
        natural = all(c >= 0 and all(s.startswith("@") for s in m) for m, c in form.terms)
        facts = Facts.NATURAL if natural else Facts.SIGNED
    return shape(bits, stride, alignment, facts)
