"""How long each stage took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StageTime:
    stage: str
    seconds: float


@dataclass(slots=True)
class StageClock:
    """Collects times in the order in which stages end."""

    times: list[StageTime] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times the block under this name."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.times.append(StageTime(name, time.perf_counter() - start))
