"""The hints of pragmas before a loop (OpenMP 5.2, sections 10.4, 11.5 and 5.4 to 5.5; docs/openmp.md).

`omp simd` states that iterations can run in lock step. Constructs that divide a loop among threads state less: two iterations
that different threads may run do not access the same shared element, since that would be a data race. They do not cover
iterations that one thread is known to run, nor private variables. The hint is withdrawn, with
the reason, where the pragma itself leaves open that one thread runs several iterations in order (`if`, `num_threads`, chunks of
`schedule`), or orders them (`ordered`, `inscan`), or where they hand on what is not a plain variable (`reduction` of arrays).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final
from typing import Literal as OneOf

from rv.ir.hints import NO_HINTS, LoopHints
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.pragmas.clause_checks import check_aligned, check_clauses, reduces_plain
from tensorrv.frontend.c.pragmas.clause_values import expression, only_number, refuse_at
from tensorrv.frontend.c.pragmas.data_clauses import Copy, copies_of, handed_on
from tensorrv.frontend.c.pragmas.directives import TEAMS
from tensorrv.frontend.c.pragmas.text import Clause, Directive
from tensorrv.frontend.c.tree.nodes import Literal
from tensorrv.frontend.c.types.c_types import ArrayC, StructC

_THREADED: Final = frozenset({"for", "distribute", "loop"})

_About = OneOf["threads", "lanes", "both"]
_ABOUT: Final[dict[str, _About]] = {"": "both", "simd": "lanes"}
"""The hints that the condition of an `if` clause restricts, by its modifier."""


@dataclass(frozen=True, slots=True)
class LoopPragma:
    """One pragma before a loop: its hints about iterations that `threads` may run, and about those that `lanes` do.

    It applies to `collapse` perfectly nested loops. `copies` are private variables of the construct: one for
    each iteration if `in_iteration`, else one for the whole loop. Variables `handed_on` belong to all iterations; a hint is
    not about them. `own_team`: the construct makes the threads, so that nothing outside of it differs between them;
    `concurrent`: iterations run in any order even where one thread runs them. `transforms`: the loop becomes another one.
    `counters` are those of the loops, as far as they are declared outside. `around` are copies that all iterations share.
    """

    node: Any
    threads: LoopHints = NO_HINTS
    lanes: LoopHints = NO_HINTS
    collapse: int = 1
    copies: tuple[Copy, ...] = ()
    in_iteration: bool = True
    handed_on: tuple[Variable, ...] = ()
    own_team: bool = False
    concurrent: bool = False
    transforms: bool = False
    counters: tuple[Variable, ...] = ()
    directive: Directive | None = None
    around: tuple[Copy, ...] = ()

    @property
    def promises(self) -> bool:
        return bool(self.threads.independent or self.lanes.independent)

    def without_promise(self, why: str) -> LoopPragma:
        """The pragma where nothing is known about iterations; what a thread has of its own lives as long as the loop then."""
        threads, lanes = self.threads.without_promise(why), self.lanes.without_promise(why)
        return replace(self, threads=threads, lanes=lanes, in_iteration=False)

    def counted_by(self, counter: Variable) -> LoopPragma:
        """The pragma with one more counter of its loops, of which there are no copies."""
        copies, around = (tuple(c for c in found if c.outer is not counter) for found in (self.copies, self.around))
        return replace(self, copies=copies, around=around, counters=(*self.counters, counter))

    def further_in(self) -> LoopPragma:
        """The pragma as `collapse` applies it to the loop directly inside."""
        copies = self.copies if self.in_iteration else ()
        return replace(self, collapse=self.collapse - 1, copies=copies, around=(), directive=None)


def loop_pragma(a: Analysis, node: Any, directive: Directive) -> LoopPragma:
    """The hints of a pragma about the loop that follows. Refuses wrong clauses."""
    match directive.words:
        case ("ivdep",):
            return LoopPragma(node, lanes=LoopHints("assumed"))
        case ("GCC", "ivdep"):
            return LoopPragma(node, lanes=LoopHints("lanes"))
        case ("novector",):
            return LoopPragma(node, lanes=LoopHints(novector=True))
        case ("clang", "loop"):
            return LoopPragma(node, lanes=_clang(directive))
        case ("tile",) | ("unroll",):
            return LoopPragma(node, transforms=True)
        case _:
            return _openmp(a, node, directive)


def _openmp(a: Analysis, node: Any, directive: Directive) -> LoopPragma:
    check_clauses(a, node, directive)
    collapse, copies = _number(a, node, directive, "collapse") or 1, copies_of(a, node, directive)
    concurrent = "loop" in directive.words or bool(directive.all("order"))
    threads, lanes = _threads(directive), _lanes(a, node, directive)
    for why, about in (*_doubts(a, node, directive, concurrent=concurrent), *_kept_by_several_loops(collapse, copies)):
        threads = threads if about == "lanes" else threads.without_promise(why)
        lanes = lanes if about == "threads" else lanes.without_promise(why)
    return LoopPragma(
        node,
        threads,
        lanes,
        collapse,
        copies,
        bool(threads.independent or lanes.independent),
        handed_on(a, node, directive),
        own_team=bool(TEAMS.intersection(directive.words)),
        concurrent=concurrent,
        directive=directive,
    )


def _threads(directive: Directive) -> LoopHints:
    if "taskloop" in directive.words and "simd" not in directive.words:
        return LoopHints(withdrawn="`omp taskloop` creates tasks, and one task runs several iterations in order")
    return LoopHints("threads") if _THREADED.intersection(directive.words) else NO_HINTS


def _lanes(a: Analysis, node: Any, directive: Directive) -> LoopHints:
    if "simd" not in directive.words:
        return NO_HINTS
    simdlen, safelen = _number(a, node, directive, "simdlen"), _number(a, node, directive, "safelen")
    if simdlen is not None and safelen is not None and simdlen > safelen:
        whole = directive.all("simdlen")[0].whole
        refuse_at(a, node, "'simdlen' exceeds 'safelen'", whole, f"more than {safelen}")
    around = tuple(item.text for clause in directive.all("nontemporal") for item in clause.items)
    known = [(clause, check_aligned(a, node, clause)) for clause in directive.all("aligned")]
    aligned = tuple((item.text, bytes_) for clause, bytes_ in known if bytes_ is not None for item in clause.items)
    return LoopHints("lanes", safelen, aligned, simd=True, simdlen=simdlen, nontemporal=around)


def _clang(directive: Directive) -> LoopHints:
    """`#pragma clang loop`: other options than these only affect speed."""
    found = NO_HINTS
    for clause in directive.clauses:
        match clause.name, [item.text for item in clause.items]:
            case "vectorize", ["assume_safety"]:
                found = found.also(LoopHints("lanes"))
            case ("vectorize", ["disable"]) | ("vectorize_width", ["1", *_]):
                found = found.also(LoopHints(novector=True))
            case "vectorize_width", [width, *_] if width.isdecimal() and int(width):
                found = found.also(LoopHints(simdlen=int(width)))
            case _:
                pass
    return found


# -- hints that do not hold


def _doubts(a: Analysis, node: Any, directive: Directive, *, concurrent: bool) -> Iterator[tuple[str, _About]]:
    """Why a pragma gives no hint for threads, for lanes, or both."""
    for clause in directive.clauses:
        match clause.name:
            case "ordered":
                yield "`ordered` keeps iterations in order", "both"
            case "if" if not _holds(a, node, clause):
                yield "iterations run sequentially when the condition of `if` is false", _ABOUT.get(clause.modifier, "threads")
            case "num_threads" | "num_teams" if not concurrent and not _several(a, node, clause):
                yield f"`{clause.name}` permits one thread to run all iterations", "threads"
            case "thread_limit" if not concurrent:
                yield "`thread_limit` permits one thread to run all iterations", "threads"
            case "schedule" | "dist_schedule" if not concurrent and _in_chunks(clause):
                yield f"`{clause.whole.text}` permits one thread to run consecutive iterations", "threads"
            case "reduction" | "in_reduction" if "inscan" in clause.modifiers:
                yield "a scan passes results from one iteration to the next", "both"
            case "reduction" | "in_reduction" if not reduces_plain(a, node, clause):
                yield f"`{clause.whole.text}` combines private copies with an operation that is not in the loop body", "both"
            case _:
                pass


def _kept_by_several_loops(collapse: int, copies: tuple[Copy, ...]) -> Iterator[tuple[str, _About]]:
    for copy in copies if collapse > 1 else ():
        if copy.kind == "lastprivate" and isinstance(copy.outer.type, ArrayC | StructC):
            yield f"`{copy.outer.name}` keeps its value from the last iteration of several collapsed loops", "both"


def single_thread(a: Analysis, node: Any, directive: Directive) -> str:
    """Why one thread may run all of a construct that creates threads, by its own clauses."""
    about_threads = (why for why, about in _doubts(a, node, directive, concurrent=False) if about != "lanes")
    return next(about_threads, "")


def _several(a: Analysis, node: Any, clause: Clause) -> bool:
    """Whether a number of threads is known to be more than one."""
    values = [expression(a, node, item) for item in clause.items]
    return all(isinstance(value, Literal) and value.value > 1 for value in values)


def _in_chunks(clause: Clause) -> bool:
    """Whether the program can determine iterations that the same thread runs: those of one chunk."""
    kind, *chunk = [item.text for item in clause.items]
    return kind == "runtime" or (bool(chunk) and (kind == "static" or chunk != ["1"]))


def _holds(a: Analysis, node: Any, clause: Clause) -> bool:
    """Whether the condition of an `if` clause is known to hold."""
    condition = expression(a, node, clause.items[0])
    return isinstance(condition, Literal) and condition.value != 0


def _number(a: Analysis, node: Any, directive: Directive, name: str) -> int | None:
    clauses = directive.all(name)
    if len(clauses) > 1:
        refuse_at(a, node, f"'{name}' is given twice", clauses[1].whole, "a second time")
    return only_number(a, node, clauses[0]) if clauses else None


# -- all pragmas before one loop


def hints_without_counter(pragmas: list[LoopPragma]) -> LoopHints:
    """The hints of pragmas about a `while` or `do`: OpenMP's loops are `for` loops."""
    why = "OpenMP's work sharing and private variables apply to `for` loops only"
    plain = [one if not (one.copies or one.handed_on or one.threads.independent) else one.without_promise(why) for one in pragmas]
    return hints_of(plain)


def hints_of(pragmas: list[LoopPragma]) -> LoopHints:
    """The combined hints of several pragmas before one loop."""
    found = NO_HINTS
    for pragma in pragmas:
        lanes = pragma.lanes
        if pragma.collapse > 1:  # lanes along an outer loop are whole rows apart, and rows may have any length
            lanes = NO_HINTS if lanes.safelen is not None else LoopHints(lanes.independent, simd=lanes.simd)
        found = found.also(pragma.threads).also(lanes)
    return found
