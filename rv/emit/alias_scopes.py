"""Metadata for LLVM: which accesses do not overlap, and which stores are non-temporal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AliasScopes:
    """Scopes for accesses of `arrays` that are each alone in what they touch: array k has nodes 3k+1 to 3k+3 behind node 0."""

    arrays: tuple[str, ...]

    def tag(self, array: str) -> str:
        """What is appended to an access of an array; nothing for accesses that belong to none, or to the only one."""
        if array not in self.arrays or len(self.arrays) == 1:
            return ""
        scope = 2 + 3 * self.arrays.index(array)
        return f", !alias.scope !{scope}, !noalias !{scope + 1}"

    @property
    def nontemporal(self) -> str:
        """What is appended to a store that goes around the caches."""
        return f", !nontemporal !{self.last}"

    @property
    def last(self) -> int:
        """The highest number of a node."""
        return 3 * len(self.arrays) + 1

    @property
    def metadata(self) -> tuple[str, ...]:
        """The definitions of the nodes."""
        hint = f"!{self.last} = !{{i32 1}}"
        if len(self.arrays) == 1:
            return (hint,)
        lines = ["!0 = distinct !{!0}", hint]
        for k in range(len(self.arrays)):
            others = ", ".join(f"!{1 + 3 * o}" for o in range(len(self.arrays)) if o != k)
            own = 1 + 3 * k
            lines += [f"!{own} = distinct !{{!{own}, !0}}", f"!{own + 1} = !{{!{own}}}", f"!{own + 2} = !{{{others}}}"]
        return tuple(lines)
