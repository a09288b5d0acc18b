"""Tests of the tests: code generators with a deliberate error, each of which the run tests must find.

Every mutation replaces one function of the generator; running the named case must then report a difference or a fault. That
nothing is reported without the mutation is what the other tests check.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import rv.evolution.libm_extrema
import rv.vector.order
import rv.widen.across.folds
import rv.widen.across.networks
import rv.widen.body
import rv.widen.context
import rv.widen.loops.tiles
import rv.widen.loops.variant_tree
import rv.widen.site
import tensorrv.brush.memory.element_masks
import tensorrv.brush.memory.groups
import tensorrv.brush.memory.loads
import tensorrv.brush.memory.stores
import tensorrv.nest.idioms.common_loops
import tensorrv.nest.idioms.search_strips
import tensorrv.nest.idioms.short_circuit
import tensorrv.nest.legality.counted_reads
from rv.evolution.polynomial import Polynomial
from rv.ir.instructions import Binary, CompareFloat, Convert
from rv.ir.values import FALSE, TRUE
from rv.vector.dependences import Node, dependences
from rv.vector.function import Statement
from rv.vector.instructions import access_of
from rv.vector.types import lanes_of
from rv.vector.values import TRUE as HOLDS
from rv.vector.values import all_true, constant, i32, integers
from rv.vector.writer import BlockWriter
from rv.widen.across.reductions import identity
from rv.widen.arithmetic.operations import operation
from rv.widen.lanes import SCALAR
from rv.widen.loops.tails import brush_passes
from rv.widen.loops.trips import emit_guard, emit_trip_count
from rv.widen.network import Network, build_network
from tensorrv.brush.memory.addresses import element_address
from tensorrv.brush.memory.chunks import cut_chunks
from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import installed

KERNELS = Path(__file__).parents[2] / "kernels"
CASES = Path(__file__).parent / "cases"
Patch = pytest.MonkeyPatch


def failures(path: Path, plan: str, target: str, scratch: Path) -> tuple[str, ...]:
    """What running a C file under one plan finds."""
    tools = installed(target)
    return run_plans(read_subject(path), parse_plans([plan]), tools, scratch).failures


# -- chunks -----------------------------------------------------------------------------------------------------------------


def chunk_starts_one_late(patch: Patch) -> None:
    _cut_differently(patch, lambda chunk: replace(chunk, start=(*chunk.start[:-1], chunk.start[-1] + 1)))


def chunk_starts_one_early(patch: Patch) -> None:
    _cut_differently(patch, lambda chunk: replace(chunk, start=(*chunk.start[:-1], chunk.start[-1] - 1)))


def _cut_differently(patch: Patch, change: Callable[[Any], Any]) -> None:
    """The last chunk that is loaded is in another place than the network believes."""
    true = tensorrv.brush.memory.loads._load_chunk
    patch.setattr(tensorrv.brush.memory.loads, "_load_chunk", lambda site, family, chunk, mask: true(site, family, change(chunk),
    mask))


def chunks_are_rounded_up(patch: Patch) -> None:
    true = cut_chunks

    def cut(elements: Any, width: int, gap: int) -> Any:
        chunks = true(elements, width, gap)
        return (*chunks[:-1], replace(chunks[-1], length=width))

    patch.setattr(tensorrv.brush.memory.loads, "cut_chunks", cut)


def stored_chunk_in_the_next_row(patch: Patch) -> None:
    true = tensorrv.brush.memory.stores._store_chunk

    def store(site: Any, elements: Any, chunk: Any, value: Any, mask: Any) -> None:
        true(site, elements, replace(chunk, start=(chunk.start[0] + 1, *chunk.start[1:])), value, mask)

    patch.setattr(tensorrv.brush.memory.stores, "_store_chunk", store)


def wrong_row_pitch(patch: Patch) -> None:
    true = element_address
    patch.setattr(
        tensorrv.brush.memory.loads, "element_address",
        lambda site, family, element: true(site, replace(family, extents=tuple(e + 1 for e in family.extents)), element),
    )  # fmt: skip


# -- shuffles ---------------------------------------------------------------------------------------------------------------


def wrong_shuffle_lane(patch: Patch) -> None:
    def change(network: Network) -> Network:
        *others, last = network.shuffles
        return replace(network, shuffles=(*others, replace(last, mask=(last.mask[1], last.mask[0], *last.mask[2:]))))

    _change_network(patch, change)


def outputs_swapped(patch: Patch) -> None:
    _change_network(patch, lambda network: replace(network, outputs=network.outputs[1:] + network.outputs[:1]))


def _change_network(patch: Patch, change: Callable[[Network], Network]) -> None:
    true = build_network
    patch.setattr(rv.widen.across.networks, "build_network", lambda *arguments: change(true(*arguments)))


# -- tails ------------------------------------------------------------------------------------------------------------------


def mask_one_lane_too_wide(patch: Patch) -> None:
    _change_active(patch, "add")


def mask_one_lane_too_narrow(patch: Patch) -> None:
    _change_active(patch, "sub")


def _change_active(patch: Patch, op: str) -> None:
    true = rv.widen.loops.tiles._active

    def active(head: Any, counter: Any, trips: Any, width: int) -> Any:
        return head.binary(op, true(head, counter, trips, width), i32(1))

    patch.setattr(rv.widen.loops.tiles, "_active", active)


def no_masks(patch: Patch) -> None:
    patch.setattr(tensorrv.brush.memory.stores, "mask_of", lambda site, coordinates: None)
    patch.setattr(tensorrv.brush.memory.stores, "activation", lambda site, pattern: None)


def loads_without_masks(patch: Patch) -> None:
    patch.setattr(tensorrv.brush.memory.loads, "mask_of", lambda site, coordinates: None)


def common_loads_for_nobody(patch: Patch) -> None:
    true = tensorrv.brush.memory.loads.activation_of
    patch.setattr(
        tensorrv.brush.memory.loads, "activation_of", lambda s, v, pattern: None if pattern == SCALAR else true(s, v, pattern)
    )


def common_loads_for_the_first_lane(patch: Patch) -> None:
    patch.setattr(rv.widen.context.Context, "sharing", lambda self, copy, value, pattern, label: (pattern,))


def masks_of_elements_hold_everywhere(patch: Patch) -> None:
    for module in (tensorrv.brush.memory.loads, tensorrv.brush.memory.stores):
        patch.setattr(module, "element_masks", lambda site, type_, chunks, registers: [all_true(p.length) for p in chunks])


def masks_are_spread_one_element_late(patch: Patch) -> None:
    true = tensorrv.brush.memory.element_masks._deposit
    patch.setattr(tensorrv.brush.memory.element_masks, "_deposit", lambda site, bits, pattern: true(site, bits, 2 * pattern %
    2**64))


def elements_have_one_user(patch: Patch) -> None:
    true = tensorrv.brush.memory.element_masks._user
    patch.setattr(tensorrv.brush.memory.element_masks, "_user", lambda users, e, depth: true(users, e, depth) if depth == 0 else
    None)


def unwanted_elements_of_masks_hold(patch: Patch) -> None:
    true = tensorrv.brush.memory.element_masks._where_wanted
    patch.setattr(
        tensorrv.brush.memory.element_masks, "_where_wanted",
        lambda site, spread, request: true(site, spread, [r or (0, 0) for r in request]),
    )  # fmt: skip


def all_enter_inner_loops(patch: Patch) -> None:
    true = tensorrv.nest.idioms.common_loops._Common._truth

    def truth(self: Any, name: str, targets: frozenset[str]) -> Any:
        found = true(self, name, targets)
        if not targets:
            phi = self.phis.pop()
            self.phis.append(replace(phi, incoming=tuple((label, TRUE) for label, _ in phi.incoming)))
        return found

    patch.setattr(tensorrv.nest.idioms.common_loops._Common, "_truth", truth)


def ways_around_inner_loops_are_swapped(patch: Patch) -> None:
    true = tensorrv.nest.idioms.common_loops._Common._truth
    patch.setattr(
        tensorrv.nest.idioms.common_loops._Common, "_truth",
        lambda self, name, targets: true(self, name, frozenset(t for _, t in self.past) - targets if targets else targets),
    )  # fmt: skip


def all_elements_exist(patch: Patch) -> None:
    patch.setattr(tensorrv.nest.legality.counted_reads.CountedReads, "exists", lambda self, load, label, test: True)


def who_asks_first_gets_no_answer(patch: Patch) -> None:
    true = tensorrv.nest.idioms.short_circuit._chosen
    patch.setattr(tensorrv.nest.idioms.short_circuit, "_chosen", lambda *given, either: true(*given, either=not either))


def strips_find_nothing(patch: Patch) -> None:
    true = tensorrv.nest.idioms.search_strips._Strips._questions
    patch.setattr(
        tensorrv.nest.idioms.search_strips._Strips, "_questions", lambda *arguments: replace(true(*arguments), hit=FALSE)
    )


def strips_are_as_long_as_what_is_left(patch: Patch) -> None:
    true = tensorrv.nest.idioms.search_strips._Strips._enough_left
    patch.setattr(
        tensorrv.nest.idioms.search_strips._Strips, "_enough_left",
        lambda self, header, variables: (*(body := true(self, header, variables))[:-1], replace(body[-1], then=TRUE)),
    )  # fmt: skip


def fmin_keeps_the_first_of_equals(patch: Patch) -> None:
    patch.setattr(rv.evolution.libm_extrema, "CompareFloat", _strictly)


def _strictly(result: Any, predicate: str, *rest: Any) -> CompareFloat:
    strict: Any = {"ole": "olt", "oge": "ogt"}
    return CompareFloat(result, strict.get(predicate, predicate), *rest)


def nobody_saw_a_number(patch: Patch) -> None:
    patch.setattr(rv.evolution.libm_extrema._Change, "_seen", lambda self, value: FALSE)


def last_tail_dropped(patch: Patch) -> None:
    _change_brush_passes(patch, lambda found: found[:-1] if len(found) > 1 else found)


def middle_tail_twice_as_wide(patch: Patch) -> None:
    def wider(found: Sequence[Any]) -> Sequence[Any]:
        return (*found[:-1], replace(found[-1], width=found[-1].width + 1))

    _change_brush_passes(patch, wider)


def _change_brush_passes(patch: Patch, change: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
    true = brush_passes
    patch.setattr(rv.widen.loops.variant_tree, "brush_passes", lambda *given, **named: change(true(*given, **named)))


def whole_brushes_run_past_the_end(patch: Patch) -> None:
    patch.setattr(rv.widen.loops.tiles, "_limit", lambda block, counter, trips, width: trips)


def trip_count_rounded_down(patch: Patch) -> None:
    true = emit_trip_count
    patch.setattr(
        rv.widen.loops.tiles, "emit_trip_count",
        lambda site, trip: true(site, replace(trip, distance=trip.distance - (abs(trip.step) - 1))),
    )  # fmt: skip


def divides_in_all_lanes(patch: Patch) -> None:
    patch.setattr(rv.widen.body, "_is", lambda site, value, divisor: constant(FALSE, lanes_of(value.type)))


# -- arithmetic -------------------------------------------------------------------------------------------------------------


def zext_for_sext(patch: Patch) -> None:
    _change_operation(patch, lambda i: replace(i, op="zext") if isinstance(i, Convert) and i.op == "sext" else i)


def sext_for_zext(patch: Patch) -> None:
    _change_operation(patch, lambda i: replace(i, op="sext") if isinstance(i, Convert) and i.op == "zext" else i)


def unsigned_conversion_to_float(patch: Patch) -> None:
    _change_operation(patch, lambda i: replace(i, op="uitofp") if isinstance(i, Convert) and i.op == "sitofp" else i)


def addition_for_subtraction(patch: Patch) -> None:
    _change_operation(patch, lambda i: replace(i, op="fadd") if isinstance(i, Binary) and i.op == "fsub" else i)


def _change_operation(patch: Patch, change: Callable[[Any], Any]) -> None:
    true = operation
    patch.setattr(rv.widen.body, "operation", lambda instruction, *rest: true(change(instruction), *rest))


def swapped_operands_of_fsub(patch: Patch) -> None:
    true = operation

    def swapped(instruction: Any, operands: list[Any], *rest: Any) -> Any:
        swap = isinstance(instruction, Binary) and instruction.op == "fsub"
        return true(instruction, operands[::-1] if swap else operands, *rest)

    patch.setattr(rv.widen.body, "operation", swapped)


def contraction_under_strict(patch: Patch) -> None:
    true = operation
    patch.setattr(rv.widen.body, "operation", lambda i, operands, mode: true(i, operands, "contract"))


def counter_of_the_first_lane_in_all(patch: Patch) -> None:
    patch.setattr(rv.widen.site, "integers", lambda type_, values: integers(type_, values[:1] * len(values)))


def wrong_identity(patch: Patch) -> None:
    def next_number(operation: str, type_: Any) -> Any:
        found = identity(operation, type_)
        return replace(found, bits=(found.bits + 1) % (1 << type_.bits))

    patch.setattr(rv.widen.across.folds, "identity", next_number)


def inactive_lanes_are_accumulated(patch: Patch) -> None:
    patch.setattr(rv.widen.loops.tiles, "mask_of", lambda site, coordinates: None)


# -- memory -----------------------------------------------------------------------------------------------------------------


def no_overlap_guard(patch: Patch) -> None:
    patch.setattr(rv.widen.body, "emit_guard", lambda site, legal: HOLDS)


def overlap_guard_one_element_short(patch: Patch) -> None:
    true = emit_guard

    def shorter(footprint: Any) -> Any:
        return replace(footprint, high=footprint.high - Polynomial.constant(1))

    patch.setattr(
        rv.widen.body, "emit_guard",
        lambda site, legal: true(site, replace(legal, overlaps=tuple((shorter(a), shorter(b)) for a, b in legal.overlaps))),
    )  # fmt: skip


def loads_may_pass_stores(patch: Patch) -> None:
    """The schedule forgets that an array was stored to, and moves loads to the top."""
    _forget_memory(patch, "load")


def stores_may_pass_loads(patch: Patch) -> None:
    _forget_memory(patch, "store")


def _forget_memory(patch: Patch, kind: str) -> None:
    """Loads or stores wait for their operands only."""

    def wrong(body: Sequence[Statement], register_bits: int) -> list[Node]:
        free = dependences([_alone(statement, k) for k, statement in enumerate(body)], register_bits)
        true = dependences(body, register_bits)
        return [one if one.kind == kind else other for one, other in zip(free, true, strict=True)]

    patch.setattr(rv.vector.order, "dependences", wrong)


def _alone(statement: Statement, number: int) -> Statement:
    """The statement with a memory of its own."""
    access = access_of(statement.instruction)
    if access is None or not hasattr(statement.instruction, "access"):
        return statement
    return replace(statement, instruction=replace(statement.instruction, access=replace(access, memory=str(number))))


def loads_are_shared_across_stores(patch: Patch) -> None:
    patch.setattr(BlockWriter, "stores", lambda self, memory: 0)
    patch.setattr(tensorrv.brush.memory.groups, "load_groups", _groups_without_epochs(tensorrv.brush.memory.groups.load_groups))


def _groups_without_epochs(true: Callable[..., Any]) -> Callable[..., Any]:
    def groups(site: Any, block: Any) -> Any:
        with contextlib.ExitStack() as stack:
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            patch.setattr(tensorrv.brush.memory.groups, "Store", ())
            return true(site, block)

    return groups


@dataclass(frozen=True, slots=True)
class Mutation:
    mutate: Callable[[Patch], None]
    path: Path
    plan: str
    target: str = "avx2"


JACOBI5, TRANSPOSE, BLUR, MATMUL = (KERNELS / f"{name}.c" for name in ("jacobi5", "transpose", "blur", "matmul"))
MUTATIONS = (
    Mutation(chunk_starts_one_late, TRANSPOSE, "brush=4x4"),
    Mutation(chunk_starts_one_late, JACOBI5, "brush=4x8"),
    Mutation(chunk_starts_one_early, CASES / "strides.c", "brush=8"),
    Mutation(chunks_are_rounded_up, CASES / "strides.c", "brush=8"),
    Mutation(stored_chunk_in_the_next_row, JACOBI5, "brush=4x8"),
    Mutation(wrong_row_pitch, JACOBI5, "brush=4x8"),
    Mutation(wrong_shuffle_lane, TRANSPOSE, "brush=4x4"),
    Mutation(wrong_shuffle_lane, TRANSPOSE, "brush=4x4", "neon"),
    Mutation(outputs_swapped, TRANSPOSE, "brush=4x4"),
    Mutation(mask_one_lane_too_wide, JACOBI5, "brush=1x8 tail=mask"),
    Mutation(mask_one_lane_too_narrow, JACOBI5, "brush=1x8 tail=mask"),
    Mutation(no_masks, JACOBI5, "brush=4x8 tail=mask"),
    Mutation(loads_without_masks, JACOBI5, "brush=4x8 tail=mask"),
    Mutation(common_loads_for_nobody, CASES / "divergent_uniform.c", "brush=8 boscc=none"),
    Mutation(common_loads_for_nobody, CASES / "divergent_uniform.c", "brush=8 boscc=none", "avx512"),
    Mutation(common_loads_for_the_first_lane, CASES / "divergent_uniform.c", "brush=4x4"),
    *(Mutation(masks_of_elements_hold_everywhere, CASES / "masked_groups.c", "brush=8", t) for t in ("avx2", "avx512")),
    Mutation(masks_are_spread_one_element_late, CASES / "masked_groups.c", "brush=8", "avx512"),
    Mutation(elements_have_one_user, CASES / "masked_groups.c", "brush=8"),
    Mutation(unwanted_elements_of_masks_hold, CASES / "masked_groups.c", "brush=8"),
    Mutation(all_enter_inner_loops, CASES / "between_loops.c", "brush=4x8"),
    Mutation(ways_around_inner_loops_are_swapped, CASES / "between_loops.c", "brush=4x8"),
    Mutation(all_elements_exist, CASES / "searches_that_end.c", "brush=8"),
    Mutation(all_elements_exist, CASES / "asked_while_needed.c", "brush=8"),
    Mutation(who_asks_first_gets_no_answer, CASES / "asked_always.c", "brush=8"),
    Mutation(strips_find_nothing, CASES / "searches.c", "brush=8"),
    Mutation(strips_are_as_long_as_what_is_left, CASES / "searches.c", "brush=8"),
    Mutation(fmin_keeps_the_first_of_equals, CASES / "libm_extrema.c", "brush=8"),
    Mutation(nobody_saw_a_number, CASES / "libm_extrema.c", "brush=8"),
    Mutation(last_tail_dropped, JACOBI5, "brush=1x8 tail=peel"),
    Mutation(last_tail_dropped, JACOBI5, "brush=4x1 tail=scalar"),
    Mutation(middle_tail_twice_as_wide, JACOBI5, "brush=1x8 tail=peel"),
    Mutation(whole_brushes_run_past_the_end, JACOBI5, "brush=4x8"),
    Mutation(trip_count_rounded_down, CASES / "bounds.c", "brush=8"),
    Mutation(divides_in_all_lanes, CASES / "division.c", "brush=8 tail=mask"),
    Mutation(zext_for_sext, CASES / "mixed_types.c", "brush=8"),
    Mutation(sext_for_zext, BLUR, "brush=4x8"),
    Mutation(unsigned_conversion_to_float, CASES / "mixed_types.c", "brush=8"),
    Mutation(addition_for_subtraction, KERNELS / "heat3d.c", "brush=4x8"),
    Mutation(swapped_operands_of_fsub, KERNELS / "heat3d.c", "brush=4x8"),
    Mutation(contraction_under_strict, MATMUL, "brush=4x8"),
    Mutation(counter_of_the_first_lane_in_all, CASES / "mixed_types.c", "brush=8"),
    Mutation(wrong_identity, CASES / "reductions.c", "brush=8"),
    Mutation(inactive_lanes_are_accumulated, CASES / "reductions.c", "brush=8 tail=mask"),
    Mutation(no_overlap_guard, CASES / "overlapping.c", "brush=8"),
    Mutation(overlap_guard_one_element_short, CASES / "touching.c", "brush=8"),
    Mutation(loads_may_pass_stores, CASES / "two_statements.c", "brush=4x8"),
    Mutation(stores_may_pass_loads, CASES / "two_statements.c", "brush=8x8"),
    Mutation(loads_are_shared_across_stores, CASES / "two_statements.c", "brush=4x8"),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.mutate.__name__}-{m.path.stem}-{m.target}")
def test_mutation_is_found(mutation: Mutation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.mutate(monkeypatch)
    assert failures(mutation.path, mutation.plan, mutation.target, tmp_path)
