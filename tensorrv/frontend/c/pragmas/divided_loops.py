"""Loops that are divided among threads: the private variables of threads, and whether the hint about iterations holds with them.

    #pragma omp parallel                    #pragma omp parallel
    {                                       {
        int mine[64] = {0};                     int t[4];
    #pragma omp for                         #pragma omp for
        for (i ...) mine[key[i]]++;             for (i ...) { ... t[k] = x[i] >> k; ... = t[j]; }
    }                                       }

Iterations of one thread share its `mine`, so the hint does not cover them. The contents of `t` are not known when an iteration
begins, for it may be the first one of its thread: every iteration may have its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from rv.ir.hints import LoopHints
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.pragmas.data_clauses import Copy, implicit_copies
from tensorrv.frontend.c.pragmas.loop_clauses import LoopPragma, hints_of
from tensorrv.frontend.c.tree.name_uses import uses
from tensorrv.frontend.c.tree.nodes import Statement
from tensorrv.frontend.c.tree.upward_exposed import upward_exposed


@dataclass(frozen=True, slots=True)
class Divided:
    """A loop with the pragmas that apply to it. `threads_own` are private variables of the enclosing threads."""

    said: tuple[LoopPragma, ...]
    threads_own: frozenset[Variable]
    names: frozenset[str]

    @property
    def outside(self) -> tuple[Copy, ...]:
        """Copies that live as long as the loop."""
        found = [copy for pragma in self.said for copy in pragma.around]
        found += [copy for pragma in self.said if not pragma.in_iteration for copy in pragma.copies]
        return tuple(copy for copy in found if copy.kind in ("private", "firstprivate"))

    @property
    def inside(self) -> tuple[Copy, ...]:
        """Copies that every iteration has of its own; those of collapsed loops belong to the innermost one."""
        found = [(pragma.in_iteration, copy) for pragma in self.said if pragma.collapse == 1 for copy in pragma.copies]
        return tuple(copy for own, copy in found if own or copy.kind == "linear")

    def hints(self, body: Statement) -> LoopHints:
        """The hints about iterations, without those that private variables of one thread could violate."""
        kept = sorted(variable.name for variable in upward_exposed(body) & self.threads_own) if self.threads_own else []
        pragmas = [pragma if pragma.own_team else _unless_own(pragma, kept) for pragma in self.said]
        return hints_of([_unless_own(pragma, self.names) for pragma in pragmas])


def divided_loop(a: Analysis, node: Any, said: Sequence[LoopPragma]) -> Divided:
    """The loop at `node`, whose counter is private to each iteration."""
    said = [_with_implicit_copies(a, node, _nested(node, pragma)) for pragma in said]
    start = node.init.lvalue if isinstance(node.init, c_ast.Assignment) else None
    counter = a.scope.find(start.name) if isinstance(start, c_ast.ID) else None
    mine = [_in_its_team(a, node, pragma) for pragma in _of_this_loop(said)]
    pragmas = tuple(pragma.counted_by(counter) if isinstance(counter, Variable) else pragma for pragma in mine)
    counters = frozenset(variable for pragma in pragmas for variable in pragma.counters)
    own = frozenset() if a.team is None else frozenset(a.team.own) - counters
    names = a.threadprivate & uses(node).keys() if a.threadprivate else frozenset[str]()
    return Divided(pragmas, own, frozenset(names))


def _of_this_loop(said: Sequence[LoopPragma]) -> list[LoopPragma]:
    """Pragmas before a transformation of the loop apply to the loop that it generates."""
    last = max((place for place, pragma in enumerate(said) if pragma.transforms), default=-1)
    why = "it applies to the loop that the following directive generates from this one"
    return [pragma.without_promise(why) if place < last else pragma for place, pragma in enumerate(said)]


def loop_inside(node: Any) -> Any:
    """The loop directly inside of another one; None when there is none, or something stands beside it."""
    inside = node.stmt
    while isinstance(inside, c_ast.Compound) and len(inside.block_items or ()) == 1:
        (inside,) = inside.block_items
    return inside if isinstance(inside, c_ast.For) else None


def _nested(node: Any, pragma: LoopPragma) -> LoopPragma:
    """The pragma, without its hint if there are statements between the collapsed loops."""
    beside = isinstance(node.stmt, c_ast.Compound) and any(isinstance(i, c_ast.For) for i in node.stmt.block_items or ())
    if pragma.collapse == 1 or not beside or loop_inside(node) is not None:
        return pragma
    return replace(pragma.without_promise("there are statements between the loops of `collapse`"), collapse=1)


def _in_its_team(a: Analysis, node: Any, pragma: LoopPragma) -> LoopPragma:
    """The hint about iterations that the threads of an enclosing region may run."""
    if not pragma.threads.independent or pragma.own_team:
        return pragma
    if a.team is None:
        return _doubted(pragma, "the threads are those of a caller, and it is not known which variables they share")
    if a.team.single and not pragma.concurrent:
        return _doubted(pragma, a.team.single)
    listed = {*(copy.outer for copy in pragma.copies), *pragma.handed_on}
    scratch = () if a.loops != a.team.loops or a.labels else _scratch(a, node)
    return replace(pragma, copies=(*pragma.copies, *(copy for copy in scratch if copy.outer not in listed)))


def _with_implicit_copies(a: Analysis, node: Any, pragma: LoopPragma) -> LoopPragma:
    """The pragma with copies that no clause names. Those that threads share hold as long as the loop."""
    if pragma.directive is None:
        return pragma
    found = implicit_copies(a, node, pragma.directive)
    if not found or pragma.directive.all("default"):
        return replace(pragma, copies=(*pragma.copies, *found))
    return replace(pragma, around=found)


def _doubted(pragma: LoopPragma, why: str) -> LoopPragma:
    threads = pragma.threads.without_promise(why)
    return replace(pragma, threads=threads, in_iteration=bool(pragma.lanes.independent))


def _unless_own(pragma: LoopPragma, names: Iterable[str]) -> LoopPragma:
    """The pragma, whose hint does not cover private variables of threads."""
    name = min(names, default="")
    why = f"every thread has its own `{name}`, which all iterations of that thread share"
    return replace(pragma, threads=pragma.threads.without_promise(why)) if name else pragma


def _scratch(a: Analysis, node: Any) -> tuple[Copy, ...]:
    """Variables of a thread that come to life without a value, and have no use but in this loop."""
    assert a.team is not None
    here, everywhere = uses(node), uses(a.team.node)
    found = [v for v, has_value in a.team.own.items() if not has_value]
    return tuple(Copy("private", v) for v in found if a.scope.find(v.name) is v and 0 < here[v.name] == everywhere[v.name])
