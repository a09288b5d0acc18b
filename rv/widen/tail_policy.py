"""How the iterations that no whole brush covers are run: the names of the policies, apart from the code that follows them."""

from __future__ import annotations

from typing import Literal

TailPolicy = Literal["auto", "mask", "peel", "scalar"]
