"""Registers for vectors that a block loads once and uses several times: what is needed again latest leaves them first.

That is what the best allocation does (Belady, "A study of replacement algorithms", 1966).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def reloaded(uses: Sequence[Hashable], registers: int) -> int:
    """How many of the uses, in their order, are of vectors that have left the registers."""
    following: dict[Hashable, list[int]] = {}
    for place in reversed(range(len(uses))):
        following.setdefault(uses[place], []).append(place)
    kept: set[Hashable] = set()
    left: set[Hashable] = set()
    found = 0
    for vector in uses:
        following[vector].pop()
        found += vector in left and vector not in kept
        kept.add(vector)
        kept -= {one for one in kept if not following[one]}
        while len(kept) > max(1, registers):
            latest = max(kept, key=lambda one: following[one][-1])
            kept.remove(latest)
            left.add(latest)
    return found
