"""Widening the blocks of one copy (thesis, section 11.6.1): every instruction once for each pattern that is needed.

Control flow inside a copy is uniform, so blocks and branches are copied as they are; phis of uniform control flow become one
phi for each pattern. Inner brushed loops are handed to `tensorrv.brush.tiles`.
"""

from __future__ import annotations

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
from rv.ir.types import I1, I64, PTR, FloatType, IntType, Type, bits_of
from rv.ir.values import TRUE, Const, Value, Var, const_int
from rv.target.llvm_defects.known import RESULT
from rv.transform.version import GUARD
from rv.widen.fence import fenced
from rv.widen.lanes import SCALAR, Pattern
from rv.widen.lines import LlvmBlock, LlvmPhi
from rv.widen.llvm_text import constant_text, type_text
from rv.widen.math_calls import emit_call
from rv.widen.operations import PureInstruction, operation_text
from rv.widen.quotients import Quotient, emit_quotients, emit_roots
from tensorrv.brush.addresses import lane_addresses
from tensorrv.brush.elements import Element, Family
from tensorrv.brush.horizontal import decision, horizontal
from tensorrv.brush.loads import LoadOf, emit_gather, emit_known_loads
from tensorrv.brush.masks import both, either
from tensorrv.brush.object_access import emit_object, emit_object_access
from tensorrv.brush.placed import PlacedFamily
from tensorrv.brush.prefetch import prefetch_pending
from tensorrv.brush.site import Site
from tensorrv.brush.stores import StoreOf, emit_known_stores, emit_scatter
from tensorrv.brush.tiles import TileLoops, emit_tiles
from tensorrv.brush.trips import emit_guard


class Body:
    """The blocks of one copy, under construction."""

    def __init__(self, site: Site, suffix: str) -> None:
        """`site.block` is where control enters when the copy is that of the function, and unused otherwise."""
        self.context = site.context
        self.llvm = site.llvm
        self.state = site.state
        self.copy = site.copy
        self.suffix = suffix
        self.entries: dict[str, LlvmBlock] = {}
        self.phis: list[tuple[LlvmPhi, Phi, Pattern]] = []
        self.counters: list[tuple[LlvmPhi, str]] = []

    def emit(self, step: LlvmBlock | None) -> LlvmBlock:
        """Write all blocks; jumps to the copy's own header go to `step`. The block that control enters first."""
        order = [label for label in self.context.order if label in self.copy.blocks or label in self.copy.children]
        ordered = self.copy.nest is None or all(size == 1 for size in self.copy.sizes)
        for label in order:
            self.entries[label] = self.llvm.block(f"{label}{self.suffix}", ordered=ordered, origin=self.copy)
        first = self.entries[order[0]]
        for label in order:
            if label in self.copy.children:
                self.emit_child(label)
            else:
                self.emit_block(self.context.block(label), step)
        for phi, source, pattern in self.phis:
            for label, value in source.incoming:
                end = self.state.ends[label]
                phi.incoming.append((self.site(end).operand(value, pattern), end.label))
        for phi, header in self.counters:
            loop = self.context.loops[header]
            phi.incoming.append(("0", self.state.ends[loop.preheader].label))
            end = self.state.ends[loop.latch]
            phi.incoming.append((end.integer("add", phi.name, 1), end.label))
        return first

    def site(self, block: LlvmBlock) -> Site:
        return Site(self.context, self.llvm, self.state, block)

    def emit_child(self, header: str) -> None:
        exit_label = self.context.loops[header].exit
        tiles = TileLoops(self.site(self.entries[header]), header, self.context.exit_values(self.copy, header))
        end = emit_tiles(tiles, f"{self.suffix}.{header}", emit_body)
        self.state.ends[header] = end
        end.terminator = f"br label %{self.entries[exit_label].label}"

    def emit_block(self, block: Block, step: LlvmBlock | None) -> None:
        llvm_block = self.entries[block.label]
        site = Site(self.context, self.llvm, self.state, llvm_block, block.predicate, block.label)
        self.state.ends[block.label] = llvm_block
        if block.label != self.copy.header and self.context.left_loop(self.copy, block.label) is None:
            self.emit_phis(block, llvm_block)
        emit_instructions(site, block)
        self.emit_terminator(site, block, step)

    def emit_phis(self, block: Block, llvm_block: LlvmBlock) -> None:
        if block.label in self.context.counted and block.label in self.context.loops:
            phi = llvm_block.phi(str(I64))
            self.state.loop_counters[block.label] = phi.name
            self.counters.append((phi, block.label))
        for source in block.phis:
            for pattern in sorted(self.copy.demand.get(source.result.name, ())):
                phi = llvm_block.phi(type_text(source.result.type, len(pattern)))
                self.state.values[(source.result.name, pattern)] = phi.name
                self.phis.append((phi, source, pattern))

    def emit_terminator(self, site: Site, block: Block, step: LlvmBlock | None) -> None:
        def label(target: str) -> str:
            if target == self.copy.header and step is not None:
                return step.label
            return self.entries[target].label

        if block.label == self.copy.header:
            # the test is made by the tile loop
            site.block.terminator = f"br label %{label(self.context.loops[block.label].body)}"
            return
        match block.terminator:
            case Jump(target=target):
                site.block.terminator = f"br label %{label(target)}"
            case Branch(condition=condition, then=then, otherwise=otherwise):
                test = decision(site, condition)
                site.block.terminator = f"br i1 {test}, label %{label(then)}, label %{label(otherwise)}"
            case Return(value=None):
                site.block.terminator = "ret void"
            case Return(value=value):
                assert value is not None
                site.block.terminator = f"ret {value.type} {site.operand(value, SCALAR)}"


