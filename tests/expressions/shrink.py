"""Failing programs made small: all ways to make one expression simpler are tried at once, the smallest that fails is taken."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from tests.expressions.batch import Case, check
from tests.expressions.tree import Program
from tests.run.toolchain import Toolchain

TRIED: Final = 60
ROUNDS: Final = 30


def shrink(program: Program, tools: Toolchain, scratch: Path, seed: int) -> Program:
    """A smaller program that fails as well: differs for machine code that differs, is refused by an exception for others."""
    for _ in range(ROUNDS):
        smaller = _smaller_failure(program, tools, scratch, seed)
        if smaller is None:
            return program
        program = smaller
    return program


def _smaller_failure(program: Program, tools: Toolchain, scratch: Path, seed: int) -> Program | None:
    tried = {p.text("NAME"): p for p in islice(program.smaller(), 4 * TRIED)}
    candidates = sorted(tried.values(), key=lambda p: len(p.text("NAME")))[:TRIED]
    if not candidates:
        return None
    found = check([Case(p.text("NAME"), p.plan) for p in candidates], tools, scratch, seed)
    return candidates[min(found.failures)] if found.failures else None
