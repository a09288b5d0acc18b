"""What is known about the loops of a function: how often they run, and the closed forms of what they compute.

Counters count iterations from 0; the user's variable is `start + step * counter`. Everything here is
plain data computed once from P-LLVM by `rv.evolution.analyze.analyze_loops`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.memory.stack_objects import StackObjects
from rv.evolution.polynomial import Polynomial, Symbol
from rv.ir.function import Function
from rv.ir.hints import LoopHints
from rv.ir.instructions import IntPredicate
from rv.ir.source import Span
from rv.ir.types import IntType, Type
from rv.ir.values import Value, Var


@dataclass(frozen=True, slots=True)
class Trip:
    """How often a loop runs: while `start + offset + step*t  predicate  bound`, for t = 0, 1, 2, ...

    `start` and `bound` are values that are defined outside the loop; the comparison is in `type`, with the signedness of the
    predicate, after an extension of the left side where `start` is narrower. Under the loop's conditions nothing wraps, and
    the exact trip count is max(0, ceil(distance / |step|)), where `distance` is a closed form over what is fixed outside the
    loop. `count` is `distance` for |step| = 1 (it may be negative when the loop does not run), else None. The numbers are exact
    when the variable and the bound are read as `unsigned` and `unsigned_bound` say.
    """

    start: Value
    bound: Value
    step: int
    predicate: IntPredicate
    type: IntType
    count: Polynomial | None
    offset: int
    distance: Polynomial
    unsigned: bool
    unsigned_bound: bool

    @property
    def constant(self) -> int | None:
        """The trip count, when it is a number."""
        distance = self.distance.as_constant
        return None if distance is None else max(0, -(-distance // abs(self.step)))


@dataclass(frozen=True, slots=True)
class Condition:
    """A run-time condition `polynomial >= 0` over invariants of the nest, under which the analysis holds. `why` is for
    reports.
    """

    polynomial: Polynomial
    why: str


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop in loop-simplify form: one preheader, one latch; the header tests and leaves.

    `trip` is None when the loop is not countable (other exits, or an exit test that is no induction variable against an
    invariant); such a loop can still run inside or around a brush. `variable` is the induction phi of the exit test, `name`
    the variable that the user calls the loop by, or how it begins where it has none and is `anonymous`; `value` is the closed
    form of that variable, where it is known. `steps` is a variable that moves by one, with its closed form. `domain` are affine
    conditions `p >= 0` that hold for the counters inside the loop body (0 <= t, and the exit test).
    """

    header: str
    preheader: str
    latch: str
    body: str
    exit: str
    blocks: frozenset[str]
    parent: str | None
    name: str
    variable: Var | None
    trip: Trip | None
    start: Polynomial | None
    domain: tuple[Polynomial, ...]
    hints: LoopHints
    span: Span | None
    conditions: tuple[Condition, ...] = ()
    steps: tuple[str, Polynomial] | None = None
    anonymous: bool = False
    value: Polynomial | None = None

    @property
    def called(self) -> str:
        """What messages call the loop."""
        if self.anonymous and self.span is not None:
            return f"loop at line {self.span.line}"
        return f"loop over `{self.name}`"


ROUNDS: Final = frozenset({"fadd", "fmul", "fmin", "fmax"})
"""Operations of reductions whose result depends on the order."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A phi of a loop header that folds one value per iteration with an associative operation.

    `operation` is a P-LLVM binary op ("add", "mul", "and", "or", "xor", "fadd", "fmul") or "smin", "smax", "umin", "umax",
    "fmin", "fmax" (as C's `x < m ? x : m`), "minnum", "maxnum" (the C library's fmin and fmax); `update` is the value that
    reaches the phi over the latch. No other instruction of the loop reads the phi or the partial results.
    """

    phi: Var
    header: str
    operation: str
    update: Var
    span: Span | None

    @property
    def members(self) -> tuple[Var, ...]:
        """The phis, as a selection has them."""
        return (self.phi,)

    @property
    def updates(self) -> tuple[Value, ...]:
        return (self.update,)


