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
    "TRV086": "the brush cannot be applied to any nest of the selected functions",
    "TRV087": "code for the target does not run on this machine",
    "TRV088": "sizes for a run are missing or invalid",
    "TRV089": "verification found a difference",
    "TRV090": "there is no such loop",
    "TRV091": "an operation of the operating system failed, such as a write to a full disk",
    "TRV092": "the C source does not terminate on the data it is run on",
    "TRV093": "threads are requested without a brush",
    "TRV094": "a static function is not compiled, because no compiled function calls it",
    "TRV096": "the C source faults, or is undefined, on the data it is run on",
    "TRV097": "compiled code faults or does not terminate where the scalar code terminates",
    "TRV098": "the scalar code and the C compiler's code for the same source give different results",
    "TRV099": "memory was exhausted while code ran",
    "TRV100": "there is no description of a processor's core",
    "TRV101": "a processor has wider vectors than code uses",
    "TRV102": "no tuner is installed",
    "TRV103": "a program that draws pictures is missing",
    "TRV104": "data, lengths or ranges that are given do not fit the function",
    "TRV106": "a function has no dataflow graph",
}
