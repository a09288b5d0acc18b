"""Jobs on workers: any `concurrent.futures.Executor` runs them, each in a sandbox of the thread that the executor gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from typing import Final

from autotune.measure.outcome import Failed, Job, Outcome
from tensorrv.check.runs import Running
from tensorrv.check.sandbox import Crashed, Failure, Hung, sandbox

LABORATORY: Final = "autotune.measure.laboratory:answer"
TIMEOUT: Final = 60.0  # seconds that one job may take


def run_job(job: Job, timeout: float = TIMEOUT, answers: str = LABORATORY) -> Outcome:
    """The job's outcome, whatever happens to the process that runs it. Raises InternalError for bugs of ours."""
    try:
        found: Outcome = sandbox(answers).ask(job, timeout)
        return found
    except Crashed as death:
        return Failed("crashed", f"{death}{_during(death)}")
    except Hung as silence:
        return Failed("hung", f"{silence}{_during(silence)}")


def _during(failure: Failure) -> str:
    """Whose code it was."""
    running = failure.during
    if not isinstance(running, Running):
        return ""
    return f" in {'the scalar code' if running.whose == 'source' else 'the code of the plan'}"


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, how many jobs it may have at once, and the function that it runs them with."""

    executor: Executor
    parallel: int = 1
    run: Callable[[Job], Outcome] = run_job

    def outcomes(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Outcomes as they arrive; a worker that the executor lost counts as a crash of the job it had.

        Jobs are handed over one by one, so that a caller that stops iterating leaves none behind.
        """
        waiting: dict[Future[Outcome], Job] = {}
        pending = iter(jobs)
        try:
            while True:
                while len(waiting) < self.parallel and (job := next(pending, None)) is not None:
                    waiting[self.executor.submit(self.run, job)] = job
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield waiting.pop(future), _result(future)
        finally:
            for future in waiting:
                future.cancel()


def _result(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except BrokenExecutor as error:
        return Failed("crashed", f"{type(error).__name__}: {error}")
