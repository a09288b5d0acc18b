"""Pragmas inside of functions, as they are read: those about loops and statements wait for these."""

from __future__ import annotations

from typing import Any

from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.pragmas.clause_values import read_pragma
from tensorrv.frontend.c.pragmas.directives import follows
from tensorrv.frontend.c.pragmas.loop_clauses import LoopPragma, loop_pragma
from tensorrv.frontend.c.pragmas.regions import (
    RegionPragma,
    note_orphan,
    note_unknown,
    region_pragma,
    remember,
    withdrawal,
)
from tensorrv.frontend.c.tree.nodes import Statement


def nothing_follows(a: Analysis, said: list[LoopPragma | RegionPragma]) -> None:
    """Refuses pragmas that wait for a loop where something else comes, as other compilers do: their effect would be missing."""
    for one in said:
        if isinstance(one, LoopPragma):
            hint = "put the pragma directly before its loop"
            a.refuse("TRV023", "this pragma must be followed by a loop", one.node, "no loop follows", hint=hint)
        a.refuse("TRV023", "this pragma must be followed by a statement", one.node, "no statement follows")


def pragma_statements(a: Analysis, node: Any) -> list[Statement]:
    """Reads a pragma. Its hints are kept for the loop or statement that follows; returned are the statements that it becomes."""
    directive = read_pragma(a, node)
    if directive is None:
        return []
    if not directive.words:
        note_unknown(a, node)
    taken_back = withdrawal(a, node, directive)
    if directive.of_any_kind:
        why = "the directive between it and the loop may have any effect"
        a.pragmas = [one.without_promise(why) if isinstance(one, LoopPragma) else one for one in a.pragmas]
        return [*taken_back]
    note_orphan(a, node, directive)
    remember(a, node, directive)
    if directive.stands_alone:
        return [*taken_back]
    if follows(directive.words) == "loop":
        a.pragmas.append(loop_pragma(a, node, directive))
    else:
        a.pragmas.append(region_pragma(a, node, directive))
    return [*taken_back]
