"""Copies of arrays in Python: by NumPy, or by kernels."""

from __future__ import annotations

from typing import Final

WORTH_A_KERNEL: Final = 1 << 18
"""Elements; NumPy moves fewer in less time than it takes to find a kernel."""
ROWS_OF_KERNEL: Final = 8
"""Rows that such a kernel takes at once: as many as it has lines to write in turn."""
SHORT_LOOP: Final = 16
"""Elements: a loop of NumPy over fewer costs more to start than to run."""
MOST_MOVES: Final = 256
"""Calls of NumPy that are made instead, each over a long loop."""
PANEL: Final = 128
"""Bytes of a row that a transposition takes at once, two cache lines, from PANEL_ROWS rows."""
PANEL_ROWS: Final = 256
"""As many as have two lines each in a first cache of 32 KB, the smallest of the described ones."""
