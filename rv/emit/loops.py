"""Metadata on loops that are vectorized already, so that LLVM's vectorizer leaves them alone where it is on for the others.

Marking the others instead ("enable") would let LLVM reorder their floating-point sums.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class VectorizedLoops:
    """Numbers the loops of a module; node `first` is what all of them refer to."""

    first: int
    count: int = 0

    def next(self) -> str:
        """What is appended to the jump back of the next loop."""
        self.count += 1
        return f", !llvm.loop !{self.first + self.count}"

    @property
    def metadata(self) -> tuple[str, ...]:
        """The definitions of the nodes."""
        if not self.count:
            return ()
        numbers = range(self.first + 1, self.first + self.count + 1)
        nodes = (f"!{k} = distinct !{{!{k}, !{self.first}}}" for k in numbers)
        return (f'!{self.first} = !{{!"llvm.loop.vectorize.enable", i1 false}}', *nodes)
