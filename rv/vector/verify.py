"""The verifier: what a well-formed module of the vector IR is. Passes and emission rely on it.

Names
 1. Registers of a function (parameters and its prologue's included) have unique names, blocks unique labels, functions and
    data of a module unique names.
 2. Every use names a defined register, with the type of its definition, which is the type that the instruction computes.
Blocks
 3. There is at least one block. The first one is the entry; it has no predecessors and no phis. Targets exist.
 4. A phi has exactly one operand for each predecessor of its block.
Dominance
 5. A definition dominates its uses; an operand of a phi is used at the end of its predecessor. Blocks that control never reaches
    are not checked for this.
Types
 6. Operands have the types that the table in `_type_error` demands.
 7. Constants have as many lanes as their type, each in range.
 8. A return gives a value of the function's result type, and none in a void function.
Memory
 9. Alignments are powers of two. A masked access is one of a vector with as many lanes as its mask. Arrays that accesses name are
    among the module's.
10. Calls of functions of the module pass what these take and expect what they give. Symbols are functions or data of the module.

Not checked, because it depends on values: no access touches memory outside its array, lanes outside of masks are not used,
addresses have the alignment of their accesses. `rv.vector.interpreter` finds violations while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import FlowGraph, graph_of_edges, reverse_postorder
from rv.ir.types import I1, I32, I64, PTR, VOID, FloatType, IntType, bits_of
from rv.vector.function import Block, Function, Module, Statement
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
    Load,
    LoadApart,
    Member,
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
    access_of,
    is_floating,
    operands,
    successors,
)
from rv.vector.printer import print_statement
from rv.vector.types import TupleType, ValueType, VectorType, element_of, is_pointer, is_void, lanes_of, truth_of
from rv.vector.values import Constant, Operand, Register, Symbol


class IllFormed(Exception):
    """A module breaks a rule; the message names the function, the place and the rule."""


def verify(module: Module) -> Module:
    """The module itself. Raises IllFormed."""
    names = [*(function.name for function in module.functions), *(data.name for data in module.data)]
    if len(set(names)) < len(names):
        raise IllFormed("rule 1: two functions, or data, have one name")
    for function in module.functions:
        problem = next(_Verifier(module, function).problems(), None)
        if problem is not None:
            raise IllFormed(f"@{function.name}: {problem}")
    return module


@dataclass(frozen=True, slots=True)
class _Definition:
    register: Register
    label: str
    position: int


class _Verifier:
    """The checks of one function."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self.called = {function.name: function for function in module.functions}
        self.symbols = {*self.called, *(data.name for data in module.data)}
        self.defined: dict[str, _Definition] = {}

    def problems(self) -> Iterator[str]:
        yield from self.names()
        graph = self.graph()
        if graph is None:
            yield "rule 3: there is no block, the entry has predecessors or phis, or a target does not exist"
            return
        tree = dominator_tree(graph)
        reached = frozenset(reverse_postorder(graph))
        for block in self.function.blocks:
            yield from self.block(block, graph, tree if block.label in reached else None)

    def names(self) -> Iterator[str]:
        entry = self.function.blocks[0].label if self.function.blocks else ""
        given = [parameter.register for parameter in self.function.parameters]
        given += [entry_.result for entry_ in self.function.prologue]
        for register in given:
            yield from self.define(register, entry, -2)
        for block in self.function.blocks:
            for phi in block.phis:
                yield from self.define(phi.result, block.label, -1)
            for position, statement in enumerate(block.body):
                if statement.result is not None:
                    yield from self.define(statement.result, block.label, position)
        labels = [block.label for block in self.function.blocks]
        if len(set(labels)) < len(labels):
            yield "rule 1: two blocks have one label"

    def define(self, register: Register, label: str, position: int) -> Iterator[str]:
        if register.name in self.defined:
            yield f"rule 1: {register} is defined twice"
        self.defined[register.name] = _Definition(register, label, position)

    def graph(self) -> FlowGraph | None:
        edges = tuple((block.label, tuple(dict.fromkeys(successors(block.terminator)))) for block in self.function.blocks)
        known = {label for label, _ in edges}
        targets = {target for _, own in edges for target in own}
        if not edges or not targets <= known or edges[0][0] in targets or self.function.blocks[0].phis:
            return None
        return graph_of_edges(edges)

    def block(self, block: Block, graph: FlowGraph, tree: DominatorTree | None) -> Iterator[str]:
        for phi in block.phis:
            labels = [label for _, label in phi.incoming]
            if sorted(labels) != sorted(graph.predecessors[block.label]):
                yield f"rule 4: {phi.result} in {block.label} has operands for {labels}"
            for value, label in phi.incoming:
                yield from self.use(value, label, 1 << 62, tree, f"phi {phi.result}")
                if value.type != phi.result.type:
                    yield f"rule 6: {phi.result} is a {phi.result.type}, not a {value.type}"
        for position, statement in enumerate(block.body):
            yield from self.statement(block, position, statement, tree)
        yield from self.terminator(block, tree)

    def statement(self, block: Block, position: int, statement: Statement, tree: DominatorTree | None) -> Iterator[str]:
        instruction, where = statement.instruction, print_statement(statement)
        for operand in operands(instruction):
            yield from self.use(operand, block.label, position, tree, where)
        if statement.result is None and not (is_void(instruction.type) or isinstance(instruction, Call)):
            yield f"rule 2: nothing takes the result of `{where}`"
        if statement.result is not None and statement.result.type != instruction.type:
            yield f"rule 2: `{where}` gives a {instruction.type}"
        wrong = _type_error(instruction)
        if wrong:
            yield f"rule 6: `{where}`: {wrong}"
        yield from self.memory(instruction, where)

    def memory(self, instruction: Instruction, where: str) -> Iterator[str]:
        access = access_of(instruction)
        if access is not None:
            if access.align <= 0 or access.align & (access.align - 1):
                yield f"rule 9: `{where}`: {access.align} is no alignment"
            if access.array and access.array not in self.module.arrays:
                yield f"rule 9: `{where}`: {access.array} is no array of the module"
        if isinstance(instruction, Call) and instruction.callee in self.called:
            callee = self.called[instruction.callee]
            taken = [parameter.register.type for parameter in callee.parameters]
            if [argument.type for argument in instruction.arguments] != taken or instruction.type != callee.result:
                yield f"rule 10: `{where}` does not fit @{callee.name}"

    def terminator(self, block: Block, tree: DominatorTree | None) -> Iterator[str]:
        match block.terminator:
            case Branch(condition=condition):
                yield from self.use(condition, block.label, 1 << 62, tree, "branch")
                if condition.type != I1:
                    yield f"rule 6: {block.label} branches on a {condition.type}"
            case Return(value=value):
                given = VOID if value is None else value.type
                if given != self.function.result:
                    yield f"rule 8: {block.label} returns a {given}, not a {self.function.result}"
                if value is not None:
                    yield from self.use(value, block.label, 1 << 62, tree, "return")
            case _:
                pass

    def use(self, operand: Operand, label: str, position: int, tree: DominatorTree | None, where: str) -> Iterator[str]:
        match operand:
            case Register(name=name):
                found = self.defined.get(name)
                if found is None or found.register.type != operand.type:
                    yield f"rule 2: `{where}` uses {operand}, which is not defined as a {operand.type}"
                elif tree is not None and not self.comes_before(found, label, position, tree):
                    yield f"rule 5: `{where}` uses {operand}, whose definition does not dominate it"
            case Symbol(name=name):
                if name not in self.symbols:
                    yield f"rule 10: `{where}` uses @{name}, which the module does not have"
            case Constant(type=type_, lanes=lanes):
                width = bits_of(element_of(type_))
                if len(lanes) != lanes_of(type_) or not all(0 <= bits < 1 << width for bits in lanes):
                    yield f"rule 7: `{where}`: a constant that is no {type_}"
            case _:
                pass

    def comes_before(self, found: _Definition, label: str, position: int, tree: DominatorTree) -> bool:
        if found.label == label:
            return found.position < position
        return tree.dominates(found.label, label)


