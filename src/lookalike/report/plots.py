"""Matplotlib plots, to save as a file or to embed in a page as SVG that follows the colours of the page."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import MissingExtraError, OutputError
from lookalike.write.outputs import write_file

try:
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise MissingExtraError("matplotlib", "A plot", "report") from error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lookalike.lsh.banding import Banding
    from lookalike.measures import Measure
    from lookalike.tuning.recall import Share

Chance = Callable[[float], float]
"""The probability that two items are compared, as a function of their similarity or distance."""

FORMATS = (".svg", ".png", ".pdf")

COLOURS = {
    "ink": "#22272e",
    "muted": "#5c6570",
    "rule": "#dfe3e8",
    "blue": "#2b66ad",
    "red": "#bf4a30",
    "grey": "#a3abb5",
}
"""The colours of plots, by name; in a page, each becomes the CSS variable of that name."""

STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],  # ships with matplotlib: same font metrics, so the same bytes everywhere
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": COLOURS["grey"],
    "axes.labelcolor": COLOURS["muted"],
    "axes.titlecolor": COLOURS["muted"],
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "grid.color": COLOURS["rule"],
    "grid.linewidth": 0.8,
    "text.color": COLOURS["ink"],
    "xtick.color": COLOURS["grey"],
    "ytick.color": COLOURS["grey"],
    "xtick.labelcolor": COLOURS["muted"],
    "ytick.labelcolor": COLOURS["muted"],
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "svg.hashsalt": "lookalike",
}

SIZE = (4.8, 3.1)
"""Width and height in inches. In a page, a plot is as wide as its column."""

POINTS = 72
"""SVG units per inch."""

TINY = 1e-9
NARROWEST = 0.01
THINNEST = 0.02
"""The least height of an area that can be seen, as a share of the axis."""

BINS = 40
WIDTHS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.025)

EDGES = (2, 3, 4, 5, 10, 20, 50, *(10**power for power in range(2, 11)))
"""Lower bounds of the ranges of cluster sizes."""

UNWANTED = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"^.*?(?=<svg)",
        r"<metadata>.*?</metadata>",
        r"<defs>\s*<style.*?</style>\s*</defs>",  # would apply to the whole page; style.css has the same for plots
        r'font-family: [^;"]*;?',  # use the font of the page
    )
]
"""Parts of the SVG of a figure that a page does not need."""


@dataclass(frozen=True, slots=True)
class Across:
    """The horizontal axis of a plot: similarity from 0 to 1, or distance from 0."""

    column: str = "similarity"
    max_value: float = 1.0
    label: str = "similarity of two items"

    @property
    def is_distance(self) -> bool:
        """Whether pairs are to the left of the threshold."""
        return self.column == "distance"


def across(measure: Measure, max_value: float) -> Across:
    """Return the horizontal axis for a measure, up to a maximum value."""
    unit = f", in {measure.unit}" if measure.unit else ""
    return Across(measure.column, max_value, f"{measure.label} of two items{unit}")


def curve(
    banding: Banding, threshold: float | None = None, chance: Chance | None = None, of: Across | None = None
) -> Figure:
    """Plot the S-curve: the probability that two items are compared, against their similarity or the axis `of`.

    With a threshold, missed pairs (false negatives) and false candidates (false positives) are shaded. `chance`
    defaults to that of the banding for sets.
    """
    chance, of = chance or banding.chance, of or Across()
    values = np.linspace(0, of.max_value, 401)
    with mpl.rc_context(STYLE):
        figure, axes = canvas(of.label, "probability of being compared")
        name = f"{banding.bands} bands of {banding.rows} rows"
        draw_chance(axes, values.tolist(), [chance(value) for value in values], name, of.max_value)
        if threshold is not None:
            low = np.append(values[values < threshold], threshold)
            high = np.append(threshold, values[values > threshold])
            pairs, others = (low, high) if of.is_distance else (high, low)
            missed, false = ([chance(value) for value in part] for part in (pairs, others))
            shade(axes, pairs, missed, 1, "red", 0.55, "missed pairs (false negatives)")
            shade(axes, others, false, 0, "blue", 0.2, "false candidates (false positives)")
            mark_threshold(axes, threshold)
        figure.legend(loc="outside lower left", ncols=2)
        return figure


def step(threshold: float, of: Across | None = None) -> Figure:
    """Plot the S-curve of an exact search: a step at the threshold."""
    of = of or Across()
    with mpl.rc_context(STYLE):
        figure, axes = canvas(of.label, "probability of being found")
        up = [1, 1, 0, 0] if of.is_distance else [0, 0, 1, 1]
        draw_chance(axes, [0, threshold, threshold, of.max_value], up, "exact search", of.max_value)
        mark_threshold(axes, threshold)
        figure.legend(loc="outside lower left", ncols=2)
        return figure


def draw_chance(axes: Axes, values: Sequence[float], chance: Sequence[float], label: str, max_value: float) -> None:
    """Plot a probability against the similarity or distance."""
    axes.plot(values, chance, color=COLOURS["blue"], linewidth=2, label=label, clip_on=False, zorder=3)
    axes.set(xlim=(0, max_value), ylim=(0, 1.02))


def shade(
    axes: Axes,
    similarity: NDArray[np.float64],
    chance: Sequence[float],
    other: int,
    colour: str,
    alpha: float,
    label: str,
) -> None:
    """Shade the area between a probability and `other`, which is 0 or 1. If it is too thin to see, it has no label."""
    if np.abs(np.asarray(chance) - other).max(initial=0) < THINNEST:
        label = ""
    axes.fill_between(similarity, chance, other, color=COLOURS[colour], alpha=alpha, linewidth=0, label=label)


def histogram(similarity: NDArray[np.float64], threshold: float, up: str = "pairs") -> Figure:
    """Plot a histogram of similarities below 1, with those below the threshold in grey."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas("similarity", up)
        edges = bins(min(threshold, similarity.min(initial=1)))
        counts, _ = np.histogram(similarity, edges)
        colours = np.where(edges[:-1] < threshold - TINY, COLOURS["grey"], COLOURS["blue"])
        axes.bar(edges[:-1], counts, np.diff(edges) * 0.9, align="edge", color=colours.tolist(), linewidth=0)
        axes.set_xlim(edges[0] - (1 - edges[0]) / 50, 1)
        axes.set_ylim(0, max(int(counts.max(initial=0)), 1) * 1.06)
        whole_numbers(axes)
        if threshold < 1:
            mark_threshold(axes, threshold)
        return figure


