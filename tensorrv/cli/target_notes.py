"""What there is to say about the processor that code is for, once for each command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rv.target.cpus import SVE_BITS
from rv.target.description import machine_of
from rv.target.machine import Target
from tensorrv.report.diagnostics import Diagnostic

INSTRUCTION_SETS: Final = frozenset({"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64", "generic"})
"""Processor names of LLVM that are not cores: they stand for what all cores have."""


def target_notes(target: Target) -> Iterator[Diagnostic]:
    """Notes about a core that no description is for, and about vectors that are not used."""
    machine = machine_of(target)
    if machine.is_generic and not target.description and target.cpu not in INSTRUCTION_SETS:
        yield Diagnostic(
            "note",
            "TRV100",
            f"no description of the core of '{target.cpu}': order and choice of instructions follow the one of '{machine.name}'",
            hint="`tensorrv-tune --machine FILE.toml` measures the machine it runs on, and `--target FILE.toml` uses that",
        )
    wider = SVE_BITS.get(target.cpu, 0)
    if wider > target.register_bits:
        yield Diagnostic(
            "note",
            "TRV101",
            f"'{target.cpu}' has SVE registers of {wider} bits; code is for NEON's {target.register_bits} bits",
        )
