"""Many random programs at once: generate, probe, compile, compare, count."""

from __future__ import annotations

import ctypes
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from rv.target.machine import resolve_target, runs_here
from tensorrv.schedule.plan import (
    SKIP_POLICIES,
    SPLIT_POLICIES,
    STORE_POLICIES,
    TAIL_POLICIES,
    UNROLL_POLICIES,
    Brush,
    Plan,
    Skew,
    Tile,
)
from tests.fuzz.case import Call, Case
from tests.fuzz.children import Outcome, run_apart
from tests.fuzz.compare import check_case, probe_case, skeleton
from tests.fuzz.generate import generate
from tests.fuzz.native import NotC, build_probe, build_reference
from tests.fuzz.tree import PRELUDE, Program

SECONDS = 60
TARGETS = ("native", "native", "native", "avx2", "avx2", "avx512", "x86-64-v2")


@dataclass(slots=True)
class Statistics:
    programs: int = 0
    undefined: int = 0
    calls: int = 0
    accepted: int = 0
    refused: int = 0
    moved: int = 0
    """Programs some nest of which runs in another order, in tiles, or fused."""
    codes: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        programs = f"{self.programs} programs ({self.undefined} without a well-defined call), {self.calls} calls"
        lines = [f"{programs}; {self.accepted} brushed, {self.refused} refused, {self.moved} with loops moved"]
        lines += [f"  refused nests, {code}: {count}" for code, count in self.codes.most_common()]
        lines += [f"  failures, {kind}: {count}" for kind, count in self.failures.most_common()]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Failure:
    program: Program
    case: Case
    outcome: Outcome

    @property
    def kind(self) -> str:
        return kind_of(self.outcome)


def kind_of(outcome: Outcome) -> str:
    """Failures of one kind have the same cause, as far as one can tell; "" when there is no failure."""
    match outcome["status"]:
        case "mismatch" | "exception":
            return str(outcome["kind"])
        case "killed":
            return f"signal {outcome['signal']}"
        case _:
            return ""


def random_plan(rng: random.Random, program: Program) -> Plan:
    """A plan for the program: any brush, now and then on loops that are named."""
    rank = rng.choice((1, 1, 2, 2, 2, 3))
    loops = list(dict.fromkeys(re.findall(r"\b(i\d+)\b", program.text().partition("{")[2])))
    names = tuple(sorted(rng.sample(loops, rank), key=loops.index)) if rng.random() < 0.25 and len(loops) >= rank else ()
    largest = 64 if rng.random() < 0.96 else 512
    while True:
        sizes = tuple(rng.choice((1, 2, 3, 4, 4, 5, 7, 8, 8, 16, 16, largest)) for _ in range(rank))
        if 1 < math.prod(sizes) <= largest:
            break
    projection = list(range(rank))
    rng.shuffle(projection)
    plan = Plan(
        Brush(sizes, names),
        tuple(projection) if rng.random() < 0.5 else None,
        tail=rng.choice(TAIL_POLICIES),
        register_bits=rng.choice((0, 0, 0, 128, 256, 512)),
        assume_no_alias=not program.aliases and rng.random() < 0.15,
        boscc=rng.choice(SKIP_POLICIES),
        stores=rng.choice(STORE_POLICIES),
        prefetch=rng.choice((0, 0, 1, 3)),
    )
    return _moved(rng, plan, loops) if rng.random() < 0.6 else plan


def _moved(rng: random.Random, plan: Plan, loops: Sequence[str]) -> Plan:
    """The plan with another order of loops, tiles by name or by place, slopes, or fusion."""
    if rng.random() < 0.5 and len(loops) > 1:
        plan = replace(plan, order=tuple(rng.sample(loops, rng.randint(2, len(loops)))))
    if rng.random() < 0.6 and loops:
        tiled = rng.sample(loops, rng.randint(1, min(3, len(loops))))
        sizes = tuple(rng.choice((1, 2, 3, 4, 5, 8, 16)) for _ in tiled)
        plan = replace(plan, tile=Tile(sizes, tuple(tiled) if rng.random() < 0.6 else ()))
    if rng.random() < 0.3 and len(loops) > 1:
        skewed, *others = rng.sample(loops, rng.randint(2, min(3, len(loops))))
        plan = replace(plan, skew=(Skew(skewed, tuple((name, rng.randint(1, 3)) for name in others)),))
    return replace(plan, fuse=rng.random() < 0.3, split=rng.choice(SPLIT_POLICIES), unroll=rng.choice(UNROLL_POLICIES))


