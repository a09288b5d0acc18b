"""Variables that a construct has of its own: `private`, `firstprivate`, `lastprivate`, `linear` (OpenMP 5.2, section 5.4).

    #pragma omp simd private(t) firstprivate(s) lastprivate(l) linear(k: 2)
    for (i ...) { ... }
        ->  for (i ...; step, (last iteration ? l = l' : 0), k += 2) { T t', s' = s, l', k' = k; ... }

A new variable of that name is in scope in the body. Where a plain variable is `lastprivate`, it takes over what every iteration
leaves, as the program does without the clause; an object in memory takes over what the last iteration leaves.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.pragmas.clause_values import expression, variable
from tensorrv.frontend.c.pragmas.directives import TEAMS
from tensorrv.frontend.c.pragmas.text import Directive, Piece
from tensorrv.frontend.c.tree.in_memory import modified_variables, variables_in_memory
from tensorrv.frontend.c.tree.name_uses import assigned_names, uses
from tensorrv.frontend.c.tree.nodes import (
    Assign,
    CopyArray,
    Declare,
    Evaluate,
    Expression,
    If,
    Not,
    Read,
    Statement,
    VariablePlace,
)
from tensorrv.frontend.c.types.c_types import INT, ArrayC, StructC, unqualified

Kind = Literal["private", "firstprivate", "lastprivate", "linear"]
_KINDS: Final[tuple[Kind, ...]] = ("private", "firstprivate", "lastprivate", "linear")


@dataclass(frozen=True, slots=True)
class Copy:
    """A clause makes a new variable for `outer`. `advance` moves a `linear` one by its step."""

    kind: Kind
    outer: Variable
    advance: Expression | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A copy with the variable that stands for it inside."""

    copy: Copy
    inner: Variable


def copies_of(a: Analysis, node: Any, directive: Directive) -> tuple[Copy, ...]:
    """The variables that a directive makes new ones for; those that other clauses let iterations hand on are not among them."""
    shared = frozenset(handed_on(a, node, directive))
    found: dict[Variable, Copy] = {}
    for kind in _KINDS:
        for clause in directive.all(kind):
            step = clause.tail.text if clause.tail is not None else "1"
            for outer in _variables(a, node, clause.items):
                advance = Piece(f"{outer.name} += ({step})", clause.whole.start)
                if outer not in shared:
                    found.setdefault(outer, Copy(kind, outer, expression(a, node, advance) if kind == "linear" else None))
    return tuple(found.values())


def implicit_copies(a: Analysis, node: Any, directive: Directive) -> tuple[Copy, ...]:
    """The variables that a construct has of its own without a clause that names them; `node` is its statement.

    What a task assigns to is its own unless its threads share it, and numbers that code for a device assigns to are.
    """
    named = {name for clause in directive.clauses for name in clause.names}
    default = next((item.text for clause in directive.all("default") for item in clause.items), "")
    if default == "private":
        return tuple(Copy("private", v) for v in _known(a, uses(node), named))
    whole, partly = assigned_names(node)
    parts = [v for v in _known(a, partly - whole, named) if isinstance(v.type, ArrayC | StructC)]
    assigned = [*_known(a, whole, named), *parts]
    if default == "firstprivate":
        return tuple(Copy("firstprivate", v) for v in assigned)
    if "target" in directive.words and not directive.all("defaultmap"):
        return tuple(Copy("firstprivate", v) for v in assigned if not isinstance(v.type, ArrayC | StructC))
    if {"task", "taskloop"}.intersection(directive.words) and not TEAMS.intersection(directive.words) and default != "shared":
        return tuple(Copy("firstprivate", v) for v in assigned if a.team is None or v in a.team.own)
    return ()


def _known(a: Analysis, names: Iterable[str], but: Container[str]) -> list[Variable]:
    """The variables in scope with these names."""
    found = [a.scope.find(name) for name in sorted(names) if name not in but]
    return [symbol for symbol in found if isinstance(symbol, Variable)]


def handed_on(a: Analysis, node: Any, directive: Directive) -> tuple[Variable, ...]:
    """Variables of `reduction` clauses, and those that are both `firstprivate` and `lastprivate`."""
    first, last = ({v for c in directive.all(kind) for v in _variables(a, node, c.items)} for kind in _KINDS[1:3])
    return tuple(dict.fromkeys((*combined(a, node, directive), *(v for v in first if v in last))))


