"""Modules of the vector IR, ready to run any number of times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final, cast

from rv.ir.instructions import BinaryOp
from rv.ir.types import FloatType, bits_of, size_of
from rv.semantics.arguments import Argument, Result, argument_value, result_value
from rv.semantics.arithmetic import number_of_pattern, pattern_of_number
from rv.semantics.memory import Fault, Memory
from rv.semantics.scope import Exhausted, External, Misaligned, names
from rv.semantics.undefined import UNDEFINED, Undefined, UndefinedValue
from rv.vector.function import Block, Data, Function, Module, OpaqueConstant, StackObject
from rv.vector.instructions import (
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
    Unreachable,
)
from rv.vector.interpreter.exact import dots, elementwise, native, neighbours
from rv.vector.interpreter.lanes import code_of, load_of, scalar_of, store_of
from rv.vector.printer import print_statement
from rv.vector.types import TupleType, ValueType, bytes_of, element_of, lanes_of, natural_alignment
from rv.vector.values import Constant, Operand, Poison, Register, Symbol
from rv.vector.values import Undefined as UndefinedOperand

Lanes = list[Any]
"""What a value holds: a value for each lane, one for scalars; tuples hold one list for each member."""
UNLIMITED: Final = 1 << 62
ADDRESSES: Final = (1 << 256) - 1
"""As in P-LLVM's interpreters: what wrapped on the way is an address of no region."""
RAISED: Final = (IndexError, TypeError, Misaligned, Undefined)


class Program:
    """A module that is ready to run."""

    def __init__(self, module: Module) -> None:
        self.functions = {function.name: function for function in module.functions}
        self.data = {data.name: data.content for data in module.data if isinstance(data, Data)}

    def run(
        self,
        name: str,
        arguments: Sequence[Argument],
        memory: Memory,
        externals: Mapping[str, External] | None = None,
        fuel: int = UNLIMITED,
    ) -> Result:
        """The result of calling a function with scalar parameters; None for a void one.

        Pointers are regions or addresses, other arguments numbers that are wrapped or rounded to their types. `externals` are
        functions that libm does not have, by name. Threads of a team run one after the other, as a team of one. Raises Fault,
        Undefined, and Exhausted after `fuel` blocks.
        """
        function = self.functions[name]
        given = [[argument_value(element_of(p.register.type), a)] for p, a in zip(function.parameters, arguments, strict=True)]
        regions = len(memory.regions)
        try:
            data = {name: memory.map(f"@{name}", bytearray(content)).base for name, content in self.data.items()}
            result = _Run(self, memory, names(memory, externals or {}), fuel, data).call(function, given)
        finally:
            memory.release(regions)
        return None if result is None else result_value(result[0])


def run(
    module: Module,
    name: str,
    arguments: Sequence[Argument],
    memory: Memory,
    externals: Mapping[str, External] | None = None,
    fuel: int = UNLIMITED,
) -> Result:
    """Runs a function of a module once; see `Program.run`."""
    return Program(module).run(name, arguments, memory, externals, fuel)


@dataclass(slots=True)
class _Run:
    """One call from outside: memory, what lanes may call, the blocks that may still run."""

    program: Program
    memory: Memory
    scope: dict[str, Any]
    fuel: int
    data: Mapping[str, int]
    """Addresses by name."""
    lanes: dict[object, Callable[..., Any]] = field(default_factory=dict)

    def call(self, function: Function, arguments: Sequence[Any]) -> Any:
        return _Frame(self, function, arguments).run()

    def lane(self, scalar: Any) -> Callable[..., Any]:
        """What a scalar instruction does in one lane, on this memory."""
        found = self.lanes.get(scalar)
        if found is None:
            exec(code_of(scalar), self.scope)
            found = self.lanes[scalar] = self.scope["lane"]
        return found


