"""Plots, as figures of matplotlib: to be saved as a file, or put into a page as SVG that follows the page's colours."""

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
"""The chance of two items to be compared, of their similarity or distance."""

FORMATS = (".svg", ".png", ".pdf")

COLOURS = {
    "ink": "#22272e",
    "muted": "#5c6570",
    "rule": "#dfe3e8",
    "blue": "#2b66ad",
    "red": "#bf4a30",
    "grey": "#a3abb5",
}
"""Every colour of a plot, by name; in a page each is the CSS variable of that name."""

STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same measures, so the same bytes, everywhere
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
"""Inches. In a page a plot is as wide as its column, from a phone's to half a screen's."""

POINTS = 72
"""Of an inch; units of the SVG."""

TINY = 1e-9
NARROWEST = 0.01

BINS = 40
WIDTHS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.025)

EDGES = (2, 3, 4, 5, 10, 20, 50, *(10**power for power in range(2, 11)))
"""Where ranges of cluster sizes begin."""

UNWANTED = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"^.*?(?=<svg)",
        r"<metadata>.*?</metadata>",
        r"<defs>\s*<style.*?</style>\s*</defs>",  # it would hold for the whole page; style.css has it for plots
        r'font-family: [^;"]*;?',  # the page's font
    )
]
"""What a figure's SVG has that a page does not need."""


@dataclass(frozen=True, slots=True)
class Across:
    """What goes across a plot: similarity from 0 to 1, or distance from 0 on."""

    column: str = "similarity"
    most: float = 1.0
    label: str = "similarity of two items"

    @property
    def is_distance(self) -> bool:
        """Whether pairs are on the left of the threshold."""
        return self.column == "distance"


def across(measure: Measure, most: float) -> Across:
    """Return what goes across the plots of a measure, up to a value."""
    name = {"jaccard": "similarity", "agreement": "agreement"}.get(measure.name, f"{measure.name} {measure.column}")
    unit = ", in bits" if measure.of == "bits" else ""
    return Across(measure.column, most, f"{name} of two items{unit}")


def curve(
    banding: Banding, threshold: float | None = None, chance: Chance | None = None, of: Across | None = None
) -> Figure:
    """Draw the S-curve: the chance of two items to be compared, over their similarity; or over what `of` says.

    With a threshold, the pairs that are missed (false negatives) and the candidates that are compared in vain (false
    positives) are shaded. `chance` is that of bands of sets, if it is not given.
    """
    chance, of = chance or banding.chance, of or Across()
    values = np.linspace(0, of.most, 401)
    with mpl.rc_context(STYLE):
        figure, axes = canvas(of.label, "chance to be compared")
        name = f"{banding.bands} bands of {banding.rows} rows"
        draw_chance(axes, values.tolist(), [chance(value) for value in values], name, of.most)
        if threshold is not None:
            low = np.append(values[values < threshold], threshold)
            high = np.append(threshold, values[values > threshold])
            pairs, others = (low, high) if of.is_distance else (high, low)
            missed, vain = ([chance(value) for value in part] for part in (pairs, others))
            shade(axes, pairs, missed, 1, "red", 0.55, "missed (false negatives)")
            shade(axes, others, vain, 0, "blue", 0.2, "compared in vain (false positives)")
            mark_threshold(axes, threshold)
        figure.legend(loc="outside lower left", ncols=2)
        return figure


def step(threshold: float, of: Across | None = None) -> Figure:
    """Draw what becomes of the S-curve in an exact search: a step at the threshold."""
    of = of or Across()
    with mpl.rc_context(STYLE):
        figure, axes = canvas(of.label, "chance to be found")
        up = [1, 1, 0, 0] if of.is_distance else [0, 0, 1, 1]
        draw_chance(axes, [0, threshold, threshold, of.most], up, "exact search", of.most)
        mark_threshold(axes, threshold)
        figure.legend(loc="outside lower left", ncols=2)
        return figure


def draw_chance(axes: Axes, values: Sequence[float], chance: Sequence[float], label: str, most: float) -> None:
    """Draw a chance over the similarity, or distance."""
    axes.plot(values, chance, color=COLOURS["blue"], linewidth=2, label=label, clip_on=False, zorder=3)
    axes.set(xlim=(0, most), ylim=(0, 1.02))


