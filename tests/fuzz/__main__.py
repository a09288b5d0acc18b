"""`python -m tests.fuzz --seconds 600 --seed 1000`: random programs until the time is over; failures are reduced and saved.

With `--divergent`, programs whose loop bodies branch differently from iteration to iteration.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.fuzz.batch import Statistics, run_batch
from tests.fuzz.divergent import generate_divergent
from tests.fuzz.generate import generate
from tests.fuzz.reduce import reduce_failure
from tests.random_runs import command, show_failure


def main() -> None:
    parser = command("python -m tests.fuzz", batch=16, save="fuzz-failures", reduce=60)
    parser.add_argument("--messages", action="store_true", help="print the commonest reasons of refusals")
    parser.add_argument("--divergent", action="store_true", help="programs with divergent control flow")
    options = parser.parse_args()
    make = generate_divergent if options.divergent else generate
    statistics, seen = Statistics(), set()
    end, seed = time.monotonic() + options.seconds, options.seed
    with tempfile.TemporaryDirectory() as directory:
        while time.monotonic() < end:
            for failure in run_batch(range(seed, seed + options.batch), Path(directory), statistics, make):
                number = seed + int(failure.program.name[1:])
                show_failure(number, failure.kind, failure.outcome)
                if failure.kind in seen:
                    continue
                seen.add(failure.kind)
                case, outcome = reduce_failure(failure, Path(directory), options.reduce)
                options.save.mkdir(exist_ok=True)
                file = options.save / f"seed_{number}.c"
                file.write_text(case.file())
                print(f"--- {file}: {case.plan} {case.target}\n{case.text}\n{outcome.get('detail', '')[:2000]}", flush=True)
            seed += options.batch
            if (seed - options.seed) // options.batch % 10 == 0:
                print(f"{statistics.programs} programs, {statistics.accepted} brushed", flush=True)
    print(statistics)
    if options.messages:
        for message, times in statistics.messages.most_common(25):
            print(f"  {times} {message}")


if __name__ == "__main__":
    main()
