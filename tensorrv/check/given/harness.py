"""What the child process does that runs a user's harness."""

from __future__ import annotations

import pickle
import runpy
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tensorrv.check.given.reading import Broken, Harness
from tensorrv.check.sandbox import Note

FUNCTION = "arguments"


def answer(request: Harness, note: Note) -> dict[str, Any] | Broken:
    """The sandbox's function: the arguments, or what went wrong in the user's code."""
    try:
        return _called(request)
    except (Exception, SystemExit) as error:
        traceback.print_exception(error)
        return Broken(f"{type(error).__name__}: {error}")


def _called(request: Harness) -> dict[str, Any] | Broken:
    sys.path.insert(0, str(Path(request.path).parent))
    made = runpy.run_path(request.path)
    function = made.get(request.kernel) or made.get(FUNCTION)
    if not callable(function):
        return Broken(f"it defines neither {request.kernel}() nor {FUNCTION}()")
    found = function()
    if not isinstance(found, Mapping):
        return Broken(f"{function.__name__}() returned {type(found).__name__}, not a dictionary")
    arguments = {str(name): np.ascontiguousarray(v) if isinstance(v, np.ndarray) and v.ndim else v for name, v in found.items()}
    pickle.dumps(arguments)
    return arguments
