"""Pictures of kernels for notebooks: the footprints of a brush, array by array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from tensorrv.pipeline.explain.footprint_svg import LEGEND, footprint_svg
from tensorrv.pipeline.explain.nests import explain_kernel
from tensorrv.report.output import write_files

if TYPE_CHECKING:
    from tensorrv.pipeline.kernel import Kernel


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A picture that notebooks show. `html` is a part of a page."""

    title: str
    html: str

    def _repr_html_(self) -> str:
        return self.html

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the picture as a page. Raises Refused when that cannot be written."""
        page = f"<!DOCTYPE html><meta charset='utf-8'><title>{escape(self.title)}</title>{self.html}\n"
        write_files(Path(path).parent, {Path(path).name: page.encode()})

    def __repr__(self) -> str:
        return f"<picture of {self.title}>"


def picture_of(kernel: Kernel, title: str) -> Picture:
    """Signature, plan and the footprints of all nests."""
    parts = "".join(_footprints(kernel))
    return Picture(kernel.name, f"<div><p><code>{escape(title)}</code></p>{parts}{LEGEND if parts else ''}</div>")


def _footprints(kernel: Kernel) -> Iterator[str]:
    for report in explain_kernel(kernel):
        for footprint in report.footprints:
            text = f"{footprint.array}: {footprint.kind}s {', '.join(footprint.accesses)}"
            yield f"<figure><figcaption>{escape(text)}</figcaption>{footprint_svg(footprint)}</figure>"