def emit_body(site: Site, suffix: str, step: LlvmBlock | None) -> LlvmBlock:
    """All blocks of the copy of `site`; returns the one that control enters."""
    return Body(site, suffix).emit(step)


def emit_instructions(site: Site, block: Block) -> None:
    """The body of a block, in order; loads of one family that see the same memory are written together, and so are stores."""
    groups = load_groups(site, block)
    stores = StoreQueue(site)
    for position, instruction in enumerate(block.body):
        match instruction:
            case Store() | Load() if (objects := site.context.objects_at(site.copy, instruction.pointer)) is not None:
                emit_object_access(site, instruction, objects)
                if isinstance(instruction, Store):
                    prefetch_pending(site, instruction, position)
            case Store():
                stores.add(block.label, position, instruction)
            case Load():
                stores.flush(site.context.array_of(site.copy, block.label, position))
                if position not in groups:
                    emit_instruction(site, block.label, position, instruction)
                elif (group := groups[position]) is not None:
                    emit_known_loads(site, group)
            case _:
                emit_instruction(site, block.label, position, instruction)
    stores.flush_all()


class StoreQueue:
    """Stores of the block being written that wait for others of their family, so that interleaved elements share chunks.

    Nothing else may touch their array meanwhile, and no two of them the same element.
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self.waiting: dict[str, list[StoreOf]] = {}

    def add(self, label: str, position: int, store: Store) -> None:
        site = self.site
        patterns = site.context.store_patterns(site.copy, label, position, store)
        elements = site.context.elements(site.copy, label, position)
        array = site.context.array_of(site.copy, label, position)
        if elements is None or len({elements.at(c) for p in patterns for c in p}) != sum(map(len, patterns)):
            self.flush(array)
            for pattern in patterns:
                pointers = site.operand(store.pointer, pattern) if elements is None else lane_addresses(site, elements, pattern)
                emit_scatter(site, store, array, pointers, pattern)
            return
        touched = {elements.at(c) for pattern in patterns for c in pattern}
        if any(not self._is_apart(other, elements.family, touched) for other in self.waiting.get(array, ())):
            self.flush(array)
        self.waiting.setdefault(array, []).append(StoreOf(store, elements, patterns))

    @staticmethod
    def _is_apart(other: StoreOf, family: Family | PlacedFamily, touched: set[Element]) -> bool:
        """Whether a waiting store is of this family and touches none of these elements."""
        return other.elements.family == family and not any(other.elements.at(c) in touched for p in other.patterns for c in p)

    def flush(self, array: str) -> None:
        group = self.waiting.pop(array, None)
        if group:
            emit_known_stores(self.site, tuple(group))

    def flush_all(self) -> None:
        for array in list(self.waiting):
            self.flush(array)


def load_groups(site: Site, block: Block) -> dict[int, tuple[LoadOf, ...] | None]:
    """For every load of known elements its group, at the position of the group's first member; None at the others."""
    members: dict[tuple[Family | PlacedFamily, int], list[tuple[int, LoadOf]]] = {}
    epochs: dict[str, int] = {}
    if site.copy.nest is None:
        return {}
    for position, instruction in enumerate(block.body):
        if isinstance(instruction, Store) and site.context.objects_at(site.copy, instruction.pointer) is None:
            array = site.context.array_of(site.copy, block.label, position)
            epochs[array] = epochs.get(array, 0) + 1
        elements = site.context.elements(site.copy, block.label, position)
        if isinstance(instruction, Load) and elements is not None:
            patterns = tuple(sorted(site.copy.demand.get(instruction.result.name, ())))
            key = (elements.family, epochs.get(site.memory(elements.family.array.name), 0))
            members.setdefault(key, []).append((position, LoadOf(instruction, elements, patterns)))
    result: dict[int, tuple[LoadOf, ...] | None] = {}
    for group in members.values():
        result.update({position: None for position, _ in group})
        result[group[0][0]] = tuple(member for _, member in group)
    return result


