"""Control flow inside a brush: which branches differ between lanes, what is skipped when no lane wants it, and predicates.

What lanes decide differently becomes straight-line code under predicates (`rv.transform.linearize.partial`). The expensive side
of such a branch is only entered when some lane wants it (thesis, section 9.2): with `auto` where that is expected to save more
than a test costs, mispredictions included (`rv.transform.linearize.boscc`), or takes the place of a guard; with `all` always,
with `none` never.

Costs are those of the brush: an instruction is executed once for every register that its result takes, a load without
neighbouring elements once for every lane.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rv.analysis.values.effects import DIVISIONS
from rv.analysis.values.uses import defining_blocks
from rv.analysis.verify import verify
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Call, Instruction, Load, Store
from rv.ir.types import bits_of
from rv.ir.values import Var
from rv.target.machine import Target
from rv.transform.linearize.boscc import Weigh, expensive_sides, skip_sides
from rv.transform.linearize.divergent_loops import uniform_loops
from rv.transform.linearize.partial import linearize
from rv.widen.math_calls import exact_name
from tensorrv.brush.between_loops import regions
from tensorrv.brush.elements import lane_elements
from tensorrv.brush.shapes import NestShapes, analyze_shapes
from tensorrv.nest.choice.choose import Choice
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.model import Nests
from tensorrv.schedule.plan import Plan

TEST: Final = 30  # instructions that a test costs: itself, a misprediction now and then, and values kept across blocks
CALL: Final = 20  # instructions of a call of the C library, for one lane
DIVISION: Final = 8


@dataclass(frozen=True, slots=True)
class Branching:
    """The function before control flow inside a brush was linearized, and the shapes that tell which branches differ.

    `sizes` are those of the brush. `skipped` has the sides that are skipped when no lane wants them, by the blocks that branch.
    """

    function: Function
    shapes: NestShapes
    sizes: tuple[int, ...]
    skipped: Mapping[str, str]


def find_branching(nests: Nests, choice: Choice, plan: Plan, target: Target) -> Branching:
    """What becomes of the branches inside the brush of a nest that takes it."""
    headers, sizes = tuple(header for header, _ in choice.brush), tuple(size for _, size in choice.brush)
    shapes = analyze_shapes(nests_within(nests, headers[0]), headers, sizes)
    region = nests.loops[headers[-1]].blocks
    divergent = shapes.divergent_branches & region
    if plan.boscc == "none" or not divergent:
        return Branching(nests.function, shapes, sizes, {})
    lanes = math.prod(sizes)
    weigh = _weigh(nests, shapes, lanes, plan.register_bits or target.register_bits)
    least = TEST if plan.boscc == "auto" else 0
    asking = _asking(nests.function, shapes, region)
    sides = expensive_sides(nests.function, divergent, region, least=least, threads=lanes, weigh=weigh, asking=asking)
    return Branching(nests.function, shapes, sizes, sides)


def _asking(function: Function, shapes: NestShapes, region: frozenset[str]) -> frozenset[str]:
    """The blocks with something that is done once for all lanes, and under a condition only when one of them is there.

    These are branches that all lanes take together, and loads from one address. An address that stays the same in the brushed
    loop is known long before the loop needs it, and so is what is there: such a load delays nobody.
    """
    homes = defining_blocks(function)

    def once(instruction: Instruction) -> bool:
        if not isinstance(instruction, Load) or shapes.of(instruction.pointer):
            return False
        return isinstance(instruction.pointer, Var) and homes[instruction.pointer.name] in region

    def together(block: Block) -> bool:
        return isinstance(block.terminator, Branch) and block.label not in shapes.divergent_branches

    blocks = (block for block in function.blocks if block.label in region)
    return frozenset(block.label for block in blocks if together(block) or any(map(once, block.body)))


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

    def weigh(instruction: Instruction) -> int:
        value = instruction.value if isinstance(instruction, Store) else instruction.result
        if value is None or not (shapes.of(value) or isinstance(instruction, Store)):
            return 1
        registers = max(1, lanes * bits_of(value.type) // width)
        match instruction:
            case Load() | Store():
                return lanes if apart(instruction) else 2 * registers
            case Call(callee=callee):
                return registers if exact_name(callee) else CALL * lanes
            case Binary(op=op) if op == "fdiv":
                return DIVISION * registers
            case Binary(op=op) if op in DIVISIONS:
                return DIVISION * lanes
            case _:
                return registers

    return weigh


def linearized(nests: Nests, found: Sequence[Branching]) -> Function:
    """The function with only uniform branches inside the bodies of brushed loops."""
    function = nests.function
    for branching in found:
        shapes = branching.shapes
        for region in regions(nests, shapes.headers):
            divergent = shapes.divergent_branches & region
            if divergent:
                tested = skip_sides(function, divergent, region, {a: b for a, b in branching.skipped.items() if a in region})
                parted = shapes.divergent_loops & region
                loops = uniform_loops(tested.function, parted, tested.divergent, tested.region)
                function = linearize(loops.function, loops.divergent, loops.region)
    return verify(function)
