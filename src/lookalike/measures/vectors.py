"""What measures of vectors and bits have in common: a family of hash functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lookalike.measures.base import Measure

if TYPE_CHECKING:
    from lookalike.lsh.family import Family
    from lookalike.recipe import Recipe


class VectorMeasure(Measure):
    """A similarity or distance of two rows of a matrix."""

    unrelated_slot = 0.5
    counts_zero = True

    uses_direction_only: ClassVar[bool] = False
    """Whether the length of a vector does not matter. A vector of zeros then has no value with any other."""
    uses_squares: ClassVar[bool] = False
    """Whether squares of numbers must be finite."""

    @property
    def family(self) -> type[Family]:
        """The hash functions that sign vectors, with the kernels that compare them."""
        raise NotImplementedError


def vector_measure(recipe: Recipe) -> VectorMeasure:
    """Return the measure of a recipe for vectors or bits."""
    assert isinstance(recipe.measure, VectorMeasure)  # noqa: S101 - a recipe with another measure is refused
    return recipe.measure
