"""The stable codes of why an array cannot have a layout."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV150": "a layout is given for a name that is not an array parameter",
    "TRV151": "a layout does not fit the dimensions of its array",
    "TRV152": "a layout needs a length that the array does not declare",
    "TRV153": "an array with a layout is accessed through a pointer that may point elsewhere",
    "TRV154": "an overlap of an array that has a layout with another array cannot be checked",
}
