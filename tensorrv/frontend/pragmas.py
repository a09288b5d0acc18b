"""Pragmas on loops: which of the user's promises and wishes the loop's header carries.

"omp simd" and "ivdep" promise independent iterations, "omp parallel for" too. Clauses that limit the promise (`safelen`,
`ordered`, `if`) drop it; the others only describe what the analyses find out themselves.
"""

from __future__ import annotations

import re

_LIMITS = re.compile(r"\b(safelen|ordered|if)\b")


def loop_pragmas(text: str) -> tuple[str, ...]:
    """What `#pragma text` says about the loop that follows, in canonical spelling."""
    words = re.sub(r"\s+", " ", re.sub(r"([(,:])", r" \1", text)).strip().split(" ")
    if words[:1] == ["ivdep"] or words[:2] == ["GCC", "ivdep"]:
        return ("ivdep",)
    if words[:1] != ["omp"] or _LIMITS.search(text):
        return ()
    directive = words[1:4]
    found: list[str] = []
    if directive[:2] == ["parallel", "for"] or directive[:1] == ["for"]:
        found.append("omp parallel for")
    if "simd" in directive[: 3 if found else 1]:
        found.append("omp simd")
    return tuple(found)
