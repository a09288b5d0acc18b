"""Widening the blocks of one variant (thesis, section 11.6.1): every instruction once for each set of lanes that is needed.

Control flow inside a variant is uniform, so blocks and branches are copied as they are; phis of uniform control flow become one
phi for each set of lanes. Inner brushed loops are handed to `rv.widen.loops.tiles`.
"""

from __future__ import annotations

from rv.analysis.cfg.flow import flow_graph, order_numbers
from rv.ir.function import Block
from rv.ir.instructions import (
    Alloca,
    Binary,
    Branch,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ElementPointer,
    Freeze,
    Horizontal,
    Instruction,
    Jump,
    Load,
    Mask,
    Negate,
    Phi,
    Return,
    Select,
    Store,
    operands,
)
from rv.ir.types import I64, VOID, FloatMode, FloatType, IntType, bits_of
from rv.ir.values import TRUE, Const, Value, Var
from rv.semantics.exact_calls import exact_name
from rv.target.description import machine_of
from rv.target.llvm_defects.known import RESULT
from rv.vector import instructions as vector
from rv.vector.instructions import Address
from rv.vector.types import vector_of
from rv.vector.values import ZERO, Constant, Operand, word
from rv.vector.writer import BlockWriter, PhiWriter
from rv.widen.across.horizontal import decision, horizontal
from rv.widen.across.masks import both, either, mask_of
from rv.widen.arithmetic.math_calls import emit_call
from rv.widen.arithmetic.operations import PureInstruction, operation
from rv.widen.arithmetic.sums import emit_sum
from rv.widen.effects import is_effect
from rv.widen.lanes import SCALAR, Lanes
from rv.widen.loops.tiles import TileLoops, emit_tiles
from rv.widen.memory.gathers import GatheredAccesses
from rv.widen.memory.object_access import emit_object, emit_object_access
from rv.widen.memory.worklist_prefetch import prefetch_pending
from rv.widen.protocols import BlockAccesses
from rv.widen.site import Site


class Body:
    """The blocks of one variant, under construction."""

    def __init__(self, site: Site, suffix: str) -> None:
        """`site.block` is where control enters when the variant is that of the function, and unused otherwise."""
        self.context = site.context
        self.writer = site.writer
        self.state = site.state
        self.variant = site.variant
        self.suffix = suffix
        self.entries: dict[str, BlockWriter] = {}
        self.phis: list[tuple[PhiWriter, Phi, Lanes]] = []
        self.counters: list[tuple[PhiWriter, str]] = []

    def emit(self, step: BlockWriter | None) -> BlockWriter:
        """Write all blocks; jumps to the variant's own header go to `step`. The block that control enters first."""
        order = sorted(
            (*self.variant.blocks, *self.variant.children), key=order_numbers(flow_graph(self.context.function)).__getitem__
        )
        fixed = self.variant.nest is None or all(size == 1 for size in self.variant.sizes)
        for label in order:
            self.entries[label] = self.writer.block(f"{label}{self.suffix}", fixed=fixed, origin=self.variant)
        first = self.entries[order[0]]
        for label in order:
            if label in self.variant.children:
                self.emit_child(label)
            else:
                self.emit_block(self.context.block(label), step)
        for phi, source, coordinates in self.phis:
            for label, value in source.incoming:
                end = self.state.ends[label]
                phi.add(self.site(end).operand(value, coordinates), end.label)
        for phi, header in self.counters:
            loop = self.context.loops[header]
            phi.add(ZERO, self.state.ends[loop.preheader].label)
            end = self.state.ends[loop.latch]
            phi.add(end.integer("add", phi.result, 1), end.label)
        return first

    def emit_inside(self, site: Site, suffix: str, step: BlockWriter | None) -> BlockWriter:
        """The blocks of a variant inside this one."""
        return emit_body(site, suffix, step)

    def site(self, block: BlockWriter) -> Site:
        return Site(self.context, self.writer, self.state, block)

    def site_of(self, block: Block) -> Site:
        """Where the instructions of a block are written."""
        return Site(self.context, self.writer, self.state, self.entries[block.label], block.predicate, block.label)

    def suffix_of(self, header: str) -> str:
        """What the labels of the loops end with that a brushed loop becomes."""
        return f"{self.suffix}.{header}"

    def emit_child(self, header: str) -> None:
        exit_label = self.context.loops[header].exit
        tiles = TileLoops(self.site(self.entries[header]), header, self.context.exit_values(self.variant, header))
        end = emit_tiles(tiles, self.suffix_of(header), self.emit_inside)
        self.state.ends[header] = end
        end.jump(self.entries[exit_label])

    def emit_block(self, block: Block, step: BlockWriter | None) -> None:
        site, entry = self.site_of(block), self.entries[block.label]
        self.state.ends[block.label] = entry
        if block.label != self.variant.header and self.context.left_loop(self.variant, block.label) is None:
            self.emit_phis(block, entry)
        emit_instructions(site, block)
        self.emit_terminator(site, block, step)

    def emit_phis(self, block: Block, entry: BlockWriter) -> None:
        if block.label in self.context.counted and block.label in self.context.loops:
            phi = entry.phi(I64)
            self.state.loop_counters[block.label] = phi.result
            self.counters.append((phi, block.label))
        for source in block.phis:
            for coordinates in sorted(self.variant.demand.get(source.result.name, ())):
                phi = entry.phi(vector_of(source.result.type, len(coordinates)))
                self.state.values[(source.result.name, coordinates)] = phi.result
                self.phis.append((phi, source, coordinates))

    def emit_terminator(self, site: Site, block: Block, step: BlockWriter | None) -> None:
        def entry(target: str) -> BlockWriter:
            return step if target == self.variant.header and step is not None else self.entries[target]

        if block.label == self.variant.header:
            # the test is made by the tile loop
            site.block.jump(entry(self.context.loops[block.label].body))
            return
        match block.terminator:
            case Jump(target=target):
                loop = self.context.loops.get(target)
                back = loop is not None and loop.latch == block.label
                site.block.jump(entry(target), vectorized=back and self.variant.nest is not None)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                site.block.branch(decision(site, condition), entry(then), entry(otherwise))
            case Return(value=value):
                site.block.give_back(None if value is None else site.operand(value, SCALAR))


