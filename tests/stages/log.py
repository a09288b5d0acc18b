"""A long run in pieces: a file with one line for each batch of seeds, and the sum of them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.stages.batch import Statistics


@dataclass(slots=True)
class Log:
    """What has been checked so far, in `file` if there is one, at which commits."""

    file: Path | None
    total: Statistics = field(default_factory=Statistics)
    last: int = -1

    def __post_init__(self) -> None:
        if self.file is not None and self.file.exists():
            for line in self.file.read_text().splitlines():
                batch = json.loads(line)
                self.total.update(Statistics.of(batch["statistics"]))
                self.last = max(self.last, batch["last"])

    def following(self) -> int:
        """The seed after all that are in the log."""
        return self.last + 1

    def add(self, first: int, count: int, statistics: Statistics) -> None:
        """Counts a batch."""
        self.total.update(statistics)
        self.last = first + count - 1
        if self.file is not None:
            line = {"commit": _commit(), "first": first, "last": self.last, "statistics": statistics.facts()}
            with self.file.open("a") as lines:
                lines.write(json.dumps(line) + "\n")


def _commit() -> str:
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip()
