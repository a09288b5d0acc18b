"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tensorrv.report.diagnostics import Diagnostic, Refused


def write_files(directory: Path, contents: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Writes all files into `directory` (made when missing) or none: they are complete before the first gets its name.

    Raises Refused when that cannot be done.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name in contents:
            if (directory / name).is_dir():
                raise IsADirectoryError(21, "Is a directory", str(directory / name))
        with tempfile.TemporaryDirectory(dir=directory, prefix=".tensorrv-") as scratch:
            for name, data in contents.items():
                Path(scratch, name).write_bytes(data)
            for name in contents:
                os.replace(Path(scratch, name), directory / name)
    except OSError as error:
        where = error.filename if error.filename and not str(error.filename).startswith(f"{directory}/.tensorrv-") else directory
        message = f"cannot write to '{where}': {(error.strerror or str(error)).lower()}"
        raise Refused(Diagnostic("error", "TRV084", message, hint="choose another path")) from error
    return tuple(directory / name for name in contents)


def check_writable(path: Path) -> None:
    """Raises Refused where a file of this name could not be written, as far as can be known beforehand."""
    place = path.parent
    while not place.exists() and place != place.parent:
        place = place.parent  # what is missing is made
    reason = "is a directory" if path.is_dir() else "" if place.is_dir() else "not a directory"
    if not reason and not os.access(place, os.W_OK | os.X_OK):
        reason = "permission denied"
    if reason:
        raise Refused(Diagnostic("error", "TRV084", f"cannot write to '{path}': {reason}", hint="choose another path"))
