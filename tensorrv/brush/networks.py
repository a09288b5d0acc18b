"""Shuffle networks in code: registers whose lanes are taken from other registers (`rv.widen.network`)."""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.types import Type, bits_of
from rv.widen.network import Request, build_network
from tensorrv.brush.site import Site


def widened(site: Site, name: str, type_: Type, length: int, width: int) -> str:
    """A vector of `length` lanes as the first lanes of one of `width` lanes."""
    if length == width:
        return name
    return site.block.shuffle(name, "poison", type_, length, [k if k < length else -1 for k in range(width)])


def narrow(site: Site, name: str, type_: Type, width: int, length: int) -> str:
    """The first `length` lanes of a vector of `width` lanes."""
    if length == width:
        return name
    return site.block.shuffle(name, "poison", type_, width, list(range(length)))


def emit_network(site: Site, sources: Sequence[str], requests: Sequence[Request], width: int, type_: Type) -> list[str]:
    """The registers that `requests` describe, assembled from `sources` (vectors of `width` lanes) by shuffles."""
    network = build_network(len(sources), requests, width, 128 // bits_of(type_))
    names = dict(enumerate(sources))
    for shuffle in network.shuffles:
        right = names[shuffle.right] if shuffle.right != shuffle.left else "poison"
        names[shuffle.node] = site.block.shuffle(names[shuffle.left], right, type_, width, shuffle.mask)
    return [names[node] for node in network.outputs]
