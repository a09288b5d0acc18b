"""The stable codes of what the tuner refuses."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV400": "the database of results cannot be used",
    "TRV401": "a line to import is not an exported result",
    "TRV402": "no candidate of the search space could be measured",
    "TRV403": "drawing needs matplotlib",
    "TRV404": "the sizes to measure leave the loops without iterations",
}
