"""`python -m tests.expressions --seconds 600 --target avx2,neon`: random programs until the time or `--programs` are over.

With `--log FILE` every batch leaves a line there, and the next run with that file goes on after the last one; what is printed is
the sum of all its lines. Failures are made smaller and saved.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.expressions.batch import Case, check, check_targets
from tests.expressions.generate import program
from tests.expressions.shrink import shrink
from tests.expressions.tree import Program
from tests.random_runs import command
from tests.run.toolchain import Toolchain, toolchain


def main() -> None:
    parser = command("python -m tests.expressions", batch=100, save="expression-failures", reduce=1)
    parser.add_argument("--target", default="native", help="one or several, with commas")
    parser.add_argument("--programs", type=int, default=10**9, help="how many programs at most, those in the log included")
    parser.add_argument("--log", type=Path, help="where batches are counted")
    options = parser.parse_args()
    tools, done = [toolchain(name) for name in options.target.split(",")], _read(options.log)
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


def _batch(first: int, options: Any, tools: Sequence[Toolchain]) -> dict[str, Any]:
    programs = [program(seed) for seed in range(first, first + options.batch)]
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        cases = [Case(p.text("NAME"), p.plan) for p in programs]
        for own, found in zip(tools, check_targets(cases, tools, Path(scratch), first), strict=True):
            failures = sorted(found.failures.items())
            failed = [_report(first + k, programs[k], what, own, options, Path(scratch)) for k, what in failures]
            results[own.target.name] = {"brushed": found.brushed, "failed": failed, "refused": dict(found.refused)}
    statements = sum(len(p.statements) for p in programs)
    return {"commit": _commit(), "first": first, "last": first + options.batch - 1, "statements": statements, "targets": results}


def _report(seed: int, failing: Program, what: str, tools: Toolchain, options: Any, scratch: Path) -> int:
    """Makes the program smaller and saves it; the seed."""
    small = shrink(failing, tools, scratch, seed) if options.reduce else failing
    what = check([Case(small.text("NAME"), small.plan)], tools, scratch, seed).failures.get(0, what).strip()
    options.save.mkdir(exist_ok=True)
    name, text = tools.target.name, small.text("NAME")
    (options.save / f"seed_{seed}.{name}.c").write_text(f"/* {name} {small.plan}\n   {what} */\n{text}")
    print(f"seed {seed}, {name}, plan {small.plan}: {what[-600:]}\n{text}", flush=True)
    return seed


def _commit() -> str:
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()


def _summary(done: list[dict[str, Any]]) -> str:
    """A line for all targets together, and one for each."""
    commits = ", ".join(dict.fromkeys(line["commit"] for line in done))
    text = [f"{_programs(done)} programs with {sum(line['statements'] for line in done)} statements at {commits}"]
    for name in dict.fromkeys(name for line in done for name in line["targets"]):
        own = [line["targets"][name] for line in done if name in line["targets"]]
        refused: Counter[str] = sum((Counter(result["refused"]) for result in own), Counter())
        codes = ", ".join(f"{code} {count}" for code, count in refused.most_common())
        failed, brushed = sum(len(result["failed"]) for result in own), sum(result["brushed"] for result in own)
        text.append(f"{name}: {brushed} brushed, {failed} failed; refused: {codes or 'none'}")
    return "\n".join(text)


if __name__ == "__main__":
    main()
