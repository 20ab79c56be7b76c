"""Draw the pictures of the documentation. Needs matplotlib, which nothing else does.

Run it with: python docs/make_images.py
"""  # noqa: INP001 - a script, not a package

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl  # type: ignore[import-not-found, unused-ignore]
import matplotlib.pyplot as plt  # type: ignore[import-not-found, unused-ignore]
import numpy as np

from lookalike.recipe import Banding
from lookalike.tune import tune

IMAGES = Path(__file__).parent / "images"
THRESHOLD, RECALL = 0.8, 0.99
BLUE, RED, GREY = "#1f5fa8", "#c0392b", "#777777"
STEPS = (
    ("read", "rows of files\nor frames"),
    ("shingle", "a set of\nhashed phrases"),
    ("sign", "a short\nsignature"),
    ("band", "who shares\na bucket?"),
    ("verify", "exact\nsimilarity"),
    ("cluster", "connected\npairs"),
    ("write", "one keeper\nof each"),
)
BETWEEN = {3: "candidates", 4: "pairs"}
"""What is handed on after a step."""


def draw_curve(axes: Any, banding: Banding, colour: str, label: str) -> None:  # noqa: ANN401 - matplotlib has no types
    """Draw the chance of becoming a candidate over the similarity."""
    similarity = np.linspace(0, 1, 401)
    axes.plot(similarity, [banding.chance(s) for s in similarity], color=colour, linewidth=2, label=label)


def s_curve() -> Any:  # noqa: ANN401 - a figure
    """Draw the S-curve of the defaults, and what is missed and what is compared in vain."""
    banding = tune(THRESHOLD, RECALL)
    figure, axes = plt.subplots(figsize=(7.2, 3.9), layout="constrained")
    draw_curve(axes, banding, BLUE, f"default: {banding.bands} bands of {banding.rows} rows")
    draw_curve(axes, Banding(20, 5), GREY, "textbook: 20 bands of 5 rows")
    low, high = np.linspace(0, THRESHOLD, 201), np.linspace(THRESHOLD, 1, 101)
    axes.fill_between(low, [banding.chance(s) for s in low], color=BLUE, alpha=0.15)
    axes.fill_between(high, [banding.chance(s) for s in high], 1, color=RED, alpha=0.5)
    axes.axvline(THRESHOLD, color=GREY, linestyle="--", linewidth=1)
    axes.annotate(
        f"at the threshold:\nfound with {banding.chance(THRESHOLD):.3f}",
        (THRESHOLD, banding.chance(THRESHOLD)),
        (0.83, 0.62),
        arrowprops={"arrowstyle": "->", "color": RED},
        color=RED,
    )
    axes.text(0.04, 0.42, "compared, then rejected:\nnever reported", color=BLUE)
    axes.annotate("", (0.66, 0.3), (0.33, 0.42), arrowprops={"arrowstyle": "->", "color": BLUE})
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="similarity of two items", ylabel="chance to be compared")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", frameon=False)
    return figure


def flow() -> Any:  # noqa: ANN401 - a figure
    """Draw the steps in a row."""
    figure, axes = plt.subplots(figsize=(10, 1.75), layout="constrained")
    for i, (name, meaning) in enumerate(STEPS):
        colour = RED if name == "verify" else BLUE
        box = {"boxstyle": "round,pad=0.45", "facecolor": colour, "edgecolor": colour}
        axes.text(i, 0.68, name, ha="center", va="center", color="white", fontsize=12, fontweight="bold", bbox=box)
        axes.text(i, 0.27, meaning, ha="center", va="center", color="#333333", fontsize=10)
        if i + 1 < len(STEPS):
            arrow = {"arrowstyle": "->", "color": GREY, "linewidth": 1.4}
            axes.annotate("", (i + 0.6, 0.68), (i + 0.4, 0.68), arrowprops=arrow)
        axes.text(i + 0.5, 0.98, BETWEEN.get(i, ""), ha="center", va="center", color=GREY, fontsize=9, style="italic")
    axes.set(xlim=(-0.55, len(STEPS) - 0.45), ylim=(0, 1.08))
    axes.axis("off")
    return figure


def main() -> None:
    """Write every picture as SVG, the same bytes each time."""
    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "lookalike", "font.size": 10})
    for draw in (s_curve, flow):
        figure = draw()
        figure.savefig(IMAGES / f"{draw.__name__.replace('_', '-')}.svg", metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
