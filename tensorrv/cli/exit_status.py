"""How a command of the package ends: exit statuses, and what becomes of exceptions.

0 done; 1 the input was refused; 2 bad usage; 3 verification found a difference; 70 a bug of ours; 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rv.internal_error import internal_error, tracebacks_wanted
from tensorrv.cli.options import UsageError
from tensorrv.report.diagnostics import Diagnostic, render

DONE: Final = 0
REFUSED: Final = 1
BAD_USAGE: Final = 2
DIFFERENT: Final = 3
INTERNAL: Final = 70
INTERRUPTED: Final = 130


def exit_status(run: Callable[[], int], misused: Callable[[Diagnostic], None]) -> int:
    """The status that `run` gives, or the one for what it raises, after saying why; `misused` hears of bad usage first."""
    try:
        return run()
    except UsageError as error:
        misused(error.diagnostic)
        print_diagnostics([error.diagnostic], {})
        return BAD_USAGE
    except BrokenPipeError:
        # the reader of the output has closed the pipe
        sys.stdout = None
        return DONE
    except OSError as error:
        # a full disk behind stdout, a name that is too long
        what = f"'{error.filename}': " if error.filename else ""
        print_diagnostics([Diagnostic("error", "TRV091", f"{what}{(error.strerror or str(error)).lower()}")], {})
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if tracebacks_wanted():
            traceback.print_exception(error)
        print(internal_error(error), file=sys.stderr)
        return INTERNAL


def print_diagnostics(diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
    """Each once, to standard error."""
    for diagnostic in dict.fromkeys(diagnostics):
        print(render(diagnostic, sources), file=sys.stderr)
