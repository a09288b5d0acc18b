"""`python -m tests.stages --seconds 600 --seed 1000`: random functions until the time is over; failures are reduced and saved.

With `--log FILE` every batch leaves a line there, the next run goes on after the last one, and what is printed is the sum of all.
"""

from __future__ import annotations

import time
from pathlib import Path

from tests.random_runs import command, show_failure
from tests.stages.batch import Failure, Statistics, run_seeds
from tests.stages.log import Log
from tests.stages.reduce import reduce_case


def main() -> None:
    parser = command("python -m tests.stages", batch=50, save="stage-failures", reduce=120)
    parser.add_argument("--log", type=Path, help="where batches are counted")
    options = parser.parse_args()
    log = Log(options.log)
    end, seed = time.monotonic() + options.seconds, max(options.seed, log.following())
    while time.monotonic() < end:
        statistics = Statistics()
        for failure in run_seeds(range(seed, seed + options.batch), statistics):
            _save(failure, options.save, options.reduce)
        log.add(seed, options.batch, statistics)
        seed += options.batch
    print(log.total)


def _save(failure: Failure, folder: Path, seconds: float) -> None:
    show_failure(failure.seed, failure.kind, failure.outcome)
    folder.mkdir(exist_ok=True)
    file = folder / f"seed_{failure.seed}.pllvm"
    file.write_text(failure.case.file())
    if seconds > 0:
        file.write_text(reduce_case(failure.case, failure.kind, seconds).file())
        print(f"--- {file}\n{file.read_text()}", flush=True)


if __name__ == "__main__":
    main()
