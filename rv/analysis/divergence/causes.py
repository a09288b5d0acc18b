"""Why a value varies, or what a stack object holds, or a branch is divergent: one step back, towards what the threads were
given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Given:
    """Given by the caller of the analysis."""

    variable: str


@dataclass(frozen=True, slots=True)
class Operand:
    """It is computed from this variable."""

    variable: str


@dataclass(frozen=True, slots=True)
class Mixed:
    """It is a phi in a block to which threads come over different edges, since the branch of another block has parted them."""

    block: str
    branch: str


@dataclass(frozen=True, slots=True)
class Apart:
    """It reads this variable of a loop that threads leave in different iterations, or over different exits, by a branch."""

    variable: str
    header: str
    branch: str


@dataclass(frozen=True, slots=True)
class Activation:
    """It depends on which threads run its block, and a branch decides that."""

    block: str
    branch: str


@dataclass(frozen=True, slots=True)
class Contents:
    """It is loaded from this stack object."""

    object: str


@dataclass(frozen=True, slots=True)
class Overwritten:
    """The branch sends some threads where they store to this stack object, and others where they still need what it holds."""

    object: str
    branch: str


@dataclass(frozen=True, slots=True)
class Own:
    """By its nature: the thread's number, what an unknown function returns."""


Cause = Given | Operand | Mixed | Apart | Activation | Contents | Overwritten | Own
