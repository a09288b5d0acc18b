"""Networks of two-input shuffles: given vectors, assemble other vectors from their elements.

Transposing through registers, gathering strided elements and cutting rows into lanes are all the same task: every
output lists, lane by lane, which element of which source it takes. An output with at most two sources is one shuffle.
Outputs that have no source in common, even indirectly, are independent tasks: a large matrix is transposed block by block.
Within a task outputs are merged along a binary tree over its sources: a register of the tree belongs to 2**k neighbouring
sources and packs what several outputs need from these, so an n x n transposition takes n*log2(n) shuffles. Outputs that share
a packed register are a fixed stride apart, and within each 128-bit block a packed register first holds elements of its left,
then of its right child; with that most shuffles stay inside 128-bit blocks, where they are cheap on every target (unpack and
shuffle instructions on x86, zip and trn on NEON).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Element = tuple[int, int]  # (node, lane)
Request = tuple[Element | None, ...]  # None: the lane may hold anything


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Node `node` takes lane `mask[l]` of the concatenation of nodes `left` and `right`, -1 for anything."""

    node: int
    left: int
    right: int
    mask: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """`outputs[k]` is the node (a source 0..sources-1 or a shuffle's) that holds request k."""

    shuffles: tuple[Shuffle, ...]
    outputs: tuple[int, ...]


def build_network(sources: int, requests: Sequence[Request], width: int, block: int) -> Network:
    """A network for vectors of `width` lanes; `block` is the number of lanes in 128 bits.

    All sources have `width` lanes (shorter ones are padded by the caller); each request has at most `width` lanes.
    """
    shuffles: list[Shuffle] = []
    outputs = [0] * len(requests)
    for members, own in _independent_parts(requests):
        number = {source: k for k, source in enumerate(own)}
        renamed = [tuple(None if e is None else (number[e[0]], e[1]) for e in requests[m]) for m in members]
        part = _Builder(len(own), width, max(1, block)).build(renamed)
        first = sources + len(shuffles) - len(own)
        names = {k: own[k] if k < len(own) else first + k for k in range(len(own) + len(part.shuffles))}
        shuffles += [Shuffle(names[s.node], names[s.left], names[s.right], s.mask) for s in part.shuffles]
        for member, node in zip(members, part.outputs, strict=True):
            outputs[member] = names[node]
    return Network(tuple(shuffles), tuple(outputs))


def _independent_parts(requests: Sequence[Request]) -> list[tuple[list[int], list[int]]]:
    """Requests that share sources, directly or through others, with these sources in ascending order."""
    parts: list[tuple[list[int], set[int]]] = []
    for index, request in enumerate(requests):
        members, own = [index], {e[0] for e in request if e is not None} or {0}
        for part in [part for part in parts if part[1] & own]:
            parts.remove(part)
            members, own = part[0] + members, part[1] | own
        parts.append((members, own))
    return [(members, sorted(own)) for members, own in parts]


