"""Files of random C functions under several plans, against gcc."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import installed


def check_random(
    seed: int, directives: str, functions: Sequence[str], brushes: Iterable[str], target: str, scratch: Path
) -> None:
    """All functions give what gcc's give under every brush, and more of them than there are functions are brushed."""
    path = scratch / "random.c"
    path.write_text(directives + "\n".join(functions))
    outcome = run_plans(read_subject(path), parse_plans(f"brush={brush}" for brush in brushes), installed(target), scratch)
    assert not outcome.failures, f"seed {seed}: " + "\n".join(outcome.failures[:20])
    assert sum(bool(e.tensorized and e.tensorized.brushed) for e in outcome.entries) > len(functions)
