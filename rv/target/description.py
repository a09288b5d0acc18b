"""Descriptions of processor cores: ports, latencies, dividers, from the files in `rv/target/machines`.

A core that no file describes takes the generic description of its instruction set, which contains only what all have.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from rv.target.machine import Target

Operation = Literal["add", "multiply", "shuffle", "logic", "load", "store"]
"""Kinds of vector operations by the ports that they need; fused multiply-adds are multiplications."""
OPERATIONS: Final[tuple[Operation, ...]] = get_args(Operation)
FOLDER: Final = Path(__file__).parent / "machines"


@dataclass(frozen=True, slots=True)
class Division:
    """`cycles` between two operations on whole registers, and cycles from operands to `result`."""

    cycles: float
    result: int


@dataclass(frozen=True, slots=True)
class Divider:
    """By whether a square root is meant, and not a quotient, and the bits of the type.

    `relieved`: multiplications of estimates may take its place (`rv.widen.arithmetic.quotients`); their units are idle beside it.
    """

    of: Mapping[tuple[bool, int], Division]
    offloaded: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """A core. `ports` maps the bits of a register and an operation to the ports that take it, each for `occupied` cycles.

    `scheduler`: how many vector operations wait for their operands. `issue`: operations that start in a cycle.
    `gather`: how many loads an element of a gather counts for.
    """

    name: str
    cpus: tuple[str, ...]
    ports: Mapping[tuple[int, Operation], frozenset[str]]
    occupied: Mapping[int, float]
    latency: Mapping[str, int]
    scheduler: int
    issue: int
    gather: float
    dividers: Mapping[int, Divider]
    sources: Mapping[str, str]

    def width(self, bits: int) -> int:
        """The narrowest registers with at least so many bits, or the widest ones."""
        return min((width for width in self.occupied if width >= bits), default=max(self.occupied))

    def ports_of(self, operation: Operation, bits: int) -> frozenset[str]:
        return self.ports[self.width(bits), operation]

    def per_cycle(self, operation: Operation, bits: int) -> float:
        """How many operations on whole registers start in a cycle when nothing else does."""
        return len(self.ports_of(operation, bits)) / self.occupied[self.width(bits)]

    def arithmetic_per_cycle(self, bits: int) -> float:
        """How many additions and multiplications together."""
        return self.together_per_cycle(("add", "multiply"), bits)

    def together_per_cycle(self, operations: Sequence[Operation], bits: int) -> float:
        """How many operations of these kinds start in a cycle when they are spread well."""
        ports = frozenset[str]().union(*(self.ports_of(operation, bits) for operation in operations))
        return len(ports) / self.occupied[self.width(bits)]

    def divider(self, bits: int) -> Divider:
        """The divider as it works on whole registers: its widest description, for registers of `bits` bits."""
        width = max(self.dividers)
        own, scale = self.dividers[width], min(1.0, bits / width)
        return Divider({k: Division(d.cycles * scale, d.result) for k, d in own.of.items()}, own.offloaded and scale == 1.0)


def machine_of(target: Target) -> Machine:
    """The description of the target's core, or of its instruction set."""
    return described().get(target.cpu) or generic(target)


def generic(target: Target) -> Machine:
    """What all cores with the target's instruction set have."""
    if target.architecture != "x86_64":
        return load("generic_neon")
    return load({512: "generic_avx512", 256: "generic_avx2"}.get(target.register_bits, "generic_x86"))


@functools.cache
def described() -> Mapping[str, Machine]:
    """All described cores by the names that LLVM gives to processors that have them."""
    machines = [load(path.stem) for path in sorted(FOLDER.glob("*.toml"))]
    return {cpu: machine for machine in machines for cpu in machine.cpus}


@functools.cache
def load(name: str) -> Machine:
    """The description in the file of this name."""
    import tomllib

    return read_machine(tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")))


def read_machine(data: Mapping[str, Any]) -> Machine:
    """A description as TOML gives it. Raises KeyError where something is missing."""
    occupied = {int(bits): float(cycles) for bits, cycles in data["occupied"].items()}
    own = {bits: {**data["ports"], **data["ports"].get(str(bits), {})} for bits in occupied}
    return Machine(
        data["name"],
        tuple(data["cpus"]),
        {(bits, operation): frozenset(own[bits][operation]) for bits in occupied for operation in OPERATIONS},
        occupied,
        {kind: int(cycles) for kind, cycles in data["latency"].items()},
        int(data["scheduler"]),
        int(data["issue"]),
        float(data["gather"]),
        {int(bits): _divider(table) for bits, table in data["divider"].items()},
        dict(data["sources"]),
    )


def _divider(table: Mapping[str, Any]) -> Divider:
    kinds = {"quotient": False, "root": True}
    times = {(kinds[kind], int(type_[1:])): Division(*own) for kind in kinds for type_, own in table[kind].items()}
    return Divider(times, bool(table["relieved"]))