def _type_error(instruction: Instruction) -> str:
    """What is wrong with the types of the operands; empty when nothing is."""
    match instruction:
        case Binary(op=op, left=left, right=right):
            floating = op in ("fadd", "fsub", "fmul", "fdiv")
            good = left.type == right.type and (is_floating(left.type) if floating else _is_integer(left.type))
        case Negate(value=value):
            good = is_floating(value.type)
        case Compare(predicate=predicate, left=left, right=right):
            ordered = predicate[0] in "ou" and predicate[1:] in ("eq", "ne", "lt", "le", "gt", "ge", "rd", "no")
            signed = predicate[0] == "s" or predicate in ("eq", "ne")
            floating = is_floating(left.type)
            good = left.type == right.type and (ordered if floating else signed or predicate in ("ult", "ule", "ugt", "uge"))
        case Select(condition=condition, then=then, otherwise=otherwise):
            good = then.type == otherwise.type and condition.type in (I1, truth_of(then.type))
        case Convert(op="bitcast", value=value, type=type_):
            good = _all_bits(value.type) == _all_bits(type_)
        case Convert(value=value, type=type_):
            good = lanes_of(value.type) == lanes_of(type_)
        case Freeze() | Hide():
            good = True
        case Elementwise(name=name, operands=values):
            counts = {"copysign": 2, "fma": 3, "minnum": 2, "maxnum": 2, "smin": 2, "smax": 2, "umin": 2, "umax": 2}
            integer = name in ("smin", "smax", "umin", "umax", "ctpop", "cttz", "ctlz")
            right_kind = _is_integer(values[0].type) if integer else is_floating(values[0].type)
            good = len(values) == counts.get(name, 1) and len({value.type for value in values}) == 1 and right_kind
        case Native(name="pdep", operands=values):
            good = [value.type for value in values] == [I64, I64]
        case Native(name=name, operands=values):
            count = 3 if name == "fma_up" else 1
            good = len(values) == count and len({value.type for value in values}) == 1 and is_floating(values[0].type)
        case SumNeighbours(op=op, operands=values):
            good = _are_neighbours(op, values)
        case AddDots(so_far=so_far, left=left, right=right):
            same = left.type == right.type and _all_bits(left.type) == _all_bits(so_far.type)
            good = same and element_of(so_far.type) == I32 and _is_integer(left.type) and _fills_registers(left.type, (8, 16))
        case Quotients(groups=groups):
            good = all(len(group) in (3, 4) and _is_group(group) for group in groups)
        case Roots(groups=groups):
            good = all(len(group) == 2 and _is_group(group) for group in groups)
        case Broadcast(value=value):
            good = not isinstance(value.type, VectorType | TupleType)
        case Shuffle(left=left, right=right, mask=mask):
            lanes = lanes_of(left.type)
            good = isinstance(left.type, VectorType) and left.type == right.type and all(lane < 2 * lanes for lane in mask)
        case Insert(vector=vector, value=value, lane=lane):
            good = isinstance(vector.type, VectorType) and vector.type.element == value.type and 0 <= lane < vector.type.lanes
        case Extract(vector=vector, lane=number):
            good = isinstance(vector.type, VectorType) and number.type in (I32, I64)
        case Reduce(vector=vector, start=start):
            good = isinstance(vector.type, VectorType) and (start is None or start.type == vector.type.element)
        case Address(base=base, index=index):
            widths = {lanes_of(base.type), lanes_of(index.type)} - {1}
            good = is_pointer(base.type) and element_of(index.type) == I64 and len(widths) <= 1
        case Field(base=base, tuple=members, number=number):
            good = base.type == PTR and 0 <= number < len(members.members)
        case Member(tuple=whole, number=number):
            good = isinstance(whole.type, TupleType) and 0 <= number < len(whole.type.members)
        case Join(members=members):
            good = all(not isinstance(member.type, TupleType) for member in members)
        case Call():
            good = True
        case CallAt(pointer=pointer):
            good = pointer.type == PTR
        case Load(pointer=pointer, type=type_, mask=mask):
            good = pointer.type == PTR and (mask is None or mask.type == truth_of(type_))
        case Store(value=value, pointer=pointer, mask=mask):
            good = pointer.type == PTR and (mask is None or mask.type == truth_of(value.type))
        case LoadApart(pointer=pointer, type=members):
            good = pointer.type == PTR and _is_alternating(members.members)
        case StoreTogether(values=values, pointer=pointer):
            good = pointer.type == PTR and _is_alternating([value.type for value in values])
        case Gather(pointers=pointers, mask=mask):
            good = isinstance(pointers.type, VectorType) and is_pointer(pointers.type) and mask.type == truth_of(pointers.type)
        case Scatter(value=value, pointers=pointers, mask=mask):
            lanes = lanes_of(pointers.type)
            good = is_pointer(pointers.type) and mask.type == truth_of(value.type) and lanes_of(value.type) == lanes
        case Begin(pointer=pointer) | Prefetch(pointer=pointer):
            good = pointer.type == PTR
        case Fence():
            good = True
    return "" if good else f"operands of types {', '.join(str(operand.type) for operand in operands(instruction))}"