def distances(distance: NDArray[np.float64], threshold: float, up: str = "pairs") -> Figure:
    """Plot a histogram of distances above 0, with those beyond the threshold in grey."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas("distance", up)
        largest = max(threshold, distance.max(initial=0.0), TINY)
        edges = np.linspace(0, largest, BINS + 1)
        counts, _ = np.histogram(distance, edges)
        colours = np.where(edges[:-1] >= threshold, COLOURS["grey"], COLOURS["blue"])
        axes.bar(edges[:-1], counts, np.diff(edges) * 0.9, align="edge", color=colours.tolist(), linewidth=0)
        axes.set_xlim(0, largest * 1.02)
        axes.set_ylim(0, max(int(counts.max(initial=0)), 1) * 1.06)
        whole_numbers(axes)
        mark_threshold(axes, threshold)
        return figure


def bins(lowest: float) -> NDArray[np.float64]:
    """Return bin edges from a similarity to 1: about forty bins whose width is a round number."""
    width = next((width for width in WIDTHS if (1 - lowest) / width <= BINS), WIDTHS[-1])
    first = np.floor(lowest / width + TINY)
    return np.asarray(np.round(np.arange(first, round(1 / width) + 1) * width, 6))


def sizes(counts: dict[int, int]) -> Figure:
    """Plot the number of clusters of each size."""
    ranges = size_ranges(counts)
    with mpl.rc_context(STYLE):
        height = max(0.6, 0.27 * len(ranges)) + 0.2
        figure, axes = canvas("clusters", "items per cluster, and number of clusters", (SIZE[0], height))
        bars = axes.barh(range(len(ranges)), list(ranges.values()), color=COLOURS["blue"], height=0.68)
        axes.bar_label(bars, labels=[f"{count:,}" if count else "" for count in ranges.values()], padding=3)
        axes.set_yticks(range(len(ranges)), list(ranges))
        axes.set_ylim(len(ranges) - 0.5, -0.5)
        axes.margins(x=0.12)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_visible(False)
        axes.spines[["bottom", "left"]].set_visible(False)
        axes.grid(visible=False)
        return figure


def size_ranges(counts: dict[int, int]) -> dict[str, int]:
    """Return the number of clusters of each size or range of sizes, up to the largest.

    >>> list(size_ranges({2: 7, 3: 1, 12: 2}).values())
    [7, 1, 0, 0, 2]
    """
    found = {}
    for low, end in itertools.pairwise(EDGES):
        if low > max(counts, default=0):
            break
        name = f"{low:,}" if end == low + 1 else f"{low:,}\N{EN DASH}{end - 1:,}"
        found[name] = sum(count for size, count in counts.items() if low <= size < end)
    return found


def recall(shares: Sequence[Share], confidence: float, column: str = "similarity") -> Figure:
    """Plot the measured recall of each bin with its interval, and the predicted recall."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas(f"{column} of two items", "share of true pairs found")
        known = [share for share in shares if share.recall is not None]
        middle = [(share.low + share.high) / 2 for share in known]
        found = np.array([share.recall for share in known], float)
        around = np.abs(np.array([share.interval for share in known]).reshape(-1, 2).T - found)
        style: dict[str, Any] = {"color": COLOURS["blue"], "elinewidth": 1.4, "capsize": 3, "markersize": 5}
        axes.errorbar(
            middle, found, around, fmt="o", label=f"measured, with {confidence:.0%} interval", zorder=3, **style
        )
        predicted = [share for share in known if share.predicted is not None]
        axes.hlines(
            np.array([share.predicted for share in predicted], float),
            [share.low for share in predicted],
            [max(share.high, share.low + NARROWEST) for share in predicted],
            color=COLOURS["red"],
            linewidth=2,
            label="predicted",
        )
        lowest = min([*(share.interval[0] for share in known), *(share.predicted or 1 for share in predicted), 0.9])
        axes.set_ylim(max(0, lowest - 0.05 * (1 - lowest)), 1 + 0.04 * (1 - lowest))
        figure.legend(loc="outside lower left", ncols=2)
        return figure


