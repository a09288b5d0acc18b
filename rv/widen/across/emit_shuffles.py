"""Shuffle networks in code: registers whose lanes are taken from other registers (`rv.widen.across.shuffle_network`)."""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.types import Type, bits_of
from rv.vector.types import lanes_of
from rv.vector.values import Operand
from rv.widen.across.shuffle_network import Request, build_network
from rv.widen.site import Site


def widened(site: Site, vector: Operand, width: int) -> Operand:
    """A vector as the first lanes of one of `width` lanes."""
    length = lanes_of(vector.type)
    if length == width:
        return vector
    return site.block.shuffle(vector, None, [k if k < length else -1 for k in range(width)])


def narrow(site: Site, vector: Operand, length: int) -> Operand:
    """The first `length` lanes of a vector."""
    return vector if length == lanes_of(vector.type) else site.block.shuffle(vector, None, range(length))


def emit_network(
    site: Site, sources: Sequence[Operand], requests: Sequence[Request], width: int, type_: Type
) -> list[Operand]:
    """The registers that `requests` describe, assembled from `sources` (vectors of `width` lanes) by shuffles."""
    network = build_network(len(sources), requests, width, 128 // bits_of(type_))
    names = dict(enumerate(sources))
    for shuffle in network.shuffles:
        right = names[shuffle.right] if shuffle.right != shuffle.left else None
        names[shuffle.node] = site.block.shuffle(names[shuffle.left], right, shuffle.mask)
    return [names[node] for node in network.outputs]
