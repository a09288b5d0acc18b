"""Whether a kernel is expected to be faster than the code of a C compiler."""

from __future__ import annotations

from tensorrv.pipeline.kernel import Kernel
from tensorrv.report.diagnostics import Diagnostic


def slower_than_compiler(kernel: Kernel) -> Diagnostic | None:
    """Why the compiler's code is as good as the kernel; None where the kernel is expected to be faster."""
    return None
