"""A bug of this project reaches Python callers as an InternalError that requests a report, whichever call it is in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorrv as trv
from rv.internal_error import InternalError

TWICE = "void twice(int n, const double a[n], double b[n]) { for (int i = 0; i < n; i++) b[i] = 2 * a[i]; }"
CALLS: dict[str, Callable[[Any], object]] = {
    "tensorrv.pipeline.explain.nests.explain_kernel": lambda kernel: kernel.explain(),
    "tensorrv.pipeline.forms.render_forms": lambda kernel: kernel.write("unused", "header"),
    "tensorrv.api.compiled.bind": lambda kernel: kernel(np.zeros(3), np.zeros(4)),
}


@pytest.mark.parametrize("part", CALLS)
def test_bugs_ask_for_a_report(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: object, **named: object) -> object:
        raise KeyError("lost")

    kernel = trv.compile(TWICE, brush=8)
    monkeypatch.setattr(part, wrong)
    with pytest.raises(InternalError, match="KeyError: 'lost'(.|\n)*Please report it"):
        CALLS[part](kernel)
