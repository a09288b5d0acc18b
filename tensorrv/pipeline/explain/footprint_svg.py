"""Footprints of a brush as SVG: a square is an array element, the darker the more accesses and lanes share it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from tensorrv.pipeline.explain.nests import FootprintReport

CELL: Final = 14  # pixels
MOST: Final = 48  # rows and columns that are drawn
LEGEND: Final = (
    "<p>A square is an array element: blue where it is loaded, orange where it is stored, the darker the more accesses and lanes "
    "share it. An outline is one contiguous vector access.</p>"
)
_COLOURS: Final = {"load": (42, 111, 176), "store": (209, 104, 43)}


def footprint_svg(footprint: FootprintReport) -> str:
    """All planes of one footprint, with its chunks outlined."""
    planes = sorted({element[:-2] for element, _ in footprint.cells})
    return "".join(_plane(footprint, plane) for plane in planes)


def _plane(footprint: FootprintReport, plane: tuple[int, ...]) -> str:
    cells = {element: count for element, count in footprint.cells if element[:-2] == plane}
    rows = sorted({element[:-1] for element in cells})[:MOST]
    first = min(element[-1] for element in cells)
    last = min(max(element[-1] for element in cells), first + MOST - 1)
    most = max(count for _, count in footprint.cells)
    places = {row: CELL * number for number, row in enumerate(rows)}
    width, height = CELL * (last - first + 1) + 2, CELL * len(rows) + 2
    title = "".join(f"[{p:+d}]" for p in plane)
    parts = [f'<svg width="{width}" height="{height}" viewBox="-1 -1 {width} {height}" role="img">']
    parts.append(f"<title>{escape(footprint.array)} {footprint.kind}s {escape(title)}</title>")
    parts += _squares(footprint, cells, places, first, last, most)
    for start, length in footprint.chunks:
        if start[:-1] in places and start[-1] <= last:
            x, shown = CELL * (start[-1] - first), min(length, last + 1 - start[-1])
            parts.append(_box(x + 1.5, places[start[:-1]] + 1.5, CELL * shown - 3, CELL - 3))
    return "".join((*parts, "</svg>"))


def _squares(
    footprint: FootprintReport, cells: dict[tuple[int, ...], int], places: dict[tuple[int, ...], int], first: int, last: int,
    most: int,
) -> Iterator[str]:  # fmt: skip
    colour = _COLOURS[footprint.kind]
    for (*row, column), count in cells.items():
        if tuple(row) in places and first <= column <= last:
            strength = 0.25 + 0.75 * count / most
            red, green, blue = (round(255 - strength * (255 - part)) for part in colour)
            x, y = CELL * (column - first), places[tuple(row)]
            yield (
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="rgb({red},{green},{blue})" stroke="#fff" '
                f'stroke-width=".5"><title>{count}</title></rect>'
            )


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="none" stroke="#222" stroke-width=".8" rx="2"/>'
