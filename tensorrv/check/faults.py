"""Runs machine code in a child process, and reports which version did not terminate.

The C source as it stands may fault on random data, or never end: then it is not the brush that is wrong, and the input is
refused. A kernel that faults where the source does not is wrong.
"""

from __future__ import annotations

import signal
from typing import Any, Final, assert_never

from rv.internal_error import InternalError
from tensorrv.check.given.values import RANDOM
from tensorrv.check.runs import Comparison, Measurement, Running
from tensorrv.check.sandbox import Crashed, Failure, Hung, OutOfMemory, Sandbox
from tensorrv.check.verify import Verification
from tensorrv.report.diagnostics import Diagnostic, Refused, Wrong
from tensorrv.unit.unit import Unit

LONGEST: Final = 120.0  # seconds that one call of a function may take
RUNS: Final = "tensorrv.check.runs:answer"

_SIGNALS: Final = {
    signal.SIGSEGV: "touches memory that is not there",
    signal.SIGBUS: "touches memory that is not there",
    signal.SIGFPE: "divides an integer by zero",
    signal.SIGILL: "runs an instruction that this processor does not have",
}


def run_apart(function: Unit, request: Comparison | Measurement, longest: float | None = None) -> Any:
    """The answer of a child process to the request. Raises Refused or Wrong when there is none."""
    box = Sandbox(RUNS)
    try:
        return box.ask(request, LONGEST if longest is None else longest)
    except Failure as failure:
        raise _diagnosed(function, failure, request.given.data) from failure
    finally:
        box.close()


def doubted(function: Unit, found: Verification) -> Wrong:
    """The scalar code is not what the C compiler makes of the source."""
    message = f"the scalar code of '{function.name}' and {found.compiler} give different results: {found.doubt}"
    hint = (
        "'expected' is the scalar code's; where C defines the result for these data, one of the two is wrong, not the brush: "
        "please report it with the source"
    )
    return Wrong(Diagnostic("error", "TRV098", message, function.function.span, hint=hint))


def undefined_on_data(function: Unit, why: str) -> Refused:
    """The source does what C leaves undefined on the user's data, so that there is nothing to compare."""
    message = f"what the C source of '{function.name}' does on the given data is undefined: {why}"
    return Refused(Diagnostic("error", "TRV096", message, function.function.span, hint="see lengths and subscripts in the data"))


def _diagnosed(function: Unit, failure: Failure, data: str) -> Exception:
    """What to raise when there was no answer."""
    running = failure.during
    if isinstance(failure, OutOfMemory):
        message = f"memory was exhausted while '{function.name}' was run on {data}{_with(running)}"
        return Refused(Diagnostic("error", "TRV099", message, function.function.span, hint="give smaller sizes with --size"))
    if not isinstance(running, Running) or (isinstance(failure, Crashed) and failure.signal is None):
        return InternalError("the process that runs machine code failed", str(failure))
    return _blamed(function, running, _what_happened(failure), data, endless=isinstance(failure, Hung))


def _blamed(function: Unit, running: Running, what: str, data: str, *, endless: bool) -> Refused:
    """The diagnostic for the code that was running."""
    name, span, where = function.name, function.function.span, _with(running)
    match running.whose:
        case "source":
            message = f"the C source of '{name}' {what} on {data}{where}, whatever the brush"
            hint = "bounds, subscripts and divisors may come from arrays and parameters"
            if data == RANDOM:
                hint += " with random contents: give your own with --data, or ranges with --range"
            code = "TRV092" if endless else "TRV096"
            return Refused(Diagnostic("error", code, message, span, hint=hint))
        case "compiler":
            message = f"'{name}' as {running.called} compiles it {what} where the scalar code does not{where}"
            hint = "the source does something that C leaves undefined, or one of the two compilers is wrong"
            return Wrong(Diagnostic("error", "TRV098", message, span, hint=hint))
        case "kernel":
            code = f" ({running.called})" if running.called else ""
            message = f"the compiled code of '{name}'{code} {what} where the scalar code does not{where}"
            hint = "this is an error of TensorRV: please report it with the source; another --brush may do meanwhile"
            return Wrong(Diagnostic("error", "TRV097", message, span, hint=hint))
        case _:
            assert_never(running.whose)


def _what_happened(failure: Failure) -> str:
    if isinstance(failure, Crashed) and failure.signal is not None:
        number = signal.Signals(failure.signal)
        name, known = number.name, _SIGNALS.get(number)
        return f"{known} ({name})" if known else f"was ended by {name}"
    return f"did not end within the time limit ({failure})"


def _with(running: object) -> str:
    """The sizes at which it happened."""
    sizes = running.sizes if isinstance(running, Running) else {}
    text = ", ".join(f"{name}={value}" for name, value in sizes.items())
    return f" (with {text})" if text else ""
