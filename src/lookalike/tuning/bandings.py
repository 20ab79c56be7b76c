"""The bandings that reach a recall: the minimum number of bands per number of rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lookalike.lsh.banding import LARGEST_SIGNATURE, Banding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.recipe import Recipe

MAX_ROWS, MAX_BANDS = 128, 4096
"""Limits of the bandings tried on a sample of a collection."""


def sampled_bandings(recipe: Recipe, recall: float) -> Iterator[Banding]:
    """Yield bandings to try on a sample, one per number of rows."""
    slot_chance = recipe.measure.slot_chance(recipe.threshold, recipe.threshold)
    for rows in range(1, MAX_ROWS + 1):
        if slot_chance <= 0 or slot_chance**rows < 1 / MAX_BANDS / 10:
            return
        bands = bands_for(slot_chance, recall, rows)
        if bands > MAX_BANDS or bands * rows > LARGEST_SIGNATURE:
            return
        yield Banding(bands, rows)


def short_bandings(slot_chance: float, recall: float, max_slots: float, max_rows: int) -> list[Banding]:
    """List bandings, one per number of rows, until signatures become too long to pay off."""
    found = []
    for rows in range(1, LARGEST_SIGNATURE):
        bands = bands_for(slot_chance, recall, rows)
        if bands * rows > LARGEST_SIGNATURE:
            break
        found.append(Banding(bands, rows))
        if bands * rows > max_slots or rows > max_rows:
            break
    return found


def bands_for(slot_chance: float, recall: float, rows: int) -> int:
    """Return the minimum number of bands that reach a recall, given the chance that a slot agrees at the threshold."""
    band_chance = slot_chance**rows
    if band_chance >= recall:
        return 1
    bands = math.ceil(math.log1p(-recall) / math.log1p(-band_chance))
    return bands if 1 - (1 - band_chance) ** bands >= recall else bands + 1
