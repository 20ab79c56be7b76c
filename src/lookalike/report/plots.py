"""Plots, as figures of matplotlib: to be saved as a file, or put into a page as SVG that follows the page's colours."""

from __future__ import annotations

import io
import re
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.errors import MissingExtraError, OutputError
from lookalike.write import write_file

try:
    import matplotlib as mpl
    from matplotlib.figure import Figure
except ImportError as error:
    raise MissingExtraError("matplotlib", "A plot", "report") from error

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from lookalike.recipe import Banding

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

MIDDLE = 0.5

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


def curve(banding: Banding, threshold: float | None = None) -> Figure:
    """Draw the S-curve: the chance of two items to be compared, over their similarity.

    With a threshold, the pairs that are missed (false negatives) and the candidates that are compared in vain (false
    positives) are shaded.
    """
    similarity = np.linspace(0, 1, 401)
    label = f"{banding.bands} bands of {banding.rows} rows"
    return draw_curve(similarity, np.array([banding.chance(s) for s in similarity]), threshold, label)


def step(threshold: float) -> Figure:
    """Draw the S-curve of an exact search: a step at the threshold."""
    return draw_curve(np.array([0, threshold, threshold, 1]), np.array([0, 0, 1, 1]), threshold, "exact search")


def draw_curve(
    similarity: np.ndarray[Any, Any], chance: np.ndarray[Any, Any], threshold: float | None, label: str
) -> Figure:
    """Draw a chance over the similarity, and what a threshold makes of it."""
    with mpl.rc_context(STYLE):
        figure, axes = canvas("similarity of two items", "chance to be compared")
        axes.plot(similarity, chance, color=COLOURS["blue"], linewidth=2, label=label, clip_on=False, zorder=3)
        if threshold is not None:
            low = np.append(similarity[similarity < threshold], threshold)
            high = np.append(threshold, similarity[similarity > threshold])
            missed, vain = (np.interp(part, similarity, chance) for part in (high, low))
            axes.fill_between(
                high, missed, 1, color=COLOURS["red"], alpha=0.55, linewidth=0, label="missed (false negatives)"
            )
            axes.fill_between(
                low, vain, color=COLOURS["blue"], alpha=0.16, linewidth=0, label="compared in vain (false positives)"
            )
            mark_threshold(axes, threshold)
        early = similarity[np.searchsorted(chance, MIDDLE)] < MIDDLE
        axes.set(xlim=(0, 1), ylim=(0, 1.02))
        axes.legend(loc="lower right" if early else "upper left", borderaxespad=0.2)
        return figure


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
