"""Addresses of local variables that are stored: the objects would have to outlive what is known of them."""

from __future__ import annotations

from rv.analysis.memory.stack_objects import stack_objects
from rv.ir.function import Function
from tensorrv.frontend.c.failures import give_up


def refuse_escapes(function: Function) -> None:
    """Gives up when the address of a local variable is stored, so that the object would have to outlive what is known of it."""
    for _, statement in stack_objects(function).escapes():
        give_up(
            "TRV035",
            "the address of a local variable is stored in memory",
            statement.span,
            "stored here",
            hint="store the index of an element instead of a pointer to it",
        )
