"""In which readings of machine words what is known of them holds."""

from __future__ import annotations

from enum import Flag


class Facts(Flag):
    """What is known of the words of a shape beyond their residues."""

    NONE = 0
    SIGNED = 1
    UNSIGNED = 2
    NONNEGATIVE = 4
    NATURAL = 7

    @property
    def exact(self) -> bool:
        """Whether the formula holds without wrapping in some reading."""
        return bool(self & (Facts.SIGNED | Facts.UNSIGNED))
