"""Loops that a pointer counts get an integer counter beside it.

    pre:                                        pre:
      %end = elemptr float, %A [%n]               %p.distance = sub nsw i64 %n, 0
      jump head                                   jump head
    head:                                       head:
      %p = phi ptr [%A, pre], [%q, latch]         %p = phi ptr [%A, pre], [%q, latch]
      %c = icmp ult ptr %p, %end          ->      %p.count = phi i64 [0, pre], [%p.next, latch]
      branch %c, body, out                        %c = icmp slt i64 %p.count, %p.distance
    ...                                           branch %c, body, out
    latch:                                      ...
      %q = elemptr float, %p [1]                latch:
      jump head                                   %q = elemptr float, %p [1]
                                                  %p.next = add nsw i64 %p.count, 1
                                                  jump head

The header's test must be the only way out, compare a pointer that moves by a constant number of elements with one that is fixed
in the loop, and go on while they are in one order, or while they differ and the step is one element. C compares pointers into
one array only, whose elements they are aligned to and whose size fits a signed number; a pointer that never meets the one it
is compared with runs out of its array. So signed distances in elements are equivalent. Needs loop-simplify form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.uses import Definition, definitions
from rv.ir.comparisons import NEGATED, SWAPPED
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, ElementPointer, Instruction, IntPredicate, Phi
from rv.ir.rewrite import FreshNames
from rv.ir.types import I64, PTR, size_of
from rv.ir.values import Const, Value, Var, const_i64

_SIGNED: Final[dict[IntPredicate, IntPredicate]] = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}


@dataclass(frozen=True, slots=True)
class _PointerTest:
    """The loop goes on while `phi` plus `offset` elements `predicate` `bound`; an iteration moves `phi` by `step` elements."""

    phi: Phi
    size: int
    """Bytes of an element."""
    offset: int
    step: int
    predicate: IntPredicate
    bound: Value
    compare: CompareInt


def count_pointers(function: Function) -> Function:
    """The function with integer counters in all loops of this kind; simplified or not, nothing else changes."""
    for header in tuple(find_loops(function).loops):
        loop = find_loops(function).loops[header]
        test = _find(function, loop, definitions(function))
        if test is not None:
            function = _counted(function, loop, test)
    return function


def _find(function: Function, loop: NaturalLoop, known: Mapping[str, Definition]) -> _PointerTest | None:
    block = function.block(loop.header)
    branch = block.terminator
    if len(loop.exits) != 1 or loop.exits[0][0] != loop.header or not isinstance(branch, Branch):
        return None
    if len(loop.entering) != 1 or len(loop.latches) != 1:
        return None
    compare = next((i for i in block.body if i.result == branch.condition), None)
    if not isinstance(compare, CompareInt) or compare.left.type != PTR:
        return None
    stays = compare.predicate if branch.then in loop.blocks else NEGATED[compare.predicate]
    sides = ((compare.left, compare.right, stays), (compare.right, compare.left, SWAPPED[stays]))
    for tested, bound, predicate in sides:
        found = _moving(block, loop, known, tested)
        if found is not None and _is_fixed(function, loop, bound):
            phi, size, offset, step = found
            goes_on = _order(predicate, step)
            return None if goes_on is None else _PointerTest(phi, size, offset, step, goes_on, bound, compare)
    return None


def _order(predicate: IntPredicate, step: int) -> IntPredicate | None:
    """The signed comparison of distances; None when the loop does not move towards its bound one by one."""
    if predicate == "ne":
        return "slt" if step == 1 else "sgt" if step == -1 else None
    signed = _SIGNED.get(predicate)
    towards = predicate in ("ult", "ule") if step > 0 else predicate in ("ugt", "uge")
    return signed if towards else None


def _moving(
    header: Block, loop: NaturalLoop, known: Mapping[str, Definition], tested: Value
) -> tuple[Phi, int, int, int] | None:
    """The phi that a tested pointer is `offset` elements behind, the elements' size, that offset, and the step of the phi."""
    base, size, offset = _walk(known, tested, None)
    phi = next((phi for phi in header.phis if phi.result == base), None)
    if phi is None:
        return None
    start, size, step = _walk(known, phi.value_from(loop.latches[0]), size)
    if start != phi.result or size is None or step == 0:
        return None
    return phi, size, offset, step


