"""The ways to search, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from autotune.sweep import Strategy, exhaustive

STRATEGIES: Final[Mapping[str, Strategy]] = {"exhaustive": exhaustive}