def emit_instruction(site: Site, label: str, position: int, instruction: Instruction) -> None:
    if isinstance(instruction, Call) and instruction.result is None:
        emit_effect(site, instruction)
        return
    assert instruction.result is not None
    name = instruction.result.name
    patterns = sorted(site.copy.demand.get(name, ()))
    relieved = [pattern for pattern in patterns if (name, pattern) in site.copy.relieved]
    if relieved:
        assert isinstance(instruction, Binary | Call)
        emit_relieved(site, instruction, relieved)
    for pattern in patterns:
        if pattern in relieved:
            continue
        if isinstance(instruction, Load):
            pointers = site.operand(instruction.pointer, pattern)
            emit_gather(site, instruction, site.context.array_of(site.copy, label, position), pointers, pattern)
        else:
            site.define(instruction.result, pattern, compute(site, instruction, pattern))


def compute(site: Site, instruction: Instruction, pattern: Pattern) -> str:
    """The name of a pure instruction's result in the lanes of `pattern`."""
    lanes = len(pattern)
    match instruction:
        case Binary(op="sdiv" | "udiv" | "srem" | "urem"):
            return divide(site, instruction, pattern)
        case Convert(op="ptrtoint"):
            return address_number(site, instruction, pattern)
        case Binary(op="add" | "sub", left=left, right=Const() as step) if step.signed in (1, -1) and lanes > 1:
            return pure(site, instruction, [site.operand(left, pattern), one(site, step, lanes)], lanes)
        case Binary() | Negate() | CompareInt() | CompareFloat() | Select() | Convert():
            return pure(site, instruction, [site.operand(value, pattern) for value in operands(instruction)], lanes)
        case ElementPointer():
            return element_pointer(site, instruction, pattern)
        case Call(result=result, callee=callee, arguments=arguments, precise=precise):
            assert result is not None
            if callee.startswith(GUARD):
                return emit_guard(site, site.context.legal(callee.removeprefix(GUARD)))
            texts = seen(site, instruction, [site.operand(value, pattern) for value in arguments], lanes)
            types = [value.type for value in arguments]
            target = site.context.target
            x86, least = target.architecture == "x86_64", target.avx512_from
            mode = "strict" if precise else site.context.plan.fp
            found = emit_call(site.block, callee, result.type, texts, types, lanes, mode, x86=x86, avx512_from=least)
            return behind(site, result, RESULT, found, lanes)
        case Alloca():
            return emit_object(site, instruction)
        case Load() | Store():
            raise AssertionError("memory is not pure")
        case Mask():
            return site.operand(site.predicate, pattern)
        case Horizontal():
            return horizontal(site, instruction, pattern)


