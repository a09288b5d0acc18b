"""The stable codes of what is wrong with LLVM IR; the documentation of diagnostics is made from this table."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    "TRV054": "the text or bitcode is not a module of LLVM IR, or it is for a machine with other addresses",
    "TRV055": "an instruction or operand of LLVM IR has no equivalent in P-LLVM",
    "TRV056": "a type of LLVM IR has no equivalent in P-LLVM",
    "TRV057": "an access to memory in LLVM IR is volatile, atomic or not naturally aligned",
    "TRV058": "a function of LLVM IR has an interface that P-LLVM does not have",
}
