"""Small control-flow graphs: written down, all acyclic ones of a size, and random reducible ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations, product

from rv.analysis.cfg.flow import FlowGraph


def graph(edges: Mapping[str, str]) -> FlowGraph:
    """A graph from block -> successors, separated by spaces; the first block is the entry."""
    successors = {label: tuple(targets.split()) for label, targets in edges.items()}
    predecessors = {label: tuple(s for s in successors if label in successors[s]) for label in successors}
    return FlowGraph(next(iter(successors)), successors, predecessors)


def acyclic_graphs(size: int, choices: int = 2) -> Iterator[FlowGraph]:
    """Every graph of `size` blocks with edges from earlier to later ones, at most `choices` a block, that the entry reaches."""
    ways = [
        [picked for count in range(choices + 1) for picked in combinations(range(i + 1, size), count)] for i in range(size)
    ]
    for rows in product(*ways):
        if set().union(*map(set, rows)) == set(range(1, size)):
            yield graph({f"b{i}": " ".join(f"b{t}" for t in row) for i, row in enumerate(rows)})


def random_reducible(generator: random.Random, size: int) -> FlowGraph:
    """A reducible graph: an acyclic one, to which edges back to dominating blocks are added. Every block reaches a return."""
    while True:
        rows = [
            set(generator.sample(range(i + 1, size), min(generator.choice((1, 1, 2, 2)), size - 1 - i))) for i in range(size)
        ]
        for missing in sorted(set(range(1, size)).difference(*rows)):
            free = [i for i in range(missing) if len(rows[i]) < 2]
            if not free:
                break
            rows[generator.choice(free)].add(missing)
        if set().union(*rows) != set(range(1, size)):
            continue
        above = _dominators(rows)
        for i in range(1, size - 1):
            if len(rows[i]) < 2 and generator.random() < 0.6:
                headers = sorted(above[i] - {0})
                if headers:
                    rows[i].add(generator.choice(headers))
        order = [sorted(row) for row in rows]
        for row in order:
            generator.shuffle(row)
        return graph({f"b{i}": " ".join(f"b{t}" for t in row) for i, row in enumerate(order)})


def _dominators(rows: list[set[int]]) -> list[set[int]]:
    found: list[set[int]] = [{0}]
    for i in range(1, len(rows)):
        found.append({i} | set.intersection(*(found[p] for p in range(i) if i in rows[p])))
    return found
