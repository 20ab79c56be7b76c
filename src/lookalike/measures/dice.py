"""Dice similarity: the size of the intersection over the mean of both sizes."""

from __future__ import annotations

from lookalike.kernels.codes import DICE
from lookalike.measures.base import register
from lookalike.measures.sets import SetMeasure


@register("sets", "dice")
class Dice(SetMeasure):
    """The size of the intersection of two sets over the mean of their sizes."""

    kernel = DICE

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets."""
        return 2 * shared / (left + right)

    def min_jaccard(self, similarity: float) -> float:
        """Return the Jaccard similarity, which follows exactly."""
        return similarity / (2 - similarity)

    def max_jaccard(self, similarity: float) -> float:
        """Return the Jaccard similarity, which follows exactly."""
        return self.min_jaccard(similarity)

    def from_jaccard(self, jaccard: float) -> float:
        """Return the similarity of sets with this Jaccard similarity."""
        return 2 * jaccard / (1 + jaccard)
