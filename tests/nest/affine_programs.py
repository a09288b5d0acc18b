"""Small affine loop nests: their P-LLVM, and what they compute in the scalar order and in a brush's.

The simulator shares nothing with the analysis: it runs statements over Python dictionaries. In a brush all lanes execute a
load, then all of them the next one, then all store in ascending order of lanes, outer loops counting more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rv.ir.function import Function
from rv.ir.parser import parse_function

EXTENT = 512  # of every dimension but the first; with OFFSET all subscripts stay inside
OFFSET = 200


@dataclass(frozen=True)
class Subscript:
    """A constant plus multiples of loop variables, or its remainder by a modulus, rounded down."""

    constant: int
    slopes: tuple[tuple[str, int], ...]
    modulus: int = 0

    def value(self, variables: Mapping[str, int]) -> int:
        value = self.constant + sum(slope * variables[name] for name, slope in self.slopes)
        return value % self.modulus if self.modulus else value

    def __str__(self) -> str:
        text = "".join(f"{slope:+d}{name}" for name, slope in self.slopes) + f"{self.constant:+d}"
        return f"({text}) mod {self.modulus}" if self.modulus else text


@dataclass(frozen=True)
class Element:
    array: str
    subscripts: tuple[Subscript, ...]

    def place(self, variables: Mapping[str, int]) -> tuple[object, ...]:
        return (self.array, *(s.value(variables) for s in self.subscripts))

    def __str__(self) -> str:
        return self.array + "".join(f"[{s}]" for s in self.subscripts)


@dataclass(frozen=True)
class Statement:
    target: Element
    sources: tuple[Element, ...]

    def __str__(self) -> str:
        return f"{self.target} = f({', '.join(map(str, self.sources))});"


@dataclass(frozen=True)
class Nest:
    """`for (variable = start; variable < bound (or >, downwards); variable += step)`; `bound` is a number or a parameter."""

    variable: str
    start: int
    step: int
    bound: int | str
    body: tuple[Nest | Statement, ...] = field(default=())

    def values(self, sizes: Mapping[str, int]) -> range:
        return range(self.start, sizes[self.bound] if isinstance(self.bound, str) else self.bound, self.step)

    def __str__(self) -> str:
        sign = "<" if self.step > 0 else ">"
        inside = " ".join(map(str, self.body))
        v = self.variable
        return f"for ({v} = {self.start}; {v} {sign} {self.bound}; {v} += {self.step}) {{ {inside} }}"


Memory = dict[tuple[object, ...], object]


def run(nest: Nest, sizes: Mapping[str, int], brush: Mapping[str, int]) -> Memory:
    """The memory after the nest, run with this brush; an empty brush is the scalar order. Values are what they were computed
    from.
    """
    memory: Memory = {}
    _run(nest, [{}], sizes, brush, memory)
    return memory


def _run(
    node: Nest | Statement, lanes: Sequence[dict[str, int]], sizes: Mapping[str, int], brush: Mapping[str, int], memory: Memory
) -> None:
    if isinstance(node, Statement):
        _execute(node, lanes, memory)
        return
    values = list(node.values(sizes))
    size = brush.get(node.variable, 1)
    for first in range(0, len(values), size):
        inside = [{**lane, node.variable: value} for lane in lanes for value in values[first : first + size]]
        for child in node.body:
            _run(child, inside, sizes, brush, memory)


def _execute(statement: Statement, lanes: Sequence[dict[str, int]], memory: Memory) -> None:
    loaded: list[list[object]] = [[] for _ in lanes]
    for source in statement.sources:
        for lane, values in zip(lanes, loaded, strict=True):
            place = source.place(lane)
            values.append(memory.get(place, place))
    for lane, values in zip(lanes, loaded, strict=True):
        memory[statement.target.place(lane)] = hash((str(statement), tuple(values)))


Event = tuple[int, tuple[tuple[str, int], ...]]  # an instruction in an iteration
Trace = list[tuple[int, Event, tuple[object, ...], bool]]  # (time, event, place, whether it writes)


def breaks_dependence(nest: Nest, sizes: Mapping[str, int], brush: Mapping[str, int]) -> bool:
    """Whether two accesses of one element, one of them a write, come in another order in the brush, or at once."""
    times = {event: time for time, event, _, _ in _trace(nest, sizes, brush)}
    touched: dict[tuple[object, ...], list[tuple[Event, bool]]] = {}
    for _, event, place, writes in _trace(nest, sizes, {}):
        touched.setdefault(place, []).append((event, writes))
    return any(_out_of_order(events, times) for events in touched.values())


def _out_of_order(events: Sequence[tuple[Event, bool]], times: Mapping[Event, int]) -> bool:
    """Keeps the latest time of a write and of any access so far: each event must come after what it conflicts with."""
    latest, latest_write = -1, -1
    for event, writes in events:
        time = times[event]
        if time <= (latest if writes else latest_write):
            return True
        latest = max(latest, time)
        latest_write = max(latest_write, time) if writes else latest_write
    return False


def _trace(nest: Nest, sizes: Mapping[str, int], brush: Mapping[str, int]) -> Trace:
    trace: Trace = []
    _trace_node(nest, [{}], sizes, brush, trace)
    return trace


def _trace_node(
    node: Nest | Statement, lanes: Sequence[dict[str, int]], sizes: Mapping[str, int], brush: Mapping[str, int], trace: Trace
) -> None:
    if isinstance(node, Statement):
        for index, element in enumerate((*node.sources, node.target)):
            time = len(trace)
            for lane in lanes:
                event = (id(node) * 8 + index, tuple(sorted(lane.items())))
                trace.append((time, event, element.place(lane), element is node.target))
        return
    values = list(node.values(sizes))
    size = brush.get(node.variable, 1)
    for first in range(0, len(values), size):
        inside = [{**lane, node.variable: value} for lane in lanes for value in values[first : first + size]]
        for child in node.body:
            _trace_node(child, inside, sizes, brush, trace)


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%t.{self.count}"

    def subscript(self, subscript: Subscript) -> str:
        modulus = subscript.modulus
        masked = modulus & (modulus - 1) == 0
        total = str(subscript.constant + (OFFSET if not modulus else 0 if masked else 12 * modulus))
        for name, slope in subscript.slopes:
            product, result = self.fresh(), self.fresh()
            self.lines.append(f"  {product} = mul nsw i64 %{name}, {slope}")
            self.lines.append(f"  {result} = add nsw i64 {product}, {total}")
            total = result
        if modulus:
            result = self.fresh()
            self.lines.append(f"  {result} = {f'and i64 {total}, {modulus - 1}' if masked else f'srem i64 {total}, {modulus}'}")
            total = result
        return total

    def pointer(self, element: Element) -> str:
        subscripts = [self.subscript(s) for s in element.subscripts]
        extents = f" extents [{', '.join([str(EXTENT)] * (len(subscripts) - 1))}]" if len(subscripts) > 1 else ""
        result = self.fresh()
        self.lines.append(f"  {result} = elemptr double, %{element.array} [{', '.join(subscripts)}]{extents}")
        return result

    def statement(self, statement: Statement) -> None:
        values = []
        for source in statement.sources:
            pointer, value = self.pointer(source), self.fresh()
            self.lines.append(f"  {value} = load double, {pointer}")
            values.append(value)
        total = "0x0.0p+0"
        for value in values:
            result = self.fresh()
            self.lines.append(f"  {result} = fadd double {total}, {value}")
            total = result
        self.lines.append(f"  store double {total}, {self.pointer(statement.target)}")

    def nest(self, nest: Nest, before: str, after: str) -> None:
        v = nest.variable
        bound = f"%{nest.bound}" if isinstance(nest.bound, str) else str(nest.bound)
        test = "slt" if nest.step > 0 else "sgt"
        self.lines += [
            f"{v}.head:",
            f"  %{v} = phi i64 [{nest.start}, {before}], [%{v}.next, {v}.latch]",
            f"  %{v}.more = icmp {test} i64 %{v}, {bound}",
            f"  branch %{v}.more, {v}.body, {after}",
            f"{v}.body:",
        ]
        block = f"{v}.body"
        for index, child in enumerate(nest.body):
            if isinstance(child, Nest):
                behind = f"{v}.behind.{index}"
                self.lines.append(f"  jump {child.variable}.head")
                self.nest(child, block, behind)
                self.lines.append(f"{behind}:")
                block = behind
            else:
                self.statement(child)
        self.lines += [f"  jump {v}.latch", f"{v}.latch:", f"  %{v}.next = add nsw i64 %{v}, {nest.step}", f"  jump {v}.head"]


def lower(nest: Nest, *, arrays: str = "AB", restrict: bool = True) -> Function:
    """The nest as a function of its arrays and of the sizes n, m, l; loop headers are called `<variable>.head`."""
    return lower_all([nest], arrays=arrays, restrict=restrict)


def lower_all(nests: Sequence[Nest], *, arrays: str = "AB", restrict: bool = True) -> Function:
    """Some nests one after the other, with variables of their own."""
    writer = _Writer()
    pointers = [f"ptr {'restrict ' if restrict else ''}%{name}" for name in arrays]
    writer.lines += [
        f"define void @f({', '.join([*pointers, 'i64 %n', 'i64 %m', 'i64 %l'])}) {{",
        "entry:",
    ]
    before = "entry"
    for number, nest in enumerate(nests):
        writer.lines.append(f"  jump {nest.variable}.head")
        writer.nest(nest, before, f"done.{number}")
        before = f"done.{number}"
        writer.lines.append(f"{before}:")
    writer.lines += ["  return void", "}"]
    return parse_function("\n".join(writer.lines))


def variables(nest: Nest) -> Iterator[str]:
    """The variables of the chain of first inner loops, outermost first."""
    yield nest.variable
    for child in nest.body:
        if isinstance(child, Nest):
            yield from variables(child)
