"""How LLVM IR is told from other languages: by the file's name, or by how a text begins."""

from __future__ import annotations

import re
from typing import Final

LLVM_SUFFIXES: Final = (".ll", ".bc")
_START: Final = re.compile(
    r"(?:\s|;[^\n]*\n)*(?:source_filename\s*=|target\s+(?:datalayout|triple)\s*=|declare\s|attributes\s+#|%\S+\s*=\s*type\b|@\S+\s*=|!\S+\s*="
    r"|define\s+(?:[\w.]+(?:\([^)]*\))?\s+|\{[^}]*\}\s*)+@[^(]*\()"
)
_LLVM: Final = re.compile(r"^\s*(?:br|ret|switch|unreachable|store \S+ \S+, ptr|%\S+ = getelementptr)\b", re.MULTILINE)


def is_llvm(text: str) -> bool:
    """Whether a text begins as LLVM IR does, and no C and no P-LLVM can, whose functions end blocks in other words."""
    return _START.match(text) is not None and _LLVM.search(text) is not None