def whole_numbers(axes: Axes) -> None:
    """Label the vertical axis with whole numbers, with commas."""
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def canvas(across: str, up: str, size: tuple[float, float] = SIZE) -> tuple[Figure, Axes]:
    """Return an empty figure. The vertical axis is labelled above, where the text is horizontal."""
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_title(up)
    axes.tick_params(length=3)
    axes.grid(axis="y")
    return figure, axes


def mark_threshold(axes: Axes, threshold: float) -> None:
    """Mark the threshold with a dashed line."""
    axes.axvline(
        threshold, color=COLOURS["muted"], linestyle=(0, (3, 2)), linewidth=1, label=f"threshold {threshold:g}"
    )


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG, PNG or PDF, by the file name extension: the same bytes each time."""
    check_ending(path)
    write_file(render(figure, path.suffix.lower()[1:]), path)


def check_ending(path: Path) -> None:
    """Raise if the file name extension is not that of an image format."""
    if path.suffix.lower() not in FORMATS:
        formats = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise OutputError(f"A plot must be an image file. Got {path}; choose {formats} as its ending")


def render(figure: Figure, kind: str, **options: Any) -> bytes:  # noqa: ANN401 - options of savefig
    """Return a figure as the bytes of a file, without a date."""
    file = io.BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context(STYLE):
        figure.savefig(file, format=kind, metadata=dates.get(kind), dpi=200, **options)
    return file.getvalue()


def as_svg(figure: Figure, name: str = "plot", title: str = "") -> str:
    """Return a figure as an SVG element for a page, with real text and the colours of the page.

    `name` is a prefix that keeps the ids of several figures apart; `title` describes the figure to screen readers.
    """
    with mpl.rc_context({"svg.fonttype": "none"}):
        svg = render(figure, "svg", transparent=True).decode()
    for unwanted in UNWANTED:
        svg = unwanted.sub("", svg)
    used = set(re.findall(r'(?:href="|url\()#([^")]*)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", svg)
    svg = re.sub(r'(?:xlink:)?href="#', f'href="#{name}-', svg).replace("url(#", f"url(#{name}-")
    for colour, value in COLOURS.items():
        svg = svg.replace(value, f"var(--{colour})")
    width, height = (round(inches * POINTS, 1) for inches in figure.get_size_inches())
    label = f' aria-label="{escape(title)}"' if title else ' aria-hidden="true"'
    head = f'<svg class="plot" viewBox="0 0 {width:g} {height:g}" role="img"{label}>'
    return re.sub(r"<svg[^>]*>", lambda _: head, svg, count=1).strip() + "\n"
