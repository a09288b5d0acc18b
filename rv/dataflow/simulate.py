"""Runs a dataflow graph token by token: an oracle that has no control flow in common with the interpreters."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rv.dataflow.graph import DataflowGraph, Finish, Gate, Init, Node, Operation, Pick, Switch, inputs_of
from rv.internal_error import InternalError
from rv.ir.instructions import Alloca, Call, Horizontal, Mask, operands
from rv.ir.types import size_of
from rv.ir.values import Value, Var
from rv.semantics.arguments import Argument, Result, argument_value, result_value
from rv.semantics.expressions import statement_lines, value_text
from rv.semantics.memory import Memory
from rv.semantics.scope import Exhausted, External, names
from rv.semantics.undefined import UNDEFINED

ORDER: Final = None
"""The token that only says when something may happen."""


def simulate(
    graph: DataflowGraph,
    arguments: Sequence[Argument],
    memory: Memory,
    externals: Mapping[str, External] | None = None,
    fuel: int = 1 << 62,
) -> Result:
    """What the function returns. Raises what the scalar interpreter raises without saying where, Exhausted after `fuel` firings.

    InternalError when the graph stops without having returned, or tokens are left over.
    """
    scope = names(memory, externals or {})
    regions = len(memory.regions)
    try:
        return _Simulation(graph, [_compiled(node, scope) for node in graph.nodes]).run(arguments, fuel)
    finally:
        memory.release(regions)


def _compiled(node: Node, scope: dict[str, Any]) -> Callable[..., Any]:
    """What an operation computes from the tokens of its inputs."""
    if not isinstance(node, Operation):
        return lambda: None
    read = list(dict.fromkeys(value.name for value in operands(node.instruction) if isinstance(value, Var)))
    own = node.instruction.result
    places = {name: f"v{number}" for number, name in enumerate(read)} | ({} if own is None else {own.name: "result"})

    def local(variable: Var) -> str:
        return places[variable.name]

    match node.instruction:
        case Alloca(element=element, count=count, result=result):
            lines = [f"fresh = stack_object({result.name!r}, {size_of(element) * count}, 0)"]
            lines += ["result = fresh.base", "if active: fresh.forget()"]
        case Horizontal() | Mask():
            raise InternalError("a dataflow graph has no lanes", str(node))
        case Call(arguments=values) as call:
            lines = [f"result = call({', '.join([repr(call.callee), *(value_text(value, local) for value in values)])})"]
        case instruction:
            lines = statement_lines(instruction, local)
    body = "".join(f"    {line}\n" for line in ["result = None", *lines, "return result"])
    made: dict[str, Any] = {}
    exec(f"def operation(active, {', '.join(f'v{number}' for number in range(len(read)))}):\n{body}", scope, made)
    found: Callable[..., Any] = made["operation"]
    return found


@dataclass(slots=True)
class _Simulation:
    graph: DataflowGraph
    operations: Sequence[Callable[..., Any]]
    queues: list[dict[str, deque[Any]]] = field(init=False)
    """For each node the tokens of its inputs."""
    readers: dict[str, list[int]] = field(default_factory=dict)
    pending: deque[int] = field(default_factory=deque)
    results: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.queues = [{name: deque() for name in inputs_of(node)} for node in self.graph.nodes]
        for number, queues in enumerate(self.queues):
            for name in queues:
                self.readers.setdefault(name, []).append(number)

    def run(self, arguments: Sequence[Argument], fuel: int) -> Result:
        for node in self.graph.nodes:
            if isinstance(node, Init):
                self.send(node.result, node.first)
        for parameter, argument in zip(self.graph.parameters, arguments, strict=True):
            self.send(parameter.var.name, argument_value(parameter.var.type, argument))
        self.send(self.graph.start, ORDER)
        while self.pending:
            number = self.pending.popleft()
            while self.fire(number):
                fuel -= 1
                if fuel < 0:
                    raise Exhausted(f"@{self.graph.name}: out of fuel")
        self.check()
        return result_value(self.results[0])

    def check(self) -> None:
        """InternalError unless the function has returned once and only initial tokens are left."""
        left = {name: len(q) for queues in self.queues for name, q in queues.items() if q}
        initial = {node.result for node in self.graph.nodes if isinstance(node, Init)}
        if len(self.results) != 1 or any(count > 1 or name not in initial for name, count in left.items()):
            raise InternalError("a dataflow graph has stopped with tokens on its edges", str(left))

    def send(self, name: str, token: Any) -> None:
        for number in self.readers.get(name, ()):
            self.queues[number][name].append(token)
            self.pending.append(number)

    def fire(self, number: int) -> bool:
        """Runs a node once; False when a token that it needs is missing."""
        node, queues = self.graph.nodes[number], self.queues[number]
        needed = tuple(queues)
        if isinstance(node, Pick):
            if not queues[node.index]:
                return False
            needed = (node.index, node.inputs[bool(queues[node.index][0])])
        if not all(queues[name] for name in needed):
            return False
        tokens = {name: queues[name].popleft() for name in dict.fromkeys(needed)}
        match node:
            case Gate(result=result, value=value):
                self.send(result, _constant(value))
            case Init(result=result, source=source):
                self.send(result, int(bool(tokens[source])))
            case Pick(result=result):
                self.send(result, tokens[needed[1]])
            case Switch(results=results, index=index, value=value):
                self.send(results[bool(tokens[index])], tokens[value])
            case Operation():
                self.operate(node, number, tokens)
            case Finish(value=value):
                found = None if value is None else tokens[value.name] if isinstance(value, Var) else _constant(value)
                self.results.append(found)
        return True

    def operate(self, node: Operation, number: int, tokens: Mapping[str, Any]) -> None:
        active = node.when is None or bool(tokens[node.when])
        read = dict.fromkeys(value.name for value in operands(node.instruction) if isinstance(value, Var))
        run = active or isinstance(node.instruction, Alloca)
        result = self.operations[number](active, *(tokens[name] for name in read)) if run else UNDEFINED
        if node.instruction.result is not None:
            self.send(node.instruction.result.name, result)
        if node.order is not None:
            self.send(node.order, ORDER)


def _constant(value: Value) -> Any:
    return eval(value_text(value, str), {"UNDEFINED": UNDEFINED, "inf": float("inf"), "nan": float("nan")})
