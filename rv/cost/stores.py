"""Whether stores are aligned to lines, which takes a partial brush in front of whole ones."""

from __future__ import annotations

from typing import Final

from rv.target.description import Machine

SHORT: Final = 4
"""Whole brushes, and lines: shorter loops do not make up for a second entry."""


def brushes_for_alignment(machine: Machine, operations: float, stores: int, bits: int) -> int:
    """With how many whole brushes a head pays that takes as many operations as one of them and saves what splits cost."""
    saved = stores * machine.memory.split_store
    return max(SHORT, int(operations // (machine.arithmetic_per_cycle(bits) * saved)))
