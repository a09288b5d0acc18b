"""The stable codes of why loops keep the order of the source."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV330": "statements between loops, or the loops' bounds, do not permit the requested order or tiles",
    "TRV331": "neighbouring loops cannot be fused because of statements between them or of their bounds",
}
