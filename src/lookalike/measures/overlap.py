"""Overlap and containment: how much of one set is in another."""

from __future__ import annotations

from lookalike.kernels.codes import CONTAINMENT, OVERLAP
from lookalike.measures.base import register
from lookalike.measures.sets import SetMeasure


class Inclusion(SetMeasure):
    """A measure that finds small sets in large ones. These agree in few slots, so the search is always exact."""

    banded = False

    def min_jaccard(self, similarity: float) -> float:  # noqa: ARG002 - a small set in a large one
        """Return 0: a set may be a tiny part of another."""
        return 0.0


@register("sets", "overlap")
class Overlap(Inclusion):
    """The size of the intersection of two sets over that of the smaller one."""

    kernel = OVERLAP

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets."""
        return shared / min(left, right)


@register("sets", "containment")
class Containment(Inclusion):
    """The size of the intersection of two sets over that of the left one.

    Whichever way round, a pair by containment is one by overlap: candidates are found by that.
    """

    kernel = CONTAINMENT
    search_kernel = OVERLAP
    one_way = True

    def similarity(self, shared: float, left: float, right: float) -> float:  # noqa: ARG002 - how large it is otherwise
        """Return the share of the left set that is in the right one."""
        return shared / left
