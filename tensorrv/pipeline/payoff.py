"""Whether a brush is expected to pay: rough numbers of instructions of one brush against those of as many scalar iterations.

Scalar code takes one way through the body, with the chances of `rv.transform.linearize.boscc`; a brush runs all of them, for
every register, except code that is skipped without active lanes. Loads without neighbouring elements, calls and integer divisions
are made lane by lane. Addresses are free. What is in a loop counts eight times; where lanes leave it apart, a brush stays until
the last does: nearly twice as long as on average, if all trip counts up to some limit are equally likely. Where iterations
of the source wait for each other, as those of in-place sweeps that run in wavefronts now, scalar code takes as long as that. The
estimate is for warnings about brushes that cannot pay, not for choosing among brushes: it ignores caches and how often lanes
agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rv.analysis.cfg.region import find_region
from rv.analysis.values.effects import DIVISIONS
from rv.analysis.values.uses import definitions
from rv.cost.accesses import apart, gathered
from rv.cost.chains import latency_of, longest_way
from rv.cost.frequencies import LOOP_TRIPS, longest_trips, needed
from rv.cost.instructions import ACROSS_LANES, lane_by_lane, scalar_instructions
from rv.cost.throughput import throughput
from rv.ir.function import Function
from rv.ir.instructions import Binary, Call, ElementPointer, Horizontal, Instruction, Load, Store
from rv.ir.types import I1, FloatType, PointerType, Type, bits_of
from rv.semantics.exact_calls import exact_name
from rv.target.description import machine_of
from rv.transform.linearize.boscc import chances
from rv.transform.prepare import prepare
from rv.widen.lanes import Lanes
from rv.widen.loops.variant_tree import Variant
from tensorrv.brush.branching import Branching
from tensorrv.brush.context import BrushContext
from tensorrv.brush.memory.wide import weigh_registers
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.choice.carried_elements import carried_elements


def expected_speed(context: BrushContext, main: Variant, branching: Branching, source: Function) -> float:
    """How many times as fast as scalar code in the order of the source whole brushes are expected to be."""
    assert main.nest is not None
    lanes = len(main.lanes(frozenset(range(main.nest.rank))))
    body = find_region(branching.function, branching.shapes.nests.loops[branching.shapes.headers[-1]].blocks)
    reached = chances(branching.function, body).blocks
    longest = dict.fromkeys(_left_apart(branching), longest_trips(lanes))
    brush = 0.0
    for label in main.blocks:
        skipped = any(body.dominators.dominates(side, label) for side in branching.skipped.values())
        part = needed(reached[label], lanes) if skipped else 1.0
        turns = math.prod(LOOP_TRIPS * longest.get(header, 1.0) for header in _around(context, main, label))
        brush += part * _of_brush(context, main, label) * turns
    scalar = 0.0
    for label, chance in reached.items():
        block = branching.function.block(label)
        scalar += chance * sum(map(scalar_instructions, block.body)) * float(LOOP_TRIPS ** len(body.around(label)))
    scalar = max(scalar, _waiting(context, main, source))
    return lanes * scalar / max(brush, 1.0)


def _waiting(context: BrushContext, main: Variant, source: Function) -> float:
    """The instructions for which there is time while an iteration of the source waits for an earlier one, through an array.

    Another order of the source's loops may have done away with that, as wavefronts do.
    """
    nests, known = analyze_nests(prepare(source)), definitions(prepare(source))
    machine = machine_of(context.target)
    spans = {instruction.span for label in main.blocks for instruction in context.block(label).body} - {None}
    longest = 0.0
    for loop in nests.loops.values():
        inside = {name for name, label in nests.defined_in.items() if label in loop.blocks}
        for load, store, behind in carried_elements(nests, loop):
            if store.span in spans:
                way = longest_way(known, inside, load.result, store.value, lambda one: latency_of(one, machine))
                longest = max(longest, way / behind)
    return longest * throughput(machine, context.plan.register_bits or context.target.register_bits).vector


def whole_register(context: BrushContext, main: Variant) -> int:
    """The lanes that a register of the widest data in a brush has. Smaller brushes pay for lanes that they do not use."""
    shapes = context.tensor_shapes(main)
    assert shapes is not None
    variables = [context.variable(name) for name in main.demand]
    data: list[Type] = [v.type for v in variables if shapes.of(v) and v.type != I1 and not isinstance(v.type, PointerType)]
    data += [i.value.type for label in main.blocks for i in context.block(label).body if isinstance(i, Store)]
    bits = context.plan.register_bits or context.target.register_bits
    return bits // max(map(bits_of, data), default=bits)


def keeps_lanes_together(branching: Branching) -> bool:
    """Whether operations across lanes in the source decide what all lanes do."""
    body = branching.shapes.nests.loops[branching.shapes.headers[-1]].blocks
    instructions = [i for _, i in branching.function.instructions_in(body)]
    return any(isinstance(i, Horizontal) and i.op not in ("lane", "lanes") for i in instructions)


def _left_apart(branching: Branching) -> list[str]:
    """The headers of loops that lanes leave in different iterations."""
    loops, apart = branching.shapes.nests.loops, branching.shapes.divergent_branches
    successors = {block.label: block.successors for block in branching.function.blocks}
    return [
        loop.header
        for loop in loops.values()
        if any(following not in loop.blocks for label in loop.blocks & apart for following in successors[label])
    ]


def _around(context: BrushContext, main: Variant, label: str) -> list[str]:
    """The headers of the loops around a block inside the brush."""
    inside = [loop for loop in context.loops.values() if loop.header in main.blocks and loop.header != main.header]
    return [loop.header for loop in inside if label in loop.blocks]


def _of_brush(context: BrushContext, main: Variant, label: str) -> float:
    """The instructions of one run of a block for a whole brush."""
    total = 0.0
    for position, instruction in enumerate(context.block(label).body):
        if isinstance(instruction, Store):
            lane_sets: tuple[Lanes, ...] = context.stored_lanes(main, label, position, instruction)
        elif instruction.result is not None:
            lane_sets = tuple(main.demand.get(instruction.result.name, ()))
        else:
            lane_sets = ()
        if isinstance(instruction, Load | Store) and lane_sets:
            total += _of_accesses(context, main, label, position, instruction, lane_sets)
            continue
        total += sum(_of_register(instruction, len(coordinates)) for coordinates in lane_sets)
    return total


def _of_accesses(
    context: BrushContext, main: Variant, label: str, position: int, access: Load | Store, lane_sets: Sequence[Lanes]
) -> float:
    """Loads or stores of registers: one each where lanes have neighbouring elements, wide ones with shuffles, or lane by lane."""
    elements = context.elements(main, label, position)
    single = sum(len(p) == 1 for p in lane_sets)
    if elements is not None and elements.contiguous_dimension is not None:
        return len(lane_sets)
    vectors = [coordinates for coordinates in lane_sets if len(coordinates) > 1]
    lane = gathered(machine_of(context.target))
    alone = sum(map(len, vectors)) * apart(lane, stored=isinstance(access, Store))
    if elements is None or not vectors:
        return single + alone
    touched = [tuple(elements.at(c) for c in coordinates) for coordinates in vectors]
    groups = weigh_registers(context.target, elements.group.element, touched, stored=isinstance(access, Store))
    return single + (min(alone, sum(group.wide for group in groups)) if groups else alone)


def _of_register(instruction: Instruction, lanes: int) -> float:
    if lanes == 1:
        return scalar_instructions(instruction)
    match instruction:
        case ElementPointer():
            return 0
        case Call(callee=callee) if exact_name(callee) is None:
            return lane_by_lane(instruction) * lanes
        case Binary(op=op, result=result) if op in DIVISIONS and not isinstance(result.type, FloatType):
            return lane_by_lane(instruction) * lanes
        case Horizontal():
            return ACROSS_LANES
        case _:
            return scalar_instructions(instruction)