def emit_body(site: Site, suffix: str, step: BlockWriter | None) -> BlockWriter:
    """All blocks of the variant of `site`; returns the one that control enters."""
    return Body(site, suffix).emit(step)


def emit_instructions(site: Site, block: Block) -> None:
    """The body of a block, in order; accesses are made by the nest's access forms."""
    accesses = accesses_in(site, block)
    for position, instruction in enumerate(block.body):
        site.block.span = instruction.span
        if isinstance(instruction, Load | Store):
            emit_access(site, accesses, position, instruction)
        else:
            emit_instruction(site, instruction)
    accesses.finish()
    site.block.span = None


def accesses_in(site: Site, block: Block) -> BlockAccesses:
    """What writes the loads and stores of a block."""
    return site.context.forms.in_block(site, block) if site.variant.nest is not None else GatheredAccesses(site)


def emit_access(site: Site, accesses: BlockAccesses, position: int, access: Load | Store) -> None:
    """A load or store, of the lanes' own objects or by the nest's access forms."""
    objects = site.context.objects_at(site.variant, access.pointer)
    match access:
        case Store() if objects is not None:
            emit_object_access(site, access, objects)
            prefetch_pending(site, access, position)
        case Load() if objects is not None:
            emit_object_access(site, access, objects)
        case Store():
            accesses.store(position, access)
        case Load():
            accesses.load(position, access)


def emit_instruction(site: Site, instruction: Instruction) -> None:
    """An instruction that is no access, in all sets of lanes in which it is needed."""
    if is_effect(instruction):
        emit_effect(site, instruction)
        return
    assert instruction.result is not None
    name = instruction.result.name
    lane_sets = sorted(site.variant.demand.get(name, ()))
    whole = [coordinates for coordinates in lane_sets if may_leave_divider(site, instruction, len(coordinates))]
    if whole:
        assert isinstance(instruction, Binary | Call)
        emit_divisions(site, instruction, whole)
    for coordinates in lane_sets:
        if coordinates not in whole:
            site.define(instruction.result, coordinates, compute(site, instruction, coordinates))