class _Builder:
    def __init__(self, sources: int, width: int, block: int) -> None:
        self.sources = sources
        self.width = width
        self.block = block
        self.shuffles: list[Shuffle] = []
        self.known: dict[tuple[int, int, tuple[int, ...]], int] = {}

    def build(self, requests: Sequence[Request]) -> Network:
        span = 1
        while span < self.sources:
            span *= 2
        outputs = self.solve(requests, 0, span)
        return Network(tuple(self.shuffles), tuple(outputs))

    def solve(self, requests: Sequence[Request], low: int, span: int) -> list[int]:
        """Nodes for requests whose elements all come from sources low .. low+span-1."""
        solved: dict[int, int] = {}
        sides: dict[str, list[int]] = {"lower": [], "upper": [], "both": []}
        middle = low + span // 2
        for index, request in enumerate(requests):
            used = sorted({element[0] for element in request if element is not None})
            if len(used) <= 2:
                solved[index] = self.shuffle(used[0] if used else low, used[-1] if used else low, request)
            else:
                sides["lower" if used[-1] < middle else "upper" if used[0] >= middle else "both"].append(index)
        for side, start in (("lower", low), ("upper", middle)):
            if sides[side]:
                nodes = self.solve([requests[index] for index in sides[side]], start, span // 2)
                solved.update(zip(sides[side], nodes, strict=True))
        wanted = [requests[index] for index in sides["both"]]
        below = self.pack(wanted, low, span // 2) if wanted else []
        above = self.pack(wanted, middle, span // 2) if wanted else []
        for index, request, lower, upper in zip(sides["both"], wanted, below, above, strict=True):
            solved[index] = self.merge(request, middle, lower, upper)
        return [solved[index] for index in range(len(requests))]

    def pack(self, requests: Sequence[Request], low: int, span: int) -> list[dict[Element, Element]]:
        """For every request where its elements of the sources low .. low+span-1 are found after packing."""
        parts = [_elements_between(request, low, low + span) for request in requests]
        result: list[dict[Element, Element]] = [{e: e for e in part} if _one_source(part) else {} for part in parts]
        open_ = [k for k, part in enumerate(parts) if part and not _one_source(part)]
        groups = self.group([parts[k] for k in open_])
        registers = [self.arrange(sorted({e for g in group for e in parts[open_[g]]}), low, span) for group in groups]
        nodes = self.solve(registers, low, span)
        for group, register, node in zip(groups, registers, nodes, strict=True):
            place = {element: (node, lane) for lane, element in enumerate(register) if element is not None}
            for g in group:
                result[open_[g]] = {element: place[element] for element in parts[open_[g]]}
        return result

    def group(self, parts: Sequence[Sequence[Element]]) -> list[list[int]]:
        """Which parts share a register: a fixed stride apart if that fits, else first fit."""
        if not parts:
            return []
        total = len({element for part in parts for element in part})
        registers = -(-total // self.width)
        while registers < len(parts):
            groups = [list(range(k, len(parts), registers)) for k in range(registers)]
            if all(len({e for k in group for e in parts[k]}) <= self.width for group in groups):
                return groups
            registers *= 2
        return [[k] for k in range(len(parts))]

    def arrange(self, elements: Sequence[Element], low: int, span: int) -> Request:
        """Positions in a packed register: in each block first elements of the left half of the sources, then of the right."""
        middle = low + span // 2
        order = sorted(elements, key=lambda e: (e[1], e[0]))
        left = [e for e in order if e[0] < middle]
        right = [e for e in order if e[0] >= middle]
        half = self.block // 2
        if span > 1 and half and len(left) == len(right) and len(left) % half == 0:
            return tuple(e for k in range(0, len(left), half) for e in left[k : k + half] + right[k : k + half])
        return tuple(left + right)

    def merge(self, request: Request, middle: int, below: dict[Element, Element], above: dict[Element, Element]) -> int:
        moved = tuple(None if e is None else (below if e[0] < middle else above)[e] for e in request)
        left = next(e[0] for e, old in zip(moved, request, strict=True) if e and old and old[0] < middle)
        right = next(e[0] for e, old in zip(moved, request, strict=True) if e and old and old[0] >= middle)
        return self.shuffle(left, right, moved)

    def shuffle(self, left: int, right: int, request: Request) -> int:
        if left == right and all(e is None or e[1] == lane for lane, e in enumerate(request)) and len(request) == self.width:
            return left
        mask = tuple(-1 if e is None else e[1] if e[0] == left else self.width + e[1] for e in request)
        mask += (-1,) * (self.width - len(mask))
        key = (left, right, mask)
        if key not in self.known:
            self.known[key] = self.sources + len(self.shuffles)
            self.shuffles.append(Shuffle(self.known[key], left, right, mask))
        return self.known[key]


def _elements_between(request: Request, low: int, high: int) -> tuple[Element, ...]:
    return tuple(dict.fromkeys(e for e in request if e is not None and low <= e[0] < high))


def _one_source(part: Sequence[Element]) -> bool:
    return len({source for source, _ in part}) == 1
