"""Euclidean distance of vectors."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from lookalike.measures.base import register
from lookalike.measures.vectors import VectorMeasure

if TYPE_CHECKING:
    from lookalike.lsh.family import Family

CELLS = 4.0
"""Width of the cells of a random line, in thresholds. Two vectors at the threshold fall in one cell four times out of
five; at half the threshold, nine times out of ten."""

AXIS = 5
"""An axis is extended to at most so many times its usual length."""

NO_CHANCE = 1e-12


@register("vectors", "euclidean")
class Euclidean(VectorMeasure):
    """The Euclidean distance between two vectors."""

    is_distance = True
    needs_threshold = True
    uses_squares = True

    @property
    def family(self) -> type[Family]:
        """Random projections, cut in cells."""
        from lookalike.lsh.projections import Projections  # noqa: PLC0415 - needs Numba

        return Projections

    def cell(self, threshold: float) -> float:
        """Return the width of a cell."""
        return CELLS * threshold if threshold > 0 else 1.0

    def slot_chance(self, value: float, threshold: float) -> float:
        """Return the chance that two vectors at this distance fall in one cell of a random line."""
        return same_cell(value, self.cell(threshold))

    def axis_end(self, threshold: float | None) -> float:
        """Return twice the threshold."""
        return 2 * self.cell(threshold or 0.0) / CELLS

    def axis_steps(self, end: float, threshold: float | None) -> tuple[float, float]:
        """Return by how much an axis may be extended at a time, and up to where."""
        return end / 2, end if threshold is None else AXIS * end

    def bin_edges(self, threshold: float, count: int) -> set[float]:
        """Return where ranges of distances begin and end; the last one has no end."""
        return {*self.axis_ticks(self.axis_end(threshold), count), math.inf}

    def farthest(self, slot: float, threshold: float | None) -> float:
        """Return a distance at which a slot agrees with less than this chance."""
        far = self.axis_end(threshold)
        while self.slot_chance(far, threshold or 0.0) >= max(slot, NO_CHANCE):
            far *= 2
        return far


def same_cell(distance: float, width: float) -> float:
    """Return the chance that two vectors at this distance fall in one cell of a random line.

    Their products with a random direction differ by a normally distributed number, with the distance as its standard
    deviation.

    >>> same_cell(1.0, 4.0)
    0.8005...
    """
    if distance <= 0:
        return 1.0
    ratio = width / distance
    flat = 2 / (math.sqrt(2 * math.pi) * ratio) * -math.expm1(-ratio * ratio / 2)
    return max(1 - 2 * NormalDist().cdf(-ratio) - flat, 0.0)
