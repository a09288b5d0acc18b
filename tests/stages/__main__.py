"""`python -m tests.stages --seconds 600 --seed 1000`: random functions until the time is over; failures are reduced and saved.

With `--log FILE` every batch leaves a line there, the next run goes on after the last one, and what is printed is the sum of all.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from tests.stages.batch import Failure, Statistics, run_seeds
from tests.stages.log import Log
from tests.stages.reduce import reduce_case


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stages")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--save", type=Path, default=Path("stage-failures"), help="where reduced failures are written")
    parser.add_argument("--reduce", type=float, default=120, help="seconds for reducing one failure; 0 to leave them as they are")
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
    print(f"seed {failure.seed}: {failure.kind}: {failure.outcome.get('detail', '')[-300:].strip()}", flush=True)
    folder.mkdir(exist_ok=True)
    file = folder / f"seed_{failure.seed}.pllvm"
    file.write_text(failure.case.file())
    if seconds > 0:
        file.write_text(reduce_case(failure.case, failure.kind, seconds).file())
        print(f"--- {file}\n{file.read_text()}", flush=True)


if __name__ == "__main__":
    main()
