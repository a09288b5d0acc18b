"""What the commands have in common that try random programs for a while: `python -m tests.fuzz`, `python -m tests.stages`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def command(prog: str, *, batch: int, save: str, reduce: float) -> argparse.ArgumentParser:
    """The parser with the options that both have, and their defaults."""
    parser = argparse.ArgumentParser(prog=prog)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--save", type=Path, default=Path(save), help="where reduced failures are written")
    help_ = "seconds for reducing one failure; 0 to leave them as they are"
    parser.add_argument("--reduce", type=float, default=reduce, help=help_)
    return parser


def show_failure(seed: int, kind: str, outcome: Mapping[str, Any]) -> None:
    """One line about a program that failed."""
    print(f"seed {seed}: {kind}: {outcome.get('detail', '')[-300:].strip()}", flush=True)
