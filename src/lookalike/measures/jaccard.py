"""Jaccard similarity: the size of the intersection over that of the union."""

from __future__ import annotations

from lookalike.kernels.codes import JACCARD
from lookalike.measures.base import register
from lookalike.measures.sets import SetMeasure


@register("sets", "jaccard")
class Jaccard(SetMeasure):
    """The size of the intersection of two sets over that of their union."""

    kernel = JACCARD
    is_default = True
    slot_is_value = True

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets."""
        return shared / (left + right - shared)

    def min_jaccard(self, similarity: float) -> float:
        """Return the similarity itself."""
        return similarity

    def from_jaccard(self, jaccard: float) -> float:
        """Return the similarity itself."""
        return jaccard
