"""The stable codes of what tensorization refuses."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV140": "some lanes of a brush do not reach a loop inside it, and the loop cannot be run for all lanes",
    "TRV141": "a run-time check would need values that are only computed after it",
    "TRV142": "a function that is declared simd gets no vector version, because gcc would not call it",
    "TRV143": "a brush has another size than `simdlen` specifies",
    "TRV144": "a nest uses fewer dimensions of the brush than it has loops for",
}
