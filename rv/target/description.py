"""Descriptions of processor cores: ports, latencies, dividers, memory, from the files in `rv/target/machines`.

A core that no file describes takes the generic description of its instruction set, which contains only what all have. A target
may bring a description of its own (`Target.description`), as `tensorrv-tune --machine` measures one.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from rv.target.machine import Target
from rv.target.tables import Table

Operation = Literal[
    "add", "multiply", "fused", "logic", "bitwise", "blend", "shift", "shuffle", "across", "product", "convert", "compare",
    "minimum", "mask", "transfer", "copy", "load", "spread", "store", "address", "integer", "branch",
]  # fmt: skip
"""Kinds of operations by the ports that they need.

Of vectors and floating-point scalars: additions; multiplications, and those with an addition; integer operations; bitwise ones of
floating-point registers; blends by the signs of a vector; shifts of elements; shuffles inside blocks of 128 bits and across them;
products of integers; conversions and rounding; comparisons. `minimum`: minima, maxima, and comparisons whose result is a vector.
`spread` is what a load takes beside itself that fills a register with one element, and `address` what a store does for its
address. `mask`: between predicate registers. `transfer`: between vector, predicate and general registers. `copy`: between vector
registers. `integer`: scalar arithmetic.
"""
OPERATIONS: Final[tuple[Operation, ...]] = get_args(Operation)
Form = Literal["compress", "narrow", "round", "multiply_words", "multiply_longs", "test", "permute_two"]
"""Instructions that some cores execute as several operations of their kind.

`compress`: lanes under a mask to the front, and back; `narrow`: integers to bytes; `round`: numbers to whole ones; products of
integers of up to 32 (`multiply_words`) and of 64 bits (`multiply_longs`), of which as many bits stay; `test`: flags from a
vector; `permute_two`: elements of 8 or 16 bits of two registers.
"""
FORMS: Final[tuple[Form, ...]] = get_args(Form)
FOLDER: Final = Path(__file__).parent / "machines"


@dataclass(frozen=True, slots=True)
class Division:
    """`cycles` between two operations on whole registers, and cycles from operands to `result`."""

    cycles: float
    result: int


@dataclass(frozen=True, slots=True)
class Divider:
    """By whether a square root is meant, and not a quotient, and the bits of the type.

    `offloaded`: multiplications of estimates may take its place (`rv.vector.divider.quotients`); their units are idle beside it.
    """

    of: Mapping[tuple[bool, int], Division]
    offloaded: bool


@dataclass(frozen=True, slots=True)
class Level:
    """A level of memory: its `bytes`, cycles of `latency` from a load to its result, and how many bytes of data that is copied
    from one array to another `move` in a cycle when it lies there; loaded ones and stored ones count.
    """

    bytes: float
    latency: float
    move: float


@dataclass(frozen=True, slots=True)
class Memory:
    """`line` is what moves at once, `fetched` what a miss brings along with it, in bytes.

    `split_load` and `split_store`: how many accesses more one counts for that crosses a line. `aliased`: cycles of a load whose
    low address bits are those of an earlier store under way. `nearest`: the bytes of the first cache. The last of the `levels` is
    the main memory.
    """

    line: int
    fetched: int
    split_load: float
    split_store: float
    aliased: float
    nearest: float
    levels: tuple[Level, ...]

    @property
    def second(self) -> Level:
        """The second level: what holds a few times as much as the first cache."""
        return self.holding(4 * self.nearest)

    def holding(self, bytes_: float) -> Level:
        """The nearest level that holds so much data."""
        return next((level for level in self.levels if level.bytes >= bytes_), self.levels[-1])


@dataclass(frozen=True, slots=True)
class Machine:
    """A core. `ports` maps the bits of a register and an operation to the ports that take it, each for `occupied` cycles; none
    for what takes no port. What is `cracked` counts for so many operations, and instructions of a form for `parts`.

    `scheduler`: how many vector operations wait for their operands; `unified`: scalar ones and loads wait there too. `window`:
    operations that are under way. `issue`: those that start in a cycle. `misprediction`: cycles that a branch costs which is
    predicted wrong. `gather`: the cycles of the load ports that an element of a gather takes, and `gather_latency` from its
    addresses to its result. `operand`: operations more that issuing takes for one with an operand in memory, and for a store;
    `indexed`: for one with an operand in memory that has an index. `accumulate`: cycles from the operand to which a fused
    multiplication adds. `masked_load` and `masked_store`: vector operations that an access under a
    mask takes beside itself. `ghz`: the clock, of which `clock` is the part that code with registers of so many bits runs at.
    """

    name: str
    cpus: tuple[str, ...]
    ports: Mapping[tuple[int, Operation], frozenset[str]]
    occupied: Mapping[int, float]
    cracked: Mapping[tuple[int, Operation], float]
    parts: Mapping[Form, float]
    latency: Mapping[tuple[int, Operation], int]
    scheduler: int
    unified: bool
    window: int
    issue: int
    misprediction: int
    gather: float
    gather_latency: int
    operand: int
    indexed: int
    accumulate: int
    masked_load: float
    masked_store: float
    dividers: Mapping[int, Divider]
    memory: Memory
    ghz: float
    clock: Mapping[int, float]
    sources: Mapping[str, str]

    @property
    def is_generic(self) -> bool:
        """Whether this is what cores of an instruction set have in common, and no core."""
        return not self.cpus

    def width(self, bits: int) -> int:
        """The narrowest registers with at least so many bits, or the widest ones."""
        return min((width for width in self.occupied if width >= bits), default=max(self.occupied))

    def ports_of(self, operation: Operation, bits: int) -> frozenset[str]:
        return self.ports[self.width(bits), operation]

    def per_cycle(self, operation: Operation, bits: int) -> float:
        """How many operations on whole registers start in a cycle when nothing else does."""
        return len(self.ports_of(operation, bits)) / self.keeps(operation, bits)

    def keeps(self, operation: Operation, bits: int) -> float:
        """The cycles of ports that an operation takes, all that it is cracked into."""
        return self.occupied[self.width(bits)] * self.cracked[self.width(bits), operation]

    def latency_of(self, operation: Operation, bits: int) -> int:
        """The cycles from the operands of an operation to its result."""
        return self.latency[self.width(bits), operation]

    def arithmetic_per_cycle(self, bits: int) -> float:
        """How many additions and multiplications together."""
        return self.together_per_cycle(("add", "multiply"), bits)

    def together_per_cycle(self, operations: Sequence[Operation], bits: int) -> float:
        """How many operations of these kinds start in a cycle when they are spread well."""
        ports = frozenset[str]().union(*(self.ports_of(operation, bits) for operation in operations))
        return len(ports) / self.occupied[self.width(bits)]

    def divider(self, bits: int) -> Divider:
        """The divider as it works on registers of `bits` bits: as its narrowest description that holds them says."""
        width = min((width for width in self.dividers if width >= bits), default=max(self.dividers))
        own, scale = self.dividers[width], min(1.0, bits / width)
        return Divider({k: Division(d.cycles * scale, d.result) for k, d in own.of.items()}, own.offloaded and scale == 1.0)


def machine_of(target: Target) -> Machine:
    """The description of the target's core, or of its instruction set."""
    if target.description:
        return read_description(target.description)
    return described().get(target.cpu) or generic(target)


