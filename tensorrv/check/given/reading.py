"""Arguments from files: an `.npz` of NumPy's, or a Python file with a function that returns them by name.

    # harness.py                                     np.savez("spmv.npz", n=3, ptr=..., idx=..., x=...)
    def arguments():
        return {"n": 3, "ptr": ..., "idx": ..., "x": ...}

A function of the harness that is called as the kernel is goes before `arguments`. Harnesses run in a child process.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tensorrv.check.sandbox import Failure, Sandbox
from tensorrv.report.diagnostics import Diagnostic, Refused

HARNESS: Final = "tensorrv.check.given.harness:answer"
LONGEST: Final = 600.0  # seconds that a harness may take
_HINT: Final = "--data takes an .npz of NumPy's, or a .py with a function arguments() that returns a dictionary"


@dataclass(frozen=True, slots=True)
class Harness:
    """The request to a child process: call the function of the file for the kernel called `kernel`."""

    path: str
    kernel: str


@dataclass(frozen=True, slots=True)
class Broken:
    """What a harness raised, as Python prints it."""

    message: str


def read_arguments(path: Path, kernel: str) -> Mapping[str, Any]:
    """Arguments by name for the kernel called so. Raises Refused."""
    if not path.is_file():
        raise _refused(f"there is no file '{path}'")
    return _from_harness(path, kernel) if path.suffix == ".py" else _from_archive(path)


def _from_archive(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise _refused(f"'{path}' is one array without a name")
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise _refused(f"'{path}' cannot be read as an .npz: {error}") from error


def _from_harness(path: Path, kernel: str) -> Mapping[str, Any]:
    box = Sandbox(HARNESS)
    try:
        found = box.ask(Harness(str(path.absolute()), kernel), LONGEST)
    except Failure as failure:
        raise _refused(f"the harness '{path}' gave no arguments: {failure}", hint="the file has to run by itself") from failure
    finally:
        box.close()
    if isinstance(found, Broken):
        raise _refused(f"the harness '{path}' gave no arguments: {found.message}")
    arguments: Mapping[str, Any] = found
    return arguments


def _refused(message: str, hint: str = _HINT) -> Refused:
    return Refused(Diagnostic("error", "TRV104", message, hint=hint))
