"""The state that semantic analysis carries along: the file, the current scope, and where hidden variables go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Never

from rv.ir.source import Span
from tensorrv.frontend.c import failures
from tensorrv.frontend.c.analyse.scope import Scope, Variable
from tensorrv.frontend.c.parse.syntax import Syntax
from tensorrv.frontend.c.tree.nodes import Case, Declare, Expression
from tensorrv.frontend.c.types.c_types import CType, IntegerC, StructC
from tensorrv.report.diagnostics import Diagnostic, Related

if TYPE_CHECKING:  # these read the analysis
    from tensorrv.frontend.c.pragmas.loop_clauses import LoopPragma
    from tensorrv.frontend.c.pragmas.regions import RegionPragma


@dataclass(slots=True)
class OpenSwitch:
    """A switch whose body is being analysed: the type of its value, its cases so far, and where it began."""

    type: IntegerC
    depth: int
    cases: list[Case] = field(default_factory=list)
    entered: bool = False


@dataclass(slots=True)
class Team:
    """A construct whose threads have variables of their `own`, with whether they have a value when they come to life.

    `node` is its statement, `loops` how many loops are around it. `single` is the reason why one thread may run it alone.
    """

    node: Any
    loops: int
    single: str = ""
    own: dict[Variable, bool] = field(default_factory=dict)


@dataclass(slots=True)
class Analysis:
    """One function's analysis, or the file scope's when `hidden` is None.

    `expression` analyses an expression, `unevaluated_type` gives the type of an unevaluated one; they are fields because
    declarations contain expressions and the other way round.
    """

    syntax: Syntax
    scope: Scope
    expression: Callable[[Analysis, Any], Expression]
    unevaluated_type: Callable[[Analysis, Any], CType]
    function: str = ""
    """The name of the function that this is inside."""
    hidden: list[Declare] | None = None
    """Array extents that are evaluated where their type is declared."""
    prototype: bool = False
    """Inside the parameters of a declaration, where `[*]` is allowed."""
    result: CType | None = None
    breakable: int = 0
    loops: int = 0
    depth: int = 0
    """How many statements are around this one."""
    switches: list[OpenSwitch] = field(default_factory=list)
    records: dict[int, StructC] = field(default_factory=dict)
    """Structs by the node that defines them: several declarators share it."""
    extents: tuple[Declare, ...] = ()
    """The array extents that are known here because the declarations around have evaluated them."""
    moved: bool = False
    """Whether an attribute or a pragma may move members of structs that are declared here."""
    labels: dict[str, tuple[Span | None, tuple[Declare, ...]]] = field(default_factory=dict)
    gotos: list[tuple[Any, tuple[Declare, ...]]] = field(default_factory=list)
    pragmas: list[LoopPragma | RegionPragma] = field(default_factory=list)
    """Pragmas that wait for the loop or statement that follows them."""
    collapsed: LoopPragma | None = None
    """The pragmas that a `collapse` clause of the enclosing loop applies to the next loop."""
    team: Team | None = None
    """The innermost construct around that makes threads."""
    reductions: set[str] = field(default_factory=set)
    """The operators that `omp declare reduction` has declared."""
    threadprivate: set[str] = field(default_factory=set)
    """The variables of which every thread has its own."""
    notes: list[Diagnostic] = field(default_factory=list)
    """Diagnostics about pragmas that are not followed."""

    def span(self, node: Any) -> Span | None:
        return self.syntax.span(node)

    def refuse(
        self, code: str, message: str, node: Any, label: str = "", *, hint: str = "", also: tuple[Related, ...] = ()
    ) -> Never:
        """The program has an error at `node`."""
        failures.refuse(code, message, self.span(node), label, hint=hint, related=(*also, *self.syntax.notes(node)))

    def give_up(
        self, code: str, message: str, node: Any, label: str = "", *, hint: str = "", also: tuple[Related, ...] = ()
    ) -> Never:
        """The program is outside the subset at `node`."""
        failures.give_up(code, message, self.span(node), label, hint=hint, related=(*also, *self.syntax.notes(node)))

    @contextmanager
    def inner_scope(self) -> Iterator[None]:
        """Names declared inside disappear at the end."""
        outer, self.scope = self.scope, Scope(self.scope)
        extents = self.extents
        try:
            yield
        finally:
            self.scope, self.extents = outer, extents

    @contextmanager
    def prototype_scope(self) -> Iterator[None]:
        """The parameters of a declaration: a scope of their own, and their extents are not evaluated."""
        hidden, prototype = self.hidden, self.prototype
        self.hidden, self.prototype = [], True
        try:
            with self.inner_scope():
                yield
        finally:
            self.hidden, self.prototype = hidden, prototype