def _is_group(group: tuple[Operand, ...]) -> bool:
    """Whether it is a register of numbers or several of one type, and a mask for them."""
    *numbers, active = group
    own = numbers[0].type
    return is_floating(own) and all(number.type == own for number in numbers) and active.type == truth_of(own)


def _are_neighbours(op: str, values: tuple[Operand, ...]) -> bool:
    """Whether vectors of one type, which fill whole registers, can be added so."""
    bits = {"differences": (8,), "products": (16,)}.get(op, (8, 16, 32))
    vectors = isinstance(values[0].type, VectorType) and len({value.type for value in values}) == 1
    count = 2 if op in ("differences", "products") else 1
    return len(values) == count and vectors and _is_integer(values[0].type) and _fills_registers(values[0].type, bits)


def _fills_registers(type_: ValueType, bits: tuple[int, ...]) -> bool:
    return bits_of(element_of(type_)) in bits and _all_bits(type_) in (128, 256, 512)


def _is_integer(type_: ValueType) -> bool:
    return not isinstance(type_, TupleType) and isinstance(element_of(type_), IntType)


def _all_bits(type_: ValueType) -> int:
    element = element_of(type_)
    assert isinstance(element, IntType | FloatType) or element == PTR
    return bits_of(element) * lanes_of(type_)


def _is_alternating(types: Sequence[ValueType]) -> bool:
    """Whether vectors of these types alternate in memory: 2 to 4 of one type."""
    return 2 <= len(types) <= 4 and len(set(types)) == 1 and isinstance(types[0], VectorType)
