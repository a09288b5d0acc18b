"""`python -m tests.expressions --seconds 600 --target neon`: random programs until the time is over or `--programs` are done.

With `--log FILE` every batch leaves a line there, and the next run with that file goes on after the last one; what is printed is
the sum of all its lines. Failures are made smaller and saved.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.expressions.batch import Case, check
from tests.expressions.generate import program
from tests.expressions.shrink import shrink
from tests.random_runs import command
from tests.run.toolchain import toolchain


def main() -> None:
    parser = command("python -m tests.expressions", batch=200, save="expression-failures", reduce=1)
    parser.add_argument("--target", default="native")
    parser.add_argument("--programs", type=int, default=10**9, help="how many programs at most, those in the log included")
    parser.add_argument("--log", type=Path, help="where batches are counted")
    options = parser.parse_args()
    tools, done = toolchain(options.target), _read(options.log)
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and _programs(done) < options.programs:
        first = max([options.seed, *(line["last"] + 1 for line in done)])
        line = _batch(first, options, tools)
        done.append(line)
        if options.log:
            with options.log.open("a") as lines:
                lines.write(json.dumps(line) + "\n")
    print(_summary(done))


def _read(log: Path | None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log is not None and log.exists() else []


def _programs(done: list[dict[str, Any]]) -> int:
    return sum(line["last"] - line["first"] + 1 for line in done)


def _batch(first: int, options: Any, tools: Any) -> dict[str, Any]:
    programs = [program(seed) for seed in range(first, first + options.batch)]
    with tempfile.TemporaryDirectory() as scratch:
        found = check([Case(p.text("NAME"), p.plan) for p in programs], tools, Path(scratch), first)
        for number, what in sorted(found.failures.items()):
            small = shrink(programs[number], tools, Path(scratch), first) if options.reduce else programs[number]
            what = check([Case(small.text("NAME"), small.plan)], tools, Path(scratch), first).failures.get(0, what)
            _save(options, first + number, small.text("NAME"), small.plan, what)
    return {
        "commit": _commit(), "target": options.target, "first": first, "last": first + options.batch - 1,
        "brushed": found.brushed, "failed": sorted(first + k for k in found.failures), "refused": dict(found.refused),
    }  # fmt: skip


def _save(options: Any, seed: int, text: str, plan: str, what: str) -> None:
    options.save.mkdir(exist_ok=True)
    (options.save / f"seed_{seed}.{options.target}.c").write_text(f"/* {options.target} {plan}\n   {what.strip()} */\n{text}")
    print(f"seed {seed}, {options.target}, plan {plan}: {what.strip()[-600:]}\n{text}", flush=True)


def _commit() -> str:
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()


def _summary(done: list[dict[str, Any]]) -> str:
    refused: Counter[str] = sum((Counter(line["refused"]) for line in done), Counter())
    failed, brushed = sum(len(line["failed"]) for line in done), sum(line["brushed"] for line in done)
    commits = ", ".join(dict.fromkeys(line["commit"] for line in done))
    codes = ", ".join(f"{code} {count}" for code, count in refused.most_common())
    return f"{_programs(done)} programs at {commits}: {brushed} brushed, {failed} failed; brushes refused: {codes or 'none'}"


if __name__ == "__main__":
    main()
