"""The interpreter for W threads in lock step: the executable meaning of P-LLVM (thesis, chapters 4 and 5).

    results = run_lockstep(function, [(a, 0), (a, 1), (a, 2), (a, 3)], memory, interpretation=Interpretation.OBLIVIOUS)

All threads run the block that is scheduled together, actively or passively; a thread's arguments are those of its place in the
list. Values, memory, undefined values and errors are those of `rv.semantics.scalar`. Passive threads neither read nor write
memory. Where threads store to one place at once, the last thread's value stays: they store in ascending order.

Schedules are greedy (`rv.semantics.schedule`); the scheduler picks one where there are several:

    for scheduler in every_schedule(limit=50):
        results = run_lockstep(function, arguments(), memory(), scheduler=scheduler)

`Lockstep` runs other schedules as well, block by block, and lets one look at the state (definition 3).

Variables are undefined before they are assigned. So a use of an operand whose definition mask (definition 10) does not hold is a
use of an undefined value, and raises `Undefined` as soon as it decides something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rv.ir.function import Function
from rv.semantics.arguments import Argument, Result, argument_values, result_value
from rv.semantics.block_code import Interpretation, lockstep_code
from rv.semantics.explain import RAISED, Explainer
from rv.semantics.memory import Memory
from rv.semantics.schedule import (
    ACCEPTING,
    ControlState,
    Returned,
    Scheduler,
    first_choice,
    schedule_rules,
)
from rv.semantics.scope import Exhausted, External, names
from rv.semantics.undefined import UNDEFINED

DEFAULT_FUEL = 1_000_000


class NoProgress(Exception):
    """No block may be scheduled although threads run: they were passive at a return."""


@dataclass(frozen=True, slots=True)
class Step:
    """One block that was scheduled: the threads whose control mask was 1, and those of them that were active."""

    label: str
    came: tuple[int, ...]
    active: tuple[int, ...]


Observer = Callable[["State", Step], None]


@dataclass(slots=True)
class State:
    """The execution state except for the memory (definition 3): control states and variables of all threads."""

    control: list[ControlState]
    environments: list[list[Any]]
    slots: Mapping[str, int]

    def values(self, name: str) -> tuple[Any, ...]:
        """The values of a variable in all threads (definition 9)."""
        return tuple(own[self.slots[name]] for own in self.environments)

    @property
    def finished(self) -> bool:
        return all(isinstance(thread.next, Returned) for thread in self.control)

    @property
    def results(self) -> tuple[Result, ...]:
        """What the threads returned; only of a finished state."""
        return tuple(result_value(thread.next.value) for thread in self.control if isinstance(thread.next, Returned))


class Lockstep:
    """A function under one interpretation that is ready to run any number of times."""

    def __init__(self, function: Function, interpretation: Interpretation = Interpretation.FREEZING) -> None:
        self.function = function
        self.rules = schedule_rules(function)
        self._code = lockstep_code(function, interpretation)
        filename = f"<lock step of {function.name}>"
        self._compiled = compile(self._code.source, filename, "exec")
        slots = self._code.slots
        self._explainer = Explainer(
            function, filename, self._code.lines, lambda variable, values: int(values["own"][slots[variable.name]])
        )

    def start(self, arguments: Sequence[Sequence[Argument]]) -> State:
        """The initial state (definition 4) of as many threads as there are lists of arguments."""
        environments = []
        for given in arguments:
            own = argument_values(self.function, given)
            environments.append([*own, *[UNDEFINED] * (len(self._code.slots) - len(own))])
        control = [ControlState(None, self.function.entry.label) for _ in arguments]
        return State(control, environments, self._code.slots)

    def blocks(self, memory: Memory, externals: Mapping[str, External] | None = None) -> Callable[[State, str], Step]:
        """The function that runs any block from any state in one memory: a transition of [LSS-W-STEP] (figure 4.3)."""
        scope = {**names(memory, externals or {}), "Returned": Returned}
        exec(self._compiled, scope)
        successors = self.rules.graph.successors

        def step(state: State, label: str) -> Step:
            threads = range(len(state.control))
            came = [t for t in threads if state.control[t].accepts(label, successors)]
            stayed = [t for t in threads if not state.control[t].accepts(label, successors)]
            last = [control.last for control in state.control]
            try:
                active, decisions = scope[self._code.functions[label]](state.environments, last, came, stayed, threads)
            except RAISED as error:
                raise self._explainer.explained(error, memory) from None
            for thread in came:
                state.control[thread] = ControlState(label, ACCEPTING)
            for thread, decision in zip(active, decisions, strict=True):
                state.control[thread] = ControlState(label, decision)
            return Step(label, tuple(came), tuple(active))

        return step

    def run(
        self,
        arguments: Sequence[Sequence[Argument]],
        memory: Memory,
        *,
        scheduler: Scheduler = first_choice,
        externals: Mapping[str, External] | None = None,
        fuel: int = DEFAULT_FUEL,
        observer: Observer | None = None,
    ) -> tuple[Result, ...]:
        """The results of all threads under a greedy schedule; `observer` is called with the state after each block.

        Raises Fault, Undefined, NoProgress, and Exhausted after `fuel` blocks.
        """
        regions = len(memory.regions)
        try:
            return self._scheduled(self.start(arguments), self.blocks(memory, externals), scheduler, fuel, observer)
        finally:
            memory.release(regions)

    def _scheduled(
        self, state: State, step: Callable[[State, str], Step], scheduler: Scheduler, fuel: int, observer: Observer | None
    ) -> tuple[Result, ...]:
        while not state.finished:
            choices = self.rules.choices(state.control)
            if not choices:
                raise NoProgress(f"threads of @{self.function.name} were passive at a return")
            if not fuel:
                raise Exhausted()
            fuel -= 1
            label = scheduler(choices)
            if label not in choices:
                raise ValueError(f"{label} is none of the blocks that may run: {', '.join(choices)}")
            done = step(state, label)
            if observer is not None:
                observer(state, done)
        return state.results


def run_lockstep(
    function: Function,
    arguments: Sequence[Sequence[Argument]],
    memory: Memory,
    *,
    interpretation: Interpretation = Interpretation.FREEZING,
    scheduler: Scheduler = first_choice,
    externals: Mapping[str, External] | None = None,
    fuel: int = DEFAULT_FUEL,
    observer: Observer | None = None,
) -> tuple[Result, ...]:
    """Translates and runs a function once; see `Lockstep.run`."""
    lockstep = Lockstep(function, interpretation)
    return lockstep.run(arguments, memory, scheduler=scheduler, externals=externals, fuel=fuel, observer=observer)