def source_text(target: Target) -> str:
    """The text of the description that `machine_of` gives."""
    if target.description:
        return target.description
    found = machine_of(target)
    paths = sorted(FOLDER.glob("*.toml"))
    return next(path for path in paths if load(path.stem) == found).read_text(encoding="utf-8")


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
    return read_description((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@functools.cache
def read_description(text: str) -> Machine:
    """The description in the text of a file. Raises BadEntry, and ValueError for what is no TOML."""
    import tomllib

    return read_machine(tomllib.loads(text))


def read_machine(entries: Mapping[str, Any]) -> Machine:
    """A description as TOML gives it. Raises BadEntry."""
    data = Table(entries)
    widths, clock, masks = data.table("occupied").by_bits(), data.table("clock"), data.table("masks")
    ports, latency = _by_width(data.table("ports"), widths), _by_width(data.table("latency"), widths)
    cracked = _by_width(data.table("cracked").over(Table(dict.fromkeys(OPERATIONS, 1.0))), widths)
    parts = data.table("parts").over(Table(dict.fromkeys(FORMS, 1.0)))
    sources = data.table("sources")
    return Machine(
        name=data.text("name"),
        cpus=data.texts("cpus"),
        ports={(bits, o): frozenset(table.text(o)) for bits, table in ports.items() for o in OPERATIONS},
        occupied={bits: data.table("occupied").number(name) for bits, name in widths.items()},
        cracked={(bits, o): table.number(o) for bits, table in cracked.items() for o in OPERATIONS},
        parts={form: parts.number(form) for form in FORMS},
        latency={(bits, o): table.integer(o) for bits, table in latency.items() for o in OPERATIONS},
        scheduler=data.integer("scheduler"),
        unified=data.flag("unified"),
        window=data.integer("window"),
        issue=data.integer("issue"),
        misprediction=data.integer("misprediction"),
        gather=data.number("gather"),
        gather_latency=data.integer("gather_latency"),
        operand=data.integer("operand"),
        indexed=data.integer("indexed"),
        accumulate=data.integer("accumulate"),
        masked_load=masks.number("load"),
        masked_store=masks.number("store"),
        dividers={bits: _divider(data.table("divider").table(name)) for bits, name in data.table("divider").by_bits().items()},
        memory=_memory(data.table("memory")),
        ghz=clock.number("ghz"),
        clock={bits: clock.number(name) if name in clock else 1.0 for bits, name in widths.items()},
        sources={name: sources.text(name) for name in sources},
    )


def _by_width(table: Table, widths: Mapping[int, str]) -> dict[int, Table]:
    """What a table says of each operation, and a table inside it of registers of one width."""
    return {bits: table.table(name).over(table) if name in table else table for bits, name in widths.items()}


def _divider(table: Table) -> Divider:
    kinds = {"quotient": False, "root": True}
    times = {(kinds[kind], bits): table.table(kind).numbers(f"f{bits}", 2) for kind in kinds for bits in (32, 64)}
    return Divider({key: Division(cycles, int(result)) for key, (cycles, result) in times.items()}, table.flag("relieved"))


def _memory(table: Table) -> Memory:
    return Memory(
        line=table.integer("line"),
        fetched=table.integer("fetched"),
        split_load=table.number("split_load"),
        split_store=table.number("split_store"),
        aliased=table.number("aliased"),
        nearest=table.number("nearest"),
        levels=tuple(Level(*row) for row in table.rows("levels", 3)),
    )