class _Frame:
    """A function that is being executed, and its registers by name."""

    def __init__(self, run: _Run, function: Function, arguments: Sequence[Any]) -> None:
        self.run_ = run
        self.function = function
        self.blocks = {block.label: block for block in function.blocks}
        self.values: dict[str, Any] = {p.register.name: a for p, a in zip(function.parameters, arguments, strict=True)}
        for entry in function.prologue:
            self.values[entry.result.name] = self.prologue(entry)

    def prologue(self, entry: StackObject | OpaqueConstant) -> Any:
        match entry:
            case StackObject(result=result, type=type_, count=count):
                return [self.run_.memory.stack_object(str(result), _padded(type_) * count).base]
            case OpaqueConstant(value=value):
                return self.value(value)

    def run(self) -> Any:
        """What the function gives back."""
        label, last = self.function.blocks[0].label, ""
        while True:
            self.run_.fuel -= 1
            if self.run_.fuel < 0:
                raise Exhausted
            block = self.blocks[label]
            self.phis(block, last)
            self.body(block)
            last = label
            match block.terminator:
                case Jump(target=target):
                    label = target
                case Branch(condition=condition, then=then, otherwise=otherwise):
                    label = then if self.decide(condition, block) else otherwise
                case Return(value=value):
                    return None if value is None else self.value(value)
                case Unreachable():
                    raise Undefined(f"block {label} of @{self.function.name} was said to be unreachable")

    def decide(self, condition: Operand, block: Block) -> bool:
        try:
            return bool(self.value(condition)[0])
        except Undefined as error:
            raise Undefined(f"{error}: the branch of block {block.label} of @{self.function.name}") from None

    def phis(self, block: Block, last: str) -> None:
        """One parallel assignment."""
        chosen = [next(value for value, label in phi.incoming if label == last) for phi in block.phis]
        found = [self.value(value) for value in chosen]
        self.values.update((phi.result.name, value) for phi, value in zip(block.phis, found, strict=True))

    def body(self, block: Block) -> None:
        for statement in block.body:
            try:
                result = self.execute(statement.instruction)
            except RAISED as error:
                place = "" if statement.span is None else f", {statement.span}"
                where = f"`{print_statement(statement)}` in block {block.label} of @{self.function.name}{place}"
                if isinstance(error, Undefined):
                    raise Undefined(f"{error}: {where}") from None
                raise Fault(f"{type(error).__name__}: {where}", 0) from None
            if statement.result is not None:
                self.values[statement.result.name] = result

    # -- operands -----------------------------------------------------------------------------------------------------

    def value(self, operand: Operand) -> Any:
        match operand:
            case Register(name=name):
                return self.values[name]
            case Constant(type=type_, lanes=lanes):
                element = element_of(type_)
                if isinstance(element, FloatType):
                    return [number_of_pattern(bits, element.bits) for bits in lanes]
                return list(lanes)
            case UndefinedOperand(type=type_) | Poison(type=type_):
                return _undefined(type_)
            case Symbol(name=name):
                return [self.run_.program.functions[name] if name in self.run_.program.functions else self.run_.data[name]]

    def scalar(self, operand: Operand) -> Any:
        return self.value(operand)[0]

    # -- instructions -------------------------------------------------------------------------------------------------

    def execute(self, instruction: Instruction) -> Any:
        match instruction:
            case Convert(op="bitcast", value=value, type=type_) if lanes_of(value.type) != lanes_of(type_):
                return _repacked(self.value(value), value.type, type_)
            case Select(condition=condition, then=then, otherwise=otherwise) if lanes_of(condition.type) < lanes_of(then.type):
                test = self.scalar(condition)
                if test is UNDEFINED:
                    return _undefined(then.type)
                return self.value(then if test else otherwise)
            case Binary(left=left, right=right) | Compare(left=left, right=right):
                return list(map(self.run_.lane(scalar_of(instruction)), self.value(left), self.value(right)))
            case Negate(value=value) | Convert(value=value):
                return list(map(self.run_.lane(scalar_of(instruction)), self.value(value)))
            case Select(condition=condition, then=then, otherwise=otherwise):
                lane = self.run_.lane(scalar_of(instruction))
                return list(map(lane, self.value(condition), self.value(then), self.value(otherwise)))
            case Freeze(value=value):
                zero = 0.0 if isinstance(element_of(value.type), FloatType) else 0
                return [zero if lane is UNDEFINED else lane for lane in self.value(value)]
            case Hide(value=value):
                return self.value(value)
            case Elementwise(name=name, operands=operands):
                columns = zip(*map(self.value, operands), strict=True)
                return [elementwise(name, element_of(instruction.type), list(lane)) for lane in columns]
            case Native(name=name, operands=operands):
                columns = zip(*map(self.value, operands), strict=True)
                return [native(name, element_of(operands[0].type), list(lane)) for lane in columns]
            case Quotients(groups=groups):
                return tuple(self.execute(Binary("fdiv", group[-3], group[-2])) for group in groups)
            case Roots(groups=groups):
                return self.roots(groups)
            case SumNeighbours(op=op, operands=operands):
                return neighbours(op, bits_of(element_of(operands[0].type)), [self.value(operand) for operand in operands])
            case AddDots(so_far=so_far, left=left, right=right, signs=signs):
                factors = [self.value(left), self.value(right)]
                return dots(self.value(so_far), factors, bits_of(element_of(left.type)), signs)
            case Load() | LoadApart() | Gather() | Store() | StoreTogether() | Scatter() | Begin() | Fence() | Prefetch():
                return self.access(instruction)
            case Call():
                return self.called(instruction)
            case CallAt(pointer=pointer, arguments=arguments):
                return self.run_.call(self.scalar(pointer), list(map(self.value, arguments)))
            case _:
                return self.moved(instruction)

    def roots(self, groups: Sequence[Sequence[Operand]]) -> Any:
        found: list[Any] = []
        for number, _ in groups:
            found += [self.execute(Elementwise("sqrt", (number,))), _undefined(number.type)]
        return tuple(found)

    def moved(
        self, instruction: Broadcast | Shuffle | Insert | Extract | Reduce | Address | Field | Member | Join
    ) -> Any:
        """Lanes in other places, addresses, tuples."""
        match instruction:
            case Broadcast(value=value, lanes=lanes):
                return self.value(value) * lanes
            case Shuffle(left=left, right=right, mask=mask):
                both = self.value(left) + self.value(right)
                return [UNDEFINED if lane < 0 else both[lane] for lane in mask]
            case Insert(vector=vector, value=value, lane=lane):
                found = list(self.value(vector))
                found[lane] = self.scalar(value)
                return found
            case Extract(vector=vector, lane=number):
                lanes, place = self.value(vector), self.scalar(number)
                return [UNDEFINED if place is UNDEFINED or place >= len(lanes) else lanes[place]]
            case Reduce():
                return [self.reduced(instruction)]
            case Address(base=base, index=index, element=element, count=count):
                bases, indices, size = self.value(base), self.value(index), size_of(element) * count
                lanes = max(len(bases), len(indices))
                pairs = zip(bases * (lanes // len(bases)), indices * (lanes // len(indices)), strict=True)
                return [(b + size * ((i ^ 1 << 63) - (1 << 63))) & ADDRESSES for b, i in pairs]
            case Field(base=base, tuple=members, number=number):
                return [(self.scalar(base) + _offset(members, number)) & ADDRESSES]
            case Member(tuple=whole, number=number):
                return self.value(whole)[number]
            case Join(members=members):
                return tuple(map(self.value, members))

    def reduced(self, instruction: Reduce) -> Any:
        lanes, type_ = self.value(instruction.vector), element_of(instruction.vector.type)
        op = instruction.op
        if op in ("smin", "smax", "umin", "umax"):
            return reduce(lambda x, y: elementwise(op, type_, [x, y]), lanes)
        a, b = Register("a", type_), Register("b", type_)
        lane = self.run_.lane(scalar_of(Binary(cast(BinaryOp, op), a, b)))
        return reduce(lane, [self.scalar(instruction.start), *lanes] if instruction.start is not None else lanes)

    # -- memory and calls ---------------------------------------------------------------------------------------------

    def access(self, instruction: MemoryInstruction) -> Any:
        match instruction:
            case Load(pointer=pointer, type=type_, access=access, mask=mask, zeroing=zeroing):
                count = lanes_of(type_)
                active = self.active(mask, count)
                address = self.aligned(pointer, access.align) if any(active) else 0
                size = size_of(element_of(type_))
                addresses = [address + size * lane for lane in range(count)]
                return self.loaded(type_, addresses, active, passive=_zero(type_) if zeroing else UNDEFINED)
            case LoadApart(pointer=pointer, type=type_, access=access):
                address, count, first = self.aligned(pointer, access.align), len(type_.members), type_.members[0]
                size, lanes = size_of(element_of(first)), lanes_of(first)
                places = [[address + size * (k + count * lane) for lane in range(lanes)] for k in range(count)]
                return tuple(self.loaded(first, own, [True] * lanes, passive=UNDEFINED) for own in places)
            case StoreTogether(values=values, pointer=pointer, access=access):
                address, size = self.aligned(pointer, access.align), size_of(element_of(values[0].type))
                for k, value in enumerate(values):
                    own = [address + size * (k + len(values) * lane) for lane in range(lanes_of(value.type))]
                    self.stored(value, own, [True] * len(own))
            case Gather(pointers=pointers, mask=mask):
                active = self.active(mask, lanes_of(pointers.type))
                return self.loaded(instruction.type, self.value(pointers), active, passive=_zero(instruction.type))
            case Store(value=value, pointer=pointer, access=access, mask=mask):
                count = lanes_of(value.type)
                active = self.active(mask, count)
                address = self.aligned(pointer, access.align) if any(active) else 0
                size = size_of(element_of(value.type))
                self.stored(value, [address + size * lane for lane in range(count)], active)
            case Scatter(value=value, pointers=pointers, mask=mask):
                self.stored(value, self.value(pointers), self.active(mask, lanes_of(value.type)))
            case Begin(pointer=pointer):
                self.run_.memory.region_at(self.scalar(pointer)).forget()
            case Fence() | Prefetch():
                pass
        return None

    def active(self, mask: Operand | None, lanes: int) -> list[bool]:
        return [True] * lanes if mask is None else [bool(lane) for lane in self.value(mask)]

    def aligned(self, pointer: Operand, align: int) -> int:
        address = int(self.scalar(pointer))
        if address & (align - 1):
            raise Misaligned
        return address

    def loaded(self, type_: ValueType, addresses: Sequence[Any], active: Sequence[bool], passive: Any) -> Lanes:
        lane = self.run_.lane(load_of(element_of(type_)))
        return [lane(address) if on else passive for address, on in zip(addresses, active, strict=True)]

    def stored(self, value: Operand, addresses: Sequence[Any], active: Sequence[bool]) -> None:
        lane = self.run_.lane(store_of(element_of(value.type)))
        for one, address, on in zip(self.value(value), addresses, active, strict=True):
            if on:
                lane(address, one)

    def called(self, call: Call) -> Any:
        arguments = [self.value(argument) for argument in call.arguments]
        function = self.run_.program.functions.get(call.callee)
        if function is not None:
            return self.run_.call(function, arguments)
        match call.callee:
            case "GOMP_parallel":
                return self.run_.call(arguments[0][0], [arguments[1]])
            case "omp_get_thread_num" | "omp_get_num_threads":
                return [int(call.callee == "omp_get_num_threads")]
            case name:
                return [self.run_.scope["call"](name, *(argument[0] for argument in arguments))]


def _undefined(type_: ValueType) -> Any:
    if isinstance(type_, TupleType):
        return tuple(_undefined(member) for member in type_.members)
    return [UNDEFINED] * lanes_of(type_)


def _zero(type_: ValueType) -> Any:
    return 0.0 if isinstance(element_of(type_), FloatType) else 0


def _repacked(lanes: Lanes, source: ValueType, result: ValueType) -> Lanes:
    """The bits of all lanes, the first one lowest, as lanes of another type."""
    own, wanted = element_of(source), element_of(result)
    if any(lane is UNDEFINED for lane in lanes):
        return [UNDEFINED] * lanes_of(result)
    width, total = bits_of(own), 0
    for k, lane in enumerate(lanes):
        bits = pattern_of_number(lane, width) if isinstance(own, FloatType) else int(lane)
        assert not isinstance(bits, UndefinedValue)
        total |= bits << width * k
    size = bits_of(wanted)
    found = [total >> size * k & ((1 << size) - 1) for k in range(lanes_of(result))]
    return [number_of_pattern(bits, size) for bits in found] if isinstance(wanted, FloatType) else list(found)


def _padded(type_: ValueType) -> int:
    """The bytes of a stack object: a tuple's members are aligned."""
    return _offset(type_, len(type_.members)) if isinstance(type_, TupleType) else bytes_of(type_)


def _offset(members: TupleType, number: int) -> int:
    """Where a member of a tuple begins in memory, or, for the number of members, where the tuple ends."""
    end = 0
    for position, member in enumerate(members.members):
        start = -(-end // natural_alignment(member)) * natural_alignment(member)
        if position == number:
            return start
        end = start + bytes_of(member)
    return end
