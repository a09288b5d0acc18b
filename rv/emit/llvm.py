"""The vector IR as the text of an LLVM module: one line for most instructions.

This folder is the only place where LLVM's language is spelled.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Final

from rv.emit import intrinsics
from rv.emit.alias_scopes import AliasScopes
from rv.emit.loops import VectorizedLoops
from rv.emit.operands import mangled, shuffle_mask, text, typed
from rv.ir.types import I1, I32, VOID, FloatMode, FloatType, IntType, bits_of
from rv.target.machine import Target
from rv.vector.function import Block, Data, External, Function, Module, OpaqueConstant, Parameter, StackObject, Statement
from rv.vector.instructions import (
    Access,
    AddDots,
    Address,
    Begin,
    Binary,
    Branch,
    Broadcast,
    Call,
    CallAt,
    Compare,
    Convert,
    Elementwise,
    Extract,
    Fence,
    Field,
    Freeze,
    Gather,
    Hide,
    Insert,
    Instruction,
    Join,
    Jump,
    Load,
    LoadApart,
    Member,
    MemoryInstruction,
    Native,
    Negate,
    Prefetch,
    Quotients,
    Reduce,
    Return,
    Roots,
    Scatter,
    Select,
    Shuffle,
    Store,
    StoreTogether,
    SumNeighbours,
    Terminator,
    Unreachable,
    is_floating,
)
from rv.vector.types import ValueType, VectorType, element_of, lanes_of, vector_of, with_element
from rv.vector.values import Constant, Operand, Poison, Register

FLOAT_FLAGS: Final[dict[FloatMode, str]] = {
    "strict": "",
    "contract": " contract",
    "fast": " reassoc nsz arcp contract afn",
}
NARROWEST: Final = 128
"""Bits of the narrowest registers of vectors."""
LIKELY: Final = '!{!"branch_weights", i32 2000, i32 1}'


def module_text(module: Module, target: Target) -> str:
    """The whole module for a target."""
    emitter = _Emitter(module, target)
    functions = "".join(emitter.function(function) for function in module.functions)
    defined = {function.name for function in module.functions}
    metadata = "\n".join((*emitter.scopes.metadata, *emitter.loops.metadata))
    declarations = "\n".join(emitter.declared[name] for name in sorted(emitter.declared.keys() - defined))
    return (
        f'target triple = "{target.triple}"\n\n'
        f"{''.join(map(_data, module.data))}{functions}{declarations}\n\n"
        f"attributes #0 = {{ nounwind {processor(target)} }}\n"
        f"attributes #1 = {{ nounwind willreturn memory(none) }}\n{metadata}\n"
    )


def processor(target: Target) -> str:
    """What a function is compiled for: a module may hold functions for several processors."""
    features = f' "target-features"="{target.features}"' if target.features else ""
    return f'"target-cpu"="{target.cpu}"{features}'


def _parameter(parameter: Parameter) -> str:
    distinct = " noalias" if parameter.distinct else ""
    returned = f" sret([{parameter.result} x i8]) align {parameter.align}" if parameter.result else ""
    copied = f" byval([{parameter.copied} x i8]) align {parameter.align}" if parameter.copied else ""
    return f"{parameter.register.type}{distinct}{returned}{copied} {text(parameter.register)}"


def _data(data: Data | External) -> str:
    match data:
        case Data(name=name, content=content):
            return f'@{name} = private unnamed_addr constant [{len(content)} x i8] c"{_escaped(content)}", align 16\n'
        case External(name=name):
            return f"@{name} = external global i8\n"


def _escaped(content: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\{byte:02x}" for byte in content)


class _Emitter:
    """Writes functions and collects what they need to be declared."""

    def __init__(self, module: Module, target: Target) -> None:
        self.target = target
        self.scopes = AliasScopes(module.arrays)
        self.loops = VectorizedLoops(self.scopes.last + 1)
        self.declared: dict[str, str] = {}
        self.stored = 0
        self.masks = 0
        self.widest = 0
        """Bits of the widest integers in vectors of the function."""

    def function(self, function: Function) -> str:
        self.widest = _widest_integers(function)
        before = ("internal" if function.internal else "", function.convention, function.extension)
        qualifiers = "".join(f"{word} " for word in before if word)
        parameters = ", ".join(map(_parameter, function.parameters))
        inlined = " alwaysinline" if function.inlined else ""
        header = f"define {qualifiers}{function.result} @{function.name}({parameters}){inlined} #0"
        prologues = [function.prologue, *(() for _ in function.blocks[1:])]
        blocks = "\n".join(self.block(block, prologue) for block, prologue in zip(function.blocks, prologues, strict=True))
        return f"{header} {{\n{blocks}\n}}\n\n"

    def block(self, block: Block, prologue: Sequence[StackObject | OpaqueConstant]) -> str:
        lines = [self.prologue_line(entry) for entry in prologue]
        for phi in block.phis:
            pairs = ", ".join(f"[ {text(value)}, %{label} ]" for value, label in phi.incoming)
            lines.append(f"{text(phi.result)} = phi {phi.result.type} {pairs}")
        for statement in block.body:
            lines += self.statement(statement)
        lines.append(self.terminator(block.terminator))
        return f"{block.label}:\n" + "\n".join(f"  {line}" for line in lines)

    def terminator(self, terminator: Terminator) -> str:
        match terminator:
            case Jump(target=target, vectorized=True):
                return f"br label %{target}{self.loops.next()}"
            case _:
                return _terminator(terminator)

    def prologue_line(self, entry: StackObject | OpaqueConstant) -> str:
        match entry:
            case StackObject(result=result, type=type_, count=count, align=align):
                return f"{text(result)} = alloca {_block_of(type_, count)}, align {align}"
            case OpaqueConstant(result=result, value=value):
                registers = "v" if self.target.architecture == "x86_64" else "w"
                return f'{text(result)} = call {value.type} asm "", "={registers},0"({typed(value)})'

    def statement(self, statement: Statement) -> Iterator[str]:
        result, instruction = statement.result, statement.instruction
        name = "" if result is None else f"{text(result)} = "
        match instruction:
            case Broadcast(value=value, lanes=lanes):
                first = Register(f"{_name(result)}.0", instruction.type)
                yield f"{text(first)} = insertelement {typed(Poison(first.type))}, {typed(value)}, i64 0"
                yield f"{name}{_shuffle(first, Poison(first.type), (0,) * lanes)}"
            case Join(members=members):
                built: Operand = Poison(instruction.type)
                for number, member in enumerate(members[:-1]):
                    part = Register(f"{_name(result)}.{number}", instruction.type)
                    yield f"{text(part)} = insertvalue {typed(built)}, {typed(member)}, {number}"
                    built = part
                yield f"{name}insertvalue {typed(built)}, {typed(members[-1])}, {len(members) - 1}"
            case Native():
                yield from self.native(_name(result), instruction)
            case Hide(value=value):
                yield from self.hidden(_name(result), value)
            case Load(type=VectorType() as type_, mask=Register() as mask) if (full := self.padded(type_)) is not None:
                wide = Register(f"{_name(result)}.wide", full)
                kept = yield from self.padded_mask(mask, full)
                yield f"{text(wide)} = {self.memory(replace(instruction, type=full, mask=kept))}"
                yield f"{name}{_shuffle(wide, Poison(full), tuple(range(type_.lanes)))}"
            case Store(value=value, mask=Register() as mask) if (full := self.padded(value.type)) is not None:
                kept = yield from self.padded_mask(mask, full)
                wide, lanes = Register(f"{kept.name}.stored", full), lanes_of(value.type)
                places = (*range(lanes), *(-1 for _ in range(lanes, full.lanes)))
                yield f"{text(wide)} = {_shuffle(value, Poison(value.type), places)}"
                yield self.memory(replace(instruction, value=wide, mask=kept))
            case Store(value=Register() as value) if self.may_be_widened(instruction):
                self.stored += 1
                kept = Register(f".stored.{self.stored}", value.type)
                yield from self.hidden(kept.name, value)
                yield self.memory(replace(instruction, value=kept))
            case _:
                yield f"{name}{self.line(instruction)}"

    def native(self, name: str, instruction: Native) -> Iterator[str]:
        """On as many lanes as registers have; those that are too many may hold anything."""
        full = intrinsics.full_register(instruction.operands[0].type, self.target.avx512_from)
        lanes, wanted = lanes_of(instruction.operands[0].type), lanes_of(full)
        operands = list(instruction.operands)
        for number, operand in enumerate(operands if wanted != lanes else ()):
            operands[number] = Register(f"{name}.{number}", full)
            mask = tuple(lane if lane < lanes else -1 for lane in range(wanted))
            yield f"{text(operands[number])} = {_shuffle(operand, Poison(operand.type), mask)}"
        call = intrinsics.native(instruction, operands, full)
        self.declared[call.name] = call.declaration
        if wanted == lanes:
            yield f"%{name} = {call.text}"
            return
        found = Register(f"{name}.full", full)
        yield f"{text(found)} = {call.text}"
        yield f"%{name} = {_shuffle(found, Poison(full), tuple(range(lanes)))}"

    def may_be_widened(self, store: Store) -> bool:
        """Whether LLVM may store more than the lanes of a mask: see `rv.target.llvm_defects.known`, single_lane_stores."""
        element, lanes = element_of(store.value.type), lanes_of(store.value.type)
        narrow = isinstance(element, IntType) and 8 <= element.bits < self.widest
        return store.mask is not None and narrow and lanes > 1 and bool(self.target.avx512_from)

    def padded(self, accessed: ValueType) -> VectorType | None:
        """The register for an access whose mask LLVM pads with zeros that it may lose: see `known`, extended_masks."""
        element, lanes = element_of(accessed), lanes_of(accessed)
        if not isinstance(element, IntType) or element.bits not in (8, 16) or lanes == 1 or not self.target.avx512_from:
            return None
        full = max(1 << (lanes - 1).bit_length(), NARROWEST // element.bits)
        return VectorType(element, full) if lanes < full and full >= 16 else None

    def padded_mask(self, mask: Register, full: VectorType) -> Generator[str, None, Register]:
        """The mask for a register that is wider than an access, in which it is made by other instructions than LLVM's."""
        self.masks += 1
        lanes, name = lanes_of(mask.type), f".mask.{self.masks}"
        own = vector_of(full.element, lanes)
        numbers, padded, kept = (Register(f"{name}.{k}", type_) for k, type_ in enumerate((own, full, full)))
        zeros = (lanes,) * (full.lanes - lanes)
        yield f"{text(numbers)} = sext {typed(mask)} to {own}"
        yield f"{text(padded)} = {_shuffle(numbers, Constant(own, (0,) * lanes), (*range(lanes), *zeros))}"
        yield from self.hidden(kept.name, padded)
        result = Register(name, vector_of(I1, full.lanes))
        yield f"{text(result)} = icmp slt {typed(kept)}, zeroinitializer"
        return result

    def hidden(self, name: str, value: Operand) -> Iterator[str]:
        """Behind `llvm.arithmetic.fence`, which takes floating-point numbers; integers go through it as bits.

        Vectors of bytes and shorts are taken as vectors of fewer numbers, padded to a multiple of 32 bits. Truth values and
        narrow scalars are extended.
        """
        own = bits_of(element_of(value.type))
        if isinstance(value.type, VectorType) and 8 <= own < 32:
            yield from self.hidden_bits(name, value, value.type)
            return
        number = with_element(value.type, FloatType(max(own, 32)))
        call = intrinsics.intrinsic(f"llvm.arithmetic.fence.{mangled(number)}", number, [value])
        if value.type == number:
            yield f"%{name} = {self.call(call)}"
            return
        wide = value if own >= 32 else Register(f"{name}.wide", with_element(value.type, I32))
        bits, fenced, back = Register(f"{name}.bits", number), Register(f"{name}.fenced", number), f"{name}.back"
        if own < 32:
            yield f"{text(wide)} = sext {typed(value)} to {wide.type}"
        yield f"{text(bits)} = bitcast {typed(wide)} to {number}"
        yield f"{text(fenced)} = {self.call(replace(call, parameters=(str(number),), arguments=(typed(bits),)))}"
        yield f"%{name if own >= 32 else back} = bitcast {typed(fenced)} to {wide.type}"
        if own < 32:
            yield f"%{name} = trunc {wide.type} %{back} to {value.type}"

    def hidden_bits(self, name: str, value: Operand, type_: VectorType) -> Iterator[str]:
        own, lanes = bits_of(type_.element), type_.lanes
        together = 32 // own
        full = -(-lanes // together) * together
        padded = Register(f"{name}.padded", vector_of(type_.element, full)) if full > lanes else value
        number = vector_of(FloatType(32), full // together)
        if full > lanes:
            yield f"{text(padded)} = {_shuffle(value, Poison(type_), tuple(k if k < lanes else -1 for k in range(full)))}"
        bits, fenced = Register(f"{name}.bits", number), Register(f"{name}.fenced", number)
        yield f"{text(bits)} = bitcast {typed(padded)} to {number}"
        call = intrinsics.intrinsic(f"llvm.arithmetic.fence.{mangled(number)}", number, [bits])
        yield f"{text(fenced)} = {self.call(call)}"
        back = Register(f"{name}.back" if full > lanes else name, padded.type)
        yield f"{text(back)} = bitcast {typed(fenced)} to {padded.type}"
        if full > lanes:
            yield f"%{name} = {_shuffle(back, Poison(padded.type), tuple(range(lanes)))}"

    def line(self, instruction: Instruction) -> str:
        """The right-hand side of the line of an instruction that is a single one."""
        match instruction:
            case Binary(op="sadd_sat" | "ssub_sat" as op, left=left, right=right):
                return self.call(intrinsics.saturating(op, left, right))
            case Binary(op=op, left=left, right=right, mode=mode, promise=promise):
                flags = FLOAT_FLAGS[mode] if is_floating(left.type) else f" {promise}" if promise else ""
                return f"{op}{flags} {typed(left)}, {text(right)}"
            case Negate(value=value, mode=mode):
                return f"fneg{FLOAT_FLAGS[mode]} {typed(value)}"
            case Compare(predicate=predicate, left=left, right=right):
                # comparisons are never loosened: which way a branch goes is part of the meaning
                return f"{'fcmp' if is_floating(left.type) else 'icmp'} {predicate} {typed(left)}, {text(right)}"
            case Select(condition=condition, then=then, otherwise=otherwise):
                return f"select {typed(condition)}, {typed(then)}, {typed(otherwise)}"
            case Convert(op=op, value=value, type=type_):
                return f"{op} {typed(value)} to {type_}"
            case Freeze(value=value):
                return f"freeze {typed(value)}"
            case Shuffle(left=left, right=right, mask=mask):
                return _shuffle(left, right, mask)
            case Insert(vector=vector, value=value, lane=lane):
                return f"insertelement {typed(vector)}, {typed(value)}, i64 {lane}"
            case Extract(vector=vector, lane=number):
                return f"extractelement {typed(vector)}, {typed(number)}"
            case Address(base=base, index=index, element=element, count=count):
                unit = element if count == 1 else f"[{count} x {element}]"
                return f"getelementptr {unit}, {typed(base)}, {typed(index)}"
            case Field(base=base, tuple=members, number=number):
                return f"getelementptr {members}, {typed(base)}, i32 0, i32 {number}"
            case Member(tuple=whole, number=number):
                return f"extractvalue {typed(whole)}, {number}"
            case Call(callee=callee, arguments=arguments, type=type_, pure=pure, fixed=fixed):
                kinds = ", ".join([*(str(argument.type) for argument in arguments[:fixed]), *["..."] * (fixed is not None)])
                self.declared[callee] = f"declare {type_} @{callee}({kinds}){' #1' if pure else ''}"
                called = type_ if fixed is None else f"{type_} ({kinds})"
                return f"call {called} @{callee}({', '.join(map(typed, arguments))})"
            case CallAt(pointer=pointer, arguments=arguments, type=type_):
                return f"call {type_} {text(pointer)}({', '.join(map(typed, arguments))})"
            case Load() | LoadApart() | Gather() | Store() | StoreTogether() | Scatter() | Begin() | Fence() | Prefetch():
                return self.memory(instruction)
            case Elementwise(mode=mode):
                return self.call(intrinsics.elementwise(instruction, FLOAT_FLAGS[mode]))
            case SumNeighbours():
                return self.call(intrinsics.neighbours(instruction))
            case AddDots():
                return self.call(intrinsics.dots(instruction, x86=self.target.architecture == "x86_64"))
            case Reduce(op=op, vector=vector, start=start, mode=mode) if lanes_of(vector.type) == 1:
                assert start is not None
                return f"{op}{FLOAT_FLAGS[mode]} {typed(start)}, {text(vector)}"
            case Reduce(mode=mode):
                return self.call(intrinsics.reduction(instruction, FLOAT_FLAGS[mode]))
            case Broadcast() | Join() | Native() | Hide():
                raise AssertionError("these are several lines")
            case Quotients() | Roots():
                raise AssertionError("rv.vector.divider.quotients makes calls of these")

    def memory(self, instruction: MemoryInstruction) -> str:
        match instruction:
            case Load(pointer=pointer, type=type_, access=access, mask=None):
                return f"load {type_}, {typed(pointer)}, align {access.align}{self.scope(access)}"
            case Load(access=access):
                return self.call(intrinsics.masked_load(instruction)) + self.scope(access)
            case LoadApart(access=access):
                return self.call(intrinsics.load_apart(instruction)) + self.scope(access)
            case StoreTogether(access=access):
                return self.call(intrinsics.store_together(instruction)) + self.scope(access)
            case Gather(access=access):
                return self.call(intrinsics.gather(instruction)) + self.scope(access)
            case Store(value=value, pointer=pointer, access=access, mask=None, streaming=streaming):
                hint = self.scopes.nontemporal if streaming else ""
                return f"store {typed(value)}, {typed(pointer)}, align {access.align}{self.scope(access)}{hint}"
            case Store(access=access):
                return self.call(intrinsics.masked_store(instruction)) + self.scope(access)
            case Scatter(access=access):
                return self.call(intrinsics.scatter(instruction)) + self.scope(access)
            case Begin(pointer=pointer):
                return self.call(intrinsics.intrinsic("llvm.lifetime.start.p0", VOID, [pointer]))
            case Fence():
                return self.call(intrinsics.intrinsic("llvm.x86.sse.sfence", VOID, []))
            case Prefetch(pointer=pointer, writing=writing):
                arguments = (typed(pointer), f"i32 {int(writing)}", "i32 3", "i32 1")
                kinds = ("ptr", "i32", "i32", "i32")
                return self.call(intrinsics.Intrinsic("llvm.prefetch.p0", "void", kinds, arguments))

    def call(self, call: intrinsics.Intrinsic) -> str:
        self.declared[call.name] = call.declaration
        return call.text

    def scope(self, access: Access) -> str:
        return self.scopes.tag(access.array)


def _name(result: Register | None) -> str:
    assert result is not None
    return result.name


def _shuffle(left: Operand, right: Operand, mask: tuple[int, ...]) -> str:
    return f"shufflevector {typed(left)}, {typed(right)}, {shuffle_mask(mask)}"


def _widest_integers(function: Function) -> int:
    results = (s.result.type for block in function.blocks for s in block.body if s.result is not None)
    vectors = (type_.element for type_ in results if isinstance(type_, VectorType))
    return max((element.bits for element in vectors if isinstance(element, IntType)), default=0)


def _block_of(type_: ValueType, count: int) -> str:
    return str(type_) if count == 1 else f"[{count} x {type_}]"


def _terminator(terminator: Terminator) -> str:
    match terminator:
        case Jump(target=target):
            return f"br label %{target}"
        case Branch(condition=condition, then=then, otherwise=otherwise, likely=likely):
            weights = f", !prof {LIKELY}" if likely else ""
            return f"br {typed(condition)}, label %{then}, label %{otherwise}{weights}"
        case Return(value=None):
            return "ret void"
        case Return(value=value):
            assert value is not None
            return f"ret {typed(value)}"
        case Unreachable():
            return "unreachable"


