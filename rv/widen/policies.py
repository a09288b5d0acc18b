"""The names of policies for generated code, apart from the code that follows them."""

from __future__ import annotations

from typing import Literal

TailPolicy = Literal["auto", "mask", "peel", "scalar"]
"""How the iterations that no whole brush covers are run."""
SkipPolicy = Literal["auto", "none", "all"]
"""Which sides of divergent branches are skipped when no lane is active (`rv.widen.skipping`)."""
