"""The S-curve as a picture of plain characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.measures import Measure
    from lookalike.tuning.curve import Curve

WIDTH, HEIGHT = 60, 12
CURVE, VAIN, MISSED, THRESHOLD = "*.x|"
STEPS_MARKED = 5
"""Marks of the axis below, without that at 0."""


def picture(curve: Curve) -> str:
    """Draw the chance of becoming a candidate over the measure, with what is compared in vain and what is missed."""
    lines = [f"{label:>4} |{cells}".rstrip() for label, cells in zip(labels(), rows(curve), strict=True)]
    lines += ["     +" + "-" * (WIDTH + 1), f"    {marks(curve)}"]
    if (at := column_of(curve)) is not None:
        lines.append(f"      {'':{at}}^ threshold {curve.threshold:.4g}")
        lines.append(f"      {CURVE} chance to be compared   {VAIN} compared in vain   {MISSED} missed")
    return "\n".join(lines)


def marks(curve: Curve) -> str:
    """Return the numbers below the axis, and what they are if that is not the Jaccard similarity."""
    values = [curve.most * i / STEPS_MARKED for i in range(STEPS_MARKED + 1)]
    texts = [f"{value:.4g}" if curve.measure.is_distance else f"{value:.1f}" for value in values]
    step = WIDTH // STEPS_MARKED
    line = f"{texts[0]:>3}" + "".join(f"{text:>{step}}" for text in texts[1:])
    return line if curve.measure.name == "jaccard" else f"{line}  {curve.measure.name}"


def column_of(curve: Curve) -> int | None:
    """Return the column of the threshold, if there is one."""
    return None if curve.threshold is None else min(round(curve.threshold / curve.most * WIDTH), WIDTH)


def labels() -> list[str]:
    """Return what stands left of each row: the chance at the top, in the middle and at the bottom."""
    return ["1.0", *[""] * (HEIGHT - 2), "0.0"]


def rows(curve: Curve) -> Iterator[str]:
    """Yield the rows of the picture, the topmost first."""
    heights = [round(chance * (HEIGHT - 1)) for _, chance in curve.points(WIDTH + 1)]
    at, closer = column_of(curve), -1 if curve.measure.is_distance else 1
    for row in reversed(range(HEIGHT)):
        yield "".join(
            cell(heights, column, row, None if at is None else closer * (column - at)) for column in range(WIDTH + 1)
        )


def cell(heights: list[int], column: int, row: int, closer: int | None) -> str:
    """Return the character of one place; a steep curve fills the rows from one column's height to the next.

    `closer` is how many columns closer than the threshold items are there; less than 0 if they are no pairs.
    """
    height = heights[column]
    before = heights[max(column - 1, 0)]
    after = heights[min(column + 1, len(heights) - 1)]
    if row == height or min(before, after) < row < height:
        return CURVE
    if closer is None:
        return " "
    if closer == 0:
        return THRESHOLD
    if closer < 0 and row < height:
        return VAIN
    return MISSED if closer > 0 and row > height else " "


def curve_table(chances: list[tuple[float, float]], threshold: float | None, measure: Measure) -> Iterator[str]:
    """Yield the lines of a table: similarity or distance, chance, and what that makes of a thousand pairs."""
    yield f"{measure.column:>10}  chance  of 1,000 pairs"
    for value, chance in chances:
        number = f"{1000 * chance:6.1f}"
        if threshold is None:
            meaning = f"{number} compared"
        elif measure.score(value) < measure.score(threshold):
            meaning = f"{number} compared in vain"
        else:
            meaning = f"{number} found, {1000 * (1 - chance):.1f} missed"
        mark = "  <- threshold" if value == threshold else ""
        yield f"{value:>10.4g}  {chance:.4f}  {meaning}{mark}"


def lined_up(rows: list[tuple[str, str]]) -> list[str]:
    """Return rows of a name and a value with the values below each other."""
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {value}" for name, value in rows]
