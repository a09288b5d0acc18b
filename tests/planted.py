"""Deliberate errors for tests of the tests: changes to what a step of the compilation has made, as a wrong pass would make it.

They are planted through the seam between the steps (`rv.ir.steps`): `planted(step, change)` is the `keep` of a compilation in
which that step gives `change(result)`. Errors of the vector IR change a module, those of P-LLVM a function; each changes all
places that it finds, so that it does not depend on names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from rv.ir import instructions as scalar
from rv.ir.function import Block as ScalarBlock
from rv.ir.function import Function
from rv.ir.rewrite import map_operands
from rv.ir.steps import Keep, M
from rv.ir.types import I1, I64, IntType
from rv.ir.values import FALSE, TRUE, Const, Undef
from rv.vector import instructions as vector
from rv.vector.function import Block, Module, Phi, Statement
from rv.vector.types import VectorType, lanes_of
from rv.vector.values import Constant, Operand, Register, word

Change = Callable[[Any], Any]


def planted(step: str, change: Change) -> Keep:
    """The seam with an error after this step."""

    def keep(name: str, made: M, /) -> M:
        changed: M = change(made) if name == step else made
        return changed

    return keep


# -- the vector IR ------------------------------------------------------------------------------------------------------------


def in_blocks(change: Callable[[Block], Block]) -> Change:
    """The change of each block of a module."""

    def whole(module: Module) -> Module:
        functions = (replace(f, blocks=tuple(map(change, f.blocks))) for f in module.functions)
        return replace(module, functions=tuple(functions))

    return whole


def in_instructions(change: Callable[[Any], Any]) -> Change:
    """The change of each instruction of a module."""
    return in_blocks(lambda block: replace(block, body=tuple(replace(s, instruction=change(s.instruction)) for s in block.body)))


def in_constants(change: Callable[[Constant], Constant]) -> Change:
    """The change of each constant that an instruction of a module has as operand."""

    def change_value(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(change_value, value))
        return change(value) if isinstance(value, Constant) else value

    def changed(instruction: Any) -> Any:
        values = {field.name: change_value(getattr(instruction, field.name)) for field in fields(instruction)}
        return replace(instruction, **values)

    return in_instructions(changed)


def _of(kind: type | tuple[type, ...], change: Callable[[Any], Any]) -> Change:
    return in_instructions(lambda instruction: change(instruction) if isinstance(instruction, kind) else instruction)


MASKED = (vector.Load, vector.Gather, vector.Store, vector.Scatter)


def _lanes(access: Any) -> int:
    match access:
        case vector.Load():
            return lanes_of(access.type)
        case vector.Gather():
            return lanes_of(access.mask.type)
        case _:
            return lanes_of(access.value.type)


def _unmasked(access: Any) -> Any:
    return access if access.mask is None else replace(access, mask=Constant(access.mask.type, (1,) * _lanes(access)))


stores_without_masks = _of((vector.Store, vector.Scatter), _unmasked)
loads_without_masks = _of((vector.Load, vector.Gather), _unmasked)
masks_hold_for_no_lane = _of(MASKED, lambda a: a if a.mask is None else replace(a, mask=Constant(a.mask.type, (0,) * _lanes(a))))


def _on_vectors(instruction: Any) -> bool:
    return isinstance(instruction.type, VectorType)


def _compare(old: str, new: str, *, lanes: bool) -> Change:
    def changed(compare: vector.Compare) -> vector.Compare:
        return replace(compare, predicate=new) if (compare.predicate, _on_vectors(compare)) == (old, lanes) else compare

    return _of(vector.Compare, changed)


masks_hold_one_lane_more = _compare("ult", "ule", lanes=True)
loops_run_once_more = _compare("ult", "ule", lanes=False)
runtime_checks_hold_at_once = _compare("ule", "uge", lanes=False)


def _convert(old: str, new: str) -> Change:
    return _of(vector.Convert, lambda c: replace(c, op=new) if c.op == old else c)


zext_for_sext, sext_for_zext = _convert("sext", "zext"), _convert("zext", "sext")
unsigned_for_signed = _convert("sitofp", "uitofp")


addition_for_subtraction = _of(vector.Binary, lambda b: replace(b, op="fadd") if b.op == "fsub" else b)
swapped_operands_of_fsub = _of(vector.Binary, lambda b: replace(b, left=b.right, right=b.left) if b.op == "fsub" else b)
contraction = _of((vector.Binary, vector.Elementwise), lambda i: replace(i, mode="contract"))
selects_are_swapped = _of(vector.Select, lambda s: replace(s, then=s.otherwise, otherwise=s.then) if _on_vectors(s) else s)


def _swapped_lanes(shuffle: vector.Shuffle) -> vector.Shuffle:
    first, second, *others = shuffle.mask
    return replace(shuffle, mask=(second, first, *others))


shuffles_swap_two_lanes = _of(vector.Shuffle, lambda s: _swapped_lanes(s) if len(s.mask) > 1 else s)
shuffles_start_one_late = _of(vector.Shuffle, lambda s: replace(s, mask=(*s.mask[1:], s.mask[0])))


def _moved_address(step: int) -> Change:
    """Rows begin elsewhere: addresses at a constant distance from another one."""

    def moved(address: vector.Address) -> vector.Address:
        if not isinstance(address.index, Constant) or isinstance(address.base.type, VectorType):
            return address
        index = replace(address.index, lanes=tuple((k + step) % 2**64 for k in address.index.lanes))
        return replace(address, index=index)

    return _of(vector.Address, moved)


registers_begin_one_late, registers_begin_one_early = _moved_address(1), _moved_address(-1)


def _pitches(binary: vector.Binary) -> vector.Binary:
    """A product of row and row length has one row too few."""
    if binary.op == "mul" and binary.type == I64 and isinstance(binary.left, Register) and isinstance(binary.right, Register):
        return replace(binary, op="sub", promise="")
    return binary


wrong_row_pitch = _of(vector.Binary, _pitches)


def _one_counter(constant: Constant) -> Constant:
    """All lanes have the counter of the first."""
    lanes = constant.lanes
    counting = len(lanes) > 1 and lanes == tuple(range(lanes[0], lanes[0] + len(lanes)))
    return replace(constant, lanes=lanes[:1] * len(lanes)) if counting else constant


counter_of_the_first_lane_in_all = in_constants(_one_counter)
bits_are_spread_one_late = in_constants(
    lambda c: replace(c, lanes=tuple(v << 1 for v in c.lanes)) if c.type == I64 and 2**16 < c.lanes[0] < 2**63 else c
)


def _other_start(block: Block) -> Block:
    """Accumulators start with the next number."""

    def other(value: Operand) -> Operand:
        if not isinstance(value, Constant) or not isinstance(value.type, VectorType):
            return value
        return replace(value, lanes=tuple(bits ^ 1 for bits in value.lanes))

    phis = (Phi(phi.result, tuple((other(value), label) for value, label in phi.incoming)) for phi in block.phis)
    return replace(block, phis=tuple(phis))


accumulators_start_elsewhere = in_blocks(_other_start)


def _divides(block: Block) -> Block:
    """Divisors are what the source has, in inactive lanes too."""
    chosen = {s.result: s.instruction for s in block.body if isinstance(s.instruction, vector.Select)}

    def divisor(value: Operand) -> Operand:
        select = chosen.get(value) if isinstance(value, Register) else None
        if select is None:
            return value
        return select.then if isinstance(select.otherwise, Constant) else select.otherwise

    def changed(instruction: Any) -> Any:
        division = isinstance(instruction, vector.Binary) and instruction.op in ("sdiv", "udiv", "srem", "urem")
        return replace(instruction, right=divisor(instruction.right)) if division else instruction

    return replace(block, body=tuple(replace(s, instruction=changed(s.instruction)) for s in block.body))


divides_in_all_lanes = in_blocks(_divides)


def _stores_last(block: Block) -> Block:
    def last(statement: Statement) -> bool:
        return isinstance(statement.instruction, vector.Store)

    return replace(block, body=(*(s for s in block.body if not last(s)), *filter(last, block.body)))


def _stores_first(block: Block) -> Block:
    """Stores come as soon as their operands are known."""
    known: list[Statement] = []
    for statement in block.body:
        place = len(known)
        if isinstance(statement.instruction, vector.Store):
            needed = vector.operands(statement.instruction)
            place = max((k + 1 for k, other in enumerate(known) if other.result in needed), default=0)
        known.insert(place, statement)
    return replace(block, body=tuple(known))


loads_pass_stores, stores_pass_loads = in_blocks(_stores_last), in_blocks(_stores_first)


def _without_first(instruction: Any) -> Any:
    """Tests of masks as numbers do not see the first lane."""
    if not isinstance(instruction, vector.Compare) or not isinstance(instruction.left.type, IntType):
        return instruction
    type_ = instruction.left.type
    nonzero = instruction.predicate == "ne" and instruction.right == word(type_, 0)
    return replace(instruction, predicate="ugt", right=word(type_, 1)) if nonzero else instruction


tests_of_masks_forget_the_first_lane = in_instructions(_without_first)


# -- P-LLVM -------------------------------------------------------------------------------------------------------------------


def in_source_blocks(change: Callable[[ScalarBlock], ScalarBlock]) -> Change:
    """The change of each block of a function."""

    def whole(function: Function) -> Function:
        return replace(function, blocks=tuple(map(change, function.blocks)))

    return whole


def in_source(change: Callable[[Any], Any]) -> Change:
    """The change of each instruction of a function."""
    return in_source_blocks(lambda block: replace(block, body=tuple(map(change, block.body))))


def _swapped_select(instruction: Any) -> Any:
    if not isinstance(instruction, scalar.Select) or Undef(instruction.then.type) in (instruction.then, instruction.otherwise):
        return instruction
    return replace(instruction, then=instruction.otherwise, otherwise=instruction.then)


arms_of_selects_are_swapped = in_source(_swapped_select)


def _other_truth(block: ScalarBlock) -> ScalarBlock:
    """Truth values that are known are the other ones, where a block is entered."""

    def other(value: Any) -> Any:
        return {TRUE: FALSE, FALSE: TRUE}.get(value, value) if isinstance(value, Const) else value

    return replace(block, phis=tuple(map_operands(phi, other) for phi in block.phis))


truths_at_joins_are_swapped = in_source_blocks(_other_truth)


def _swapped_branch(block: ScalarBlock) -> ScalarBlock:
    end = block.terminator
    if not isinstance(end, scalar.Branch):
        return block
    return replace(block, terminator=replace(end, then=end.otherwise, otherwise=end.then))


branches_are_swapped = in_source_blocks(_swapped_branch)


def _without_predicate(block: ScalarBlock) -> ScalarBlock:
    return replace(block, predicate=TRUE)


code_runs_without_predicates = in_source_blocks(_without_predicate)


def _first_of_equals(instruction: Any) -> Any:
    strict = {"ole": "olt", "oge": "ogt", "ule": "ult", "uge": "ugt"}
    if isinstance(instruction, scalar.CompareFloat) and instruction.predicate in strict:
        return replace(instruction, predicate=strict[instruction.predicate])
    return instruction


extrema_keep_the_first_of_equals = in_source(_first_of_equals)


def _stores_last_in_source(block: ScalarBlock) -> ScalarBlock:
    def last(instruction: Any) -> bool:
        return isinstance(instruction, scalar.Store)

    return replace(block, body=(*(i for i in block.body if not last(i)), *filter(last, block.body)))


loads_pass_stores_in_source = in_source_blocks(_stores_last_in_source)


def _innermost_condition(instruction: Any) -> Any:
    if isinstance(instruction, scalar.Binary) and instruction.op == "and" and instruction.result.type == I1:
        return replace(instruction, left=instruction.right)
    if isinstance(instruction, scalar.Select) and instruction.result.type == I1 and instruction.otherwise == FALSE:
        return replace(instruction, condition=instruction.then)
    return instruction


masks_forget_the_branches_around = in_source(_innermost_condition)


def _other_for_all(instruction: Any) -> Any:
    """Tests of some lane are tests of all."""
    if isinstance(instruction, scalar.Horizontal) and instruction.op in ("any", "all"):
        return replace(instruction, op="all" if instruction.op == "any" else "any")
    return instruction


any_and_all_are_swapped = in_source(_other_for_all)

