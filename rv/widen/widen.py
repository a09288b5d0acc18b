"""From a function in P-LLVM, with what is known about its nests, to the vector IR: dry run, code, divider offload, order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from rv.ir.steps import Keep, forget
from rv.ir.types import I1, PointerType, bits_of
from rv.ir.values import Var
from rv.target.description import machine_of
from rv.target.machine import Target
from rv.vector.dead_code import without_dead_code
from rv.vector.divider.offload import divisions, offloaded
from rv.vector.divider.quotients import without_divider
from rv.vector.function import Module
from rv.vector.order import ordered
from rv.vector.port_balance import balanced
from rv.vector.shuffles import with_composed_shuffles
from rv.vector.window import timing_of
from rv.widen.arithmetic.complements import complemented
from rv.widen.body import emit_body
from rv.widen.context import Context
from rv.widen.dry_run import DryRun
from rv.widen.linkage import Linkage, writer_for
from rv.widen.loops.variant_tree import VectorNest
from rv.widen.protocols import LaneShapes
from rv.widen.site import Site, State


def widen(context: Context, linkage: Linkage, keep: Keep = forget) -> Module:
    """The vector code of a function, in the order in which the target's core runs it best."""
    DryRun(context).run()
    writer = writer_for(context.function, linkage)
    entry = writer.block("start", fixed=True)
    entry.jump(emit_body(Site(context, writer, State(context.root, None), entry), "", None))
    module = Module((*writer.finish(), *linkage.entry), context.arrays, linkage.data)
    target = context.target
    module = keep("divider-offload", offloaded(keep("widen", module), machine_of(target), target.register_bits))
    context.divisions = divisions(module)
    return _for_machine(module, target, keep)


def _for_machine(module: Module, target: Target, keep: Keep) -> Module:
    machine, bits = machine_of(target), target.register_bits
    if target.architecture == "aarch64":
        module = complemented(module)
    module = keep("compose-shuffles", with_composed_shuffles(module, bits))
    module = keep("dead-code", without_dead_code(module))
    module = keep("quotients", without_divider(module))
    if target.fma:
        module = keep("balance-ports", balanced(module, machine, bits))
    return keep("vector", ordered(module, target.registers, bits, timing_of(machine, bits)))


def varying_data(context: Context) -> Mapping[str, Sequence[Var]]:
    """The data that varies inside each nest, by its outermost header: what variants of a single lane need.

    What would be wide in sums of narrow numbers along the lanes of registers becomes narrow.
    """
    DryRun(context).run()
    names: dict[str, dict[str, None]] = {nest.headers[0]: {} for nest in context.nests}
    for variant in context.root.walk():
        if variant.nest is not None:
            names[variant.nest.headers[0]].update(dict.fromkeys(variant.demand))
    for nest in context.nests:
        along = nest.headers[nest.projection[0]]
        for found in context.sums.values():
            for name in found.wide if found.header == along else ():
                names[nest.headers[0]].pop(name, None)
    return {header: _varying(map(context.variable, found), context.shapes[header]) for header, found in names.items()}


def _varying(variables: Iterable[Var], shapes: LaneShapes) -> Sequence[Var]:
    return [v for v in variables if shapes.of(v) and v.type != I1 and not isinstance(v.type, PointerType)]


def register_lanes(
    nest: VectorNest,
    needed: Sequence[Var],
    stored: Sequence[int],
    accesses: int,
    register: int,
    parts: Callable[[int], int] = lambda widest: 1,
) -> int:
    """Lanes of a register of `register` bits: as many as the widest data that varies inside the nest allows.

    `stored` are the bits of what its stores write, `accesses` the number of its loads and stores. `parts`: how many machine
    registers a vector of the widest numbers takes (`rv.cost.accesses.parts_of_vector`). A tile whose rows are shorter
    than a register could pack k rows into one. That costs k-1 shuffles for each access and saves k-1 of k arithmetic
    operations, of which processors start two while they start one shuffle of wide registers. So it is done when there is twice
    as much arithmetic as access, or when a row does not even fill 128 bits.
    """
    widest = max([8, *(bits_of(variable.type) for variable in needed), *stored])
    width = register // widest * parts(widest)
    row = nest.sizes[nest.projection[0]]
    if max(nest.blocks) > 1:
        return width  # registers hold blocks, not rows
    if row < width and len(needed) <= 3 * accesses:
        return max(row, min(width, 128 // widest))
    return width
