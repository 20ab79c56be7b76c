"""Bands and rows from the threshold and the recall wanted."""

from __future__ import annotations

import math

from lookalike.errors import RecipeError
from lookalike.recipe import LARGEST_SIGNATURE, Banding, check_number, check_threshold

FALSE_CANDIDATES = 2500.0
"""What the area under the S-curve left of the threshold costs, in slots of signature."""

STEPS = 200

MOST_ROWS = 100

LEAST = 1e-3
"""Thresholds below are met by items that share next to nothing, and would need signatures without end."""


def tune(threshold: float = 0.8, recall: float = 0.99) -> Banding:
    """Return the cheapest banding that finds a pair at the threshold with at least the chance `recall`.

    >>> tune(threshold=0.8, recall=0.99)
    Banding(bands=20, rows=7)
    """
    check_threshold(threshold)
    if threshold < LEAST:
        raise RecipeError(f"`threshold` must be at least {LEAST:g}. Got {threshold:g}; give bands and rows for less")
    check_recall(recall)
    if recall == 1:
        raise RecipeError("`recall` 1 means an exact search, which has no bands. Ask for less, such as 0.999")
    return min(choices(threshold, recall), key=lambda banding: cost(banding, threshold))


def check_recall(recall: float) -> None:
    """Raise unless a recall can be promised."""
    check_number("recall", recall)
    if not 0 < recall <= 1:
        hint = f"; did you mean {recall / 100:g}?" if 1 < recall < 100 else ""  # noqa: PLR2004 - per cent
        raise RecipeError(f"`recall` must be in (0, 1]. Got {recall:g}{hint}")


def choices(threshold: float, recall: float) -> list[Banding]:
    """List the bandings that keep the promise, one for each number of rows, up to the longest signature."""
    found = []
    for rows in range(1, LARGEST_SIGNATURE):
        bands = bands_for(threshold, recall, rows)
        if bands * rows > LARGEST_SIGNATURE:
            break
        found.append(Banding(bands, rows))
        if bands * rows > FALSE_CANDIDATES or rows > MOST_ROWS:
            break
    return found


def bands_for(threshold: float, recall: float, rows: int) -> int:
    """Return the least number of bands that reaches the recall at the threshold."""
    meets = threshold**rows
    if meets >= recall:
        return 1
    bands = math.ceil(math.log1p(-recall) / math.log1p(-meets))
    return bands if 1 - (1 - meets) ** bands >= recall else bands + 1


def cost(banding: Banding, threshold: float) -> float:
    """Estimate what a banding costs an item: its slots, and the candidates below the threshold it lets through."""
    steps = [threshold * (i + 0.5) / STEPS for i in range(STEPS)]
    area = sum(map(banding.chance, steps)) * threshold / STEPS
    return banding.slots + FALSE_CANDIDATES * area
