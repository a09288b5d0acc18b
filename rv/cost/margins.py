"""How far estimates are trusted: what an alternative has to gain before it is taken."""

from __future__ import annotations

from typing import Final

ALIKE: Final = 0.03
"""Estimates whose relative difference is smaller count as equal."""
FAR: Final = 2.0
"""From so many times the least estimate on, other sizes of a brush on the same loops are not expected to be the fastest."""
SURE: Final = 0.8
"""The part of the time of scalar code that a brush is expected to need at most where it is limited by how lanes get their
elements, or by calls: there estimates are off by a fifth, and in doubt scalar code goes first.
"""
UNSURE: Final = frozenset({"loads", "shuffles", "calls"})
"""What limits such brushes."""
PAYS: Final = 0.9
"""Below this part of the speed of scalar code a brush is not expected to pay."""
RELIEVED: Final = 0.85
"""The part of the time with all quotients on the divider that the time without is to be at most: registers are needed for it."""
WAITS: Final = 1.15
"""How many times as long as its units are busy a block may take before another order is tried, which needs more registers."""
REPORTED: Final = 0.02
"""Expectations that differ by less mean the same in measurements."""
CLOSE: Final = 0.9
"""The part of the busy time of units from which a chain between iterations is as long as that."""
WAITING: Final = 0.1
"""The part of a chain by which it is late where units are busy, which decides between brushes that are as fast otherwise."""
DELAYED: Final = 1.1
"""How many times as long such an iteration takes: an operation of the chain that waits for a unit delays all that follow."""
WAITS_FOR_ITSELF: Final = 100
"""Instructions of straight code from which on it matters that its operations wait for each other: shorter bodies fit into the
window of every described core, with a part of the next iteration.
"""
NARROW: Final = 32
"""Bits, below which vectors have so many lanes that scalar code is no estimate for what is left over."""
