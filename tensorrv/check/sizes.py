"""Values for the integer parameters of a kernel, as users write them: `rows=1026,cols=1026`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tensorrv.schedule.plan import PlanError

Sizes = Mapping[str, int]

_ITEM: Final = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)=(-?[0-9]{1,12})\Z")


def parse_sizes(text: str) -> dict[str, int]:
    """The sizes in `text`. Raises PlanError."""
    sizes: dict[str, int] = {}
    for part in text.split(","):
        found = _ITEM.match(part)
        if found is None or not part.isascii():
            raise PlanError(f"'{part}' is not a size", "write parameters and values, such as rows=1026,cols=1026")
        if found[1] in sizes:
            raise PlanError(f"the size of '{found[1]}' is given twice")
        sizes[found[1]] = int(found[2])
    return sizes
