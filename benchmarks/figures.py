"""The plots of the comparison, from its results: each is the same bytes for the same results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from cells import as_share, seconds
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from lookalike.report.plots import COLOURS, STYLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from rows import Results, Row

Lines = dict[str, list[tuple[float, float]]]
"""Of each tool: places along the axis, and the seconds there."""

OURS = "lookalike"
STAGES = {
    "read": "#c9ced6",
    "shingle": "#e0b070",
    "sign": "#c8743c",
    "band": "#8fb3d9",
    "verify": "#3f77b5",
    "cluster": "#1f3f66",
    "other, or several at once": "#7d8590",
}
"""Stages in the order of the flow, and their colours."""

OTHER = list(STAGES)[-1]
WIDTH = 7.2
LINE = 0.27
LONGEST = 96
NOTE: dict[str, Any] = {"va": "center", "color": COLOURS["muted"], "fontsize": 8, "annotation_clip": False}
APART = 0.042
"""The least distance of two labels of lines, as a share of the axis."""

LABEL: dict[str, Any] = {"va": "center", "fontsize": 8.5, "annotation_clip": False, "zorder": 6}
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 1.2}
"""Behind the label of a line that ends early: other lines go on there, and must not run through it."""

LEADER = {"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 2, "shrinkB": 4, "relpos": (0, 0.5)}


def measured(results: Results) -> list[Row]:
    """Return the rows with a time, the fastest first."""
    rows = [row for row in results.rows.values() if "seconds" in row]
    return sorted(rows, key=lambda row: (row["median_seconds"], row["tool"]))


def unmeasured(results: Results) -> list[Row]:
    """Return the rows without a time, by name."""
    return [results.rows[name] for name in sorted(results.rows) if "seconds" not in results.rows[name]]


def time(results: Results) -> Figure:
    """Draw the time of each tool, and which share of it each stage takes; say of others why there is none."""
    done, failed = measured(results), unmeasured(results)
    with mpl.rc_context(STYLE):
        figure, (left, right) = panels(len(done) + len(failed), 2, 1.15)
        values = [row["median_seconds"] for row in done]
        dots(left, values, done, "seconds", [seconds(value) for value in values])
        names(left, [*done, *failed])
        begin = [0.0] * len(done)
        for stage, colour in STAGES.items():
            shares = [share_of(row, stage) for row in done]
            right.barh(range(len(done)), shares, left=begin, color=colour, height=0.62, label=stage)
            begin = [low + share for low, share in zip(begin, shares, strict=True)]
        right.set(xlim=(0, 1), title="share of each stage")
        right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        left.set_zorder(2)
        for place, row in enumerate(failed, len(done)):
            why = shortened(str(row.get("failed") or row.get("skipped")))
            note = left.annotate(why, (0.01, place), xycoords=("axes fraction", "data"), **NOTE)
            note.set_in_layout(False)  # it runs on into the other half
        figure.legend(*right.get_legend_handles_labels(), loc="outside lower left", ncols=4)
        return figure


def share_of(row: Row, stage: str) -> float:
    """Return which share of a tool's time a stage takes; what no stage accounts for is other."""
    stages, whole = row["stages"], max(row["median_seconds"], sum(row["stages"].values()))
    if stage != OTHER:
        return float(stages.get(stage, 0) / whole)
    return float(1 - sum(stages.get(name, 0) for name in STAGES) / whole)


def memory(results: Results) -> Figure:
    """Draw the peak memory of each tool."""
    rows = sorted(measured(results), key=lambda row: (row["peak_bytes"], row["tool"]))
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(len(rows), 1)
        bars(axes, [row["peak_bytes"] / 1e6 for row in rows], rows, "megabytes", "{:,.0f}".format)
        names(axes, rows)
        return figure


