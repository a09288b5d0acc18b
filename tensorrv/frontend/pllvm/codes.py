"""The stable codes of what is wrong with P-LLVM text; the documentation of diagnostics is made from this table."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV050": "the text is not P-LLVM, or a function in it is not well formed",
    "TRV051": "a function has cycles that can be entered at two places",
    "TRV052": "an interface is malformed, or does not fit its function",
    "TRV053": "the interface does not say what an array holds, and neither does the code",
}