def one(site: Site, step: Const, lanes: int) -> str:
    """1 or -1 in all lanes, to be added.

    For AVX-512 LLVM subtracts -1 instead of adding 1, makes -1 by `vpternlog` of a register with itself, and that in loops when
    registers are scarce. That waits for the register's last value, so that a turn of the loop waits for the one before: 8 ns
    instead of 4 for a pair of atoms, whose places are gathered from 3 j, 3 j + 1 and 3 j + 2.
    """
    text, bits, target = constant_text(step, lanes), bits_of(step.type), site.context.target
    # what fills no register cannot be put through one
    if target.architecture != "x86_64" or target.register_bits < 512 or bits < 32 or lanes * bits not in (128, 256, 512):
        return text
    return site.llvm.opaque(text, type_text(step.type, lanes))


def seen(site: Site, instruction: Instruction, texts: list[str], lanes: int) -> list[str]:
    """The operands as LLVM may see them."""
    result, values = instruction.result, operands(instruction)
    assert result is not None
    if result.name not in site.context.fences:
        return texts
    return [behind(site, result, k, text, lanes, value.type) for k, (text, value) in enumerate(zip(texts, values, strict=True))]


def behind(site: Site, result: Var, position: int, text: str, lanes: int, type_: Type | None = None) -> str:
    """An operand of the instruction with this result, or the result, behind the fences that stand there."""
    fences = site.context.fences.get(result.name, {}).get(position, 0)
    return fenced(site.block, text, type_ or result.type, lanes, fences) if fences else text


def pure(site: Site, instruction: PureInstruction, texts: list[str], lanes: int) -> str:
    texts = seen(site, instruction, texts, lanes)
    text = operation_text(instruction, texts, lanes, site.context.plan.fp)
    return site.block.pure(text, texts, weight=site.weight(bits_of(instruction.result.type), lanes))


def emit_relieved(site: Site, instruction: Binary | Call, patterns: list[Pattern]) -> None:
    """Quotients or square roots that are not left to the divider, one register for each pattern."""
    result, (first, *others) = instruction.result, operands(instruction)
    assert result is not None and isinstance(result.type, FloatType)
    lanes = len(patterns[0])
    active = [site.operand(site.predicate, pattern) for pattern in patterns]
    if others:
        quotients = [quotient(site, first, others[0], pattern, mask) for pattern, mask in zip(patterns, active, strict=True)]
        found = emit_quotients(site.block, result.type, quotients, lanes, never_small=site.context.never_small(first))
    else:
        registers = [(site.operand(first, pattern), mask) for pattern, mask in zip(patterns, active, strict=True)]
        roots = emit_roots(site.block, result.type, registers, lanes)
        found = [root for root, _ in roots]
        site.state.halves.update({(result.name, pattern): half for pattern, (_, half) in zip(patterns, roots, strict=True)})
    for pattern, name in zip(patterns, found, strict=True):
        site.define(result, pattern, name)


def quotient(site: Site, dividend: Value, divisor: Value, pattern: Pattern, active: str) -> Quotient:
    half = site.state.halves.get((divisor.name, pattern)) if isinstance(divisor, Var) else None
    return Quotient(site.operand(dividend, pattern), site.operand(divisor, pattern), active, half)