def quality(results: Results) -> Figure:
    """Draw recall and precision of each tool's clusters; the best first."""
    rows = [row for row in measured(results) if None not in (row["clusters"]["recall"], row["clusters"]["precision"])]
    rows.sort(key=lambda row: (-min(row["clusters"]["recall"], row["clusters"]["precision"]), row["tool"]))
    with mpl.rc_context(STYLE):
        figure, (axes,) = panels(len(rows), 1)
        for name, colour, marker in (("recall", "blue", "o"), ("precision", "red", "D")):
            values = [row["clusters"][name] for row in rows]
            style: dict[str, Any] = {"color": COLOURS[colour], "linestyle": "", "markersize": 6, "label": name}
            style |= {"markerfacecolor": "none"} if name == "precision" else {}
            axes.plot(values, range(len(rows)), marker, clip_on=False, zorder=3, **style)
        for place, row in enumerate(rows):
            ends = sorted((row["clusters"]["recall"], row["clusters"]["precision"]))
            axes.plot(ends, [place, place], color=COLOURS["grey"], linewidth=1, zorder=2)
        least = min((min(row["clusters"]["recall"], row["clusters"]["precision"]) for row in rows), default=0.9)
        axes.set(xlim=(max(0, least - 0.08 * (1 - least) - 0.005), 1), title="recall and precision")
        names(axes, rows)
        figure.legend(loc="outside lower left", ncols=2)
        return figure


