"""The stable codes of why loops keep the order of the source."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV330": "what stands between loops, or their bounds, does not allow the order or the tiles that are asked for",
    "TRV331": "neighbouring loops cannot be fused, because of what stands between them or of their bounds",
}
