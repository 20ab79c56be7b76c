"""Plots of a trace: the S-curve with the pairs on it, and the signature matrix with its buckets."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.patches import Rectangle

from lookalike.report import plots
from lookalike.summary import plural
from lookalike.tracing.tables import key_shown, shortened, shown
from lookalike.tuning.curve import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lookalike.tracing import Trace

MAX_DOTS = 60
"""The maximum number of pairs that are drawn one by one; more are counted."""

RANGES = 20
"""Ranges of similarity in which pairs are counted."""

MAX_ROWS, MAX_COLUMNS = 24, 16
"""The slots and items of a signature matrix that are drawn."""

CELL = (0.45, 0.27)
"""The least width of a cell in inches, and its height."""
LETTER = 0.072
"""The width of a letter in inches."""
LEAST_WIDTH, MARGIN = 3.4, 0.5
GAP = 0.35
"""The distance of two bands, in cells."""

TINTS = ("#cfe0f3", "#f7d9cf", "#d9ead3", "#e6dcf0", "#fdeebf", "#d3ebea", "#f3d5e3", "#e2e2c8")
"""Background colours of buckets, in the order of their first items."""

LONGEST = 14
"""The maximum number of characters shown in a cell."""


def pairs_on_curve(trace: Trace) -> Figure:
    """Plot the S-curve, and every two items on it: filled if they met in a bucket, hollow if not.

    What is beyond the axis is left out: distances where hardly any two items meet, and negative similarities.
    """
    recipe = trace.recipe
    curve = Curve(trace.banding, recipe.measure, recipe.threshold)
    values = np.array([one.value for one in trace.estimates])
    figure = plots.curve(trace.banding, recipe.threshold, curve.chance, plots.across(recipe.measure, curve.end))
    together = np.array([trace.met(one.left, one.right) for one in trace.estimates], np.bool_)
    inside = (values >= 0) & (values <= curve.end)
    values, together = values[inside], together[inside]
    with mpl.rc_context(plots.STYLE):
        axes = figure.axes[0]
        axes.lines[0].set_label(f"{plural(trace.banding.bands, 'band')} of {plural(trace.banding.rows, 'row')}")
        if len(values) <= MAX_DOTS:
            draw_dots(axes, curve, values, together)
        else:
            draw_shares(axes, values, together, curve.end)
        figure.legends.clear()
        figure.legend(loc="outside lower left", ncols=2)
    return figure


def draw_dots(axes: Axes, curve: Curve, values: Any, together: Any) -> None:  # noqa: ANN401 - arrays
    """Draw a dot per pair on the curve."""
    for label, some, face in (("met", together, plots.COLOURS["blue"]), ("did not meet", ~together, "white")):
        if some.any():
            heights = [curve.chance(value) for value in values[some]]
            style: dict[str, Any] = {"facecolor": face, "edgecolor": plots.COLOURS["blue"], "linewidth": 1.2}
            axes.scatter(values[some], heights, s=36, zorder=4, clip_on=False, label=f"two items that {label}", **style)


def draw_shares(axes: Axes, values: Any, together: Any, end: float) -> None:  # noqa: ANN401 - arrays
    """Draw the share of pairs that met, for each range of values; the larger the dot, the more pairs."""
    place = np.minimum((values / end * RANGES).astype(np.int64), RANGES - 1)
    counts = np.bincount(place, minlength=RANGES)
    some = counts > 0
    means = np.bincount(place, values, RANGES)[some] / counts[some]
    shares = np.bincount(place, together, RANGES)[some] / counts[some]
    sizes = 12 + 14 * np.log10(counts[some])
    style: dict[str, Any] = {"facecolor": plots.COLOURS["ink"], "edgecolor": "white", "linewidth": 0.6}
    axes.scatter(means, shares, s=sizes, zorder=4, clip_on=False, label="share of pairs that met", **style)


def signatures(trace: Trace) -> Figure:
    """Draw the signature matrix. In each band, items with equal slots have the same colour, and a frame where they met.

    What does not fit is left out, as the title says.
    """
    banding, grid = trace.banding, trace.firsts or trace.signatures
    columns = grid.columns[:MAX_COLUMNS]
    bands = min(max(MAX_ROWS // banding.rows, 1), banding.bands)
    rows = bands * banding.rows
    texts = [[cell_text(value) for value in values[: len(columns)]] for values in grid.values[:rows]]
    longest = max(map(len, chain(*texts, map(heading, columns))))
    wide, high = max(CELL[0], LETTER * longest + 0.1) * len(columns), CELL[1] * (rows + GAP * bands)
    size = max(wide + 2 * MARGIN, LEAST_WIDTH), high + 2 * MARGIN
    with mpl.rc_context(plots.STYLE):
        figure, axes = plots.canvas("", title_of(trace, bands, len(columns)), size)
        ticks = []
        for band in range(bands):
            top = band * (banding.rows + GAP)
            tints = tints_of(trace, band)
            for row in range(banding.rows):
                ticks.append(top + row + 0.5)
                for column, name in enumerate(columns):
                    text = texts[band * banding.rows + row][column]
                    draw_cell(axes, (column, top + row), tints.get(name, "none"), text)
        axes.set(xlim=(0, len(columns)), ylim=(bands * (banding.rows + GAP) - GAP, -0.1))
        axes.set_xticks(np.arange(len(columns)) + 0.5, [*map(heading, columns)])
        axes.set_yticks(ticks, list(grid.rows[:rows]))
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        return figure


def title_of(trace: Trace, bands: int, columns: int) -> str:
    """Return what a picture of signatures shows, and what of it."""
    title = "signatures; the colours of a band are its buckets"
    left_out = [
        f"{shown_count} of {total} {what}"
        for shown_count, total, what in ((bands, trace.banding.bands, "bands"), (columns, len(trace.items), "items"))
        if shown_count < total
    ]
    return f"{title}\n({', '.join(left_out)})" if left_out else title


def tints_of(trace: Trace, band: int) -> dict[Any, str]:
    """Return the colour of each item that met another one in a band."""
    met = [bucket for bucket in trace.buckets if bucket.band == band + 1]
    tints = {name: TINTS[number % len(TINTS)] for number, bucket in enumerate(met) for name in bucket.items}
    return tints | {copy: tints[first] for copy, first in trace.copies.items() if first in tints}


def draw_cell(axes: Axes, place: tuple[float, float], tint: str, text: str) -> None:
    """Draw one slot of one item."""
    middle = place[0] + 0.5, place[1] + 0.53
    box = Rectangle(place, 1, 1, facecolor=tint, edgecolor=plots.COLOURS["rule"], linewidth=0.8)
    axes.add_patch(box).set_in_layout(False)  # which takes long for many cells
    axes.text(*middle, text, ha="center", va="center", fontsize=8).set_in_layout(False)


def cell_text(value: object) -> str:
    """Return the value of a slot: a number, an element, or the first digits of a hash."""
    return shortened(key_shown(value) if isinstance(value, np.unsignedinteger) else shown(value), LONGEST)


def heading(name: object) -> str:
    """Return the name of an item, as long as a cell is wide."""
    return shortened(shown(name), LONGEST)


def saved(figure: Figure, path: Path | str | None) -> Figure:
    """Write a figure if there is a path, and return it."""
    if path is not None:
        plots.save(figure, Path(path))
    return figure
