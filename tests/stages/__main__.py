"""`python -m tests.stages --seconds 600 --seed 1000`: random functions until the time is over; failures are reduced and saved."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from tests.stages.batch import Statistics, run_seeds
from tests.stages.reduce import reduce_case


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stages")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--save", type=Path, default=Path("stage-failures"), help="where reduced failures are written")
    parser.add_argument("--reduce", type=float, default=120, help="seconds for reducing one failure; 0 to leave them as they are")
    options = parser.parse_args()
    statistics, seen = Statistics(), set[str]()
    end, seed = time.monotonic() + options.seconds, options.seed
    while time.monotonic() < end:
        for failure in run_seeds(range(seed, seed + options.batch), statistics):
            print(f"seed {failure.seed}: {failure.kind}: {failure.outcome.get('detail', '')[-300:].strip()}", flush=True)
            if failure.kind in seen:
                continue
            seen.add(failure.kind)
            options.save.mkdir(exist_ok=True)
            file = options.save / f"seed_{failure.seed}.pllvm"
            file.write_text(failure.case.file())
            file.write_text(reduce_case(failure.case, failure.kind, options.reduce).file())
            print(f"--- {file}\n{file.read_text()}", flush=True)
        seed += options.batch
        print(statistics, flush=True)


if __name__ == "__main__":
    main()
