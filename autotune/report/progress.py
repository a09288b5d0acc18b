"""Progress of a sweep on standard error: a bar on a terminal, a line per stage elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class ProgressBar:
    """A context in which a bar is shown. Where standard error is no terminal, stages are named and nothing moves."""

    def __init__(self, title: str) -> None:
        self.title = title
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        console = Console(file=sys.stderr)
        self._bar = Progress(
            *columns, TextColumn("{task.fields[text]}"), console=console, transient=True, disable=not sys.stderr.isatty()
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.stop()

    def stage(self, name: str, total: int) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(f"{self.title}: {name}", total=total, text="")
        if not sys.stderr.isatty() and total:
            print(f"{self.title}: {name}, {total} steps", file=sys.stderr)

    def step(self, text: str) -> None:
        if self._task is not None:
            task = next(t for t in self._bar.tasks if t.id == self._task)
            if task.total is not None and task.completed >= task.total:
                self._bar.update(self._task, total=task.total + 1)
            self._bar.update(self._task, advance=1, text=text)