FIRST: Final = "first"
"""The predicate of a selection whose first change stays."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Phis of a loop header that take new values in the same iterations (`rv.evolution.selections`).

    The first of `members` is the key when there is a `predicate`: a new value replaces it only if `new predicate old`, as P-LLVM
    spells comparisons, or FIRST. Without one the last change stays. `updates` are the values that reach the members over the
    latch. `order` is the member that holds the number, from 1, of the iteration of the last change, and 0 before the first.

    When `strict` is not empty, a new value replaces an equal one in some places, by the predicate, but not where these partial
    values of the key take it. The order has negative numbers for those changes: of equal keys that with the higher order stays.
    """

    header: str
    members: tuple[Var, ...]
    updates: tuple[Value, ...]
    predicate: str | None
    strict: frozenset[str]
    order: Var | None
    span: Span | None


Fold = Reduction | Selection
"""What a brushed loop may carry from one iteration to the next besides inductions."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """The elements `low .. high` (inclusive offsets in elements, closed forms at the entry of the nest) that an array is
    accessed at.

    The closed forms over-approximate and are right when every loop of the nest runs at least once.
    """

    array: Var
    element: Type
    low: Polynomial
    high: Polynomial
    written: bool


@dataclass(frozen=True, slots=True)
class PointerForm:
    """The address `offset` bytes behind `base`, exact modulo 2**64 under `conditions`."""

    base: Var
    offset: Polynomial
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """What is known about the loops of one function, which has gone through `prepare` (loop-simplify, invariants hoisted, selects
    made).
    """

    function: Function
    loops: Mapping[str, Loop]
    closed_forms: Mapping[str, Polynomial]
    """SSA name -> closed form of the integer variable read as signed (only where exact); counters of enclosing loops may
    occur.
    """
    reductions: tuple[Reduction, ...]
    selections: tuple[Selection, ...]
    form_conditions: Mapping[str, tuple[Condition, ...]]
    """SSA name -> conditions under which its closed form is exact; absent when there are none."""
    defined_in: Mapping[str, str]
    """SSA name -> label of the block that defines it (parameters: the entry)."""
    innermost: Mapping[str, str]
    """Block label -> header of the innermost loop around it; absent outside loops."""
    bits: Mapping[str, int]
    """SSA name of an integer variable -> its width."""
    congruences: Mapping[str, Polynomial]
    """SSA name -> closed form of the integer variable modulo 2**width, whatever wraps; holds under the same
    `form_conditions`.
    """
    pointers: Mapping[str, PointerForm]
    """SSA name -> where a pointer points relative to the pointer it was made from."""
    objects: StackObjects
    """The local variables that live in memory, and which pointers lead to them."""

    __hash__ = object.__hash__  # what is computed from facts is remembered by their identity


@dataclass(frozen=True, slots=True)
class Legal:
    """The brush may be used when `conditions` hold and none of `overlaps` overlap at run time; else the scalar nest runs.

    `overlaps` holds pairs of footprints of distinct arrays, at least one written, that no `restrict` separates.
    """

    conditions: tuple[Condition, ...]
    overlaps: tuple[tuple[Footprint, Footprint], ...]

    @property
    def is_conditional(self) -> bool:
        """Whether anything is left to be tested at run time."""
        return bool(self.conditions or self.overlaps)

    @property
    def symbols(self) -> frozenset[Symbol]:
        """What the test reads."""
        ends = [end for pair in self.overlaps for footprint in pair for end in (footprint.low, footprint.high)]
        return frozenset[Symbol]().union(*(p.symbols for p in (*(c.polynomial for c in self.conditions), *ends)))

    def also(self, other: Legal) -> Legal:
        """What two proofs about one region need together. Overlaps are those of the region, whatever is proved about it."""
        return Legal(tuple(dict.fromkeys((*self.conditions, *other.conditions))), self.overlaps or other.overlaps)
