"""The stable codes of what tensorization refuses."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV140": "some lanes of a brush do not come to a loop inside it, and the others cannot run it for them",
    "TRV141": "a run-time check would need values that are only known behind it",
    "TRV142": "no vector version is made of a function that is declared simd, because gcc would not call it",
    "TRV143": "a brush has another size than `simdlen` wishes for",
    "TRV144": "a nest takes fewer dimensions of the brush than it has loops for",
}
