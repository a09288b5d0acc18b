"""Dataflow graphs: instructions that run when their operands are there, without control flow ("CSA Dataflow Conversion").

    dataflow @f(i32 %n)
      %h.any.again = init 0, %h.any              the first token is 0, then what %h.any brings
      %i = pick %h.any.again, %i.first, %i.1     one token of the chosen input: 0 the first, 1 the second
      %i.out, %i.in = switch %h.any, %i          the token goes to one of the outputs
      %x = gate %start, 3                        a constant as often as there is a token
      %y, %order.1 = load i32, %p after %order when %mask
      return %y after %order.1

Every output is read by any number of inputs, each of which has a queue of its own. Accesses of memory form chains by tokens
without a value (`after`). An instruction with `when` takes its tokens in any case, and gives an undefined one where that is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rv.ir.function import Parameter
from rv.ir.instructions import Instruction, operands
from rv.ir.printer import print_statement
from rv.ir.values import Const, Undef, Value, Var


@dataclass(frozen=True, slots=True)
class Gate:
    """A constant, once for each token of `control`."""

    result: str
    control: str
    value: Const | Undef


@dataclass(frozen=True, slots=True)
class Init:
    """A token `first` before those of `source`."""

    result: str
    first: int
    source: str


@dataclass(frozen=True, slots=True)
class Pick:
    """A token of the input that `index` chooses; the other input keeps its tokens."""

    result: str
    index: str
    inputs: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Switch:
    """The token goes to the output that `index` chooses."""

    results: tuple[str, str]
    index: str
    value: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An instruction on the outputs that its operands name; `after`, `order`: the tokens before and behind an access."""

    instruction: Instruction
    after: str | None = None
    order: str | None = None
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of the function."""

    value: Value | None
    after: str


Node = Gate | Init | Pick | Switch | Operation | Finish


@dataclass(frozen=True, slots=True)
class DataflowGraph:
    """The graph of a function. `start` and the parameters are outputs that have one token each."""

    name: str
    parameters: tuple[Parameter, ...]
    start: str
    nodes: tuple[Node, ...]

    def __str__(self) -> str:
        parameters = ", ".join(f"{p.var.type} %{p.var.name}" for p in self.parameters)
        return "\n".join([f"dataflow @{self.name}({parameters})", *(f"  {text_of(node)}" for node in self.nodes), ""])


def inputs_of(node: Node) -> tuple[str, ...]:
    """The outputs that a node reads, each once. Constants are always there."""
    match node:
        case Gate(control=control):
            return (control,)
        case Init(source=source):
            return (source,)
        case Pick(index=index, inputs=inputs):
            return tuple(dict.fromkeys((index, *inputs)))
        case Switch(index=index, value=value):
            return tuple(dict.fromkeys((index, value)))
        case Operation(instruction=instruction, after=after, when=when):
            names = (value.name for value in operands(instruction) if isinstance(value, Var))
            return tuple(dict.fromkeys((*names, *(extra for extra in (after, when) if extra is not None))))
        case Finish(value=value, after=after):
            return (value.name, after) if isinstance(value, Var) else (after,)


def results_of(node: Node) -> tuple[str, ...]:
    """The outputs of a node."""
    match node:
        case Gate(result=result) | Init(result=result) | Pick(result=result):
            return (result,)
        case Switch(results=results):
            return results
        case Operation(instruction=instruction, order=order):
            own = () if instruction.result is None else (instruction.result.name,)
            return own if order is None else (*own, order)
        case Finish():
            return ()


def text_of(node: Node) -> str:
    """A node as a line."""
    match node:
        case Gate(result=result, control=control, value=value):
            return f"%{result} = gate %{control}, {value}"
        case Init(result=result, first=first, source=source):
            return f"%{result} = init {first}, %{source}"
        case Pick(result=result, index=index, inputs=(first, second)):
            return f"%{result} = pick %{index}, %{first}, %{second}"
        case Switch(results=(first, second), index=index, value=value):
            return f"%{first}, %{second} = switch %{index}, %{value}"
        case Operation():
            return " ".join(_operation_words(node))
        case Finish(value=value, after=after):
            return f"return {value} after %{after}" if value is not None else f"return after %{after}"


def _operation_words(node: Operation) -> Iterator[str]:
    results = results_of(node)
    yield from [", ".join(f"%{name}" for name in results), "="] if results else []
    statement = print_statement(node.instruction)
    yield statement if node.instruction.result is None else statement.partition(" = ")[2]
    if node.after is not None:
        yield f"after %{node.after}"
    if node.when is not None:
        yield f"when %{node.when}"