def compute(site: Site, instruction: Instruction, coordinates: Lanes) -> Operand:
    """A pure instruction's result in the lanes of `coordinates`."""
    lanes = len(coordinates)
    match instruction:
        case Binary(op="add") if site.context.condensed(site.variant, instruction.result.name, coordinates) is not None:
            return narrow_addition(site, instruction.result.name, coordinates)
        case Binary(op="sdiv" | "udiv" | "srem" | "urem"):
            return divide(site, instruction, coordinates)
        case Convert(op="ptrtoint"):
            return address_number(site, instruction, coordinates)
        case Binary(op="add" | "sub", left=left, right=Const() as step) if step.signed in (1, -1) and lanes > 1:
            return pure(site, instruction, [site.operand(left, coordinates), one(site, step, lanes)])
        case Binary() | Negate() | Freeze() | CompareInt() | CompareFloat() | Select() | Convert():
            return pure(site, instruction, [site.operand(value, coordinates) for value in operands(instruction)])
        case ElementPointer():
            return element_pointer(site, instruction, coordinates)
        case Call(result=result, callee=callee, arguments=arguments, precise=precise):
            assert result is not None
            given = seen(site, instruction, [site.operand(value, coordinates) for value in arguments])
            target = site.context.target
            x86, avx512 = target.architecture == "x86_64", bool(target.avx512_from)
            mode = "strict" if precise else site.context.fp
            found = emit_call(site.block, callee, result.type, given, mode, x86=x86, avx512=avx512)
            return behind_fences(site, result.name, RESULT, found)
        case Alloca():
            return emit_object(site, instruction)
        case Load() | Store():
            raise AssertionError("memory is not pure")
        case Mask():
            return site.operand(site.predicate, coordinates)
        case Horizontal():
            return horizontal(site, instruction, coordinates)


def narrow_addition(site: Site, name: str, coordinates: Lanes) -> Operand:
    """The partial results, of which one has several lanes, with what the active lanes add."""
    step = site.context.sums[name].steps[name]
    mask = mask_of(site, coordinates)
    factors = [site.operand(factor, coordinates) for factor in step.factors]
    return emit_sum(site.block, site.operand(step.so_far, coordinates), step.addend, factors, site.context.target, mask)


def one(site: Site, step: Const, lanes: int) -> Operand:
    """1 or -1 in all lanes, to be added.

    For AVX-512 LLVM subtracts -1 instead of adding 1, makes -1 by `vpternlog` of a register with itself, and that in loops when
    registers are scarce. That waits for the register's last value, so that an iteration waits for the previous one: 8 ns
    instead of 4 for a pair of atoms, whose places are gathered from 3 j, 3 j + 1 and 3 j + 2.
    """
    bits, target = bits_of(step.type), site.context.target
    value = Constant(vector_of(step.type, lanes), (step.bits,) * lanes)
    # what fills no register cannot be put through one
    if target.architecture != "x86_64" or target.register_bits < 512 or bits < 32 or lanes * bits not in (128, 256, 512):
        return value
    return site.writer.opaque(value)


def seen(site: Site, instruction: Instruction, operands: list[Operand]) -> list[Operand]:
    """The operands, with those hidden from LLVM behind fences."""
    assert instruction.result is not None
    name = instruction.result.name
    if name not in site.context.fences.before:
        return operands
    return [behind_fences(site, name, position, operand) for position, operand in enumerate(operands)]


def behind_fences(site: Site, name: str, position: int, value: Operand) -> Operand:
    """An operand of the instruction with this result, or the result, behind the fences that stand there."""
    for _ in range(site.context.fences.before.get(name, {}).get(position, 0)):
        value = site.block.add(vector.Hide(value))
    return value


def pure(site: Site, instruction: PureInstruction, operands: list[Operand]) -> Operand:
    return site.block.add(operation(instruction, seen(site, instruction, operands), site.context.fp))


def may_leave_divider(site: Site, instruction: Instruction, lanes: int) -> bool:
    """Whether an instruction is a quotient or a root of a whole register that multiplications may compute in whole brushes."""
    match instruction:
        case Binary(op="fdiv", result=result) | Call(result=Var() as result):
            target, variant = site.context.target, site.variant
            if not isinstance(result.type, FloatType) or lanes * result.type.bits != target.register_bits:
                return False
            if isinstance(instruction, Call) and exact_name(instruction.callee) != "sqrt":
                return False
            innermost = variant.nest is not None and variant.level == variant.nest.rank - 1
            plain = innermost and not variant.masked and not variant.head
            return plain and machine_of(target).divider(target.register_bits).offloaded
        case _:
            return False


