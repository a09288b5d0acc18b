"""Random programs, and their execution by several threads in lock step, to compare with what an analysis says of them."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.cfg.region import whole_region
from rv.analysis.verify import verify
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Horizontal, Instruction, Jump, Mask, Phi, Select
from rv.ir.parser import parse_function
from rv.ir.values import Const, Value, Var
from rv.semantics.waiting import waited_for
from tests.rv_divergence.graphs import random_reducible

PARAMETERS = ("s", "t", "u", "w")
BIT_OPERATIONS = (("and", 252), ("and", 3), ("or", 1), ("shl", 2), ("lshr", 1), ("lshr", 2), ("udiv", 4), ("urem", 4))


def random_function(generator: random.Random) -> Function:
    """A function over 8-bit numbers: parameters %s, %t, %u, %w, values read anywhere below their definitions, loops included.

    There are horizontal operations, mask(), and phis with shadows and undefined values among them.
    """
    flow = random_reducible(generator, generator.randint(4, 9))
    tree = dominator_tree(flow)
    defined: dict[str, list[str]] = {}
    for label in tree.order:
        defined[label] = [f"{label}.p{i}" for i in range(generator.choice((1, 2)))] if flow.predecessors[label] else []
        defined[label] += [f"{label}.v{i}" for i in range(generator.choice((1, 2)))]

    def value(above: Iterator[str], own: Sequence[str] = ()) -> str:
        names = [*own, *own, *PARAMETERS, *(name for label in above for name in defined[label])]
        return f"%{generator.choice(names)}" if generator.random() < 0.9 else str(generator.randint(0, 3))

    def brought(source: str) -> str:
        return "undef" if generator.random() < 0.06 else value(tree.chain(source))

    lines = ["define i8 @f(i8 %s, i8 %t, i8 %u, i8 %w) {"]
    for label in tree.order:
        lines.append(f"{label}:")
        own: list[str] = []
        strictly = [above for above in tree.chain(label) if above != label]
        for name in defined[label]:
            if ".p" in name:
                incoming = ", ".join(f"[{brought(p)}, {p}]" for p in flow.predecessors[label])
                shadow = f" shadow({value(iter(strictly))})" if generator.random() < 0.2 else ""
                lines.append(f"  %{name} = phi i8 {incoming}{shadow}")
            else:
                lines += _computation(generator, name, value(iter(strictly), own), value(iter(strictly), own))
            own.append(name)
        lines += _end(generator, flow, label, value(iter(strictly), own), value(iter(strictly), own))
    return verify(parse_function("\n".join([*lines, "}", ""])))


def _computation(generator: random.Random, name: str, left: str, right: str) -> list[str]:
    if generator.random() < 0.15:
        return [f"  %{name}.m = mask()", f"  %{name} = select %{name}.m, i8 {left}, {right}"]
    if generator.random() < 0.15:
        return [
            f"  %{name}.c = icmp ult i8 {left}, {right}",
            f"  %{name}.a = horizontal i1 any(i1 %{name}.c)",
            f"  %{name} = select %{name}.a, i8 {left}, 1",
        ]
    if generator.random() < 0.3:
        op, number = generator.choice(BIT_OPERATIONS)
        return [f"  %{name} = {op} i8 {left}, {number}"]
    return [f"  %{name} = {generator.choice(('add', 'xor', 'sub', 'add', 'mul'))} i8 {left}, {right}"]


def _end(generator: random.Random, flow: FlowGraph, label: str, left: str, right: str) -> list[str]:
    targets = flow.successors[label]
    if not targets:
        return [f"  return i8 {left}"]
    if len(targets) == 1:
        return [f"  jump {targets[0]}"]
    comparison = generator.choice(("ult", "eq", "ugt"))
    return [f"  %{label}.c = icmp {comparison} i8 {left}, {right}", f"  branch %{label}.c, {targets[0]}, {targets[1]}"]


Values = dict[str, int]  # what is missing is undefined


@dataclass(slots=True)
class Step:
    """A block, which threads have run it, where each has gone, and what each had as values then."""

    block: Block
    running: tuple[bool, ...]
    targets: tuple[str, ...]
    values: tuple[Values, ...]


class LockStep:
    """The threads of one execution, under a randomly chosen greedy schedule.

    Threads that do not run a block lose what it defines, but for mask() and phis with shadows (the oblivious interpretation).
    """

    def __init__(self, function: Function, flow: FlowGraph, threads: Sequence[Mapping[str, int]]) -> None:
        self.waits = waited_for(whole_region(flow))
        self.blocks = {block.label: block for block in function.blocks}
        self.values: list[Values] = [dict(thread) for thread in threads]
        self.places = [("", function.entry.label) for _ in threads]

    def run(self, generator: random.Random, steps: int) -> Iterator[Step]:
        """The executed blocks, until all threads have returned, one branches on something undefined, or enough has run."""
        for _ in range(steps):
            pending = {target for _, target in self.places if target}
            ready = sorted(label for label in pending if not self.waits[label] & pending)
            assert ready or not pending
            step = self._execute(self.blocks[generator.choice(ready)]) if ready else None
            if step is None:
                return
            yield step

    def _execute(self, block: Block) -> Step | None:
        running = tuple(target == block.label for _, target in self.places)
        before = [dict(values) for values in self.values]
        for phi in block.phis:
            for t, (source, _) in enumerate(self.places):
                self._set(t, phi.result, _value(before[t], phi.value_from(source) if running[t] else phi.shadow))
        for instruction in block.body:
            self._compute(instruction, running)
        targets = tuple(self._target(block, t) if running[t] else "" for t in range(len(running)))
        if None in targets:
            return None
        for t, target in enumerate(targets):
            if running[t]:
                self.places[t] = (block.label, str(target))
        return Step(block, running, tuple(map(str, targets)), tuple(dict(values) for values in self.values))

    def _set(self, thread: int, result: Var, value: int | None) -> None:
        self.values[thread].pop(result.name, None)
        if value is not None:
            self.values[thread][result.name] = value

    def _compute(self, instruction: Instruction, running: tuple[bool, ...]) -> None:
        assert instruction.result is not None
        active = [values for t, values in enumerate(self.values) if running[t]]
        found: int | None = None
        if isinstance(instruction, Horizontal):
            results = [_value(values, instruction.operands[0]) for values in active]
            found = None if None in results else int(any(results))
        for t, values in enumerate(self.values):
            match instruction:
                case Mask():
                    self._set(t, instruction.result, int(running[t]))
                case Horizontal():
                    self._set(t, instruction.result, found if running[t] else None)
                case _:
                    self._set(t, instruction.result, _result(instruction, values) if running[t] else None)

    def _target(self, block: Block, thread: int) -> str | None:
        match block.terminator:
            case Branch(condition=condition, then=then, otherwise=otherwise):
                taken = _value(self.values[thread], condition)
                return None if taken is None else then if taken else otherwise
            case Jump(target=target):
                return target
            case _:
                return ""


def _value(values: Values, value: Value | None) -> int | None:
    match value:
        case Const(bits=bits):
            return bits
        case Var(name=name):
            return values.get(name)
        case _:
            return None


_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "xor": operator.xor,
    "and": operator.and_,
    "or": operator.or_,
    "shl": operator.lshift,
    "lshr": operator.rshift,
    "udiv": operator.floordiv,
    "urem": operator.mod,
    "ult": operator.lt,
    "ugt": operator.gt,
    "eq": operator.eq,
}


def _result(instruction: Instruction, values: Values) -> int | None:
    match instruction:
        case Select(condition=condition, then=then, otherwise=otherwise):
            chosen = _value(values, condition)
            return None if chosen is None else _value(values, then if chosen else otherwise)
        case Binary(op=op, left=left, right=right) | CompareInt(predicate=op, left=left, right=right):
            a, b = _value(values, left), _value(values, right)
            if a is None or b is None:
                return None
            return _OPERATIONS[op](a, b) & 255
        case _:
            raise AssertionError(instruction)


def with_shadow(definition: Instruction | Phi) -> bool:
    """Whether threads that have not come to the block get a value as well."""
    return isinstance(definition, Mask) or (isinstance(definition, Phi) and definition.shadow is not None)
