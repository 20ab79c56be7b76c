"""The S-curve in plain characters, as a picture and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.measures import Measure
    from lookalike.tuning.curve import Curve

WIDTH, HEIGHT = 60, 12
CURVE, FALSE, MISSED, THRESHOLD = "*.x|"
STEPS_MARKED = 5
"""Number of marks on the horizontal axis, not counting 0."""


def curve_picture(curve: Curve) -> str:
    """Draw the chance of becoming a candidate over the measure, with the areas of false candidates and missed pairs."""
    lines = [f"{label:>4} |{cells}".rstrip() for label, cells in zip(labels(), rows(curve), strict=True)]
    lines += ["     +" + "-" * (WIDTH + 1), f"    {marks(curve)}"]
    if (at := threshold_column(curve)) is not None:
        lines.append(f"      {'':{at}}^ threshold {curve.threshold:.4g}")
        lines.append(f"      {CURVE} chance of being compared   {FALSE} false candidates   {MISSED} missed pairs")
    return "\n".join(lines)


def marks(curve: Curve) -> str:
    """Return the numbers below the horizontal axis, and the name of the measure unless it is jaccard."""
    values = [curve.end * i / STEPS_MARKED for i in range(STEPS_MARKED + 1)]
    texts = [f"{value:.4g}" if curve.measure.is_distance else f"{value:.1f}" for value in values]
    step = WIDTH // STEPS_MARKED
    line = f"{texts[0]:>3}" + "".join(f"{text:>{step}}" for text in texts[1:])
    return line if curve.measure.is_default else f"{line}  {curve.measure.name}"


def threshold_column(curve: Curve) -> int | None:
    """Return the column of the threshold, if there is one."""
    return None if curve.threshold is None else min(round(curve.threshold / curve.end * WIDTH), WIDTH)


def labels() -> list[str]:
    """Return the labels of the vertical axis, from the top."""
    return ["1.0", *[""] * (HEIGHT - 2), "0.0"]


def rows(curve: Curve) -> Iterator[str]:
    """Yield the rows of the picture, from the top."""
    heights = [round(chance * (HEIGHT - 1)) for _, chance in curve.points(WIDTH + 1)]
    at, direction = threshold_column(curve), -1 if curve.measure.is_distance else 1
    for row in reversed(range(HEIGHT)):
        yield "".join(
            cell(heights, column, row, None if at is None else direction * (column - at)) for column in range(WIDTH + 1)
        )


def cell(heights: list[int], column: int, row: int, beyond: int | None) -> str:
    """Return the character at one place. A steep curve fills the rows between the heights of neighbouring columns.

    `beyond` is how many columns more similar than the threshold the column is; it is negative where items are not
    pairs, and None without a threshold.
    """
    height = heights[column]
    before = heights[max(column - 1, 0)]
    after = heights[min(column + 1, len(heights) - 1)]
    if row == height or min(before, after) < row < height:
        return CURVE
    if beyond is None:
        return " "
    if beyond == 0:
        return THRESHOLD
    if beyond < 0 and row < height:
        return FALSE
    return MISSED if beyond > 0 and row > height else " "


def curve_table(chances: list[tuple[float, float]], threshold: float | None, measure: Measure) -> Iterator[str]:
    """Yield the lines of a table: similarity or distance, chance, and what becomes of a thousand pairs."""
    yield f"{measure.column:>10}  chance  of 1,000 pairs"
    for value, chance in chances:
        number = f"{1000 * chance:6.1f}"
        if threshold is None:
            meaning = f"{number} candidates"
        elif measure.score(value) < measure.score(threshold):
            meaning = f"{number} false candidates"
        else:
            meaning = f"{number} found, {1000 * (1 - chance):.1f} missed"
        mark = "  <- threshold" if value == threshold else ""
        yield f"{value:>10.4g}  {chance:.4f}  {meaning}{mark}"


def aligned(rows: list[tuple[str, str]]) -> list[str]:
    """Return a line per name and value, with all values in one column."""
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {value}" for name, value in rows]
