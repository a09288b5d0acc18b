"""Small C files with everything that kernels do and the shipped ones do not, on all targets, against gcc."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import Subject, read_subject
from tests.run.toolchain import TARGETS, installed

CASES = sorted((Path(__file__).parent / "cases").glob("*.c"))
TAILS = ("auto", "mask", "peel", "scalar")
SKIPS = ("all", "auto", "none")
STORES = ("cached", "stream")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, target: str, tmp_path: Path) -> None:
    subject = read_subject(path)
    # every brush runs on two of three targets, under one policy for tails, which differs between brushes and targets
    shift = TARGETS.index(target)
    chosen = [(b, TAILS[(k + shift) % len(TAILS)]) for k, b in enumerate(subject.brushes) if (k + shift) % 3]
    skips = [SKIPS[(k + shift) % len(SKIPS)] for k in range(len(chosen))]
    plans = [
        f"brush={b} tail={tail} boscc={skip} stores={STORES[(k + shift) % 2]} prefetch={(k + shift) % 3 * 2} {subject.plan}"
        for k, ((b, tail), skip) in enumerate(zip(chosen, skips, strict=True))
    ]
    check_case(subject, target, tmp_path, plans)


@pytest.mark.parametrize("tail", ["mask", "peel"])
def test_quotients_off_the_divider(tail: str, tmp_path: Path) -> None:
    """For a processor whose divider is slow; other processors are as in the other cases."""
    subject = read_subject(CASES[0].parent / "quotients.c")
    check_case(subject, "skylake-avx512", tmp_path, [f"brush={brush} tail={tail}" for brush in subject.brushes])


@pytest.mark.parametrize("target", ["znver4", "alderlake", "neoverse-n2"])
def test_products_added_to_words_at_once(target: str, tmp_path: Path) -> None:
    subject = read_subject(CASES[0].parent / "narrow_sums.c")
    plans = zip(subject.brushes[:4], TAILS, strict=True)
    check_case(subject, target, tmp_path, [f"brush={brush} tail={tail}" for brush, tail in plans])


@pytest.mark.parametrize(("target", "lanes"), [("avx512", 64), ("avx2", 32), ("neon", 16)])
def test_whole_registers_of_bytes(target: str, lanes: int, tmp_path: Path) -> None:
    """Stored registers are then one shuffle each of two that are loaded (`rv.vector.shuffles`)."""
    check_case(read_subject(CASES[0].parent / "channels_of_pixels.c"), target, tmp_path, [f"brush={lanes}"])


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case_under_all_plans(path: Path, target: str, tmp_path: Path) -> None:
    subject = read_subject(path)
    brushes = dict.fromkeys((*subject.brushes, "1", "16", "4x8", "8x1", "2x3x4"))
    choices = itertools.product(brushes, TAILS, (("all", "cached"), ("auto", "stream")))
    plans = [f"brush={b} tail={tail} boscc={skip} stores={s} {subject.plan}" for b, tail, (skip, s) in choices]
    check_case(subject, target, tmp_path, plans)


def check_case(subject: Subject, target: str, scratch: Path, plans: list[str]) -> None:
    tools = installed(target)
    outcome = run_plans(subject, parse_plans(plans), tools, scratch)
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    brushed = {f.name: [e for e in outcome.entries if e.function is f and e.tensorized and e.tensorized.brushed]
               for f in subject.functions}  # fmt: skip
    for name, entries in brushed.items():
        assert subject.may_stay_scalar or bool(entries) != subject.stays_scalar, f"{name} is brushed under {len(entries)} plans"
