"""The stable codes of why loop nests stay with the C compiler."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV500": "a jump enters or leaves a nest",
    "TRV501": "a nest belongs to an OpenMP construct that is left to the C compiler",
    "TRV502": "a function has effects that outlining of its nests cannot analyse",
    "TRV503": "a variable of a nest cannot be passed to a function",
    "TRV504": "a nest calls a function whose body is not known",
    "TRV505": "code for a nest is not expected to be faster than the C compiler's",
    "TRV506": "an option or a directive changes the meaning of C for a whole file",
    "TRV507": "the C compiler cannot compile the file with its nests replaced, or an internal error occurred",
    "TRV508": "a nest takes too long to compile",
}