def emit_divisions(site: Site, instruction: Binary | Call, lane_sets: list[Lanes]) -> None:
    """Quotients or square roots that may be taken off the divider (`rv.vector.divider.offload`), for each set of lanes."""
    mode: FloatMode = "strict" if instruction.precise else site.context.fp
    result, (first, *others) = instruction.result, operands(instruction)
    assert result is not None
    active = [site.operand(site.predicate, coordinates) for coordinates in lane_sets]
    if others:
        groups = (_quotient(site, first, others[0], *own) for own in zip(lane_sets, active, strict=True))
        quotients = vector.Quotients(tuple(groups), site.context.never_small(first), mode)
        found = site.block.members(site.block.add(quotients))
    else:
        roots = ((site.operand(first, coordinates), mask) for coordinates, mask in zip(lane_sets, active, strict=True))
        both_parts = site.block.members(site.block.add(vector.Roots(tuple(roots), mode)))
        found = both_parts[::2]
        site.state.halves.update(
            {(result.name, coordinates): half for coordinates, half in zip(lane_sets, both_parts[1::2], strict=True)}
        )
    for coordinates, register in zip(lane_sets, found, strict=True):
        site.define(result, coordinates, register)


def _quotient(site: Site, dividend: Value, divisor: Value, coordinates: Lanes, active: Operand) -> tuple[Operand, ...]:
    half = site.state.halves.get((divisor.name, coordinates)) if isinstance(divisor, Var) else None
    by_root = () if half is None else (half,)
    return (*by_root, site.operand(dividend, coordinates), site.operand(divisor, coordinates), active)


def address_number(site: Site, convert: Convert, coordinates: Lanes) -> Operand:
    """An address as an integer: in interleaved objects pointers are as many times as far apart as there are lanes."""
    number = pure(site, convert, [site.operand(convert.value, coordinates)])
    objects = site.context.objects_at(site.variant, convert.value)
    if objects is None or objects.count == 1:
        return number
    return site.block.binary("udiv", number, word(I64, objects.count, len(coordinates)))


def divide(site: Site, instruction: Binary, coordinates: Lanes) -> Operand:
    """An integer division. Lanes that do not execute it may hold anything: they divide by one where the machine would trap."""
    lanes = len(coordinates)
    left, right = (site.operand(value, coordinates) for value in operands(instruction))
    if (site.variant.masked or site.predicate != TRUE) and _may_trap(instruction):
        type_ = instruction.result.type
        assert isinstance(type_, IntType)
        # an undefined value need not be the same where it is tested and where it divides
        left, right = (site.block.freeze(operand) for operand in (left, right))
        trap = _is(site, right, word(type_, 0, lanes))
        if instruction.op in ("sdiv", "srem"):
            least = _is(site, left, word(type_, 1 << (type_.bits - 1), lanes))
            trap = either(site, trap, both(site, least, _is(site, right, word(type_, -1, lanes))))
        right = site.block.select(trap, word(type_, 1, lanes), right)
    return pure(site, instruction, [left, right])


def _may_trap(division: Binary) -> bool:
    """Whether some dividend makes the machine trap."""
    match division.right:
        case Const(bits=0):
            return True
        case Const() as divisor:
            return division.op in ("sdiv", "srem") and divisor.signed == -1
        case _:
            return True


def _is(site: Site, value: Operand, constant: Constant) -> Operand:
    return site.block.compare("eq", value, constant)


def element_pointer(site: Site, pointer: ElementPointer, coordinates: Lanes) -> Operand:
    """base + size * ((i0*e1 + i1)*e2 + ...), for addresses whose elements are not known."""
    total = site.operand(pointer.indices[0], coordinates)
    for index, extent in zip(pointer.indices[1:], pointer.extents, strict=True):
        total = site.block.binary("mul", total, site.operand(extent, coordinates))
        total = site.block.binary("add", total, site.operand(index, coordinates))
    base = site.operand(pointer.base, coordinates)
    objects = site.context.objects_at(site.variant, pointer.base)
    return site.block.add(Address(base, total, pointer.element, 1 if objects is None else objects.count))


def emit_effect(site: Site, call: Call) -> None:
    """A call of a function that may do anything, outside brushed nests: it keeps its place among all memory accesses."""
    arguments = tuple(site.operand(value, SCALAR) for value in call.arguments)
    type_ = VOID if call.result is None else call.result.type
    called = vector.Call(call.callee, arguments, type_, pure=False, fixed=call.fixed)
    if call.result is None:
        site.block.effect(called)
    else:
        site.define(call.result, SCALAR, site.block.run(called))
