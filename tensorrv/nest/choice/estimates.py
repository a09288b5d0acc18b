"""The estimated times of the candidates for a nest, and the verdict on each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """Cycles, and the resource that takes longest; `near` are the cycles with all data in the nearest cache."""

    cycles: float
    limit: str
    near: float

    def times(self, count: float) -> Estimate:
        return Estimate(self.cycles * count, self.limit, self.near * count)

    def after(self, cycles: float) -> Estimate:
        """With so many cycles more."""
        return Estimate(self.cycles + cycles, self.limit, self.near + cycles)


@dataclass(frozen=True, slots=True)
class Considered:
    """One candidate for a nest: `brush` as people write it, "scalar", or "llvm" for LLVM's loop vectorizer; cycles for one
    iteration of its innermost loop.

    `verdict` is "taken", "slower", "as fast", or why it is refused.
    """

    brush: str
    cycles: float
    limit: str
    verdict: str
