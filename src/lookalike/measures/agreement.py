"""Agreement of vectors: the share of features that are close."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.measures.base import register
from lookalike.measures.euclidean import CELLS
from lookalike.measures.vectors import VectorMeasure

if TYPE_CHECKING:
    from lookalike.lsh.family import Family


@register("vectors", "agreement")
class Agreement(VectorMeasure):
    """The share of features of two vectors that differ by at most the tolerance."""

    takes_tolerance = True

    @property
    def family(self) -> type[Family]:
        """Random features, cut in cells."""
        from lookalike.lsh.feature_cells import FeatureCells  # noqa: PLC0415 - needs Numba

        return FeatureCells

    @property
    def label(self) -> str:
        """What its axis is called."""
        return self.name

    def cell(self) -> float:
        """Return the width of a cell."""
        return CELLS * (self.tolerance or 0.0)

    def slot_chance(self, value: float, threshold: float) -> float:  # noqa: ARG002 - the same for every threshold
        """Return a lower bound of the chance that a random feature of two vectors falls in one cell."""
        return value * (1 - 1 / CELLS)
