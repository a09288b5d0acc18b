"""Random control flow without structure, irreducible too, as functions of one number: i32 gotos(i32 n).

Every block computes on two variables, which phis carry along all edges, and goes by their bits to any two other blocks; after a
dozen blocks a thread returns what it has computed, which identifies its path.
"""

from __future__ import annotations

import random

from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.transform.scalar.blocks import remove_unreached

STEPS = 12


def random_gotos(seed: int, largest: int = 7) -> Function:
    """The function with this number; it has at most `largest` places to go to."""
    chosen = random.Random(seed)
    places = range(1, chosen.randint(2, largest) + 1)
    targets = {place: (chosen.choice(places), chosen.choice(places)) for place in places}
    before: dict[int, list[str]] = {place: [] for place in places}
    before[1].append("entry")
    for place, (then, otherwise) in targets.items():
        for target in {then, otherwise}:
            before[target].append(f"test.{place}")
    lines = ["define i32 @gotos(i32 %n) {", "entry:", "  jump at.1"]
    for place in places:
        x, i = (_incoming(name, before[place]) for name in "xi")
        then, otherwise = targets[place]
        factor, bit = chosen.choice([3, 5, 7]), chosen.randint(0, 4)
        lines += [
            f"at.{place}:", f"  %x.in.{place} = phi i32 {x}", f"  %i.in.{place} = phi i32 {i}",
            f"  %y.{place} = mul i32 %x.in.{place}, {factor}", f"  %x.{place} = add i32 %y.{place}, {place}",
            f"  %i.{place} = add i32 %i.in.{place}, 1", f"  %stop.{place} = icmp sge i32 %i.{place}, {STEPS}",
            f"  branch %stop.{place}, out, test.{place}",
            f"test.{place}:", f"  %b.{place} = lshr i32 %x.{place}, {bit}",
            f"  %c.{place} = trunc i32 %b.{place} to i1", f"  branch %c.{place}, at.{then}, at.{otherwise}",
        ]  # fmt: skip
    results = ", ".join(f"[%x.{place}, at.{place}]" for place in places)
    lines += ["out:", f"  %r = phi i32 {results}", "  return i32 %r", "}"]
    unreached = [place for place in places if not before[place]]
    text = "\n".join(lines)
    for place in unreached:  # a block without predecessors has no phis
        text = text.replace(f"  %x.in.{place} = phi i32 \n", f"  %x.in.{place} = add i32 0, 0\n")
        text = text.replace(f"  %i.in.{place} = phi i32 \n", f"  %i.in.{place} = add i32 0, 0\n")
    return remove_unreached(parse_function(text))


def _incoming(name: str, sources: list[str]) -> str:
    start = {"x": "%n", "i": "0"}[name]
    values = {source: start if source == "entry" else f"%{name}.{source.removeprefix('test.')}" for source in sources}
    return ", ".join(f"[{value}, {source}]" for source, value in values.items())
