"""A description of the core at hand, as the text of a file: what is measured takes the place of what a description promised.

Measured are the clock; which ports take which kinds of operations; how many start in a cycle, are under way and wait; branches
that are predicted wrong; latencies, dividers, gathers, accesses under masks and across lines; and how fast data moves at every
level. What else there is has the nearest description, the core's own or the generic one, and the text of its source says so.
docs/machines.md says why.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from autotune.measure.core.branches import misprediction
from autotune.measure.core.issue import operations_in
from autotune.measure.core.loops import nanoseconds
from autotune.measure.core.ports import fitting, kinds_of, measure_pairs, named_as
from autotune.measure.core.window import scheduler, window
from autotune.model.machine import measure_speeds, with_speeds
from rv.cost.branches import REFETCHED
from rv.target.description import Machine, Operation, machine_of, source_text
from rv.target.host import host
from rv.target.machine import Target

CHAINS: Final = 12
"""Enough that no unit waits for a result, and few enough for sixteen registers."""
GATHERS: Final = 4
"""As many at once: each has two bitwise operations in front, which are hidden behind the others."""
MEASURED: Final = "measured by tensorrv-tune --machine"


def describe(target: Target) -> str:
    """The description of this machine for code for `target`, which has to run here."""
    data = tomllib.loads(source_text(target))
    core, speeds = machine_of(target), measure_speeds()
    data["name"], data["cpus"], data["target"] = f"{host().cpu}, measured", [host().cpu], "native"
    cycles = speeds.ghz
    bits = target.register_bits
    own = {kind: cycles * nanoseconds(target, bits, [kind], 1) for kind in kinds_of(target, bits)}
    data["latency"][str(bits)] = data["latency"].get(str(bits), {}) | {kind: max(1, round(time)) for kind, time in own.items()}
    data["divider"][str(bits)] |= _dividers(target, bits, cycles)
    if target.cheap_masks:
        data["masks"] = {kind: _masked(core, target, bits, cycles, kind) for kind in ("load", "store")}
        data["gather"] = round(cycles * nanoseconds(target, bits, ["gather"], GATHERS) * 64 / bits, 2)
        data["gather_latency"] = max(1, round(cycles * nanoseconds(target, bits, ["gather"], 1)) - 2)
    loads, stores = (_crossing(target, bits, kind) for kind in ("load", "store"))
    data["memory"] |= {"split_load": loads, "split_store": stores}
    levels = with_speeds(core, speeds).memory.levels
    data["memory"]["levels"] = [[level.bytes, level.latency, round(level.move, 2)] for level in levels]
    data["clock"] = {"ghz": round(speeds.ghz, 3)}
    ports, times = _ports(core, target, bits, cycles)
    data["ports"][str(bits)] = data["ports"].get(str(bits), {}) | ports
    sizes = _sizes(target, cycles)
    data |= sizes
    started = ", ".join(f"{kind} {1 / time:.2f}" for kind, time in times.items())
    described = {key: f"the description of {core.name}: {text}" for key, text in data["sources"].items()}
    described["ports"] = (
        f"of {bits} bits {MEASURED}, alone and in pairs; operations that start in a cycle: {started}. Other widths and kinds: "
        + described["ports"]
    )
    for name in ("latency", "divider"):
        described[name] = f"registers of {bits} bits {MEASURED}, others and kinds without a loop: {described[name]}"
    described["memory"] = f"crossing accesses {MEASURED}; lines and aliases: {described['memory']}"
    described["levels"] = f"bandwidths {MEASURED}; sizes and latencies: {described['levels']}"
    masked = ("masks", "gather", "gather_latency") if target.cheap_masks else ()
    data["sources"] = described | dict.fromkeys(("clock", *masked, *sizes), MEASURED)
    return "\n".join(toml(data)) + "\n"


def _ports(core: Machine, target: Target, bits: int, cycles: float) -> tuple[dict[str, str], dict[str, float]]:
    """The ports of what there are loops for, and the cycles between operations."""
    occupied = core.occupied[core.width(bits)]
    pairs = measure_pairs(target, bits, cycles)
    found = named_as(fitting(pairs, occupied), core, bits)
    times: dict[str, float] = {kind: time / 2 for (kind, other), time in pairs.items() if kind == other}
    accesses: tuple[Operation, ...] = ("load", "store")
    for kind in accesses:
        times[kind] = cycles * nanoseconds(target, bits, [kind], CHAINS)
        own = sorted(core.ports_of(kind, bits))
        names = [*own, *(f for f in "abcdef" if f not in own)]
        found[kind] = frozenset(names[: max(1, round(occupied / times[kind]))])
    return {kind: "".join(sorted(ports)) for kind, ports in found.items()}, times


def _sizes(target: Target, cycles: float) -> dict[str, int]:
    """What is under way, waits and starts at once, and branches."""
    found = {
        "scheduler": scheduler(target),
        "window": window(target),
        "issue": round(operations_in(target) / cycles),
        "misprediction": max(1, round(cycles * misprediction(target) - REFETCHED)),
    }
    return {name: number for name, number in found.items() if number is not None}


def _dividers(target: Target, bits: int, cycles: float) -> dict[str, dict[str, list[float]]]:
    """Cycles between quotients and roots, and to their results."""

    def times(kind: str) -> list[float]:
        between, until = (cycles * nanoseconds(target, bits, [kind], chains) for chains in (CHAINS, 1))
        return [round(between, 1), round(until)]

    return {
        name: {f"f{width}": times(f"{name} f{width}") for width in (32, 64)} for name in ("quotient", "root")
    }


def _masked(core: Machine, target: Target, bits: int, cycles: float, kind: str) -> float:
    """How many vector operations an access under a mask takes beside itself."""
    plain, masked = (cycles * nanoseconds(target, bits, [name], CHAINS) for name in (kind, f"{kind} under a mask"))
    return round(max(0.0, masked - plain) * core.per_cycle("bitwise", bits), 1)


def _crossing(target: Target, bits: int, kind: str) -> float:
    """How many accesses more one counts for that crosses a line."""
    aligned, crossing = (nanoseconds(target, bits, [name], CHAINS) for name in (kind, f"{kind} across lines"))
    return round(max(0.0, crossing / aligned - 1), 2)


def toml(table: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The lines of a table of numbers, texts, lists and tables."""
    nested = {key: value for key, value in table.items() if isinstance(value, dict)}
    yield from (f"{key} = {_value(value)}" for key, value in table.items() if key not in nested)
    for key, value in nested.items():
        yield from ("", f"[{path}{key}]", *toml(value, f"{path}{key}."))


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            return str(value)
