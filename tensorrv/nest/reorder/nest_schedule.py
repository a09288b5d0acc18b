"""The whole schedule of a nest: order and tiles, with what the brush and the threads take on top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rv.evolution.facts import Legal
from tensorrv.nest.choice.choose import Choice
from tensorrv.nest.reorder.outcome import TileLoop
from tensorrv.schedule.schedule import Dimension, Schedule


def schedule_of(choice: Choice, tiles: Mapping[str, TileLoop]) -> Schedule:
    """The dimensions of a nest, outermost first, as its loops stand now; a refused brush takes one iteration at a time."""
    sizes = dict(choice.brush) if isinstance(choice.outcome, Legal) else {}
    divided = choice.brush[0][0] if sizes and isinstance(choice.threads, Legal) else None
    found: list[Dimension] = []
    headers = [loop.header for loop in choice.loops]
    for position, header in enumerate(headers):
        inside = bool(sizes) and not any(later in sizes for later in headers[position:])
        found += _dimensions(header, sizes, tiles, divided=header == divided, inside=inside)
    return Schedule(tuple(found))


def _dimensions(
    header: str, sizes: Mapping[str, int], tiles: Mapping[str, TileLoop], *, divided: bool, inside: bool
) -> Iterator[Dimension]:
    if header in tiles:
        tile = tiles[header]
        yield Dimension((tile.header,), "skewed" if tile.skew else "tile", tile.size, tile.skew)
        return
    if divided:
        yield Dimension((header,), "parallel")
    if header in sizes:
        yield Dimension((header,), "brush", sizes[header])
    else:
        yield Dimension((header,), "inside" if inside else "sequential")
