"""Pragmas on loops: which of the user's promises and wishes the loop's header carries.

"omp simd" and "ivdep" promise independent iterations, "omp parallel for" too. Clauses that limit the promise (`safelen`,
`ordered`, `if`) drop it; the others stay in the text (`collapse(2)` says that the next loop's iterations are independent too).
"novector" wants the loop scalar.
"""

from __future__ import annotations

import re

_LIMITS = re.compile(r"\b(safelen|ordered|if)\b")


def loop_pragmas(text: str) -> tuple[str, ...]:
    """What `#pragma text` says about the loop that follows, in canonical spelling, with its clauses."""
    words = re.sub(r"\s+", " ", re.sub(r"([(,:])", r" \1", text)).strip().split(" ")
    if words[:1] == ["ivdep"] or words[:2] == ["GCC", "ivdep"]:
        return ("ivdep",)
    if words == ["novector"]:
        return ("novector",)
    if words[:1] != ["omp"] or _LIMITS.search(text):
        return ()
    directive = words[1:4]
    found: list[str] = []
    used = 0
    if directive[:2] == ["parallel", "for"] or directive[:1] == ["for"]:
        found.append("omp parallel for")
        used = 1 + (directive[0] == "parallel")
    if directive[used : used + 1] == ["simd"]:
        found.append("omp simd")
        used += 1
    clauses = _clauses(words[1 + used :])
    return tuple(f"{name} {clauses}".rstrip() for name in found)


def _clauses(words: list[str]) -> str:
    """Clauses with one blank between them and none inside, but after commas: `reduction(+:s) linear(i, j)`."""
    text = re.sub(r"\s*([(:])\s*", r"\1", " ".join(words))
    return re.sub(r"\s*,\s*", ", ", re.sub(r"\s+\)", ")", text))
