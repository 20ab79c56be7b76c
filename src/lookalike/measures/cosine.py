"""Cosine similarity: of vectors, and of sets as vectors of zeros and ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lookalike.kernels.codes import COSINE
from lookalike.measures.base import register
from lookalike.measures.sets import SetMeasure
from lookalike.measures.vectors import VectorMeasure

if TYPE_CHECKING:
    from lookalike.lsh.family import Family


@register("sets", "cosine")
class SetCosine(SetMeasure):
    """The size of the intersection of two sets over the geometric mean of their sizes."""

    kernel = COSINE

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets."""
        return shared / math.sqrt(left * right)

    def min_jaccard(self, similarity: float) -> float:
        """Return the Jaccard similarity of a set and a part of it.

        >>> SetCosine("cosine").min_jaccard(0.8)
        0.6400000000000001
        """
        return similarity * similarity

    def max_jaccard(self, similarity: float) -> float:
        """Return the Jaccard similarity of sets of one size."""
        return similarity / (2 - similarity)


@register("vectors", "cosine")
class Cosine(VectorMeasure):
    """The cosine of the angle between two vectors."""

    uses_direction_only = True

    @property
    def family(self) -> type[Family]:
        """Random hyperplanes."""
        from lookalike.lsh.hyperplanes import Hyperplanes  # noqa: PLC0415 - needs Numba

        return Hyperplanes

    @property
    def lowest(self) -> float:
        """The value of opposite vectors."""
        return -1.0

    def slot_chance(self, value: float, threshold: float) -> float:  # noqa: ARG002 - the same for every threshold
        """Return the chance that a random plane does not separate two vectors.

        >>> Cosine("cosine", "vectors").slot_chance(0.5, 0.9)
        0.6666666666666666
        """
        return 1 - math.acos(max(-1.0, min(value, 1.0))) / math.pi

    def bin_edges(self, threshold: float, count: int) -> set[float]:
        """Return where ranges of values begin and end; what is below 0 is one range."""
        return super().bin_edges(threshold, count) | {self.lowest}
