"""Many cases: make, check, count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from rv.ir.instructions import Alloca
from rv.ir.steps import Keep, forget
from tests.fuzz.batch import kind_of
from tests.fuzz.children import Outcome, run_apart
from tests.stages.case import Case
from tests.stages.chain import check, looks_across
from tests.stages.generate import random_case
from tests.stages.reduce import SECONDS


@dataclass(frozen=True, slots=True)
class Failure:
    seed: int
    case: Case
    outcome: Outcome

    @property
    def kind(self) -> str:
        return kind_of(self.outcome)


@dataclass(slots=True)
class Statistics:
    """How many functions went through all stages, by what is in them; and why others did not."""

    seeds: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        self.seeds += 1
        self.outcomes[kind_of(outcome) or outcome["status"]] += 1
        if outcome["status"] == "ok":
            self.passed.update(outcome["features"])
        elif outcome["status"] == "refused":
            self.messages[outcome["detail"][:150]] += 1

    def update(self, other: Statistics) -> None:
        """Adds what others counted."""
        self.seeds += other.seeds
        for mine, theirs in zip(self._counters(), other._counters(), strict=True):
            mine.update(theirs)

    def facts(self) -> dict[str, Any]:
        """As JSON; `of` reads it back."""
        return {"seeds": self.seeds, "counters": self._counters()}

    @staticmethod
    def of(facts: dict[str, Any]) -> Statistics:
        return Statistics(facts["seeds"], *map(Counter, facts["counters"]))

    def _counters(self) -> list[Counter[str]]:
        return [self.outcomes, self.passed, self.messages]

    def __str__(self) -> str:
        lines = [f"{self.seeds} seeds: " + ", ".join(f"{count} {name}" for name, count in self.outcomes.most_common())]
        lines.append("  passed with " + ", ".join(f"{name}: {count}" for name, count in sorted(self.passed.items())))
        lines += [f"  refused: {message}: {count}" for message, count in self.messages.most_common(10)]
        return "\n".join(lines)


def check_seed(seed: int, keep: Keep = forget) -> Outcome:
    """The outcome of a seed's case, with the seam `keep` between its stages; "none" when it has none."""
    case = random_case(seed)
    if case is None:
        return {"status": "none"}
    return {**check(case, keep), "features": features(case)}


NAMES: Final = {True: "operations across lanes", False: "threads apart"}


def features(case: Case) -> list[str]:
    found = [f"width {case.width:2}", NAMES[looks_across(case.function)]]
    if any(isinstance(instruction, Alloca) for _, instruction in case.function.instructions()):
        found.append("stack objects")
    return found


def run_seeds(seeds: Sequence[int], statistics: Statistics) -> list[Failure]:
    """What did not pass."""
    failures = []
    for seed, outcome in zip(seeds, run_apart([partial(check_seed, seed) for seed in seeds], SECONDS), strict=True):
        statistics.add(outcome)
        if kind_of(outcome):
            case = random_case(seed)
            assert case is not None
            failures.append(Failure(seed, case, outcome))
    return failures
