"""Pictures of a kernel's control flow as its brushes see it: `tensorrv-gen --view`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from typing import Final

from rv.pictures import Marks, Picture, picture
from rv.transform.prepare import prepare
from tensorrv.pipeline.kernel import Kernel
from tensorrv.report.diagnostics import Diagnostic, Refused

LONGEST: Final = 60.0
"""Seconds for laying out one picture."""


def picture_files(kernel: Kernel, pictures: Iterable[tuple[Picture, bool]]) -> Mapping[str, bytes]:
    """The files of some pictures, drawn or as text, by names such as `jacobi5.cfg.dot`.

    Raises Refused when one is to be drawn and Graphviz is missing.
    """
    found = list(kernel.tensorized.branching.values())
    function = found[0].function if found else prepare(kernel.source.function)
    divergent = frozenset[str]().union(*(b.shapes.divergent_branches for b in found))
    partly = frozenset(block.label for block in function.blocks if any(b.shapes.in_block(block.label) for b in found))
    files = {}
    for kind, drawn in pictures:
        text = picture(function, kind, Marks(divergent, partly)).encode()
        files[f"{kernel.name}.{kind}.{'svg' if drawn else 'dot'}"] = _drawn(text) if drawn else text
    return files


def _drawn(text: bytes) -> bytes:
    """The picture as SVG."""
    program = shutil.which("dot")
    if program is None:
        hint = "install Graphviz, or leave out .svg to get the text that it draws"
        raise Refused(Diagnostic("error", "TRV103", "Graphviz's program 'dot' is not on the PATH", hint=hint))
    return subprocess.run([program, "-Tsvg"], input=text, capture_output=True, check=True, timeout=LONGEST).stdout
