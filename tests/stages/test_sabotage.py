"""Tests of the tests: passes with a deliberate error, each of which must be found at the stage that it belongs to.

Nothing else is reported before: the stages up to the error mean the same. That nothing is reported without the error is what
`tests.stages.test_stages` checks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

import rv.emit.intrinsics
import rv.emit.llvm
import rv.transform.linearize.boscc
import rv.widen.body
import rv.widen.site
import tensorrv.brush.memory.stores
import tensorrv.brush.tensorize
import tests.stages.chain
from rv.analysis.memory.alias import AliasAnalysis
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Horizontal, Select
from rv.ir.values import TRUE, Undef, Value
from rv.transform.linearize.additions import Additions
from rv.transform.linearize.divergent_loops import _Loop
from rv.transform.linearize.partial import _Linearization
from rv.transform.linearize.predicates import Masks
from rv.vector import instructions as vector
from rv.vector.function import Module
from rv.vector.types import VectorType, lanes_of
from rv.vector.values import all_true, integers
from tests.fuzz.batch import kind_of
from tests.fuzz.children import run_apart
from tests.stages.batch import check_seed

Patch = pytest.MonkeyPatch
SEEDS = [seed for seed in range(2000, 2400) if seed % 5 >= 2]
"""Those of cases with at least 4 lanes."""
TOGETHER = 5


# -- what every kernel goes through first -------------------------------------------------------------------------------------


def prepare_swaps_the_arms_of_selects(patch: Patch) -> None:
    true = tests.stages.chain.prepare

    def swapped(block: Block) -> Block:
        body = (replace(i, then=i.otherwise, otherwise=i.then) if isinstance(i, Select) else i for i in block.body)
        return replace(block, body=tuple(body))

    def wrong(function: Function) -> Function:
        found = true(function)
        return replace(found, blocks=tuple(map(swapped, found.blocks)))

    patch.setattr(tests.stages.chain, "prepare", wrong)


def stores_change_nothing_else(patch: Patch) -> None:
    patch.setattr(AliasAnalysis, "overlapping", lambda self, places, place: [other for other in places if other == place])


# -- loops that threads leave apart -------------------------------------------------------------------------------------------


def values_of_those_who_left_are_not_kept(patch: Patch) -> None:
    true = _Loop._tracked

    def wrong(self: Any, wanted: str, first: Value, stay: Any, leave: Any, shadow: Any = None) -> Any:
        return true(self, wanted, first, stay, {} if wanted.endswith(".kept") else leave, shadow)

    patch.setattr(_Loop, "_tracked", wrong)


def threads_that_left_go_to_the_other_exit(patch: Patch) -> None:
    true = _Loop._dispatch

    def swapped(block: Block) -> Block:
        end = block.terminator
        if not isinstance(end, Branch):
            return block
        return replace(block, terminator=replace(end, then=end.otherwise, otherwise=end.then))

    def wrong(self: Any) -> Any:
        blocks, entries = true(self)
        return list(map(swapped, blocks)), entries

    patch.setattr(_Loop, "_dispatch", wrong)


def threads_that_left_stay_live(patch: Patch) -> None:
    true = _Loop._tracked

    def wrong(self: Any, wanted: str, first: Value, stay: Any, leave: Any, shadow: Any = None) -> Any:
        return true(self, wanted, first, stay, {} if stay is None else dict(list(leave.items())[:1]), shadow)

    patch.setattr(_Loop, "_tracked", wrong)


# -- linearization ------------------------------------------------------------------------------------------------------------


def values_at_joins_are_swapped(patch: Patch) -> None:
    true = Additions.select

    def wrong(self: Any, label: str, wanted: str, condition: Value, then: Value, otherwise: Value) -> Value:
        arms = (then, otherwise) if wanted.endswith(".mask") or Undef(then.type) in (then, otherwise) else (otherwise, then)
        return true(self, label, wanted, condition, *arms)

    patch.setattr(Additions, "select", wrong)


def code_runs_without_predicates(patch: Patch) -> None:
    patch.setattr(_Linearization, "_predicate", lambda self, block, end, kept: TRUE)


def masks_forget_the_branches_around(patch: Patch) -> None:
    patch.setattr(Masks, "_both", lambda self, source, target, mask, condition: condition)


def a_divergent_branch_is_taken_for_uniform(patch: Patch) -> None:
    true = tests.stages.chain.divergence

    def wrong(*given: Any) -> Any:
        found = true(*given)
        return replace(found, divergent_branches=found.divergent_branches - {min(found.divergent_branches, default="")})

    patch.setattr(tests.stages.chain, "divergence", wrong)


# -- tests in front of code that nobody wants ---------------------------------------------------------------------------------


def code_is_skipped_unless_everybody_wants_it(patch: Patch) -> None:
    def wrong(result: Any, op: str, *rest: Any) -> Horizontal:
        return Horizontal(result, "all" if op == "any" else "any", *rest)

    patch.setattr(rv.transform.linearize.boscc, "Horizontal", wrong)


# -- vector code --------------------------------------------------------------------------------------------------------------


def stores_without_masks(patch: Patch) -> None:
    patch.setattr(tensorrv.brush.memory.stores, "mask_of", lambda site, coordinates: None)
    patch.setattr(tensorrv.brush.memory.stores, "activation", lambda site, pattern: None)


def the_first_lane_answers_for_all(patch: Patch) -> None:
    true = rv.widen.body.horizontal

    def wrong(site: Any, instruction: Horizontal, pattern: Any) -> Any:
        if instruction.op in ("any", "all") and site.context.common_test(site.variant, instruction) is None:
            register = site.context.all_registers(site.variant)[0]
            value = site.operand(instruction.operands[0], register)
            return value if len(register) == 1 else site.block.extract(value, 0)
        return true(site, instruction, pattern)

    patch.setattr(rv.widen.body, "horizontal", wrong)


def all_lanes_have_the_first_ones_counter(patch: Patch) -> None:
    patch.setattr(rv.widen.site, "integers", lambda type_, values: integers(type_, values[:1] * len(values)))


def selects_are_swapped_in_vector_code(patch: Patch) -> None:
    true = rv.widen.body.operation

    def wrong(instruction: Any, operands: list[Any], *rest: Any) -> Any:
        swap = isinstance(instruction, Select) and not instruction.total
        return true(instruction, [operands[0], operands[2], operands[1]] if swap else operands, *rest)

    patch.setattr(rv.widen.body, "operation", wrong)


# -- machine code -------------------------------------------------------------------------------------------------------------


def masks_of_stores_are_not_emitted(patch: Patch) -> None:
    true = rv.emit.intrinsics.masked_store
    patch.setattr(
        rv.emit.intrinsics, "masked_store",
        lambda store: true(replace(store, mask=all_true(lanes_of(store.value.type)))),
    )  # fmt: skip


def selects_are_swapped_in_llvm(patch: Patch) -> None:
    true = rv.emit.llvm.module_text

    def swapped(module: Module, target: Any) -> str:
        functions = tuple(replace(f, blocks=tuple(map(_with_swapped_selects, f.blocks))) for f in module.functions)
        return true(replace(module, functions=functions), target)

    patch.setattr(tensorrv.brush.tensorize, "module_text", swapped)


def _with_swapped_selects(block: Any) -> Any:
    """The block with the arms of selects between vectors in the other order."""
    return replace(block, body=tuple(replace(s, instruction=_swapped(s.instruction)) for s in block.body))


def _swapped(instruction: Any) -> Any:
    if isinstance(instruction, vector.Select) and isinstance(instruction.type, VectorType):
        return replace(instruction, then=instruction.otherwise, otherwise=instruction.then)
    return instruction


@dataclass(frozen=True, slots=True)
class Sabotage:
    change: Callable[[Patch], None]
    stages: tuple[str, ...]
    """Where it may show first."""


LINEARIZED = ("linearized", "prepared, linearized")
LOOPS = ("uniform loops", "prepared, uniform loops")
SABOTAGES = (
    Sabotage(prepare_swaps_the_arms_of_selects, ("prepared, canonical control",)),
    Sabotage(stores_change_nothing_else, ("prepared, canonical control",)),
    Sabotage(values_of_those_who_left_are_not_kept, LOOPS),
    Sabotage(threads_that_left_go_to_the_other_exit, LOOPS),
    Sabotage(threads_that_left_stay_live, LOOPS),
    Sabotage(values_at_joins_are_swapped, LINEARIZED),
    Sabotage(code_runs_without_predicates, LINEARIZED),
    Sabotage(masks_forget_the_branches_around, LINEARIZED),
    Sabotage(a_divergent_branch_is_taken_for_uniform, (*LOOPS, *LINEARIZED)),
    Sabotage(code_is_skipped_unless_everybody_wants_it, ("skipped sides", "prepared, skipped sides")),
    Sabotage(stores_without_masks, ("vector code",)),
    Sabotage(the_first_lane_answers_for_all, ("vector code",)),
    Sabotage(all_lanes_have_the_first_ones_counter, ("vector code",)),
    Sabotage(selects_are_swapped_in_vector_code, ("vector code",)),
    Sabotage(masks_of_stores_are_not_emitted, ("machine code",)),
    Sabotage(selects_are_swapped_in_llvm, ("machine code",)),
)


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage.change.__name__)
def test_sabotage_is_found_where_it_is(sabotage: Sabotage, monkeypatch: Patch) -> None:
    sabotage.change(monkeypatch)
    for first in range(0, len(SEEDS), TOGETHER):
        for outcome in run_apart([partial(check_seed, seed) for seed in SEEDS[first : first + TOGETHER]], 20):
            if kind_of(outcome):
                where = outcome["detail"] if outcome["status"] == "mismatch" else "machine code"
                assert where.removeprefix("something undefined: ").startswith(sabotage.stages)
                return
    pytest.fail("nothing is found")