def shade(
    axes: Axes,
    similarity: NDArray[np.float64],
    chance: Sequence[float],
    other: int,
    colour: str,
    alpha: float,
    label: str,
) -> None:
    """Fill what is between a chance and 0 or 1."""
    axes.fill_between(similarity, chance, other, color=COLOURS[colour], alpha=alpha, linewidth=0, label=label)


def histogram(similarity: NDArray[np.float64], threshold: float, up: str = "pairs") -> Figure:
    """Draw how many there are of each similarity below 1; those below the threshold in grey."""
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
    """Draw how many there are of each distance above 0; those beyond the threshold in grey."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas("distance", up)
        most = max(threshold, distance.max(initial=0.0), TINY)
        edges = np.linspace(0, most, BINS + 1)
        counts, _ = np.histogram(distance, edges)
        colours = np.where(edges[:-1] >= threshold, COLOURS["grey"], COLOURS["blue"])
        axes.bar(edges[:-1], counts, np.diff(edges) * 0.9, align="edge", color=colours.tolist(), linewidth=0)
        axes.set_xlim(0, most * 1.02)
        axes.set_ylim(0, max(int(counts.max(initial=0)), 1) * 1.06)
        whole_numbers(axes)
        mark_threshold(axes, threshold)
        return figure


def bins(least: float) -> NDArray[np.float64]:
    """Return edges from a similarity to 1: about forty bins whose width is a round number."""
    width = next((width for width in WIDTHS if (1 - least) / width <= BINS), WIDTHS[-1])
    first = np.floor(least / width + TINY)
    return np.asarray(np.round(np.arange(first, round(1 / width) + 1) * width, 6))


def sizes(counts: dict[int, int]) -> Figure:
    """Draw how many clusters there are of each size."""
    ranges = size_ranges(counts)
    with mpl.rc_context(STYLE):
        height = max(0.6, 0.27 * len(ranges)) + 0.2
        figure, axes = canvas("clusters", "items in a cluster, and how many such clusters there are", (SIZE[0], height))
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
    """Count the clusters of each size, or of each range of sizes, up to the largest.

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
    """Draw the recall measured in each bin of similarity, with its interval, beside the one predicted."""
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
        told = [share for share in known if share.predicted is not None]
        axes.hlines(
            np.array([share.predicted for share in told], float),
            [share.low for share in told],
            [max(share.high, share.low + NARROWEST) for share in told],
            color=COLOURS["red"],
            linewidth=2,
            label="predicted",
        )
        least = min([*(share.interval[0] for share in known), *(share.predicted or 1 for share in told), 0.9])
        axes.set_ylim(max(0, least - 0.05 * (1 - least)), 1 + 0.04 * (1 - least))
        figure.legend(loc="outside lower left", ncols=2)
        return figure


def whole_numbers(axes: Axes) -> None:
    """Let the upright axis count: whole numbers, with commas."""
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def canvas(across: str, up: str, size: tuple[float, float] = SIZE) -> tuple[Figure, Axes]:
    """Return an empty figure. What goes up is said above the axis, where it can be read without turning the head."""
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_title(up)
    axes.tick_params(length=3)
    axes.grid(axis="y")
    return figure, axes


def mark_threshold(axes: Axes, threshold: float) -> None:
    """Draw the threshold as a dashed line."""
    axes.axvline(
        threshold, color=COLOURS["muted"], linestyle=(0, (3, 2)), linewidth=1, label=f"threshold {threshold:g}"
    )


def save(figure: Figure, path: Path) -> None:
    """Write a figure as SVG, PNG or PDF, by the ending of the name: the same bytes each time."""
    check_ending(path)
    write_file(render(figure, path.suffix.lower()[1:]), path)


def check_ending(path: Path) -> None:
    """Raise unless a figure can be written under that name."""
    if path.suffix.lower() not in FORMATS:
        raise OutputError(f"{path} has no ending of a picture; choose {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")


def render(figure: Figure, kind: str, **options: Any) -> bytes:  # noqa: ANN401 - those of savefig
    """Return a figure as the bytes of a file without a date."""
    file = io.BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context(STYLE):
        figure.savefig(file, format=kind, metadata=dates.get(kind), dpi=200, **options)
    return file.getvalue()


def as_svg(figure: Figure, name: str = "plot", title: str = "") -> str:
    """Return a figure as an SVG element for a page: its text is text, its colours are the page's, its ids its own.

    `name` tells the ids of several figures of one page apart; `title` says what is to be seen, for who cannot see it.
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
