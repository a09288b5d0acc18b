"""The estimated times of the candidates for a nest, and the verdict on each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """Cycles, and the resource that takes longest."""

    cycles: float
    limit: str

    def times(self, count: float) -> Estimate:
        return Estimate(self.cycles * count, self.limit)


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
