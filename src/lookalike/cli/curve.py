"""The S-curve as a picture of plain characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.recipe import Banding

WIDTH, HEIGHT = 60, 12
CURVE, VAIN, MISSED, THRESHOLD = "*.x|"
STEPS_MARKED = 5
"""Marks of the axis below, without that at 0."""


def picture(banding: Banding, threshold: float | None = None) -> str:
    """Draw the chance of becoming a candidate over the similarity, with what is compared in vain and what is missed."""
    lines = [f"{label:>4} |{cells}".rstrip() for label, cells in zip(labels(), rows(banding, threshold), strict=True)]
    marks = "".join(f"{i / STEPS_MARKED:>{WIDTH // STEPS_MARKED}.1f}" for i in range(1, STEPS_MARKED + 1))
    lines += ["     +" + "-" * (WIDTH + 1), f"    0.0{marks[1:]}"]
    if threshold is not None:
        at = round(threshold * WIDTH)
        lines.append(f"      {'':{at}}^ threshold {threshold:.4g}")
        lines.append(f"      {CURVE} chance to be compared   {VAIN} compared in vain   {MISSED} missed")
    return "\n".join(lines)


def labels() -> list[str]:
    """Return what stands left of each row: the chance at the top, in the middle and at the bottom."""
    return ["1.0", *[""] * (HEIGHT - 2), "0.0"]


def rows(banding: Banding, threshold: float | None) -> Iterator[str]:
    """Yield the rows of the picture, the topmost first."""
    heights = [round(chance * (HEIGHT - 1)) for _, chance in banding.curve(WIDTH + 1)]
    at = None if threshold is None else round(threshold * WIDTH)
    for row in reversed(range(HEIGHT)):
        yield "".join(cell(heights, column, row, at) for column in range(WIDTH + 1))


def cell(heights: list[int], column: int, row: int, at: int | None) -> str:
    """Return the character of one place; a steep curve fills the rows from one column's height to the next."""
    height = heights[column]
    before = heights[max(column - 1, 0)]
    if row == height or before < row < height:
        return CURVE
    if at is None:
        return " "
    if column == at:
        return THRESHOLD
    if column < at and row < height:
        return VAIN
    return MISSED if column > at and row > height else " "


def curve_table(chances: list[tuple[float, float]], threshold: float | None) -> Iterator[str]:
    """Yield the lines of a table: similarity, chance, and what that makes of a thousand pairs."""
    yield "similarity  chance  of 1,000 pairs"
    for similarity, chance in chances:
        number = f"{1000 * chance:6.1f}"
        if threshold is None:
            meaning = f"{number} compared"
        elif similarity < threshold:
            meaning = f"{number} compared in vain"
        else:
            meaning = f"{number} found, {1000 * (1 - chance):.1f} missed"
        mark = "  <- threshold" if similarity == threshold else ""
        yield f"{similarity:>10.4g}  {chance:.4f}  {meaning}{mark}"


def lined_up(rows: list[tuple[str, str]]) -> list[str]:
    """Return rows of a name and a value with the values below each other."""
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {value}" for name, value in rows]
