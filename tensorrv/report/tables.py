"""Short tables for people: drawn by rich on a terminal, plain columns elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def show_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table to standard output; every column but the first is aligned to the right."""
    if sys.stdout.isatty():
        _show_rich(title, headers, rows)
    else:
        print(plain_table(title, headers, rows))


def plain_table(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The table as text."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    lines = [title, *("  " + _aligned(row, widths) for row in (headers, *rows))]
    return "\n".join(lines)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    pairs = enumerate(zip(row, widths, strict=True))
    cells = [cell.rjust(width) if position else cell.ljust(width) for position, (cell, width) in pairs]
    return "  ".join(cells).rstrip()


def _show_rich(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for position, header in enumerate(headers):
        table.add_column(Text(header), justify="right" if position else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
