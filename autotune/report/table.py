"""The thesis's table (figure 13.11): rows are the brush's outer size, columns its inner size, cells speed-ups over inner-loop
vectorization; of several candidates with one brush the best counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autotune.search.tune import Tuning, speedup
from autotune.store.record import Record
from tensorrv.schedule.plan import Brush, parse_plan


@dataclass(frozen=True, slots=True)
class Table:
    """`cells` holds the best speed-up of each variant (a column beside others, such as a layout) by (row, column)."""

    rows: tuple[str, ...]
    columns: tuple[int, ...]
    variants: tuple[str, ...]
    cells: Mapping[tuple[str, int, str], float]

    def texts(self) -> tuple[list[str], list[list[str]]]:
        """Headers and rows as text; cells of several variants stand side by side."""
        headers = ["outer \\ inner", *map(str, self.columns)]
        return headers, [[row, *(self._cell(row, column) for column in self.columns)] for row in self.rows]

    def _cell(self, row: str, column: int) -> str:
        found = [self.cells.get((row, column, variant)) for variant in self.variants]
        return " ".join("    " if value is None else f"{value:.2f}" for value in found).rstrip()


def speedup_table(tuning: Tuning) -> Table:
    """The table for what was measured."""
    cells: dict[tuple[str, int, str], float] = {}
    for record in tuning.measured:
        found = speedup(record, tuning.baseline)
        brush = parse_plan(record.candidate.plan).brush
        if found is not None and brush.rank:
            key = (outer_size(brush), brush.sizes[-1], variant_of(record))
            cells[key] = max(found, cells.get(key, 0.0))
    rows = sorted({row for row, _, _ in cells}, key=lambda text: [int(part) for part in text.split("x")])
    columns = sorted({column for _, column, _ in cells})
    return Table(tuple(rows), tuple(columns), tuple(_ordered(variant for _, _, variant in cells)), cells)


def outer_size(brush: Brush) -> str:
    """The sizes of all dimensions but the innermost, such as `4` or `2x4`; `1` for a one-dimensional brush."""
    return "x".join(map(str, brush.sizes[:-1])) or "1"


def variant_of(record: Record) -> str:
    """What stands side by side in a cell: the layout, and the number of threads if that is not one."""
    layouts = dict.fromkeys(str(layout) for _, layout in parse_plan(record.candidate.plan).layouts)
    threads = record.candidate.threads
    return (", ".join(layouts) or "row") + ("" if threads == 1 else f" {threads} threads")


def _ordered(variants: Iterable[str]) -> Sequence[str]:
    return sorted(set(variants), key=lambda variant: (not variant.startswith("row"), variant))
