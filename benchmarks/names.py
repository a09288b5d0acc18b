"""Names that users give to the programs of this directory."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable


def check_known(parser: argparse.ArgumentParser, given: Iterable[str] | None, known: Collection[str]) -> None:
    """Ends the program with a message about names that are not known."""
    if unknown := [name for name in given or () if name not in known]:
        parser.error(f"there is no {', '.join(unknown)}, but {', '.join(known)}")
