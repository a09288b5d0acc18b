"""How long processors take to divide and to take square roots, for those on which multiplications can do it as well.

Correctly rounded quotients and roots by fused multiplications (`rv.widen.quotients`) want estimates of reciprocals that are right
to 14 bits (AVX-512) and two units for fused multiplications of whole registers: Intel's processors for servers. Zen 4 has half
registers and a fast divider, other processors of Intel one unit. Cycles were measured on Emerald Rapids; Skylake-X and its
successors are alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rv.target.machine import Target

Root = bool
"""Whether a square root is meant, and not a quotient."""


@dataclass(frozen=True, slots=True)
class Divider:
    """The divider, by (square root?, bits of the type) of a whole register: how many cycles it is taken, and until the result."""

    cycles: Mapping[tuple[Root, int], float]
    latency: Mapping[tuple[Root, int], int]


_SERVERS: Final = frozenset("""
    skx skylake-avx512 skylake_avx512 cascadelake cooperlake icelake-server icelake_server sapphirerapids emeraldrapids
    graniterapids graniterapids-d graniterapids_d
""".split())

_INTEL: Final = Divider(
    {(False, 32): 10, (False, 64): 16, (True, 32): 12, (True, 64): 24},
    {(False, 32): 17, (False, 64): 24, (True, 32): 19, (True, 64): 31},
)


def divider_of(target: Target) -> Divider | None:
    """The divider of a processor that has what it takes to do without; None for others."""
    return _INTEL if target.cpu in _SERVERS and target.register_bits == 512 else None
