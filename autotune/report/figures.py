"""Figures of a sweep, by matplotlib: the heat map of speed-ups, and the scatter plots of the thesis's figure 13.13.

Each of those plots the share of one kind of vector instructions against the speed-up over inner-loop vectorization. Above 35 %
shuffles the shuffle port is the limit; such points are light in the second plot, and those with more than 50 % arithmetic as
well in the third. A fourth plot holds the model's prediction against the measurement.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from autotune.report.table import Table, speedup_table, variant_of
from autotune.search.tune import Tuning, predictions, speedup
from tensorrv.report.diagnostics import Diagnostic, Refused

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHUFFLES: Final = 0.35
ARITHMETIC: Final = 0.50
_COLOURS: Final = ("#2a6fb0", "#d1682b", "#3d8f4f", "#8a5aa8")
_LIGHT: Final = 0.25
_TITLES: Final = ("shuffle operations", "floating-point operations", "memory operations")


@dataclass(frozen=True, slots=True)
class Point:
    """One plan in the scatter plots."""

    speedup: float
    shares: tuple[float, float, float]
    variant: str

    def light(self, plot: int) -> bool:
        """Whether the point is above the threshold of a plot to the left of this one."""
        return (plot > 0 and self.shares[0] > SHUFFLES) or (plot > 1 and self.shares[1] > ARITHMETIC)


def points(tuning: Tuning) -> tuple[Point, ...]:
    """All measured plans whose instructions were counted."""
    found = []
    for record in tuning.measured:
        gain = speedup(record, tuning.baseline)
        if gain is not None and record.counts is not None:
            found.append(Point(gain, record.counts.fractions, variant_of(record)))
    return tuple(found)


def png(figure: Figure) -> bytes:
    """The figure as a PNG image; the same figure gives the same bytes."""
    output = io.BytesIO()
    figure.savefig(output, format="png", dpi=110, metadata={"Software": None})
    return output.getvalue()


def overview(tuning: Tuning) -> bytes:
    """Heat maps above, scatter plots below, in one image. Raises Refused without matplotlib."""
    table = speedup_table(tuning)
    figure = _figure(15, 4.4 + _height(table))
    halves: Any = figure.subfigures(2, 1, height_ratios=[_height(table), 4.4])
    figure.suptitle(f"{tuning.subject.function.name}: speed-up over inner-loop vectorization")
    _draw_heat_maps(halves[0], table)
    _draw_scatter(halves[1], tuning)
    return png(figure)


def heat_maps(tuning: Tuning) -> bytes:
    """Only the heat maps."""
    table = speedup_table(tuning)
    figure = _figure(3.5 + 4.5 * len(table.variants), _height(table))
    _draw_heat_maps(figure, table)
    return png(figure)


def scatter_plots(tuning: Tuning) -> bytes:
    """Only the scatter plots."""
    figure = _figure(15, 4.4)
    _draw_scatter(figure, tuning)
    return png(figure)


def check_drawing() -> None:
    """Raises Refused without matplotlib."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        hint = "pip install 'tensorrv[tune]'"
        raise Refused(Diagnostic("error", "TRV403", "drawing needs matplotlib, which is not installed", hint=hint)) from error


def _figure(width: float, height: float) -> Figure:
    check_drawing()
    from matplotlib.figure import Figure as Canvas

    return Canvas(figsize=(width, height), layout="constrained")


def _height(table: Table) -> float:
    return 1.6 + 0.5 * max(2, len(table.rows))


def _draw_heat_maps(figure: Any, table: Table) -> None:
    from matplotlib.colors import TwoSlopeNorm

    axes = figure.subplots(1, len(table.variants), squeeze=False, sharey=True)[0]
    values = list(table.cells.values())
    norm = TwoSlopeNorm(1.0, min(0.5, *values), max(1.5, *values))
    image = None
    for place, (plot, variant) in enumerate(zip(axes, table.variants, strict=True)):
        cells = [[table.cells.get((row, column, variant), float("nan")) for column in table.columns] for row in table.rows]
        image = plot.imshow(cells, norm=norm, cmap="RdBu", aspect="auto")
        plot.set_xticks(range(len(table.columns)), map(str, table.columns))
        plot.set_yticks(range(len(table.rows)), table.rows)
        plot.set(xlabel="inner brush size", ylabel="outer brush size" if place == 0 else "", title=_layout_title(variant))
        for y, row in enumerate(cells):
            for x, value in enumerate(row):
                if value == value:
                    far = abs(float(norm(value)) - 0.5) > 0.35
                    plot.text(x, y, f"{value:.2f}", ha="center", va="center", color="white" if far else "black")
    figure.colorbar(image, ax=list(axes), label="speed-up")


def _layout_title(variant: str) -> str:
    return "row-major" if variant == "row" else f"layout {variant}"


def _draw_scatter(figure: Any, tuning: Tuning) -> None:
    found = points(tuning)
    variants = {variant: _COLOURS[k % len(_COLOURS)] for k, variant in enumerate(speedup_table(tuning).variants)}
    predicted = predictions(tuning)
    axes = figure.subplots(1, 3 + bool(predicted))
    for plot in range(3):
        _draw_shares(axes[plot], plot, found, variants)
    for plot in range(3):
        axes[plot].legend(loc="best", fontsize=8)
    if predicted:
        _draw_predictions(axes[3], tuning, predicted, variants)


def _draw_shares(axes: Axes, plot: int, found: tuple[Point, ...], variants: Mapping[str, str]) -> None:
    for variant, colour in variants.items():
        for light in (False, True):
            chosen = [p for p in found if p.variant == variant and p.light(plot) == light]
            if chosen:
                label = _layout_title(variant) + (", above a line further left" if light else "")
                axes.scatter(
                    [p.speedup for p in chosen], [100 * p.shares[plot] for p in chosen], s=22, color=colour,
                    alpha=_LIGHT if light else 0.9, linewidths=0, label=label,
                )  # fmt: skip
    axes.axvline(1.0, color="0.8", zorder=0, label="inner-loop vectorization")
    for threshold in {0: (SHUFFLES,), 1: (ARITHMETIC,)}.get(plot, ()):
        axes.axhline(100 * threshold, color="0.4", linestyle="--", linewidth=1, zorder=0, label=f"{100 * threshold:.0f} %")
    axes.set(title=_TITLES[plot], xlabel="speed-up", ylabel="% of vector instructions", ylim=(-4, 104))


def _draw_predictions(axes: Axes, tuning: Tuning, predicted: Mapping[Any, float], variants: Mapping[str, str]) -> None:
    largest = 0.0
    for record in tuning.measured:
        if record.candidate in predicted and record.time is not None:
            measured = record.time.median / (record.points or 1)
            x, y = predicted[record.candidate], measured
            axes.scatter([x], [y], s=22, color=variants[variant_of(record)], alpha=0.9, linewidths=0)
            largest = max(largest, x, y)
    axes.plot([0, largest], [0, largest], color="0.8", zorder=0, label="predicted = measured")
    axes.legend(loc="best", fontsize=8)
    axes.set(title="cost model", xlabel="predicted ns per point", ylabel="measured", xlim=(0, None), ylim=(0, None))
