"""Control flow inside a brush: which branches are divergent, what is skipped when no lane is active, and predicates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.instructions import Load, Store
from rv.ir.steps import Keep, forget
from rv.target.description import machine_of
from rv.target.machine import Target
from rv.transform.linearize.boscc import Weigh
from rv.transform.linearize.control_uniform import Divergent
from rv.widen import skipping
from rv.widen.skipping import sides_to_skip, weigher
from tensorrv.brush.between_loops import regions
from tensorrv.brush.memory.access_groups import lane_elements
from tensorrv.brush.shapes import NestShapes, analyze_shapes
from tensorrv.nest.choice.choose import Choice
from tensorrv.nest.model import Nests
from tensorrv.schedule.plan import Plan


@dataclass(frozen=True, slots=True)
class Branching:
    """The function before control flow inside a brush was linearized, and the shapes that decide which branches are divergent.

    `sizes` are those of the brush. `skipped` has the sides that are skipped without active lanes, by the blocks that branch.
    """

    function: Function
    shapes: NestShapes
    sizes: tuple[int, ...]
    skipped: Mapping[str, str]


def find_branching(nests: Nests, choice: Choice, plan: Plan, target: Target) -> Branching:
    """What becomes of the branches inside the brush of a nest that takes it."""
    headers, sizes = tuple(header for header, _ in choice.brush), tuple(size for _, size in choice.brush)
    shapes = analyze_shapes(choice.facts, headers, sizes)
    region = nests.loops[headers[-1]].blocks
    lanes = math.prod(sizes)
    weigh = _weigh(nests, shapes, lanes, plan.register_bits or target.register_bits)
    sides = sides_to_skip(nests.function, _divergent(shapes, region), shapes, plan.boscc, lanes, weigh, machine_of(target))
    return Branching(nests.function, shapes, sizes, sides)


def _divergent(shapes: NestShapes, region: frozenset[str]) -> Divergent:
    return Divergent(region, shapes.divergent_branches, shapes.divergent_loops)


def _weigh(nests: Nests, shapes: NestShapes, lanes: int, width: int) -> Weigh:
    """How many machine instructions an instruction of the body becomes for `lanes` lanes in registers of `width` bits."""
    places = {(a.block, a.position): a for a in nests.accesses}
    accesses = {
        instruction: places[block.label, position]
        for block in nests.function.blocks
        for position, instruction in enumerate(block.body)
        if (block.label, position) in places
    }

    def apart(access: Load | Store) -> bool:
        elements = lane_elements(accesses[access], shapes) if access in accesses else None
        return bool(shapes.of(access.pointer)) and (elements is None or elements.contiguous_dimension is None)

    return weigher(shapes, lanes, width, apart)


def linearized(nests: Nests, found: Sequence[Branching], keep: Keep = forget) -> Function:
    """The function with only uniform branches inside the bodies of brushed loops."""
    function = nests.function
    for branching in found:
        for region in regions(nests, branching.shapes.headers):
            function = skipping.linearized(function, _divergent(branching.shapes, region), branching.skipped, keep)
    return verify(function)