def combined(a: Analysis, node: Any, directive: Directive) -> tuple[Variable, ...]:
    """Variables of which threads have copies that are combined in the end, and those that have such a section."""
    clauses = [clause for name in ("reduction", "in_reduction", "task_reduction") for clause in directive.all(name)]
    bases = [replace(item, text=item.text.partition("[")[0].strip()) for clause in clauses for item in clause.items]
    return tuple(dict.fromkeys(_variables(a, node, bases)))


def _variables(a: Analysis, node: Any, items: Iterable[Piece]) -> Iterator[Variable]:
    """The variables that a clause lists. Constants that it lists, and objects that only have a name here, need no copies."""
    for item in items:
        found = variable(a, node, item, copied=True)
        if found is not None:
            yield found


# -- new variables


def make_copies(a: Analysis, copies: tuple[Copy, ...]) -> tuple[Made, ...]:
    """Declares the new variables in the scope that is open."""
    made = tuple(Made(copy, Variable(copy.outer.name, unqualified(copy.outer.type), copy.outer.span)) for copy in copies)
    for one in made:
        a.scope.names[one.inner.name] = one.inner
        if a.team is not None:
            a.team.own[one.inner] = one.copy.kind != "private"
    return made


def at_entry(made: tuple[Made, ...]) -> tuple[Statement, ...]:
    """The declarations of variables that a construct has of its own as a whole."""
    return tuple(statement for one in made for statement in _declared(one, one.copy.kind == "firstprivate"))


@dataclass(slots=True)
class Placed:
    """What copies add to a loop: statements `before` it, `first` in each iteration, and `last` there, behind the loop's step.

    Iterations hand on variables `handed_on`, which must not be in memory where lanes run at once.
    """

    before: list[Statement] = field(default_factory=list)
    first: list[Statement] = field(default_factory=list)
    last: list[Statement] = field(default_factory=list)
    handed_on: list[Variable] = field(default_factory=list)


def in_each_iteration(made: tuple[Made, ...], body: Statement, test: Expression | None) -> Placed:
    """The statements for variables that every iteration of a loop has of its own."""
    placed = Placed()
    if not made:
        return placed
    in_memory, modified = variables_in_memory(body), modified_variables(body)
    for one in made:
        whole = isinstance(one.inner.type, ArrayC) or one.inner in in_memory or bool(one.copy.outer.symbol)
        match one.copy.kind:
            case "private":
                placed.first += _declared(one, False)
            case "firstprivate":
                only_read = isinstance(one.inner.type, ArrayC) and one.inner not in modified
                (placed.before if only_read else placed.first).extend(_declared(one, True))
            case "lastprivate" if whole:
                placed.first += _declared(one, False)
                placed.last.append(_at_the_last(_handed_over(one), test))
            case "lastprivate":
                placed.first += _declared(one, True)
                placed.last.append(_handed_over(one))
                placed.handed_on.append(one.copy.outer)
            case "linear":
                assert one.copy.advance is not None
                placed.first += _declared(one, True)
                placed.last.append(Evaluate(one.copy.advance, one.copy.outer.span))
                placed.handed_on.append(one.copy.outer)
    return placed


def _declared(one: Made, with_value: bool) -> tuple[Statement, ...]:
    """The declaration of a new variable, with what the outer one has."""
    span = one.copy.outer.span
    if not with_value:
        return (Declare(one.inner, None, span),)
    if isinstance(one.inner.type, ArrayC):
        return Declare(one.inner, None, span), CopyArray(one.inner, one.copy.outer, span)
    return (Declare(one.inner, Read(one.inner.type, _place(one.copy.outer), span), span),)


def _handed_over(one: Made) -> Statement:
    """The outer variable takes over what the new one has."""
    span = one.copy.outer.span
    if isinstance(one.inner.type, ArrayC):
        return CopyArray(one.copy.outer, one.inner, span)
    value = Read(one.inner.type, _place(one.inner), span)
    return Evaluate(Assign(one.inner.type, _place(one.copy.outer), value, span), span)


def _at_the_last(statement: Statement, test: Expression | None) -> Statement:
    """The statement where no other iteration follows: it stands behind the loop's step."""
    return statement if test is None else If(Not(INT, test, None), statement, None, None)


def _place(variable_: Variable) -> VariablePlace:
    return VariablePlace(variable_.type, variable_, variable_.span)