def _walk(known: Mapping[str, Definition], value: Value, size: int | None) -> tuple[Value, int | None, int]:
    """The pointer that `value` is a constant number of elements of one size behind; that size, and the number."""
    offset = 0
    while (found := _moved(known, value)) is not None:
        base, index, own = found
        if not isinstance(index, Const) or size not in (None, own):
            break
        value, size, offset = base, own, offset + index.signed
    return value, size, offset


def _moved(known: Mapping[str, Definition], value: Value) -> tuple[Value, Value, int] | None:
    """`value` as a pointer moved by a number of elements: the pointer, the number, and an element's size.

    Rows of constant length, which structs are too, are elements of their length.
    """
    match known.get(value.name) if isinstance(value, Var) else None:
        case ElementPointer(element=element, base=base, indices=(index, *inner), extents=extents):
            constant = [extent.signed for extent in extents if isinstance(extent, Const)]
            if len(constant) == len(extents) and all(isinstance(i, Const) and i.bits == 0 for i in inner):
                return base, index, size_of(element) * prod(constant)
    return None


def _is_fixed(function: Function, loop: NaturalLoop, value: Value) -> bool:
    inside = (block for block in function.blocks if block.label in loop.blocks)
    return not any(s.result == value for block in inside for s in (*block.phis, *block.body))


def _counted(function: Function, loop: NaturalLoop, test: _PointerTest) -> Function:
    names = FreshNames.of(function)
    name = test.phi.result.source_name
    (preheader,), (latch,) = loop.entering, loop.latches
    count, following = names.variable(f"{name}.count", I64), names.variable(f"{name}.next", I64)
    distance = _distance(definitions(function), names, test.phi.value_from(preheader), test)
    phi = Phi(count, ((preheader, const_i64(0)), (latch, following)), test.phi.span)
    step: Instruction = Binary(following, "add", count, const_i64(test.step), nsw=True)
    tested: list[Instruction] = []
    value: Var = count
    if test.offset:
        value = names.variable(f"{name}.tested", I64)
        tested.append(Binary(value, "add", count, const_i64(test.offset), nsw=True))
    end = function.block(loop.header).terminator
    leaves = isinstance(end, Branch) and end.then not in loop.blocks
    predicate = NEGATED[test.predicate] if leaves else test.predicate
    tested.append(CompareInt(test.compare.result, predicate, value, distance[0], test.compare.span))

    def changed(block: Block) -> Block:
        if block.label == loop.header:
            place = block.body.index(test.compare)
            block = replace(block, phis=(*block.phis, phi), body=(*block.body[:place], *tested, *block.body[place + 1 :]))
        if block.label == latch:
            block = replace(block, body=(*block.body, step))
        if block.label == preheader:
            block = replace(block, body=(*block.body, *distance[1]))
        return block

    return replace(function, blocks=tuple(map(changed, function.blocks)))


def _distance(
    known: Mapping[str, Definition], names: FreshNames, start: Value, test: _PointerTest
) -> tuple[Value, list[Instruction]]:
    """From the first value of the pointer to its bound in elements, and the code that computes it."""
    name, span = test.phi.result.source_name, test.compare.span
    result = names.variable(f"{name}.distance", I64)
    low, high = _subscript(known, start, test.size), _subscript(known, test.bound, test.size)
    if low[0] == high[0]:
        return result, [Binary(result, "sub", high[1], low[1], nsw=True, span=span)]
    ends = [names.variable(f"{name}.{end}", I64) for end in ("end", "start")]
    bytes_, size = names.variable(f"{name}.bytes", I64), test.size
    code: list[Instruction] = [
        Convert(ends[0], "ptrtoint", test.bound, span),
        Convert(ends[1], "ptrtoint", start, span),
        Binary(bytes_, "sub", ends[0], ends[1], nsw=True, span=span),
    ]
    if size & (size - 1):
        return result, [*code, Binary(result, "sdiv", bytes_, const_i64(size), span=span)]
    return result, [*code, Binary(result, "ashr", bytes_, const_i64(size.bit_length() - 1), span=span)]


def _subscript(known: Mapping[str, Definition], value: Value, size: int) -> tuple[Value, Value]:
    """`value` as an element of an array: the array, and the subscript."""
    found = _moved(known, value)
    return (found[0], found[1]) if found is not None and found[2] == size else (value, const_i64(0))