def growth(every: Sequence[Results]) -> Figure:
    """Draw time over the number of documents, a line for each tool that has more than one size."""
    lines: Lines = {}
    for results in sorted(every, key=lambda results: int(results.facts["corpus"]["documents"])):
        for row in measured(results):
            lines.setdefault(row["tool"], []).append((results.facts["corpus"]["documents"], row["median_seconds"]))
    with mpl.rc_context(STYLE):
        figure, axes = curves(lines, "documents", "log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        label_lines(axes, lines, lambda last: last * 1.35)
        return figure


def thresholds(rows: Sequence[Row]) -> Figure:
    """Draw time over the threshold, from the highest to the lowest, a line for each tool."""
    lines: Lines = {}
    for row in sorted(rows, key=lambda row: -row["threshold"]):
        lines.setdefault(row["tool"], []).append((row["threshold"], row["seconds"]))
    with mpl.rc_context(STYLE):
        figure, axes = curves(lines, "minimum Jaccard similarity of a pair", "linear")
        axes.invert_xaxis()
        label_lines(axes, lines, lambda last: last - 0.02)
        return figure


def answers(rows: Sequence[Row]) -> Figure:
    """Draw the queries per second of each index, the time to build it, and its recall."""
    rows = sorted(rows, key=lambda row: (-row["queries_a_second"], row["tool"]))
    with mpl.rc_context(STYLE):
        figure, (left, middle, right) = panels(len(rows), 3)
        values = [row["queries_a_second"] for row in rows]
        dots(left, values, rows, "queries per second", [f"{value:,}" for value in values])
        names(left, rows)
        bars(middle, [row["build"] for row in rows], rows, "seconds to build", seconds)
        bars(right, [row["recall"] for row in rows], rows, "recall", as_share)
        return figure


def bars(axes: Axes, values: Sequence[float], rows: Sequence[Row], what: str, label: Callable[[float], str]) -> None:
    """Draw a bar for each row, with its value."""
    drawn = axes.barh(range(len(rows)), values, color=colours(rows), height=0.62)
    axes.bar_label(drawn, [label(value) for value in values], padding=4, fontsize=8)
    axes.set(title=what)
    axes.margins(x=0.1)
    axes.xaxis.set_major_formatter(plain())


def curves(lines: Lines, along: str, scale: str) -> tuple[Figure, Axes]:
    """Draw a line of seconds for each tool, on a logarithmic axis."""
    figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
    axes = figure.add_subplot(xscale=scale, yscale="log", xlabel=along, title="seconds")
    axes.grid()
    for tool, points in lines.items():
        ours = tool.startswith(OURS)
        style: dict[str, Any] = {"color": COLOURS["blue" if ours else "muted"], "linewidth": 2 if ours else 1}
        axes.plot(*zip(*points, strict=True), marker="o", markersize=4 if ours else 3, zorder=3 + ours, **style)
    axes.set_xticks(sorted({place for points in lines.values() for place, _ in points}))
    axes.yaxis.set_major_formatter(plain())
    axes.yaxis.set_minor_formatter(NullFormatter())
    return figure, axes


def label_lines(axes: Axes, lines: Lines, beside: Callable[[float], float]) -> None:
    """Write the name of each line right of its end, in the order of the ends, apart from each other."""
    bottom, top = (math.log(value) for value in axes.get_ylim())
    axes.set_ylim(axes.get_ylim())
    for last in sorted({points[-1][0] for points in lines.values()}):
        ends = sorted((points[-1][1], tool) for tool, points in lines.items() if points[-1][0] == last)
        places = spread([(math.log(value) - bottom) / (top - bottom) for value, _ in ends])
        for (value, tool), place in zip(ends, places, strict=True):
            colour = COLOURS["blue" if tool.startswith(OURS) else "muted"]
            to = (beside(last), math.exp(bottom + place * (top - bottom)))
            axes.annotate(
                tool, (last, value), to, color=colour, bbox=PAPER, arrowprops={**LEADER, "color": colour}, **LABEL
            )


def spread(places: Sequence[float]) -> list[float]:
    """Move places from 0 to 1 apart, as little as the distance needs: those that touch are centred where they were.

    >>> spread([0.1, 0.5, 0.5, 1, 1])
    [0.1, 0.479, 0.521, 0.958, 1.0]
    """
    groups: list[tuple[list[float], float]] = []
    for place in places:
        members, begin = [place], place
        while groups and begin < groups[-1][1] + len(groups[-1][0]) * APART:
            members = groups.pop()[0] + members
            length = (len(members) - 1) * APART
            begin = max(0, min(sum(members) / len(members) - length / 2, 1 - length))
        groups.append((members, begin))
    return [round(begin + i * APART, 6) for members, begin in groups for i in range(len(members))]


def panels(count: int, across: int, more: float = 0.75) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure with room for that many lines, and its axes: lines go down from the first."""
    figure = Figure(figsize=(WIDTH, LINE * max(count, 1) + more), layout="constrained")
    axes = figure.subplots(1, across, sharey=True, squeeze=False)[0]
    for one in axes:
        one.set_ylim(max(count, 1) - 0.5, -0.5)
        one.tick_params(axis="y", length=0)
        one.spines["left"].set_visible(False)
        one.grid(axis="x")
    return figure, axes


def dots(axes: Axes, values: Sequence[float], rows: Sequence[Row], what: str, labels: Sequence[str]) -> None:
    """Draw a dot for each row on a logarithmic axis, with its value."""
    axes.set(xscale="log", title=what)
    axes.scatter(values, range(len(rows)), color=colours(rows), s=26, zorder=3)
    for place, (value, label) in enumerate(zip(values, labels, strict=True)):
        axes.annotate(label, (value, place), (6, 0), textcoords="offset points", va="center", fontsize=8)
    if values:
        axes.set_xlim(min(values) / 1.4, max(values) * 3)
    axes.xaxis.set_major_formatter(plain())
    axes.xaxis.set_minor_formatter(NullFormatter())


def colours(rows: Sequence[Row]) -> list[str]:
    """Return a colour for each tool: ours has its own."""
    return [COLOURS["blue" if row["tool"].startswith(OURS) else "muted"] for row in rows]


def names(axes: Axes, rows: Sequence[Row]) -> None:
    """Write the names of the tools; ours in its colour."""
    axes.set_yticks(range(len(rows)), [row["tool"] for row in rows])
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(COLOURS["blue" if row["tool"].startswith(OURS) else "ink"])


def plain() -> FuncFormatter:
    """Return a format of numbers without powers."""
    return FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")


def shortened(text: str) -> str:
    """Cut a message that is too long for a plot."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