def address_number(site: Site, convert: Convert, pattern: Pattern) -> str:
    """An address as an integer: in interleaved objects pointers are as many times as far apart as there are lanes."""
    number = pure(site, convert, [site.operand(convert.value, pattern)], len(pattern))
    objects = site.context.objects_at(site.copy, convert.value)
    if objects is None or objects.count == 1:
        return number
    scale = constant_text(const_int(I64, objects.count), len(pattern))
    return site.block.pure(f"udiv {type_text(I64, len(pattern))} {number}, {scale}", [number])


def divide(site: Site, instruction: Binary, pattern: Pattern) -> str:
    """An integer division. Lanes that do not execute it may hold anything: they divide by one where the machine would trap."""
    lanes = len(pattern)
    left, right = (site.operand(value, pattern) for value in operands(instruction))
    if (site.copy.masked or site.predicate != TRUE) and not isinstance(instruction.right, Const):
        type_ = instruction.result.type
        assert isinstance(type_, IntType)
        # an undefined value need not be the same where it is tested and where it divides
        left, right = (site.block.pure(f"freeze {type_text(type_, lanes)} {name}", [name]) for name in (left, right))
        trap = _divides_by(site, right, const_int(type_, 0), lanes)
        if instruction.op in ("sdiv", "srem"):
            least = _divides_by(site, left, const_int(type_, 1 << (type_.bits - 1)), lanes)
            trap = either(site, trap, both(site, least, _divides_by(site, right, const_int(type_, -1), lanes), lanes), lanes)
        text, one = type_text(type_, lanes), constant_text(const_int(type_, 1), lanes)
        right = site.block.pure(f"select {type_text(I1, lanes)} {trap}, {text} {one}, {text} {right}", [trap, right])
    return pure(site, instruction, [left, right], lanes)


def _divides_by(site: Site, value: str, constant: Const, lanes: int) -> str:
    return site.block.pure(f"icmp eq {type_text(constant.type, lanes)} {value}, {constant_text(constant, lanes)}", [value])


def element_pointer(site: Site, pointer: ElementPointer, pattern: Pattern) -> str:
    """base + size * ((i0*e1 + i1)*e2 + ...), for addresses whose elements are not known."""
    lanes = len(pattern)
    total = site.operand(pointer.indices[0], pattern)
    for index, extent in zip(pointer.indices[1:], pointer.extents, strict=True):
        total = _arithmetic(site, "mul", total, site.operand(extent, pattern), I64, lanes)
        total = _arithmetic(site, "add", total, site.operand(index, pattern), I64, lanes)
    base = site.operand(pointer.base, pattern)
    objects = site.context.objects_at(site.copy, pointer.base)
    element = str(pointer.element) if objects is None or objects.count == 1 else f"[{objects.count} x {pointer.element}]"
    text = f"getelementptr {element}, {type_text(PTR, lanes)} {base}, {type_text(I64, lanes)} {total}"
    return site.block.pure(text, [base, total], weight=site.weight(64, lanes))


def _arithmetic(site: Site, op: str, left: str, right: str, type_: Type, lanes: int) -> str:
    return site.block.pure(f"{op} {type_text(type_, lanes)} {left}, {right}", [left, right], weight=site.weight(64, lanes))


def emit_effect(site: Site, call: Call) -> None:
    """A call for its effect, outside brushed nests: it keeps its place among all memory accesses."""
    types = ", ".join(str(value.type) for value in call.arguments)
    texts = [site.operand(value, SCALAR) for value in call.arguments]
    site.llvm.declare(call.callee, f"declare void @{call.callee}({types})")
    arguments = ", ".join(f"{value.type} {text}" for value, text in zip(call.arguments, texts, strict=True))
    site.block.store(f"call void @{call.callee}({arguments})", texts, "", None)
