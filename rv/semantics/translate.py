"""From a function of scalar P-LLVM to the source of a Python function that does the same, for the interpreter.

Values: integers and pointers are non-negative Python ints (bit patterns), truth values also Python bools, floating-point numbers
Python floats, undefined values `UNDEFINED`. An SSA variable becomes a local variable `v0`, `v1`, ...

Control flow: a block with several predecessors, and the entry, is a state of one `while` loop over `state`; states are found by
bisection. Every other block is written in place of the jump to it, indented under its branch, until the indentation gets
deep. Phis are one parallel assignment before the jump. Each iteration of the `while` loop takes one of `fuel`.

Every line of the source belongs to an instruction (`lines`), so that an exception can name the instruction that raised it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.analysis.flow import FlowGraph, flow_graph
from rv.ir.function import Block, Function
from rv.ir.instructions import (
    Binary,
    Branch,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ElementPointer,
    Instruction,
    Jump,
    Load,
    Negate,
    Phi,
    Return,
    Select,
    Store,
    Terminator,
)
from rv.ir.types import FloatType, Type, bits_of, size_of
from rv.ir.values import Const, Undef, Value, Var
from rv.semantics.arithmetic import number_of_bits
from rv.semantics.memory import OFFSET_MASK, REGION_BITS, element_code

_DEEPEST = 14
_ADDRESS_MASK = (1 << 64) - 1
_SIGNED = {"slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
_UNSIGNED = {"eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
_ORDERED = {"oeq": "==", "olt": "<", "ole": "<=", "ogt": ">", "oge": ">=", "une": "!="}
# true for NaNs: the opposite of the ordered opposite
_UNORDERED = {"ult": ">=", "ule": ">", "ugt": "<=", "uge": "<"}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "fadd": "+", "fsub": "-", "fmul": "*"}
_FUNCTIONS = {
    "sdiv": "divide_signed",
    "srem": "remainder_signed",
    "shl": "shift_left",
    "lshr": "shift_right",
    "ashr": "shift_right_signed",
}
Statement = Instruction | Phi | Terminator


@dataclass(frozen=True, slots=True)
class Translation:
    """Python source of a function `translated`, the block and statement of each source line, the locals of SSA variables."""

    source: str
    lines: Mapping[int, tuple[str, Statement]]
    locals: Mapping[str, str]


def translate(function: Function) -> Translation:
    """The Python function for a well-formed function. Its globals are those that `rv.semantics.scalar` provides."""
    writer = _Writer(function)
    writer.write()
    return Translation("\n".join(writer.text) + "\n", writer.lines, writer.names)


@dataclass
class _Writer:
    function: Function
    graph: FlowGraph = field(init=False)
    names: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    lines: dict[int, tuple[str, Statement]] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    written: dict[str, list[tuple[int, str, tuple[str, Statement] | None]]] = field(default_factory=dict)
    output: list[tuple[int, str, tuple[str, Statement] | None]] = field(default_factory=list)
    place: tuple[str, Statement] | None = None

    def __post_init__(self) -> None:
        self.graph = flow_graph(self.function)

    def write(self) -> None:
        parameters = ", ".join(self.local(p.var) for p in self.function.parameters)
        blocks = {block.label: block for block in self.function.blocks}
        for block in self.function.blocks:
            if block is self.function.entry or len(self.graph.predecessors[block.label]) > 1:
                self.state_of(block.label)
        while len(self.written) < len(self.states):
            for label in list(self.states):
                if label not in self.written:
                    self.output = []
                    self.block(blocks, blocks[label], 0)
                    self.written[label] = self.output
        self.text.append(f"def translated(fuel{', ' if parameters else ''}{parameters}):")
        self.text += ["  state = 0", "  while fuel:", "    fuel -= 1"]
        self.dispatch(list(self.states), 2)
        self.text.append("  raise Exhausted()")

    def dispatch(self, labels: list[str], depth: int) -> None:
        """Bisection over the states of `labels`, which are consecutive."""
        if len(labels) == 1:
            for indent, line, place in self.written[labels[0]]:
                self.text.append("  " * (depth + indent) + line)
                if place is not None:
                    self.lines[len(self.text)] = place
            return
        middle = len(labels) // 2
        self.text.append("  " * depth + f"if state < {self.states[labels[middle]]}:")
        self.dispatch(labels[:middle], depth + 1)
        self.text.append("  " * depth + "else:")
        self.dispatch(labels[middle:], depth + 1)

    def state_of(self, label: str) -> int:
        return self.states.setdefault(label, len(self.states))

    def emit(self, depth: int, line: str) -> None:
        self.output.append((depth, line, self.place))

    def block(self, blocks: Mapping[str, Block], block: Block, depth: int) -> None:
        for instruction in block.body:
            self.place = (block.label, instruction)
            self.instruction(instruction, depth)
        self.place = (block.label, block.terminator)
        match block.terminator:
            case Return(value=value):
                self.emit(depth, "return" if value is None else f"return {self.value(value)}")
            case Jump(target=target):
                self.edge(blocks, block, target, depth)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                self.emit(depth, f"if {self.value(condition)}:")
                self.edge(blocks, block, then, depth + 1)
                self.place = (block.label, block.terminator)
                self.emit(depth, "else:")
                self.edge(blocks, block, otherwise, depth + 1)

    def edge(self, blocks: Mapping[str, Block], source: Block, target: str, depth: int) -> None:
        phis = blocks[target].phis
        if phis:
            results = ", ".join(self.local(phi.result) for phi in phis)
            values = ", ".join(self.value(phi.value_from(source.label)) for phi in phis)
            self.emit(depth, f"{results} = {values}")
        if target in self.states or depth >= _DEEPEST:
            self.emit(depth, f"state = {self.state_of(target)}")
            self.emit(depth, "continue")
        else:
            self.block(blocks, blocks[target], depth)

    def local(self, var: Var) -> str:
        return self.names.setdefault(var.name, f"v{len(self.names)}")

    def value(self, value: Value) -> str:
        match value:
            case Var():
                return self.local(value)
            case Undef():
                return "UNDEFINED"
            case Const(type=FloatType(width), bits=bits):
                return _float_literal(number_of_bits(bits, width))
            case Const(bits=bits):
                return str(bits)

    def instruction(self, instruction: Instruction, depth: int) -> None:
        match instruction:
            case Store(value=value, pointer=pointer):
                self.emit(depth, f"{self.element(value.type, pointer, depth)} = {self.value(value)}")
            case Load(result=result, pointer=pointer):
                truth = " & 1" if bits_of(result.type) == 1 else ""
                self.emit(depth, f"{self.local(result)} = {self.element(result.type, pointer, depth)}{truth}")
            case Call(result=result, callee=callee, arguments=arguments):
                target = "" if result is None else f"{self.local(result)} = "
                self.emit(depth, f"{target}call({', '.join([repr(callee), *map(self.value, arguments)])})")
            case _:
                name = self.local(instruction.result)
                self.emit(depth, f"{name} = {self.expression(instruction)}")
                if instruction.result.type == FloatType(32) and isinstance(instruction, Binary | Convert):
                    self.emit(depth, f"if {name} is not UNDEFINED: binary32[0] = {name}; {name} = binary32[0]")

    def element(self, type_: Type, pointer: Value, depth: int) -> str:
        """The place in memory, after a check of alignment; out of bounds is an IndexError of the view."""
        address, size = self.value(pointer), size_of(type_)
        if size > 1:
            self.emit(depth, f"if {address} & {size - 1}: raise Misaligned()")
        shift = f"({address} & {OFFSET_MASK}) >> {size.bit_length() - 1}" if size > 1 else f"{address} & {OFFSET_MASK}"
        return f"memory_{element_code(type_)}[{address} >> {REGION_BITS}][{shift}]"

    def expression(self, instruction: Binary | Negate | CompareInt | CompareFloat | Select | Convert | ElementPointer) -> str:
        """The value of a pure instruction; binary32 results are not rounded yet."""
        match instruction:
            case Binary(op=op, left=left, right=right):
                return self.binary(op, self.value(left), self.value(right), bits_of(left.type))
            case Negate(value=value):
                return f"-{self.value(value)}"
            case CompareInt(predicate=predicate, left=left, right=right):
                return _compare_int(predicate, self.value(left), self.value(right), bits_of(left.type))
            case CompareFloat(predicate=predicate, left=left, right=right):
                return _compare_float(predicate, self.value(left), self.value(right))
            case Select(condition=condition, then=then, otherwise=otherwise):
                test = self.value(condition)
                choice = f"({self.value(then)} if {test} else {self.value(otherwise)})"
                return f"{choice} if {test} is not UNDEFINED else UNDEFINED" if not isinstance(condition, Const) else choice
            case Convert(result=result, op=op, value=value):
                return _convert(op, self.value(value), bits_of(value.type), bits_of(result.type))
            case ElementPointer(base=base, element=element, indices=indices, extents=extents):
                offset = self.value(indices[0])
                for index, extent in zip(indices[1:], extents, strict=True):
                    offset = f"({offset} * {self.value(extent)} + {self.value(index)})"
                return f"({self.value(base)} + {size_of(element)} * {offset}) & {_ADDRESS_MASK}"

    def binary(self, op: str, left: str, right: str, bits: int) -> str:
        if op in ("and", "or", "xor", "fadd", "fsub", "fmul"):
            return f"{left} {_ARITHMETIC[op]} {right}"
        if op in _ARITHMETIC:
            return f"({left} {_ARITHMETIC[op]} {right}) & {(1 << bits) - 1}"
        if op == "fdiv":
            return f"divide_float({left}, {right})"
        if op in ("udiv", "urem"):
            return f"{'divide_unsigned' if op == 'udiv' else 'remainder_unsigned'}({left}, {right})"
        return f"{_FUNCTIONS[op]}({left}, {right}, {bits})"


def _float_literal(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "(-inf)"
    return f"({number!r})"


def _compare_int(predicate: str, left: str, right: str, bits: int) -> str:
    if predicate in _UNSIGNED:
        return f"{left} {_UNSIGNED[predicate]} {right}"
    # flipping the sign bit maps signed order to unsigned order
    sign = 1 << (bits - 1)
    return f"({left} ^ {sign}) {_SIGNED[predicate]} ({right} ^ {sign})"


def _compare_float(predicate: str, left: str, right: str) -> str:
    if predicate in _ORDERED:
        return f"{left} {_ORDERED[predicate]} {right}"
    if predicate in _UNORDERED:
        return f"({left} {_UNORDERED[predicate]} {right}) ^ True"
    different = f"(({left} < {right}) | ({left} > {right}))"
    ordered = f"(({left} == {left}) & ({right} == {right}))"
    match predicate:
        case "one":
            return different
        case "ueq":
            return f"{different} ^ True"
        case "ord":
            return ordered
        case _:
            return f"{ordered} ^ True"


def _convert(op: str, value: str, source: int, result: int) -> str:
    match op:
        case "trunc":
            return f"{value} & {(1 << result) - 1}"
        case "sext":
            sign = 1 << (source - 1)
            return f"(({value} ^ {sign}) - {sign}) & {(1 << result) - 1}"
        case "fptosi":
            return f"float_to_signed({value}, {result})"
        case "fptoui":
            return f"float_to_unsigned({value}, {result})"
        case "sitofp" | "uitofp":
            return f"integer_to_float({value}, {source}, {result}, {op == 'sitofp'})"
        case _:
            return value  # zext, fpext, and fptrunc before its rounding
