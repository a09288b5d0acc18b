"""Whether two iterations really touch one element: the scalar function is run with the sizes of a witness, and watched.

Systems of constraints hold more than the true conflicts (`conflict_system`), so a solution of one is shown to users only if
this finds both accesses in the iterations that it names, at the same address. Accesses and loops are calls of functions of this
module in the code that the interpreter runs, which keeps counters and a memory of its own: elements are what was stored there,
or else numbers made up for them, those of the witness where it has one for what is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from rv.evolution.facts import Loop
from rv.evolution.polynomial import Symbol, counter, signed, unsigned
from rv.ir.function import Block, Function
from rv.ir.instructions import Call, Instruction, Load, Store
from rv.ir.libm import SIGNATURES
from rv.ir.types import FloatType, IntType, PointerType, Type, size_of
from rv.ir.values import Value, const_i64
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import Program
from rv.semantics.scope import Exhausted, External
from rv.semantics.undefined import UNDEFINED, Undefined
from tensorrv.nest.legality.dependence import Scheduled, Violation
from tensorrv.nest.model import Nests

_FUEL: Final = 20_000
"""Jumps that a run may take: witnesses have small sizes."""
_FAR: Final = 50
"""Bits of the distance between arrays."""
_FILLINGS: Final = ((0, 0), (1, 1), (2, 2), (1, 50))
"""What is tried for memory (zeros, ones, 2: different small numbers) and for parameters that a witness has no value for."""
_ENTER, _STEP, _LOAD, _STORE = "trv.enter", "trv.step", "trv.load", "trv.store"


def seen_in_run(nests: Nests, violation: Violation) -> Violation | None:
    """The conflict with all parameters that it depends on, if some run of the function has it."""
    for contents, number in _FILLINGS:
        arguments = _arguments(nests.function, violation.parameters, number)
        if _run(nests, violation, contents, arguments):
            named = {signed(name): value for name, value in arguments.items() if isinstance(value, int) and number}
            numbers = {s: v for s, v in named.items() if s.name in nests.bits and unsigned(s.name) not in violation.parameters}
            return replace(violation, parameters={**violation.parameters, **numbers})
    return None


class _Found(Exception):
    """Both accesses have occurred."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """The function with calls in it; `places` are the accesses by number, `headers` the loops. Calls of `unknown` give 1."""

    program: Program
    places: tuple[tuple[str, int], ...]
    accesses: tuple[Load | Store, ...]
    headers: tuple[str, ...]
    unknown: tuple[str, ...]


@lru_cache(8)
def _watched(nests: Nests) -> _Watched:
    headers = tuple(nests.loops)
    places: list[tuple[str, int]] = []
    accesses: list[Load | Store] = []

    def changed(block: Block) -> Block:
        body: list[Instruction] = []
        if block.label in nests.loops:
            body.append(Call(None, _STEP, (const_i64(headers.index(block.label)),)))
        for position, instruction in enumerate(block.body):
            if isinstance(instruction, Load | Store):
                places.append((block.label, position))
                accesses.append(instruction)
                body.append(_call(instruction, len(places) - 1))
            else:
                body.append(instruction)
        entered = [const_i64(number) for number, header in enumerate(headers) if nests.loops[header].preheader == block.label]
        return replace(block, body=(*body, *(Call(None, _ENTER, (number,)) for number in entered)))

    function: Function = replace(nests.function, blocks=tuple(map(changed, nests.function.blocks)))
    calls = {i.callee for _, i in nests.function.instructions() if isinstance(i, Call)} - SIGNATURES.keys()
    return _Watched(Program(function), tuple(places), tuple(accesses), headers, tuple(calls))


def _call(access: Load | Store, number: int) -> Call:
    which: Value = const_i64(number)
    match access:
        case Load(result=result, pointer=pointer):
            return Call(result, _LOAD, (which, pointer))
        case Store(value=value, pointer=pointer):
            return Call(None, _STORE, (which, pointer, value))


@dataclass(slots=True)
class _Side:
    """One of the two accesses: where it is, the counters of the loops around it, and the bytes it accessed."""

    place: tuple[str, int]
    counters: Mapping[int, int]
    bytes: range | None = None


@dataclass(slots=True)
class _Watch:
    """What a run has come to."""

    watched: _Watched
    values: Mapping[Symbol, int]
    filling: int
    sides: tuple[_Side, _Side]
    counters: dict[int, int] = field(default_factory=dict)
    memory: dict[int, Any] = field(default_factory=dict)

    def enter(self, loop: int) -> None:
        self.counters[loop] = -1

    def step(self, loop: int) -> None:
        self.counters[loop] += 1

    def load(self, number: int, address: int) -> Any:
        access = self.watched.accesses[number]
        assert isinstance(access, Load)
        self._see(number, address, access.result.type)
        if address not in self.memory:
            known = self.values.get(signed(access.result.name), self.values.get(unsigned(access.result.name)))
            self.memory[address] = _made_up(access.result.type, self.filling, len(self.memory), known)
        return self.memory[address]

    def store(self, number: int, address: int, value: Any) -> None:
        access = self.watched.accesses[number]
        assert isinstance(access, Store)
        self._see(number, address, access.value.type)
        self.memory[address] = value

    def _see(self, number: int, address: Any, type_: Type) -> None:
        if address is UNDEFINED:
            raise Undefined("an undefined address")
        for side in self.sides:
            if side.place == self.watched.places[number] and all(self.counters[k] == t for k, t in side.counters.items()):
                side.bytes = range(address, address + size_of(type_))
        one, other = (side.bytes for side in self.sides)
        if one is not None and other is not None and one.start < other.stop and other.start < one.stop:
            raise _Found


def _made_up(type_: Type, filling: int, number: int, known: int | None) -> Any:
    """What an element holds that nothing was stored to."""
    if isinstance(type_, PointerType):
        return (1 << 20 | number) << _FAR
    value = filling if filling < 2 else number % 5
    if isinstance(type_, FloatType):
        return float(value)
    assert isinstance(type_, IntType)
    return (value if known is None else known) & ((1 << type_.bits) - 1)


def _run(nests: Nests, violation: Violation, contents: int, arguments: Mapping[str, int | float]) -> bool:
    watched = _watched(nests)
    numbers = {header: number for number, header in enumerate(watched.headers)}
    sides = (
        _side(numbers, nests, violation.source, {**violation.parameters, **violation.source_counters}),
        _side(numbers, nests, violation.sink, {**violation.parameters, **violation.sink_counters}),
    )
    watch = _Watch(watched, violation.parameters, contents, sides)
    externals: dict[str, External] = {_ENTER: watch.enter, _STEP: watch.step, _LOAD: watch.load, _STORE: watch.store}
    externals |= dict.fromkeys(watched.unknown, lambda *arguments: 1)
    try:
        watched.program.run(list(arguments.values()), Memory(), externals, _FUEL)
    except _Found:
        return True
    except (Exhausted, Fault, Undefined):
        pass
    return False


def _side(numbers: Mapping[str, int], nests: Nests, scheduled: Scheduled, values: Mapping[Symbol, int]) -> _Side:
    """Counters that no constraint speaks of are 0 on both sides."""
    access = scheduled.access
    around = {counter(loop.header): numbers[loop.header] for loop in _loops_around(nests, access.block)}
    return _Side((access.block, access.position), {number: values.get(symbol, 0) for symbol, number in around.items()})


def _loops_around(nests: Nests, block: str) -> Iterator[Loop]:
    header = nests.innermost.get(block)
    while header is not None:
        yield nests.loops[header]
        header = nests.loops[header].parent


def _arguments(function: Function, values: Mapping[Symbol, int], other: int) -> dict[str, int | float]:
    """By name: arrays far from each other, the numbers of the witness, or the other one."""
    found: dict[str, int | float] = {}
    for number, parameter in enumerate(function.parameters):
        name, type_ = parameter.var.name, parameter.var.type
        if isinstance(type_, PointerType):
            found[name] = (number + 1) << _FAR
        else:
            given = values.get(signed(name), values.get(unsigned(name), other))
            found[name] = float(given) if isinstance(type_, FloatType) else given
    return found
