"""What measures of sets have in common: they follow from the sizes of two sets and of their intersection."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lookalike.kernels.codes import JACCARD
from lookalike.measures.base import Measure

if TYPE_CHECKING:
    from lookalike.recipe import Recipe


class SetMeasure(Measure):
    """A similarity of two sets that grows with what they share and shrinks with their sizes.

    Band keys of sets agree with the chance of their Jaccard similarity, so every measure says what it implies for that.
    """

    slot_bytes = 8

    kernel: ClassVar[int | None] = None
    """The number of its kernel. Without one, pairs are found by Jaccard similarity and scored by `similarity`."""
    search_kernel: ClassVar[int | None] = None
    """The kernel by which candidates are found, where that is another one."""

    @property
    def kernel_code(self) -> int:
        """The kernel that computes its values, or Jaccard similarities if there is none."""
        return JACCARD if self.kernel is None else self.kernel

    @property
    def search_code(self) -> int:
        """The kernel that finds candidates."""
        return self.kernel_code if self.search_kernel is None else self.search_kernel

    def kernel_threshold(self, threshold: float) -> float:
        """Return the threshold in the terms of the kernel; a little less where rounding could lose a pair."""
        return self.min_jaccard(threshold) * (1 - 1e-12) if self.kernel is None else float(threshold)

    def goal(self, threshold: float) -> tuple[int, float]:
        """Return what a search kernel must know: the measure and the threshold."""
        return self.search_code, self.kernel_threshold(threshold)

    def similarity(self, shared: float, left: float, right: float) -> float:
        """Return the similarity of two sets, from the sizes of the intersection and of both.

        A measure without a kernel is also given arrays.
        """
        raise NotImplementedError

    def min_jaccard(self, similarity: float) -> float:
        """Return the lowest Jaccard similarity of two sets with this similarity.

        It is also the smallest share of either set that the other must contain.
        """
        raise NotImplementedError

    def max_jaccard(self, similarity: float) -> float:
        """Return the highest Jaccard similarity of two sets with this similarity; arrays are accepted."""
        return similarity

    def from_jaccard(self, jaccard: float) -> float | None:  # noqa: ARG002 - it depends on the sizes too
        """Return the similarity of two sets if it follows from their Jaccard similarity; arrays are accepted."""
        return None

    def slot_chance(self, value: float, threshold: float) -> float:  # noqa: ARG002 - the same for every threshold
        """Return the lowest Jaccard similarity, which is the chance that a slot agrees."""
        return self.min_jaccard(value)


def set_measure(recipe: Recipe) -> SetMeasure:
    """Return the measure of a recipe for sets."""
    assert isinstance(recipe.measure, SetMeasure)  # noqa: S101 - a recipe with another measure is refused
    return recipe.measure
