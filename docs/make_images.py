"""Generate the images of the documentation. Requires the extra `report`.

Run it with: python docs/make_images.py
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from lookalike.lsh.banding import Banding
from lookalike.report import plots
from lookalike.tuning.tune import tune

IMAGES = Path(__file__).parent / "images"
THRESHOLD, RECALL = 0.8, 0.99
INK, BLUE, RED, GREY = (plots.COLOURS[name] for name in ("ink", "blue", "red", "muted"))
STEPS = (
    ("read", "rows of files\nor frames"),
    ("shingle", "a set of\nhashed phrases"),
    ("sign", "a short\nsignature"),
    ("band", "shared\nbuckets"),
    ("verify", "exact\nsimilarity"),
    ("cluster", "connected\npairs"),
    ("write", "one keeper\nper cluster"),
)
BETWEEN = {3: "candidates", 4: "pairs"}
"""The result that a step passes on."""


def s_curve() -> Figure:
    """Plot the S-curve of the defaults, with missed pairs and false candidates, and that of the textbook."""
    figure = plots.curve(tune(THRESHOLD, RECALL), THRESHOLD)
    figure.set_size_inches(7.2, 3.9)
    axes = figure.axes[0]
    textbook = Banding(20, 5)
    similarity = [i / 400 for i in range(401)]
    label = f"textbook: {textbook.bands} bands of {textbook.rows} rows"
    axes.plot(similarity, [textbook.chance(s) for s in similarity], color=GREY, linewidth=1, label=label)
    figure.legends.clear()
    figure.legend(loc="outside lower left", ncols=2)
    return figure


def flow() -> Figure:
    """Draw the steps of a run in a row."""
    figure = Figure(figsize=(10, 1.75), layout="constrained")
    axes = figure.add_subplot()
    for i, (name, meaning) in enumerate(STEPS):
        colour = RED if name == "verify" else BLUE
        box = {"boxstyle": "round,pad=0.45", "facecolor": colour, "edgecolor": colour}
        axes.text(i, 0.68, name, ha="center", va="center", color="white", fontsize=12, fontweight="bold", bbox=box)
        axes.text(i, 0.27, meaning, ha="center", va="center", color=INK, fontsize=10)
        if i + 1 < len(STEPS):
            arrow = {"arrowstyle": "->", "color": GREY, "linewidth": 1.4}
            axes.annotate("", (i + 0.6, 0.68), (i + 0.4, 0.68), arrowprops=arrow)
        axes.text(i + 0.5, 0.98, BETWEEN.get(i, ""), ha="center", va="center", color=GREY, fontsize=9, style="italic")
    axes.set(xlim=(-0.55, len(STEPS) - 0.45), ylim=(0, 1.08))
    axes.axis("off")
    return figure


def main() -> None:
    """Write every image as SVG, the same bytes each time."""
    for draw in (s_curve, flow):
        with mpl.rc_context(plots.STYLE):
            plots.save(draw(), IMAGES / f"{draw.__name__.replace('_', '-')}.svg")


if __name__ == "__main__":
    main()