def random_target(rng: random.Random) -> str:
    return rng.choice([t for t in TARGETS if runs_here(resolve_target(t)) is None])


def run_batch(
    seeds: Sequence[int], directory: Path, statistics: Statistics, make: Callable[[int, str], Program] = generate
) -> list[Failure]:
    """The programs that `make` writes for these seeds; what is left over after everything agreed."""
    programs = [make(seed, f"f{k}") for k, seed in enumerate(seeds)]
    bare = []
    for seed, program in zip(seeds, programs, strict=True):
        rng = random.Random(seed * 7 + 1)
        bare.append(skeleton(program, PRELUDE + program.text(), str(random_plan(rng, program)), random_target(rng)))
    cases = add_calls(programs, bare, directory)
    statistics.programs += len(cases)
    statistics.undefined += sum(not case.calls for case in cases)
    usable = [(p, c) for p, c in zip(programs, cases, strict=True) if c.calls]
    reference = build_reference([PRELUDE, *(p.text() for p, _ in usable)], directory / f"reference{seeds[0]}")
    outcomes = run_apart([partial(check_case, case, reference) for _, case in usable], SECONDS)
    failures = []
    for (program, case), outcome in zip(usable, outcomes, strict=True):
        count(statistics, case, outcome)
        if kind_of(outcome):
            failures.append(Failure(program, case, outcome))
    return failures


def count(statistics: Statistics, case: Case, outcome: Outcome) -> None:
    statistics.calls += len(case.calls)
    statistics.codes.update(outcome.get("codes", ()))
    statistics.moved += bool(outcome.get("moved"))
    if kind_of(outcome):
        statistics.failures[kind_of(outcome)] += 1
    elif outcome["status"] == "ok":
        statistics.accepted += 1
    else:
        statistics.refused += 1
        statistics.messages[outcome["detail"][:150]] += 1


def add_calls(programs: Sequence[Program], cases: Sequence[Case], directory: Path) -> list[Case]:
    """The cases with the calls that are well defined. Raises NotC."""
    library = build_probe(programs, directory / "probe")
    tasks, owners = [], []
    for k, (program, case) in enumerate(zip(programs, cases, strict=True)):
        for number, values in enumerate((tuple(v for _, _, v in program.scalars), *program.others)):
            aliases = {a: (b, offset) for a, b, offset in program.aliases} if number % 2 else {}
            seed = number + len(program.arrays)
            tasks.append(partial(probe_case, case, library, values, aliases, seed))
            owners.append((k, Call(values, {}, aliases, (number + k) % 2 == 0, seed)))
    calls: dict[int, list[Call]] = {}
    for (k, call), outcome in zip(owners, run_apart(tasks, 0.3), strict=True):
        if outcome["status"] == "ok":
            reach = {name: None if r is None else (r[0], r[1]) for name, r in outcome["reach"].items()}
            calls.setdefault(k, []).append(replace(call, reach=reach))
    return [replace(case, calls=tuple(calls.get(k, ()))) for k, case in enumerate(cases)]


def check_alone(program: Program, plan: str, target: str, directory: Path) -> tuple[Case, Outcome]:
    """One program, as in a batch."""
    text = "".join(line + "\n" for line in PRELUDE.splitlines()) + program.text()
    bare = skeleton(program, text, plan, target)
    try:
        case = add_calls([program], [bare], directory)[0]
        if not case.calls:
            return case, {"status": "undefined"}
        reference: ctypes.CDLL = build_reference([case.text], directory / "alone")
    except NotC:
        return bare, {"status": "not C"}
    return case, run_apart([partial(check_case, case, reference)], SECONDS)[0]
