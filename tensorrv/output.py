"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tensorrv.diagnostics import Diagnostic, Refused


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
        raise Refused(Diagnostic("error", "TRV084", message, hint="choose another directory with -o")) from error
    return tuple(directory / name for name in contents)
