"""The stable codes of what the command line and the Python interface refuse; front end and nest analysis have their own."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV080": "a command-line option has a wrong value",
    "TRV081": "there is no such kernel file",
    "TRV082": "there is no such function",
    "TRV083": "there is no such target",
    "TRV084": "an output cannot be written",
    "TRV085": "no C compiler can link a shared library",
    "TRV086": "no nest of the selected functions can take the brush",
    "TRV087": "code for the target does not run on this machine",
    "TRV088": "sizes for a run are missing or make no sense",
    "TRV089": "verification found a difference",
    "TRV090": "there is no such loop",
    "TRV091": "the operating system refused something, such as to write to a full disk",
    "TRV092": "the C source does not end on random data",
    "TRV093": "threads are asked for without a brush",
    "TRV094": "a static function is not compiled, because nothing that is compiled calls it",
    "TRV096": "the C source faults on random data",
    "TRV097": "compiled code faults, or does not end, where the scalar code does not",
    "TRV098": "the scalar code and the C compiler's code of the source differ",
    "TRV099": "memory was exhausted while code was run",
}
