"""The diagnostic for a kernel that is neither a file nor shipped with the package."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from tensorrv.report.diagnostics import Diagnostic, Refused


def refusal(text: str, shipped: Sequence[str]) -> Refused:
    """The refusal of what the user calls a kernel; `shipped` are the names of kernels that there are."""
    path = Path(text)
    hint = ""
    if not text:
        message, hint = "the kernel's name is empty", "give a C file or a shipped kernel's name"
    elif path.is_dir():
        message = f"'{text}' is a directory, not a C file"
    elif path.exists():
        message = f"'{text}' is a device, not a C file"
    else:
        message = f"no such file or kernel: '{text}'"
        close = difflib.get_close_matches(path.stem, shipped, n=3)
        similar = f"shipped kernels with a similar name: {', '.join(close)}"
        hint = similar if close else "give a C file or a shipped kernel's name"
    return Refused(Diagnostic("error", "TRV081", message, hint=hint))
